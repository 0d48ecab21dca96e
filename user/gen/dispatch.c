// SPDX-License-Identifier: GPL-2.0-only
/*
 * dispatch.c - a program for the hits of many functions.
 *
 * Functions do not overlap, and no others are hit. So the function that was hit is the last one that does not begin behind the
 * address. 32 bits tell addresses of the kernel's text apart. Each function has a tail call of its own with a constant index, which
 * the kernel's compiler turns into a direct jump.
 *
 * One program with all the others as its functions would need no tail call. But the kernel's verifier changes instructions
 * in a program by copying all of it, so the time to load it grows with the square of its size: 1.5 times as much as by a hundred
 * trampolines, for a hundred definitions.
 */
#include "gen/dispatch.h"

#include <linux/bpf.h>

static void emit_leaf(unsigned i, int programs_fd, struct code *c)
{
	code_map(c, BPF_REG_2, programs_fd);
	code_mov_imm(c, BPF_REG_3, (int32_t)i);
	code_call(c, BPF_FUNC_tail_call);
	code_mov_imm(c, BPF_REG_0, 0);
	code_exit(c);
}

/* r1 is the context, and the address is in r2. */
static void emit_tree(const uint64_t *funcs, unsigned first, unsigned end, int programs_fd, struct code *c)
{
	unsigned mid = first + (end - first) / 2, jump;

	if (end - first == 1) {
		emit_leaf(first, programs_fd, c);
		return;
	}
	jump = code_jump_imm32(c, BPF_JLT, BPF_REG_2, (int32_t)(uint32_t)funcs[mid]);
	emit_tree(funcs, mid, end, programs_fd, c);
	code_land(c, jump);
	emit_tree(funcs, first, mid, programs_fd, c);
}

void dispatch_emit(const uint64_t *funcs, unsigned nr, int programs_fd, unsigned ip_word, struct code *code)
{
	code_load(code, 4, BPF_REG_2, BPF_REG_1, (int16_t)(8 * ip_word));
	emit_tree(funcs, 0, nr, programs_fd, code);
}
