/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fetches.h - questions about how values are found.
 */
#ifndef PLAN_FETCHES_H
#define PLAN_FETCHES_H

#include "plan/plan.h"

/* Calls @each for each source that @f begins with: @f itself, or those of a calculation. Stops at the first true, and returns it. */
bool fetch_any_source(const struct fetch *f, bool (*each)(void *ctx, const struct fetch *source), void *ctx);

/* Is one of its sources of this kind? */
bool fetch_has_source(const struct fetch *f, enum fetch_src src);

/* Is @f's value found only when its record has been made? */
bool fetch_wants_record(const struct fetch *f);

/* Can it be that the value cannot be read? */
bool fetch_can_fail(const struct fetch *f);

#endif
