/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * act.h - triggers that a definition's program runs itself: those that switch something on or off, that ask for a snapshot, and that
 * put the stack into the record.
 *
 * A kept event has no process that reads its hits, rings that overwrite are read at the end, and variables are worked out at the hit.
 * There a trigger must act in the program. Each action writes one number to words of maps' values, which other programs read at each of their hits.
 */
#ifndef PLAN_ACT_H
#define PLAN_ACT_H

#include <stdbool.h>
#include <stdint.h>

#include "lang/trigger.h"
#include "plan/count.h"

/* Words of 64 bits in the value of an array map with one entry; @off: the first one. */
struct act_word {
	int fd;
	uint32_t off;
};

struct act {
	struct act *next;		/* the next one of the same definition, in the order in which they act */
	enum stage stage;		/* where it acts; STAGE_USER: the program cannot decide a filter, so there must be no such program */
	const struct trigger *trigger;
	struct filter *filter;		/* NULL: each hit */
	struct count_table *state;	/* with a count: where it is; the table itself does not exist */
	const struct act_word *words;	/* what it writes; may be set after the plan is made, before the program is */
	unsigned nr_words;
};

/* Is it a trigger that can act in a program? */
bool act_is_kind(enum trigger_kind kind);

/* Does one of @acts, and those behind it, put the stack into the record (stacktrace)? */
bool act_takes_stack(const struct act *acts);

/* What an action of this kind writes to its words. A snapshot has none: it rings the bell of the reader. Nor has stacktrace. */
uint64_t act_value(enum trigger_kind kind);

#endif
