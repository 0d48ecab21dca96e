/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * timebase.h - times of records, which are CLOCK_MONOTONIC's, as another clock would have had them.
 *
 * The clocks run alike: between them is an offset. CLOCK_BOOTTIME's changes when the machine sleeps, CLOCK_TAI's
 * also when somebody sets the clock (timekeeping.c: slewing, as NTP does, moves all of them). So the offset is
 * taken again and again; what was recorded between two takings that differ counts by the later one.
 */
#ifndef PRINT_TIMEBASE_H
#define PRINT_TIMEBASE_H

#include <stdbool.h>
#include <stdint.h>

enum timebase_clock { TIMEBASE_MONO, TIMEBASE_BOOT, TIMEBASE_TAI };

/* As zeroes: CLOCK_MONOTONIC itself. Else the caller sets the clock, and takes the offset before the first use. */
struct timebase {
	enum timebase_clock clock;
	bool is_taken;
	int64_t offset;			/* ns from CLOCK_MONOTONIC to the clock, */
	int64_t error;			/* and by how much that may be wrong */
	uint64_t since;			/* CLOCK_MONOTONIC ns: before that time */
	int64_t before;			/* it was this */
	uint64_t last;			/* CLOCK_MONOTONIC ns of the last taking */
};

/* "mono", "boot", "tai": as ftrace's trace_clock calls them. */
const char *timebase_name(enum timebase_clock clock);

/* One of these. False: it is none of them. */
bool timebase_find(const char *name, enum timebase_clock *ret);

/* Takes the offset now; for CLOCK_MONOTONIC nothing. */
void timebase_take(struct timebase *b);

/* The same from what was read: the clock was at @there when CLOCK_MONOTONIC was between @early and @late. */
void timebase_learn(struct timebase *b, uint64_t early, uint64_t there, uint64_t late);

/* What the clock showed when CLOCK_MONOTONIC showed @ns. */
static inline uint64_t timebase_of(const struct timebase *b, uint64_t ns)
{
	return ns + (uint64_t)(ns >= b->since ? b->offset : b->before);
}

#endif
