/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pair.h - events whose hits begin or end pairs (--pair A:B).
 */
#ifndef PLAN_PAIR_H
#define PLAN_PAIR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"

struct plan;
struct resolver;

/*
 * Finds the field that is the key, and refuses what cannot be in a pair. To be called when layout, fetches, backend and filter
 * of the plan are known. -ENOENT, -EINVAL with the caret in @diag.
 */
int pair_resolve(const struct resolver *r, struct plan *plan);

/* Can the values of the field that is the key be equal? @begin and @end are of one pair. -EINVAL with the caret in @diag. */
int pair_check(const struct plan *begin, const struct plan *end, struct diag *diag);

/* Does only the record show whether the filter takes a hit? */
bool pair_needs_record(const struct plan *plan);

/* Do its hits only begin pairs, and need no record to be made for that? */
bool pair_is_silent(const struct plan *plan);

/* Is the program given a struct bp_saved: parameters that an entry probe has saved, or the time of the entry, or of a pair? */
bool plan_has_saved(const struct plan *plan);

#endif
