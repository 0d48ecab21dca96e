/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * insn.h - how long x86-64 instructions are, and where they go.
 *
 * A table-driven length decoder for 64-bit mode. Pure: no allocation, no I/O,
 * no state. It answers for bytes; what the bytes of the running kernel are, and
 * who has patched them, is for others to know.
 */
#ifndef ARCH_X86_64_INSN_H
#define ARCH_X86_64_INSN_H

#include <stddef.h>
#include <stdint.h>

#define INSN_MAX	15	/* bytes; longer ones raise #GP (Intel SDM, vol. 2, 2.3.11) */

/* Where execution goes behind an instruction. */
enum insn_flow {
	INSN_NEXT,		/* to the next one */
	INSN_CALL,		/* call rel32 */
	INSN_JMP,		/* jmp rel8 or rel32 */
	INSN_JCC,		/* jcc, loop, jrcxz, xbegin: perhaps to the target, else on */
	INSN_CALL_INDIRECT,	/* call through a register or memory, far calls */
	INSN_JMP_INDIRECT,
	INSN_RET,		/* near, far and interrupt returns, sysret, sysexit, eretu, rsm */
	INSN_INT3,
	INSN_UD,		/* ud0, ud1, ud2, udb: always raises #UD */
};

struct insn {
	uint8_t len;		/* bytes, prefixes included: 1 to INSN_MAX */
	uint8_t flow;		/* enum insn_flow */
	int32_t rel;		/* CALL, JMP, JCC: the target, counted from the next instruction */
};

/*
 * Decodes the instruction at @bytes, of which @avail may be read. Returns its length
 * and fills in *ret; 0 where 64-bit mode has no such instruction; -1 where @avail, less
 * than INSN_MAX then, is too short to tell. *ret is untouched by 0 and -1.
 *
 * It answers for lengths, so it also takes what raises #UD at a known length: lock before
 * what cannot be locked, reserved numbers behind an opcode that exists, and any opcode
 * behind 0F 38, 0F 3A, VEX, EVEX and XOP, as those maps are still being filled. Where
 * Intel and AMD differ it is Intel's length: 66 does not shorten jumps and calls.
 */
int insn_decode(const uint8_t *bytes, size_t avail, struct insn *ret);

#endif
