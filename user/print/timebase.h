/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * timebase.h - converts the times of records (CLOCK_MONOTONIC) to another clock.
 *
 * The clocks run at the same rate; they differ by an offset. The offset of CLOCK_BOOTTIME changes when the machine sleeps. The
 * offset of CLOCK_TAI and CLOCK_REALTIME also changes when somebody sets the clock (timekeeping.c: slewing, as NTP does, moves all clocks). So the
 * offset is measured again and again. If two measurements differ, records between them use the later one.
 */
#ifndef PRINT_TIMEBASE_H
#define PRINT_TIMEBASE_H

#include <stdbool.h>
#include <stdint.h>

enum timebase_clock { TIMEBASE_MONO, TIMEBASE_BOOT, TIMEBASE_TAI, TIMEBASE_REAL };

/* All zeroes: CLOCK_MONOTONIC itself. Otherwise the caller sets the clock, and measures the offset before the first use. */
struct timebase {
	enum timebase_clock clock;
	bool is_taken;
	int64_t offset;			/* ns from CLOCK_MONOTONIC to the clock, */
	int64_t error;			/* and its possible error */
	uint64_t since;			/* CLOCK_MONOTONIC ns: before this time */
	int64_t before;			/* this was the offset */
	uint64_t last;			/* CLOCK_MONOTONIC ns of the last measurement */
};

/* "mono", "boot", "tai": the names in ftrace's trace_clock; and "real", which that has not. */
const char *timebase_name(enum timebase_clock clock);

/* Finds the clock of such a name. False: no clock has this name. */
bool timebase_find(const char *name, enum timebase_clock *ret);

/* Measures the offset now. Does nothing for CLOCK_MONOTONIC. */
void timebase_take(struct timebase *b);

/* The same from given readings: the clock showed @there when CLOCK_MONOTONIC was between @early and @late. */
void timebase_learn(struct timebase *b, uint64_t early, uint64_t there, uint64_t late);

/* The time of the clock when CLOCK_MONOTONIC showed @ns. */
static inline uint64_t timebase_of(const struct timebase *b, uint64_t ns)
{
	return ns + (uint64_t)(ns >= b->since ? b->offset : b->before);
}

#endif
