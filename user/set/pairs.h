/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pairs.h - the pairs of events of a run (--pair).
 */
#ifndef SET_PAIRS_H
#define SET_PAIRS_H

#include "set/set.h"

/*
 * Reads the options, and marks the definitions of their events. Those that end pairs get an argument $elapsed if they have
 * none. The definitions must have their dialects, and no patterns must be expanded yet. -EINVAL, -ENOENT, -E2BIG with the caret in @diag.
 */
int pairs_settle(struct set *s, struct diag *diag);

/* Checks the definitions of each pair against each other, as far as they are resolved. -EINVAL with the caret in @diag. */
int pairs_check(const struct set *s, struct diag *diag);

/* Attaches what removes the hits of tasks that are gone. The channel must be there. -errno with @diag. */
int pairs_watch(struct set *s, struct diag *diag);

/* The hits of @pair's first or second event (@ends) that were not paired: struct bp_stat. */
uint64_t pairs_count(const struct set *s, const struct pair *pair, bool ends);

#endif
