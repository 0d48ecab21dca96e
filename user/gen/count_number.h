/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * count_number.h - BPF for the numbers that histograms have as keys and values, for count_code.c and table_code.c.
 */
#ifndef GEN_COUNT_NUMBER_H
#define GEN_COUNT_NUMBER_H

#include <stddef.h>

#include "gen/count_code.h"

/*
 * r3 = the number, which is not calculated. If it could not be read it is 0, or with @exact the hit goes to k->full. Uses r0 to r5 by the
 * context, and r1 to r3 by a record.
 */
void count_emit_number(struct counter *k, const struct count_number *n, bool exact);

/* The hits of the jumps @jumps go to k->full, and @jumps is empty then. Nothing of them is counted yet. */
void count_leave_to_user(struct counter *k, struct filter_jump **jumps);

/* count_code.c: *(@dst + @off) += @src, atomically. */
void count_emit_add(struct code *c, unsigned dst, size_t off, unsigned src);

/* Is it the smallest or the largest number that is kept? */
bool count_is_extreme(const struct count_number *n);

/* What value @n is at first: each number is smaller than it, or larger than it, or equal to it. */
uint64_t count_farthest(const struct count_number *n);

/*
 * The entry in r0 gets the number r3 as its value @v if it is smaller or larger than the one there. Another program may change the entry at
 * the same time: then the code tries again, and after some tries the hit goes to k->full. Keeps r0; uses r1 to r4.
 */
void count_emit_extreme(struct counter *k, const struct count_number *n, unsigned v);

#endif
