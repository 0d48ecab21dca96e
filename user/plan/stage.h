/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stage.h - the moments of a hit at which something is decided, counted or set off.
 *
 *	gate ----> program ----> record ----> user
 *	  |           |            |            |
 *	rejected   no record    given back    not printed
 *
 * Each part of a filter, each trigger and the limits have a stage. plan/stage.c settles them all together, because one depends on
 * others: a trigger sees no hit that the filter rejects, and a limit lets no trigger act before it. All other code reads them.
 */
#ifndef PLAN_STAGE_H
#define PLAN_STAGE_H

#include <stdbool.h>

struct count;
struct filter;
struct plan;

/* In the order of a hit. What has happened before: */
enum stage {
	STAGE_NONE,			/* there is nothing to do, or it is not settled yet */
	STAGE_GATE,			/* nothing: the code in front of the program knows the context and the task (gen/gate.h) */
	STAGE_PROGRAM,			/* the gate let the hit pass; what the entry kept was taken, or the pair ended. No record is reserved */
	STAGE_RECORD,			/* a record was reserved and filled; the program can still give it back */
	STAGE_USER,			/* user space has read the record: BPF cannot do it, or shall not */
};

/*
 * Settles the stages of @plan's filter, limits, acts and counts. To be called again whenever something changes from which they follow:
 * these themselves, the backend, what an entry probe saves. backend_change() and the functions below do so.
 */
void stage_settle(struct plan *plan);

/*
 * Can @plan's program count @c, at any stage before STAGE_USER? This is asked before @c is one of plan.sets_off.counts. Its filter gets its
 * stages.
 */
bool stage_can_count(const struct plan *plan, const struct count *c);

/* Can its program decide @filter, that of a trigger, for the hits that the definition's filter takes? NULL: none. It gets its stages. */
bool stage_can_act(const struct plan *plan, struct filter *filter);

/* Where all counts, or all acts, of @plan do their work; STAGE_NONE: it has none. They have one stage: their code is in one place. */
enum stage stage_of_counts(const struct plan *plan);
enum stage stage_of_acts(const struct plan *plan);

/*
 * For a program that the kernel refused: moves the tests of strings in the filter to user space. False: there are none to move.
 * stage_filter_back() undoes this: the filter was not the reason.
 */
bool stage_filter_to_user(struct plan *plan);
void stage_filter_back(struct plan *plan);

/* ... moves all counting to user space. */
void stage_counts_to_user(struct plan *plan);

#endif
