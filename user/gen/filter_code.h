/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * filter_code.h - a filter as BPF.
 *
 * Each piece jumps where it is decided and falls through where it is not, so what a hit runs is
 * the comparisons that it takes, one after the other.
 */
#ifndef GEN_FILTER_CODE_H
#define GEN_FILTER_CODE_H

#include "gen/code.h"
#include "gen/gate.h"
#include "plan/filter.h"

/* Jumps that all go to one place, which comes later. */
struct filter_jump {
	struct filter_jump *next;
	unsigned jump;
};

struct filter_code {
	struct code *code;
	const struct plan *plan;
	bool by_record;			/* r7 is the filled record; else r6 is the context */
	bool is_long;			/* by_record: it is the one for long strings */
	uint32_t record_size;		/* by_record: bytes that were reserved */
	struct filter_jump *failed;	/* the leaf being emitted has no value: its test is false */
};

/* Adds the jump @jump to @list, and makes those in it go to the next instruction. */
void filter_jump_add(const struct filter_code *fc, struct filter_jump **list, unsigned jump);
void filter_jump_land(const struct filter_code *fc, struct filter_jump **list);

/* The same for a jump that is always taken, but so that what stands behind can be reached: the kernel wants that. */
void filter_jump_always(const struct filter_code *fc, struct filter_jump **list);

/* Part of the gate of @g->plan: hits leave by GATE_FILTERED whose early part is false. */
void filter_emit_gate(struct gate *g);

/*
 * Behind a body's fetch code: r9 gets BP_FETCH_FILTERED where the late part is false for the record in r7, of the
 * short or the long size. Uses r0 to r5 and r8.
 */
void filter_emit_sieve(const struct plan *plan, bool is_long, struct code *code);

/* filter_string.c: adds to fc->failed the jumps for the test of a string being false, and falls through. */
void filter_emit_string(struct filter_code *fc, const struct filter_leaf *leaf);

/* r3 = the number of a leaf; *ret_clean: nothing but its bytes is in the register, and no sign. */
void filter_emit_number(struct filter_code *fc, const struct filter_leaf *leaf, bool *ret_clean);

#endif
