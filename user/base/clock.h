/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * clock.h - the time in the time stamps of records.
 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/*
 * Nanoseconds of @clock in the initial time namespace, as programs in the kernel see them. The time namespace of this
 * process does not matter.
 */
uint64_t clock_ns(clockid_t clock);

/* CLOCK_MONOTONIC, as bpf_ktime_get_ns() returns it. */
static inline uint64_t now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

#endif
