/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * model_priv.h - the instructions of a compiled program: for patch.c, fold.c and model.c only.
 */
#ifndef GEN_MODEL_PRIV_H
#define GEN_MODEL_PRIV_H

#include "base/macros.h"
#include "gen/model.h"

static inline bool is_mov(const struct bpf_insn *i)
{
	return i->code == (BPF_ALU64 | BPF_MOV | BPF_K) || i->code == (BPF_ALU | BPF_MOV | BPF_K);
}

static inline bool is_marker(const struct bpf_insn *i, enum bp_patch which)
{
	return is_mov(i) && i->imm == (int32_t)which;
}

/* The compiled functions in whose place generated ones come. */
static const struct {
	enum bp_patch marker;
	enum code_function function;
} functions[] = { { BP_PATCH_FETCH_LONG, CODE_FETCH_LONG }, { BP_PATCH_FAULT_IN, CODE_FAULT_IN } };

/* The number of the function that begins with this, from 0; -1: it is not one of these. */
static inline int function_of(const struct bpf_insn *i)
{
	for (unsigned n = 0; n < ARRAY_SIZE(functions); n++) {
		if (is_marker(i, functions[n].marker))
			return (int)n;
	}
	return -1;
}

static inline bool is_function_marker(const struct bpf_insn *i)
{
	return function_of(i) >= 0;
}

/* Code will take its place, so it is no constant. */
static inline bool is_code_marker(const struct bpf_insn *i)
{
	return is_marker(i, BP_PATCH_FETCH) || is_function_marker(i) || is_marker(i, BP_PATCH_PAIR_KEY) ||
	       is_marker(i, BP_PATCH_COUNT);
}

static inline bool is_jump(const struct bpf_insn *i)
{
	unsigned class = BPF_CLASS(i->code), op = BPF_OP(i->code);

	return (class == BPF_JMP || class == BPF_JMP32) && op != BPF_CALL && op != BPF_EXIT;
}

static inline unsigned jump_target(const struct bpf_insn *insns, unsigned i)
{
	return i + 1 + (unsigned)(int)insns[i].off;
}

static inline unsigned call_target(const struct bpf_insn *insns, unsigned i)
{
	return i + 1 + (unsigned)insns[i].imm;
}

/* A jump to the next instruction, which has no effect. */
static const struct bpf_insn nop = { .code = BPF_JMP | BPF_JA };

/* patch.c */

/* Writes into the copy @c of the model what the kernel and the definition need: maps, instructions that only some kernels have, values. */
void patch_model(const struct model *m, struct code *c);

/* fold.c */

/* Evaluates the tests of constants in @from, and appends what is left to @to. Calls of functions that are generated get their marks. */
void fold_model(struct code *from, struct code *to);

#endif
