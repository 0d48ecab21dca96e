// SPDX-License-Identifier: GPL-2.0-only
/*
 * ring_view.c - the memory of one ring, mapped as far as it is needed.
 */
#include "run/ring_view.h"

#include <errno.h>
#include <sys/mman.h>

#include "base/macros.h"

enum { STEP = 256 << 10 };		/* the least that is mapped at once */

/* Reserves the addresses for all of the ring, and maps its first page. */
int ring_view_open(struct ring_view *ret, int fd, unsigned number, uint64_t bytes, uint64_t stride, bool writes)
{
	struct ring_view v = { .mask = bytes - 1, .end = stride - BP_RING_DATA, .offset = number * stride, .fd = fd };
	unsigned char *at = mmap(NULL, stride, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (at == MAP_FAILED)
		return -errno;
	if (mmap(at, BP_RING_DATA, PROT_READ | (writes ? PROT_WRITE : 0), MAP_SHARED | MAP_FIXED, fd, (off_t)v.offset) ==
	    MAP_FAILED) {
		int err = -errno;

		munmap(at, stride);
		return err;
	}
	v.ring = (void *)at;
	v.data = at + BP_RING_DATA;
	v.secret = v.ring->secret;
	*ret = v;
	return 0;
}

void ring_view_close(struct ring_view *v)
{
	if (v->ring)
		munmap(v->ring, BP_RING_DATA + v->end);
	*v = (struct ring_view){ 0 };
}

/* Maps twice as much as before, so that a large ring needs few calls. */
int ring_view_map(struct ring_view *v, uint64_t end)
{
	uint64_t to = MIN(MAX(ROUND_UP(end, (uint64_t)STEP), 2 * v->mapped), v->end);
	void *at = (void *)(uintptr_t)(v->data + v->mapped);

	if (mmap(at, to - v->mapped, PROT_READ, MAP_SHARED | MAP_FIXED, v->fd, (off_t)(v->offset + BP_RING_DATA + v->mapped)) ==
	    MAP_FAILED)
		return -errno;
	v->mapped = to;
	return 0;
}
