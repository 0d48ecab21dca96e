/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * arena.h - memory that is freed all at once.
 *
 * Everything made from a definition (syntax tree, probe, plan, layout) lives in the arena of its set. For the caller, allocation never
 * fails: if there is no memory, the process ends (base/memory.h).
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

#include "base/memory.h"

struct arena_block;

struct arena {
	struct arena_block *head;
};

/* An arena starts as all zeroes; there is nothing else to set up. */
void arena_fini(struct arena *a);

/* Zeroed memory for any type; valid until arena_fini(). @size 0 is allowed. */
void *arena_alloc(struct arena *a, size_t size);

/* NUL-terminated copies. arena_strndup() copies exactly @len bytes of @s. */
char *arena_strdup(struct arena *a, const char *s);
char *arena_strndup(struct arena *a, const char *s, size_t len);

char *arena_printf(struct arena *a, const char *fmt, ...) PRINTF_LIKE(2, 3);

#define arena_new(a, type)		((type *)arena_alloc((a), sizeof(type)))
#define arena_array(a, type, n)		((type *)arena_alloc((a), memory_bytes((n), sizeof(type))))

/*
 * Makes room for one more in an array: returns @all, which has @nr of *@size members, or a copy with at least twice the room (before the
 * first one: NULL and 0). What is behind the members is zeroed. The old array stays where it is.
 */
#define arena_grow(a, all, nr, size)	((__typeof__(all))arena_grow_of((a), (all), (nr), (size), sizeof(*(all))))
void *arena_grow_of(struct arena *a, void *all, size_t nr, unsigned *size, size_t each);

#endif
