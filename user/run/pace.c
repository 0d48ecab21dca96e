// SPDX-License-Identifier: GPL-2.0-only
/*
 * pace.c - how long the reader leaves the rings alone.
 *
 * Waking it costs ten times what a line costs, so while records come faster than they
 * have to be shown, it looks at times of its own. A record with none shortly before it is
 * shown at once.
 */
#include "run/pace.h"

#include "base/macros.h"

enum {
	MS = 1000000,
	LONGEST_MS = 50,		/* a line is out within 100 ms: this, the pass and the write */
	BYTES_PER_MS = 200000,		/* a CPU that begins to write so much while nobody looks loses nothing */
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
	/* As fast as they came, they will have filled a quarter when the next pass begins. */
	sleep = (uint64_t)MIN((double)since * (double)room / (double)MAX(fill, 1u), (double)p->longest);
	return start + sleep > now ? (int)((start + sleep - now + MS - 1) / MS) : 0;
}
