// SPDX-License-Identifier: GPL-2.0-only
/*
 * clock.c - the time in the time stamps of records.
 */
#include "base/clock.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

/* The offsets that this process's time namespace adds to the two clocks that it changes. */
static struct {
	bool known;
	int64_t monotonic, boottime;
} offsets;

/* Each line is a clock's name, seconds and nanoseconds (5.6, kernel/time/namespace.c, proc_timens_show_offsets()). */
static void read_offsets(void)
{
	auto_file f = fopen("/proc/self/timens_offsets", "re");
	char line[128];

	while (f && fgets(line, sizeof(line), f)) {
		char *end = line + strcspn(line, " ");
		int64_t *offset = !strncmp(line, "monotonic ", 10) ? &offsets.monotonic : &offsets.boottime;

		*offset = strtoll(end, &end, 10) * 1000000000;
		*offset += strtoll(end, &end, 10);
	}
	offsets.known = true;
}

uint64_t clock_ns(clockid_t clock)
{
	struct timespec t;
	int64_t offset;

	if (!offsets.known)
		read_offsets();
	offset = clock == CLOCK_MONOTONIC ? offsets.monotonic : clock == CLOCK_BOOTTIME ? offsets.boottime : 0;
	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec - (uint64_t)offset;
}
