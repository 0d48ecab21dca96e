/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * near.h - the words that are most similar to one that does not exist.
 */
#ifndef KERNEL_EVENTS_NEAR_H
#define KERNEL_EVENTS_NEAR_H

#include <stddef.h>

#include "base/arena.h"

enum { NEAR_MOST = 16 };

struct near_words {
	struct arena *arena;		/* of the copies */
	const char *wanted;
	const char **ret;		/* room for @max, best first */
	unsigned edits[NEAR_MOST];
	unsigned nr, max;		/* @max at most NEAR_MOST */
};

/* Offers @word. If it is one of the best so far, a copy of @shown is kept. */
void near_offer(struct near_words *n, const char *word, const char *shown);

#endif
