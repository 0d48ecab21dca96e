/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * recording.h - where events were recorded, and what the clocks showed there.
 */
#ifndef PRINT_RECORDING_H
#define PRINT_RECORDING_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/buf.h"
#include "print/timebase.h"

/* What the clocks showed at one moment, in ns. CLOCK_MONOTONIC was read before and after the others: @mono is the middle of the two. */
struct clock_reading {
	uint64_t mono, boot, real, tai;
};

enum { RECORDING_READINGS = 2 };		/* at the beginning and at the end */

/* Texts are "" if they are not known. */
struct recording {
	const char *system, *host, *release, *machine;	/* as uname(2) has them */
	const char *boot_id;
	enum timebase_clock clock;	/* of the times of events */
	struct clock_reading readings[RECORDING_READINGS];
	unsigned nr_readings;
};

/* Reads the clocks now, as programs in the kernel see them (base/clock.h), several times: the reading that took the shortest time counts. */
struct clock_reading clocks_read(void);

/* /proc/sys/kernel/random/boot_id, in @arena. NULL: /proc does not have it. */
const char *boot_id_here(struct arena *arena);

/* This machine. Its texts are in @arena; the clocks are read once. */
struct recording recording_here(struct arena *arena, enum timebase_clock clock);

/* Appends what recording_parse() reads: lines "boot-id ID" and, for each reading, "clocks MONO BOOT REAL TAI". */
void recording_print(const struct recording *o, struct buf *out);

/*
 * Fills in boot id and readings from @text, whose other lines it skips, and the rest from @uname ("SYSTEM HOST RELEASE MACHINE") and
 * the name of the clock. Each of the three may be NULL. What cannot be understood stays unknown. Texts are in @arena.
 */
struct recording recording_parse(struct arena *arena, const char *text, const char *uname, const char *clock);

/* The time of @clock in @r. */
uint64_t clock_reading_of(const struct clock_reading *r, enum timebase_clock clock);

#endif
