// SPDX-License-Identifier: GPL-2.0-only
/*
 * near.c - the words that are most similar to one that does not exist.
 */
#include "kernel/events/near.h"

#include <string.h>

#include "base/edits.h"

enum { MAX_EDITS = 4 };

/* 0: equal; MAX_EDITS + 1: not similar. One edit is allowed for each four letters, and one more. */
static unsigned distance(const char *wanted, const char *word)
{
	size_t len = strlen(wanted), other = strlen(word);
	unsigned max = (unsigned)MIN(1 + len / 4, (size_t)MAX_EDITS), edits;

	if (!len || len > EDITS_LONGEST || other > EDITS_LONGEST)
		return MAX_EDITS + 1;
	/* A longer name that begins with what was typed: a part of it was left out. */
	if (other > len && !strncmp(wanted, word, len) && word[len] == '_')
		return MAX_EDITS;
	if (other + max < len || other > len + max)
		return MAX_EDITS + 1;
	edits = edits_between(wanted, len, word, other, max);
	return edits > max ? MAX_EDITS + 1 : edits;
}

void near_offer(struct near_words *n, const char *word, const char *shown)
{
	unsigned max = MIN(n->max, (unsigned)NEAR_MOST), edits = distance(n->wanted, word), at;

	if (edits > MAX_EDITS || !max || (n->nr == max && n->edits[max - 1] <= edits))
		return;
	at = n->nr < max ? n->nr++ : max - 1;
	for (; at && n->edits[at - 1] > edits; at--) {
		n->ret[at] = n->ret[at - 1];
		n->edits[at] = n->edits[at - 1];
	}
	n->ret[at] = arena_strdup(n->arena, shown);
	n->edits[at] = edits;
}
