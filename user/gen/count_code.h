/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * count_code.h - BPF that counts a hit in the tables of its definition's histograms (plan/count.h).
 *
 *	for each histogram: filter, key -> entry, made if there is none
 *	for each histogram: add to the entry
 *
 * First all entries are found. If a table is full, nothing was counted, and the hit becomes a record.
 */
#ifndef GEN_COUNT_CODE_H
#define GEN_COUNT_CODE_H

#include "gen/act_code.h"
#include "gen/filter_code.h"
#include "plan/count.h"

/* The code for tables that have no entry yet stands behind the code that always runs. */
struct count_cold {
	struct count_cold *next;
	const struct count *count;
	unsigned jump, back;		/* jump: there is no entry; and where it goes on */
	unsigned skip;			/* where the code goes on without this histogram */
};

struct counter {
	struct filter_code fc;		/* says whether there is a record, and in which registers things are */
	const struct count *counts;	/* NULL: none where this code stands */
	int stack;			/* the code's stack begins at this distance below r10 */
	struct count_cold *cold;
	unsigned end;			/* STAGE_PROGRAM: index behind the code that always runs */
	struct filter_jump *full;	/* jumps of hits that could not be counted */
	struct filter_jump *none;	/* jumps over a histogram that does not want the hit */
};

/* Is there any code for STAGE_PROGRAM? */
bool counter_in_program(const struct plan *plan);

/*
 * Appends the code for STAGE_PROGRAM, which takes the place of a marker: what is switched, and what is counted. r6 is the context, r8
 * what was saved at the entry, and both keep their values. r9 becomes 1, or 0 if the hit needs a record. The surrounding program uses
 * @stack bytes of the stack. With @env->apart it may call CODE_COUNT, which the caller links and appends. Returns what counter_emit_rest()
 * needs, which may be called later for the same code.
 */
struct counter *counter_emit_hot(const struct plan *plan, const struct gate_env *env, unsigned stack, struct code *code);
void counter_emit_rest(struct counter *counter);

/*
 * Appends a function that counts: CODE_COUNT by the context in r1 and what was saved at the entry in r2 (STAGE_PROGRAM), the others by the
 * context in r1 and the record in r2. It returns 1, or 0 if the hit is not counted.
 */
void counter_emit_function(const struct plan *plan, enum code_function which, struct code *code);

/* Appends the code. What falls through was counted. Uses r0 to r5. */
void counter_emit(struct counter *counter);

/*
 * Appends the code for rare cases, which jumps back. Call it behind a jump or an exit. A hit that finds no room goes to @full; by a
 * record and with count.drops it is counted as dropped.
 */
void counter_emit_cold(struct counter *counter, unsigned full);

#endif
