/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * join.h - one more probe of an event that there is.
 */
#ifndef PLAN_JOIN_H
#define PLAN_JOIN_H

#include "plan/plan.h"

/*
 * All probes of an event have the same fields: may @plan be one of the event whose records are as @event? -EEXIST with the
 * caret where they differ (6.12, kernel/trace/trace_probe.c, trace_probe_compare_arg_type()).
 */
int join_check(const struct layout *event, const struct plan *plan, struct diag *diag);

#endif
