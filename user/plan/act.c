// SPDX-License-Identifier: GPL-2.0-only
/*
 * act.c - which triggers a program runs, and when.
 */
#include "plan/act.h"

#include "plan/plan.h"

bool act_is_kind(enum trigger_kind kind)
{
	return kind >= TRIGGER_SNAPSHOT;
}

uint64_t act_value(enum trigger_kind kind)
{
	return kind == TRIGGER_TRACEOFF || kind == TRIGGER_DISABLE_EVENT || kind == TRIGGER_DISABLE_HIST;
}

enum count_time act_time(const struct plan *plan)
{
	enum count_time time = count_filter_time(plan, plan->filter);

	if (time == COUNT_EARLY)	/* the gate has tested it */
		time = COUNT_PROGRAM;
	else if (time == COUNT_PROGRAM)	/* the sieve tests it */
		time = COUNT_LATE;
	for (const struct act *a = plan->acts; a; a = a->next) {
		enum count_time own = count_filter_time(plan, a->filter);

		time = own > time ? own : time;
	}
	return time;
}
