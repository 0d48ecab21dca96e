// SPDX-License-Identifier: GPL-2.0-only
/*
 * pace.c - decides how long the reader leaves the rings alone.
 *
 * Waking the reader costs ten times as much as a line. So while records come faster than they
 * must be shown, the reader looks at the rings at times of its own. A record that comes after a pause
 * is shown at once.
 */
#include "run/pace.h"

#include "base/macros.h"

enum {
	MS = 1000000,
	LONGEST_MS = 50,		/* a line must be out within 100 ms: this time, the pass and the write */
	BYTES_PER_MS = 200000,		/* if a CPU starts to write at this rate while nobody looks, no record is lost */
};

void pace_init(struct pace *p, uint64_t size)
{
	*p = (struct pace){
		.size = size,
		.longest = MAX(MIN(size / BYTES_PER_MS, (uint64_t)LONGEST_MS), 1u) * MS,
	};
}

int pace_next(struct pace *p, uint64_t start, uint64_t now, unsigned nr, uint64_t fill)
{
	uint64_t since = start - p->last, room = p->size / 4, sleep;

	if (!nr) {
		p->batching = false;
		return PACE_WAIT;
	}
	p->last = start;
	if (!p->batching && since > p->longest)
		return PACE_WAIT;
	p->batching = true;
	/* If records continue to come at this rate, a quarter of the ring is full when the next pass begins. */
	sleep = (uint64_t)MIN((double)since * (double)room / (double)MAX(fill, 1u), (double)p->longest);
	return start + sleep > now ? (int)((start + sleep - now + MS - 1) / MS) : 0;
}
