/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * code.h - a growing piece of BPF, and its readable form.
 */
#ifndef GEN_CODE_H
#define GEN_CODE_H

#include <linux/bpf.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"

/* Helpers of 5.17 (include/uapi/linux/bpf.h). They are defined here because the build machine's headers may be older. */
enum { CODE_GET_FUNC_ARG = 183, CODE_GET_FUNC_RET = 184 };

struct code {
	struct arena *arena;
	struct bpf_insn *insns;
	unsigned nr, size;		/* number of instructions in use, and allocated */
	bool overflow;			/* a jump was too far for its 16 bits */
};

/* Each appends one instruction (the 64-bit load takes two) and returns its index. */
unsigned code_add(struct code *c, struct bpf_insn insn);
unsigned code_mov(struct code *c, unsigned dst, unsigned src);
unsigned code_mov_imm(struct code *c, unsigned dst, int32_t imm);
unsigned code_alu(struct code *c, unsigned op, unsigned dst, unsigned src);
unsigned code_alu_imm(struct code *c, unsigned op, unsigned dst, int32_t imm);

/* Turns @reg's low @bytes (2, 4 or 8) from network byte order to the CPU's; the rest becomes 0. */
unsigned code_from_network(struct code *c, unsigned reg, unsigned bytes);
unsigned code_load(struct code *c, unsigned bytes, unsigned dst, unsigned src, int16_t off);
unsigned code_store(struct code *c, unsigned bytes, unsigned dst, int16_t off, unsigned src);
unsigned code_store_imm(struct code *c, unsigned bytes, unsigned dst, int16_t off, int32_t imm);
unsigned code_call(struct code *c, int32_t helper);
unsigned code_call_kernel(struct code *c, uint32_t func);	/* @func: the BTF id of the kernel's function */
unsigned code_exit(struct code *c);

bool code_is_wide(const struct bpf_insn *insn);			/* a 64-bit load: the next instruction is its second half */
bool code_is_local_call(const struct bpf_insn *insn);		/* of a function of the same program */

enum { CODE_MADE_MOST = 1024 };		/* synthetic events of a run */

/* The functions that are generated. Until code_link() a call has one of these in the place of its distance. */
enum code_function {
	CODE_FETCH_LONG = INT32_MIN,	/* the body for long strings */
	CODE_FAULT_IN,
	CODE_PATH,			/* makes a path: the compiled bp_path() of bpf/path.bpf.h */
	CODE_COUNT_COLD, CODE_IS_COLD,	/* see gen/fault_in.h */
	CODE_COUNT,			/* what counts before the record: see gen/count_code.h */
	CODE_COUNT_SHORT, CODE_COUNT_LONG,	/* ... and by a record of the short and the long size */
	CODE_MADE,			/* what synthetic events set off (gen/table_code.h): one for each, CODE_MADE + count_made.nr */
	CODE_WRITE = CODE_MADE + CODE_MADE_MOST,	/* ... and bp_made() of bpf/probe.bpf.c, which writes their records */
	CODE_FUNCTIONS_END = CODE_WRITE + CODE_MADE_MOST
};
unsigned code_call_function(struct code *c, enum code_function function);
bool code_calls_function(const struct bpf_insn *insn);		/* any of them */

/* Makes the calls of @function go to the end of @c: append it there. Returns false if nothing calls it. */
bool code_link(struct code *c, enum code_function function);

/* The same for a function that is there already, at the index @target. */
bool code_link_at(struct code *c, enum code_function function, unsigned target);

/*
 * r3 = the @bytes of the kernel's memory at r3 + @off; 0 if they cannot be read. Uses r0 to r5 and the word of the stack at
 * r10 + @word.
 */
void code_follow(struct code *c, int off, unsigned bytes, int16_t word);

/* code_const() loads a 64-bit constant, code_add_const() adds one (and may need @scratch), with as little code as possible. */
void code_const(struct code *c, unsigned dst, uint64_t value);
/* @dst = map @fd, in the form that helpers need. */
void code_map(struct code *c, unsigned dst, int fd);
/* @dst = the address of byte @offset in the only value of map @fd. */
void code_map_value(struct code *c, unsigned dst, int fd, uint32_t offset);
void code_add_const(struct code *c, unsigned dst, int64_t value, unsigned scratch);

/*
 * Jumps whose target comes later: code_jump* return the jump's index.
 * code_land() makes the jump go to the next instruction, code_land_at() to a known
 * one.
 */
unsigned code_jump(struct code *c);
unsigned code_jump_imm(struct code *c, unsigned op, unsigned dst, int32_t imm);
unsigned code_jump_imm32(struct code *c, unsigned op, unsigned dst, int32_t imm);	/* compares the low 32 bits */
unsigned code_jump_reg(struct code *c, unsigned op, unsigned dst, unsigned src);
void code_land(struct code *c, unsigned jump);
void code_land_at(struct code *c, unsigned jump, unsigned target);

/* Prints one line for each instruction, in the form of the kernel's verifier log. */
void code_print(const struct bpf_insn *insns, unsigned nr, struct buf *out);

#endif
