/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * memory.h - allocations that end the process when there is no memory, and arrays of malloc() that grow.
 *
 * arena.h has the same for arrays in an arena.
 */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "base/macros.h"

/* Prints "out of memory" and ends the process. No other code below set/ ends it. */
_Noreturn void out_of_memory(void);

/* What an allocation returned. Ends the process if that is NULL. */
static inline void *must(void *p)
{
	if (!p)
		out_of_memory();
	return p;
}

/* Bytes of an array of @nr members. SIZE_MAX if the product is too large: no allocation can have so much. */
static inline size_t memory_bytes(size_t nr, size_t each)
{
	size_t bytes;

	return __builtin_mul_overflow(nr, each, &bytes) ? SIZE_MAX : bytes;
}

/*
 * Makes room for one more in an array: returns @all, which has @nr of *@size members, or another array with the same members and at least
 * twice the room (before the first one: NULL and 0). What is behind the members is not zeroed. heap_grow() ends the process if there is no
 * memory; heap_try_grow() returns NULL then, and leaves @all and *@size as they are.
 */
#define heap_grow(all, nr, size)	((__typeof__(all))must(heap_grow_of((all), (nr), (size), sizeof(*(all)))))
#define heap_try_grow(all, nr, size)	((__typeof__(all))heap_grow_of((all), (nr), (size), sizeof(*(all))))
void *heap_grow_of(void *all, size_t nr, unsigned *size, size_t each);

/* The room that an array needs for @nr members and one more, if it has room for @size. 0: no array can have so much. */
unsigned grown_size(size_t nr, unsigned size);

#endif
