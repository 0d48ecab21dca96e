/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * edits.h - how far one word is from another, for suggestions.
 */
#ifndef BASE_EDITS_H
#define BASE_EDITS_H

#include <stddef.h>

enum { EDITS_LONGEST = 255 };	/* bytes that a word may have at most */

/*
 * Edits between two words, neither above EDITS_LONGEST: insert, delete, replace,
 * swap neighbours (optimal string alignment). Gives up, with @max + 1, when a
 * whole row of the table lies above @max.
 */
unsigned edits_between(const char *a, size_t alen, const char *b, size_t blen, unsigned max);

#endif
