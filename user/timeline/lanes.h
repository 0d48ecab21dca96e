/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lanes.h - tracks for slices that overlap: each goes to the first lane of its event where it has room.
 */
#ifndef TIMELINE_LANES_H
#define TIMELINE_LANES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

enum { LANES_MAX = 256 };		/* of one event */

struct lane {
	uint32_t number;		/* of its track */
	uint64_t end;			/* ns: of its last slice */
};

struct lanes_of {
	const char *group, *event;
	struct lane *all;
	unsigned nr, room;
	struct lanes_of *next;
};

/* Starts as zeroes, and all its memory is in ->arena. */
struct lanes {
	struct arena arena;
	struct lanes_of *events;
	uint32_t nr;			/* of all tracks */
};

/*
 * The number of the track for a slice of this event. Slices come in the order of their ends. *ret_new: nothing is on the track yet. False:
 * all LANES_MAX have a later one.
 */
bool lanes_take(struct lanes *l, const char *group, const char *event, uint64_t start, uint64_t end, uint32_t *ret, bool *ret_new);

#endif
