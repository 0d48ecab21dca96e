/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * insn_regs.h - which general registers an instruction reads and writes.
 *
 * Knows only the instructions that compilers put at the start of functions. Pure, like insn.h.
 */
#ifndef ARCH_X86_64_INSN_REGS_H
#define ARCH_X86_64_INSN_REGS_H

#include <stdbool.h>
#include <stdint.h>

/* One bit for each register, by its number in instructions: 0 ax, 1 cx, 2 dx, 3 bx, 4 sp, 5 bp, 6 si, 7 di, 8 r8 ... */
struct insn_regs {
	uint16_t reads;
	uint16_t writes;		/* wholly: nothing of the old value remains */
};

/*
 * @bytes is one whole instruction of @len bytes (the length from insn_decode()). Returns false, and leaves *ret
 * unchanged, if it does not know the instruction. A push counts as reading nothing, because its purpose may be only to
 * make room.
 */
bool insn_regs(const uint8_t *bytes, unsigned len, struct insn_regs *ret);

#endif
