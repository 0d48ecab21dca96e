/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * insn.h - how long instructions are, where they jump to, and which registers they use.
 *
 * Pure: no allocation, no I/O, no state. It only decodes given bytes. It
 * does not know what the bytes of the running kernel are or who has patched them.
 *
 * Each CPU's header gives INSN_MAX, the bytes of the longest instruction.
 */
#ifndef ARCH_INSN_H
#define ARCH_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__)
#include "arch/x86_64/insn.h"
#elif defined(__aarch64__)
#include "arch/arm64/insn.h"
#endif

/* Where execution continues after an instruction. */
enum insn_flow {
	INSN_NEXT,		/* at the next one */
	INSN_CALL,		/* a call whose target is in the instruction */
	INSN_JMP,		/* such a jump */
	INSN_JCC,		/* at the target or at the next one */
	INSN_CALL_INDIRECT,	/* through a register or memory */
	INSN_JMP_INDIRECT,
	INSN_RET,		/* from functions, interrupts and system calls */
	INSN_BREAKPOINT,	/* the one that kprobes write */
	INSN_UNDEFINED,		/* always raises the exception of an undefined instruction */
};

struct insn {
	uint8_t len;		/* bytes, prefixes included: 1 to INSN_MAX */
	uint8_t flow;		/* enum insn_flow */
	int32_t rel;		/* CALL, JMP, JCC: the distance from the next instruction to the target */
};

/*
 * Decodes the instruction at @bytes; @avail bytes may be read. Returns its length and fills in *ret. Returns 0 if
 * 64-bit code has no such instruction, and -1 if @avail is too short to tell (then it is less than INSN_MAX). 0 and -1
 * leave *ret unchanged. Only the length must be right: instructions that are undefined but have a known length may be accepted.
 */
int insn_decode(const uint8_t *bytes, size_t avail, struct insn *ret);

/* The general registers that an instruction reads and writes, a bit for each. */
struct insn_regs {
	uint32_t reads;
	uint32_t writes;		/* wholly: nothing of the old value remains */
};

/*
 * @bytes is one whole instruction of @len bytes (the length from insn_decode()). Returns false, and leaves *ret
 * unchanged, if it does not know the instruction: it knows those that compilers put at the start of functions. A push counts
 * as reading nothing, because its purpose may be only to make room.
 */
bool insn_regs(const uint8_t *bytes, unsigned len, struct insn_regs *ret);

/* Bit N of the result: parameter N of a function is in one of the registers @regs. */
unsigned insn_params(uint32_t regs);

#endif
