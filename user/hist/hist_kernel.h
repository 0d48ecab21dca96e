/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hist_kernel.h - histograms that programs count: which ones, and how to read what they counted.
 *
 * A program can count those whose keys are numbers, strings or stacks, and whose values are numbers. User space can count all that have no
 * variables, and is the reference for these.
 */
#ifndef HIST_HIST_KERNEL_H
#define HIST_HIST_KERNEL_H

#include "hist/histogram.h"
#include "plan/count.h"

struct bp_tally;
struct plan;

struct hist_kernel_opts {
	bool atomics;			/* BPF has compare and exchange */
	bool generations;		/* see struct count_table */
	bool drops;			/* the event is kept: see struct count */
	bool tables;			/* programs run all triggers with variables and actions, so each may have them */
	/* TRACE: the synthetic event with this number of the triggers' probes. NULL: no program makes any. */
	const struct count_made *(*made)(void *ctx, unsigned number);
	void *ctx;
	bool acts;			/* programs run the other triggers, too (plan/act.h) */
	bool pauses;			/* tables can be paused */
};

/* Is it for programs alone (hist_is_for_programs()), or of a synthetic event? See gen/table_code.h. */
bool hist_kernel_is_table(const struct histogram *h);

/*
 * What a program for the probe of @plan has to count for @h, whose layout is @plan's; @filter is the trigger's. NULL: no program can
 * count it. The result and its table, which has no maps yet, live in @arena.
 */
struct count *hist_kernel_count(struct arena *arena, struct histogram *h, const struct plan *plan, struct filter *filter,
				const struct hist_kernel_opts *opts);

/* The same for a table that exists: only its keys and values are known, and it has any number of probes. Never NULL. */
const struct count *hist_kernel_keys(struct arena *arena, const struct histogram *h);

/* Adds an entry of the program's table, which has the keys of @count, to @to, a table of @h. */
void hist_kernel_add(const struct histogram *h, const struct count *count, const unsigned char *key, const struct bp_tally *tally,
		     struct hist_table *to);

#endif
