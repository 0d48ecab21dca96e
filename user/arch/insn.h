/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * insn.h - how long instructions are, where they jump to, and which registers they use.
 *
 * Pure: no allocation, no I/O, no state. It only decodes given bytes. It
 * does not know what the bytes of the running kernel are or who has patched them.
 */
#ifndef ARCH_INSN_H
#define ARCH_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INSN_MAX	15	/* bytes; longer ones raise #GP (Intel SDM, vol. 2, 2.3.11) */

/* Where execution continues after an instruction. */
enum insn_flow {
	INSN_NEXT,		/* at the next one */
	INSN_CALL,		/* call rel32 */
	INSN_JMP,		/* jmp rel8 or rel32 */
	INSN_JCC,		/* jcc, loop, jrcxz, xbegin: at the target or at the next one */
	INSN_CALL_INDIRECT,	/* call through a register or memory, far calls */
	INSN_JMP_INDIRECT,
	INSN_RET,		/* near, far and interrupt returns, sysret, sysexit, eretu, rsm */
	INSN_INT3,
	INSN_UD,		/* ud0, ud1, ud2, udb: always raises #UD */
};

struct insn {
	uint8_t len;		/* bytes, prefixes included: 1 to INSN_MAX */
	uint8_t flow;		/* enum insn_flow */
	int32_t rel;		/* CALL, JMP, JCC: the distance from the next instruction to the target */
};

/*
 * Decodes the instruction at @bytes; @avail bytes may be read. Returns its length and fills in *ret. Returns 0 if
 * 64-bit mode has no such instruction, and -1 if @avail is too short to tell (then it is less than INSN_MAX). 0 and -1
 * leave *ret unchanged.
 *
 * Only the length must be right. So it also accepts instructions that raise #UD but have a known length: lock before an
 * instruction that cannot be locked, reserved numbers after an existing opcode, and any opcode after 0F 38, 0F 3A, VEX,
 * EVEX and XOP, because new instructions are still added to those maps. If Intel and AMD differ, the length is Intel's:
 * 66 does not shorten jumps and calls.
 */
int insn_decode(const uint8_t *bytes, size_t avail, struct insn *ret);

/* The general registers that an instruction reads and writes, a bit for each. */
struct insn_regs {
	uint16_t reads;
	uint16_t writes;		/* wholly: nothing of the old value remains */
};

/*
 * @bytes is one whole instruction of @len bytes (the length from insn_decode()). Returns false, and leaves *ret
 * unchanged, if it does not know the instruction: it knows those that compilers put at the start of functions. A push counts
 * as reading nothing, because its purpose may be only to make room.
 */
bool insn_regs(const uint8_t *bytes, unsigned len, struct insn_regs *ret);

/* Bit N of the result: parameter N of a function is in one of the registers @regs. */
unsigned insn_params(uint16_t regs);

#endif
