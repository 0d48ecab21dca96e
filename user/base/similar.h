/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * similar.h - the names that are similar to a name that does not exist, of a table of functions.
 *
 * First come variants of the name that the compiler made (foo.isra.0). Then come names that begin with it (foo_more). Then come names that
 * differ by a typing error. Among equals, what was offered first comes first.
 */
#ifndef BASE_SIMILAR_H
#define BASE_SIMILAR_H

#include <stddef.h>

#include "base/arena.h"

struct similar;

struct similar_name {
	const char *name;
	const void *what;		/* the caller's */
};

/* Begins to look for at most @max names that are like @name, which must live as long. The result is in @arena. */
struct similar *similar_new(struct arena *arena, const char *name, size_t max);

/* Looks at one more name. It is copied if it is one of the best so far. */
void similar_offer(struct similar *s, const char *name, const void *what);

/* The best ones, the best first: the last thing to ask. Returns their number. */
size_t similar_best(struct similar *s, const struct similar_name **ret);

#endif
