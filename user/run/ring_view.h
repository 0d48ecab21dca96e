/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ring_view.h - the memory of one ring, mapped as far as it is needed. include/bprobe_abi.h has its layout.
 *
 * The kernel maps all pages of a mapping at once, and they count as memory of this process. So the data is mapped from its start
 * up to the highest place that records have reached.
 */
#ifndef RUN_RING_VIEW_H
#define RUN_RING_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "bprobe_abi.h"

struct ring_view {
	struct bp_ring *ring;		/* may be written only if it was opened so */
	const unsigned char *data;
	uint64_t mask;			/* bp_ring.bytes - 1 */
	uint64_t secret;
	uint64_t mapped;		/* bytes from @data on; beyond them nothing can be read */
	uint64_t end;			/* bytes of the data and of the room behind it */
	uint64_t offset;		/* of the ring in its map */
	int fd;				/* of the map; borrowed */
};

/* Opens ring @number of the map @fd, whose entries have @stride bytes, with @bytes of data each. -errno. */
int ring_view_open(struct ring_view *ret, int fd, unsigned number, uint64_t bytes, uint64_t stride, bool writes);
void ring_view_close(struct ring_view *v);	/* all zeroes is fine */

int ring_view_map(struct ring_view *v, uint64_t end);

/* Makes the records between two positions readable. -errno. */
static inline int ring_view_reach(struct ring_view *v, uint64_t from, uint64_t to)
{
	uint64_t end = (from & v->mask) + (to - from);

	if (end > v->mask)
		end = v->end;
	return end <= v->mapped ? 0 : ring_view_map(v, end);
}

static inline const struct bp_rec *ring_view_at(const struct ring_view *v, uint64_t position)
{
	return (const void *)(v->data + (position & v->mask));
}

/* What the seal at @position says: the record's bytes | BP_SEAL_*. 0: no record is finished there. */
static inline uint32_t ring_view_sealed(const struct ring_view *v, uint64_t position)
{
	uint64_t seal = __atomic_load_n(&ring_view_at(v, position)->seal, __ATOMIC_ACQUIRE) ^ position ^ v->secret;

	return seal << (64 - BP_SEAL_SHIFT) ? 0 : (uint32_t)(seal >> BP_SEAL_SHIFT);
}

static inline uint64_t ring_view_reserved(const struct ring_view *v)
{
	return __atomic_load_n(&v->ring->reserved, __ATOMIC_ACQUIRE);
}

static inline uint64_t ring_view_free(const struct ring_view *v)
{
	return __atomic_load_n(&v->ring->free, __ATOMIC_ACQUIRE);
}

#endif
