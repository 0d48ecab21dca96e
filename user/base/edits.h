/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * edits.h - how different two words are, for suggestions.
 */
#ifndef BASE_EDITS_H
#define BASE_EDITS_H

#include <stddef.h>

enum { EDITS_LONGEST = 255 };	/* the most bytes that a word may have */

/*
 * The number of edits between two words, neither of them longer than EDITS_LONGEST: insert, delete, replace, swap
 * neighbours (optimal string alignment). Gives up and returns @max + 1 when a whole row of the table is above @max.
 */
unsigned edits_between(const char *a, size_t alen, const char *b, size_t blen, unsigned max);

#endif
