/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * names.h - names of a field's numbers: those of an enumeration, of errors, or of system calls.
 */
#ifndef PLAN_NAMES_H
#define PLAN_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

enum { NAMES_MAX = 4096 };		/* names that a layout can hold; a larger enumeration is refused */

struct name_of {
	uint64_t value;			/* only the bits that the field has */
	const char *name;		/* a C identifier */
};

/* Sorted by value. One value may have several names; the one that is declared first comes first. */
struct names {
	unsigned nr;
	struct name_of *all;
};

/* The name of @value, whose other bits than the field's are ignored by the caller; NULL: it has none. */
const char *names_find(const struct names *n, uint64_t value);

/* The value of @name (@len bytes). False: there is no such name. */
bool names_value(const struct names *n, const char *name, size_t len, uint64_t *ret);

/* The name that is most similar to @name; NULL: none is. */
const char *names_similar(struct arena *arena, const struct names *n, const char *name);

/* Sorts the names that were added to @n. */
void names_sort(struct names *n);

bool names_same(const struct names *a, const struct names *b);	/* NULL is fine */

/* The kernel's errors as negative numbers of @bits bits, in @arena: -2 is ENOENT. */
struct names *names_of_errors(struct arena *arena, unsigned bits);

enum { NAMES_LAST_ERRNO = 133, NAMES_FIRST_OWN_ERRNO = 512, NAMES_LAST_OWN_ERRNO = 531 };

/* The low @bits bits of @value; 1 to 64. */
static inline uint64_t names_cut(uint64_t value, unsigned bits)
{
	return value << (64 - bits) >> (64 - bits);
}

#endif
