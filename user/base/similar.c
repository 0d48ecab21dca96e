// SPDX-License-Identifier: GPL-2.0-only
/*
 * similar.c - finds names that are similar to a name that does not exist.
 */
#include "base/similar.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/edits.h"

/* Edits allowed: one for each four letters and one more, but never more than this. */
#define MAX_EDITS	4

/* Many names may begin with what was typed. Only so many of them are shown, the shortest first. */
#define MAX_LONGER	3

/* The names found so far, best first. */
struct ranking {
	struct similar_name *names;
	unsigned *edits;
	size_t count, max;
};

struct similar {
	struct arena *arena;
	const char *name;
	size_t len, stem;	/* length of the name; length up to its first '.' */
	uint64_t letters;	/* the characters in it, see letters_of() */
	unsigned max_edits;
	struct ranking best, longer;
};

/* One bit for each character, so that two sets can be compared in one step. */
static uint64_t letters_of(const char *s, size_t len)
{
	uint64_t set = 0;

	for (size_t i = 0; i < len; i++)
		set |= (uint64_t)1 << (s[i] & 63);
	return set;
}

static struct ranking ranking_new(struct arena *arena, size_t max)
{
	return (struct ranking){ arena_array(arena, struct similar_name, max), arena_array(arena, unsigned, max), .max = max };
}

struct similar *similar_new(struct arena *arena, const char *name, size_t max)
{
	struct similar *s = arena_new(arena, struct similar);
	size_t len = strlen(name);

	*s = (struct similar){ .arena = arena, .name = name, .len = len, .stem = strcspn(name, "."), .letters = letters_of(name, len) };
	/* For a longer name, only variants are found. No real name is that long. */
	s->max_edits = len > EDITS_LONGEST ? 0 : (unsigned)MIN(1 + len / 4, (size_t)MAX_EDITS);
	s->best = ranking_new(arena, max);
	s->longer = ranking_new(arena, MAX_LONGER);
	return s;
}

/* foo and foo.isra.0 are variants of each other, and of foo.cold. */
static bool is_variant(const struct similar *s, const char *name)
{
	return !strncmp(name, s->name, s->stem) && (!name[s->stem] || name[s->stem] == '.');
}

/*
 * 0: a variant; otherwise the number of edits, or max_edits + 1 for too many. The length or the letters exclude almost
 * every name: one edit adds at most one new letter, and removes at most one.
 */
static unsigned rank_name(const struct similar *s, const char *name)
{
	unsigned none = s->max_edits + 1;
	uint64_t letters;
	size_t len;

	if (is_variant(s, name))
		return 0;
	len = s->stem < s->len ? strlen(name) : strcspn(name, ".");
	if (len > EDITS_LONGEST || len + s->max_edits < s->len || len > s->len + s->max_edits)
		return none;
	letters = letters_of(name, len);
	if ((unsigned)__builtin_popcountll(letters & ~s->letters) > s->max_edits ||
	    (unsigned)__builtin_popcountll(s->letters & ~letters) > s->max_edits)
		return none;
	return edits_between(s->name, s->len, name, len, s->max_edits);
}

/* Is @name like tcp_drop_reason for tcp_drop? Returns how many letters are added; 0: it is no such name. */
static unsigned letters_added(const struct similar *s, const char *name)
{
	if (strncmp(name, s->name, s->len) || name[s->len] != '_')
		return 0;
	return (unsigned)strlen(name + s->len);
}

static bool is_ranked(const struct ranking *r, const char *name)
{
	for (size_t i = 0; i < r->count; i++) {
		if (!strcmp(r->names[i].name, name))
			return true;
	}
	return false;
}

/* Inserts a name after those that are equally good, so the table's order decides among equals. */
static void insert(struct ranking *r, struct similar_name name, unsigned edits)
{
	size_t at = r->count < r->max ? r->count++ : r->max - 1;

	for (; at && r->edits[at - 1] > edits; at--) {
		r->names[at] = r->names[at - 1];
		r->edits[at] = r->edits[at - 1];
	}
	r->names[at] = name;
	r->edits[at] = edits;
}

/* Adds a name to @r with its @rank, unless @r is full and all of its names are at least as good. */
static void rank(struct similar *s, struct ranking *r, const char *name, const void *what, unsigned rank)
{
	if (!r->max || (r->count == r->max && rank >= r->edits[r->max - 1]))
		return;
	if (!is_ranked(r, name))
		insert(r, (struct similar_name){ arena_strdup(s->arena, name), what }, rank);
}

void similar_offer(struct similar *s, const char *name, const void *what)
{
	unsigned edits, added;

	if (!s->len)
		return;
	added = letters_added(s, name);
	edits = added ? 0 : rank_name(s, name);
	if (added)
		rank(s, &s->longer, name, what, added);
	else if (edits <= s->max_edits)
		rank(s, &s->best, name, what, edits);
}

/* Inserts the longer names before those of the best that are no variants. The last ones of the best are dropped. */
size_t similar_best(struct similar *s, const struct similar_name **ret)
{
	struct ranking *r = &s->best;
	size_t at = 0, nr = s->longer.count;

	while (at < r->count && !r->edits[at])
		at++;
	nr = MIN(nr, r->max - at);
	for (size_t i = MIN(r->count + nr, r->max); i > at + nr; i--)
		r->names[i - 1] = r->names[i - 1 - nr];
	for (size_t i = 0; i < nr; i++)
		r->names[at + i] = s->longer.names[i];
	r->count = MIN(r->count + nr, r->max);
	*ret = r->names;
	return r->count;
}
