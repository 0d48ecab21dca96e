/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * join.h - one more probe for an event that exists already.
 */
#ifndef PLAN_JOIN_H
#define PLAN_JOIN_H

#include "plan/plan.h"

/*
 * Checks whether @plan can be a probe of the event whose records have the layout @event. All probes of an event must have the
 * same fields. -EEXIST with the caret at the difference (6.12, kernel/trace/trace_probe.c, trace_probe_compare_arg_type()).
 */
int join_check(const struct layout *event, const struct plan *plan, struct diag *diag);

#endif
