// SPDX-License-Identifier: GPL-2.0-only
/*
 * timebase.c - converts the times of records (CLOCK_MONOTONIC) to another clock.
 *
 * To read the other clock in BPF would cost each hit a second reading. The rings must be ordered by CLOCK_MONOTONIC
 * anyway (and bpf_ktime_get_tai_ns() is not in 5.10 and 6.0).
 */
#include "print/timebase.h"

#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/macros.h"

enum { FIRST_READINGS = 16 };		/* the reading that took the shortest time is used */

static const char *const names[] = {
	[TIMEBASE_MONO] = "mono", [TIMEBASE_BOOT] = "boot", [TIMEBASE_TAI] = "tai", [TIMEBASE_REAL] = "real",
};

static const clockid_t ids[] = {
	[TIMEBASE_MONO] = CLOCK_MONOTONIC, [TIMEBASE_BOOT] = CLOCK_BOOTTIME, [TIMEBASE_TAI] = CLOCK_TAI, [TIMEBASE_REAL] = CLOCK_REALTIME,
};

const char *timebase_name(enum timebase_clock clock)
{
	return names[clock];
}

bool timebase_find(const char *name, enum timebase_clock *ret)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (!strcmp(name, names[i])) {
			*ret = (enum timebase_clock)i;
			return true;
		}
	}
	return false;
}

void timebase_learn(struct timebase *b, uint64_t early, uint64_t there, uint64_t late)
{
	int64_t low = (int64_t)(there - late), high = (int64_t)(there - early);

	/* The offset stays the same as long as it can be right, so that times do not jump. */
	if (b->is_taken && b->offset >= low - b->error && b->offset <= high + b->error) {
		b->last = early;
		return;
	}
	b->before = b->offset;
	b->since = b->is_taken ? b->last : 0;
	b->is_taken = true;
	b->last = early;
	b->error = (high - low) / 2 + 1;
	b->offset = low + (high - low) / 2;
	/* It is exactly 0 on a machine that has not slept. */
	if (b->clock == TIMEBASE_BOOT && low <= 0 && high >= 0)
		b->offset = 0;
}

void timebase_take(struct timebase *b)
{
	uint64_t early = 0, there = 0, late = UINT64_MAX;

	if (b->clock == TIMEBASE_MONO)
		return;
	for (unsigned i = 0; i < (b->is_taken ? 1 : FIRST_READINGS); i++) {
		uint64_t from = now_ns(), at = clock_ns(ids[b->clock]), to = now_ns();

		if (to - from >= late - early)
			continue;
		early = from;
		there = at;
		late = to;
	}
	timebase_learn(b, early, there, late);
}
