// SPDX-License-Identifier: GPL-2.0-only
/*
 * act.c - which triggers a program runs.
 */
#include "plan/act.h"

bool act_is_kind(enum trigger_kind kind)
{
	return kind >= TRIGGER_STACKTRACE;
}

bool act_takes_stack(const struct act *acts)
{
	for (; acts; acts = acts->next) {
		if (acts->trigger->kind == TRIGGER_STACKTRACE)
			return true;
	}
	return false;
}

uint64_t act_value(enum trigger_kind kind)
{
	return kind == TRIGGER_TRACEOFF || kind == TRIGGER_DISABLE_EVENT || kind == TRIGGER_DISABLE_HIST;
}
