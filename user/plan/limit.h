/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * limit.h - limits the number of hits that are recorded: a rate for each definition, or once for each task.
 */
#ifndef PLAN_LIMIT_H
#define PLAN_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A token bucket, as in the generic cell rate algorithm: a hit takes @interval_ns of time, and the bucket holds
 * @burst_ns of time. The bucket is full at first.
 */
struct limit {
	uint64_t interval_ns;		/* time of one token; 0: no rate */
	uint64_t burst_ns;		/* time of all tokens that the bucket can hold */
	bool once;			/* only the first hit of each task */
};

/* The fastest rate. With a faster one, an interval in whole nanoseconds would not be exact enough. */
enum { LIMIT_MAX_PER_SECOND = 10000000 };

/* Allows @count hits in each @unit_ns, and @count hits at once. -ERANGE: @count is 0, or faster than LIMIT_MAX_PER_SECOND. */
int limit_set_rate(struct limit *l, uint64_t count, uint64_t unit_ns);

/* Is there a limit? @l may be NULL. */
bool limit_is_set(const struct limit *l);

#endif
