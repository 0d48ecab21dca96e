/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * filter_code.h - a filter as BPF.
 *
 * Each piece of code jumps if it decides the result, and falls through if it does not. So a hit
 * runs only the comparisons that it needs, one after the other.
 */
#ifndef GEN_FILTER_CODE_H
#define GEN_FILTER_CODE_H

#include "gen/code.h"
#include "gen/gate.h"
#include "plan/filter_plan.h"

/* A list of jumps that all go to the same later place. */
struct filter_jump {
	struct filter_jump *next;
	unsigned jump;
};

struct filter_code {
	struct code *code;
	const struct plan *plan;
	const struct gate_env *env;	/* for FILTER_FLAGS and FILTER_COUNT; NULL: --explain */
	bool by_record;			/* r7 is the filled record; else r6 is the context */
	bool knows_pid;			/* not by_record: r7 is what bpf_get_current_pid_tgid() returned */
	bool is_long;			/* by_record: it is the record for long strings */
	uint32_t record_size;		/* by_record: bytes that were reserved */
	int16_t spill;			/* not by_record: a word of the stack for reads; 0: the first one */
	int16_t saved;			/* ... and the word with the address of what was saved at the entry; 0: there is none */
	int16_t time;			/* a word of the stack with the time of FILTER_TIME, if that is of another clock than the record's */
	struct filter_jump *failed;	/* jumps if the present leaf's test is false */
	struct filter_jump *unread;	/* ... if its value could not be read: the test is false, too, but nobody knows what it would be */
	bool hopes;			/* each leaf that could not be read is true, whatever its negation */
	bool notes;			/* r8 becomes 1 if a leaf could not be read; not by_record */
};

/* For code behind a record of the short or the long size. */
struct filter_code filter_code_by_record(const struct plan *plan, bool is_long, struct code *code);

/* filter_jump_add() adds the jump @jump to @list. filter_jump_land() makes its jumps go to the next instruction. */
void filter_jump_add(const struct filter_code *fc, struct filter_jump **list, unsigned jump);
void filter_jump_land(const struct filter_code *fc, struct filter_jump **list);

/* Adds a jump that is always taken, in a form that keeps the code behind it reachable: the kernel requires that. */
void filter_jump_always(const struct filter_code *fc, struct filter_jump **list);

/* A part of the gate of @g->plan: a hit leaves by GATE_FILTERED if the filter's early part is false. */
void filter_emit_gate(struct gate *g);

/*
 * Stands behind a body's fetch code. r9 gets BP_FETCH_FILTERED if the late part is false for the record in r7, which
 * has the short or the long size. Uses r0 to r5 and r8.
 */
void filter_emit_sieve(const struct plan *plan, bool is_long, struct code *code);

/* Adds to @list the jump of a record in which field @f could not be read. Uses r2 and r3. */
void filter_emit_mark(const struct filter_code *fc, const struct layout_field *f, struct filter_jump **list);

/*
 * filter_string.c: tests a string. Adds the jumps for a false test to fc->failed, and if @fc->hopes those for a string that could not be
 * read to fc->unread; falls through if the test is true.
 */
void filter_emit_string(struct filter_code *fc, const struct filter_leaf *leaf);

/*
 * Adds to @list the jumps that are taken if @filter is false. All of it must be decided where the code stands: its stage is not
 * later.
 */
void filter_emit_root(struct filter_code *fc, const struct filter *filter, struct filter_jump **list);

/* r3 = the number of a leaf, extended to 64 bits by its sign. Uses r0 to r5. If it cannot be read, jumps by fc->unread. */
void filter_emit_value(struct filter_code *fc, const struct filter_leaf *leaf);

/* r3 = the number of a leaf. *ret_clean: the register holds only its bytes, without a sign extension. */
void filter_emit_number(struct filter_code *fc, const struct filter_leaf *leaf, bool *ret_clean);

#endif
