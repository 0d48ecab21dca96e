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
	return kind == TRIGGER_TRACEOFF || kind == TRIGGER_DISABLE_EVENT || kind == TRIGGER_DISABLE_HIST || kind == TRIGGER_SNAPSHOT;
}

enum count_time act_time(const struct plan *plan)
{
	enum count_time time = COUNT_PROGRAM;

	if (count_filter_time(plan, plan->filter) > COUNT_EARLY)
		time = COUNT_LATE;
	for (const struct act *a = plan->acts; a; a = a->next) {
		enum count_time own = count_filter_time(plan, a->filter);

		time = own > time ? own : time;
	}
	return time;
}

bool act_tests_before(const struct plan *plan)
{
	if (!plan->acts)
		return true;
	if (act_time(plan) != COUNT_LATE)
		return false;
	/* While all is switched off, traceoff has nothing to do. */
	for (const struct act *a = plan->acts; a; a = a->next) {
		if (a->trigger->kind != TRIGGER_TRACEOFF)
			return false;
	}
	return true;
}
