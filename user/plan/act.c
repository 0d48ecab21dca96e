// SPDX-License-Identifier: GPL-2.0-only
/*
 * act.c - which triggers a program runs.
 */
#include "plan/act.h"

bool act_is_kind(enum trigger_kind kind)
{
	return kind >= TRIGGER_SNAPSHOT;
}

uint64_t act_value(enum trigger_kind kind)
{
	return kind == TRIGGER_TRACEOFF || kind == TRIGGER_DISABLE_EVENT || kind == TRIGGER_DISABLE_HIST;
}
