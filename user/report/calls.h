/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * calls.h - which return belongs to which entry, of the same function and the same thread.
 *
 * A thread returns from its innermost call first. If events were lost while a call was open, nobody knows whether its entry and the next
 * return belong together: then it has no duration, and is counted as doubtful.
 */
#ifndef REPORT_CALLS_H
#define REPORT_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "report/index.h"

enum {
	CALLS_DEEP = 256,		/* open calls of one function in one thread: a kernel stack has no room for more */
	CALLS_OPEN = 1 << 18,		/* open calls at a time */
};

/* What is known of the calls of one function. Starts as all zeroes. */
struct calls_count {
	uint64_t pairs;
	uint64_t no_entry;		/* returns without an entry */
	uint64_t doubtful;		/* returns whose call was open when events were lost */
	uint64_t open;			/* calls that have not returned, so far */
	uint64_t given_up;		/* calls that were forgotten, since more than CALLS_DEEP or CALLS_OPEN were open */
};

/* Starts as all zeroes. */
struct calls {
	struct index index;
	struct calls_stack *stacks;	/* of a function in a thread */
	unsigned nr, size;
	uint32_t free;			/* the first one that is not used, plus 1; 0: none */
	uint64_t losses;		/* how often events were lost */
	uint64_t open;
};

void calls_fini(struct calls *c);

/* Thread @thread enters the function with the number @function at @ts (ns). */
void calls_enter(struct calls *c, struct calls_count *count, uint32_t function, uint64_t thread, uint64_t ts);

/* ... and returns. False: how long the call took is not known. */
bool calls_return(struct calls *c, struct calls_count *count, uint32_t function, uint64_t thread, uint64_t ts, uint64_t *ret_ns);

/* Events were lost: any thread may have entered and left anything. */
void calls_lost(struct calls *c);

#endif
