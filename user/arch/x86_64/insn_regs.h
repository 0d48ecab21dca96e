/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * insn_regs.h - which general registers an instruction reads and writes.
 *
 * For the instructions that compilers begin functions with, not for all. Pure, as insn.h.
 */
#ifndef ARCH_X86_64_INSN_REGS_H
#define ARCH_X86_64_INSN_REGS_H

#include <stdbool.h>
#include <stdint.h>

/* Bits by the number that instructions have for a register: 0 ax, 1 cx, 2 dx, 3 bx, 4 sp, 5 bp, 6 si, 7 di, 8 r8 ... */
struct insn_regs {
	uint16_t reads;
	uint16_t writes;		/* whole: nothing of the old value is left */
};

/*
 * @bytes is one whole instruction of @len bytes (as insn_decode() measured it). Returns false, and leaves *ret alone,
 * for one that is not known here. A push counts as reading nothing: it may only make room.
 */
bool insn_regs(const uint8_t *bytes, unsigned len, struct insn_regs *ret);

#endif
