/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pace.h - decides how long the reader leaves the rings alone.
 */
#ifndef RUN_PACE_H
#define RUN_PACE_H

#include <stdbool.h>
#include <stdint.h>

struct pace {
	uint64_t size;			/* bytes of a ring */
	uint64_t longest;		/* ns between two passes */
	uint64_t last;			/* when the last pass with records began; CLOCK_MONOTONIC ns */
	bool batching;
};

enum { PACE_WAIT = -1 };

/* For rings of @size bytes each. */
void pace_init(struct pace *p, uint64_t size);

/*
 * To be called after a pass that began at @start, found @fill bytes in the fullest ring and delivered @nr records. Returns
 * PACE_WAIT: the next record should wake the reader. Otherwise returns the milliseconds from @now until the next pass (0: no
 * delay; otherwise rounded up); until then no record should wake the reader. Times are CLOCK_MONOTONIC ns.
 */
int pace_next(struct pace *p, uint64_t start, uint64_t now, unsigned nr, uint64_t fill);

#endif
