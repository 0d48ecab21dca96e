/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * synthetic.h - the layout of a synthetic event's records.
 */
#ifndef PLAN_SYNTHETIC_H
#define PLAN_SYNTHETIC_H

#include "lang/synthetic.h"
#include "plan/plan.h"

/* The plan of an event without a place: only its layout is set, and a definition that has no more than its names. In @arena. */
struct plan *synthetic_plan(struct arena *arena, const struct synthetic_def *def);

#endif
