// SPDX-License-Identifier: GPL-2.0-only
/*
 * edits.c - how different two words are. Keeps only three rows of the usual table.
 */
#include "base/edits.h"

#include "base/macros.h"

unsigned edits_between(const char *a, size_t alen, const char *b, size_t blen, unsigned max)
{
	unsigned rows[3][EDITS_LONGEST + 1], *before = rows[0], *last = rows[1], *now = rows[2];

	for (size_t j = 0; j <= blen; j++)
		last[j] = (unsigned)j;
	for (size_t i = 1; i <= alen; i++) {
		unsigned lowest = now[0] = (unsigned)i, *spare;

		for (size_t j = 1; j <= blen; j++) {
			unsigned best = last[j - 1] + (a[i - 1] != b[j - 1]);

			best = MIN(best, last[j] + 1);
			best = MIN(best, now[j - 1] + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				best = MIN(best, before[j - 2] + 1);
			now[j] = best;
			lowest = MIN(lowest, best);
		}
		if (lowest > max)
			return max + 1;
		spare = before;
		before = last;
		last = now;
		now = spare;
	}
	return last[blen];
}
