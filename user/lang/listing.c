// SPDX-License-Identifier: GPL-2.0-only
/*
 * listing.c - compares a probe's listing with words that select probes, or with another listing.
 */
#include "lang/listing.h"

#include <string.h>

#include "lang/def_words.h"
#include "lang/parse.h"

static struct def_words split(struct arena *arena, const char *text)
{
	const struct parse p = { .arena = arena, .text = text };

	return def_words_split(&p);
}

static bool is_word(const char *text, struct span at, const char *want)
{
	return strlen(want) == at.len && !memcmp(text + at.off, want, at.len);
}

/* Of an event probe the place is listed as GROUP.EVENT, and may be typed as GROUP/EVENT, too (6.12, eprobe_dyn_event_match()). */
static bool is_place(const char *listing, struct span at, const char *want)
{
	const char *slash = strchr(want, '/');
	size_t group = slash ? (size_t)(slash - want) : 0;

	if (*listing != 'e' || !slash || at.len != strlen(want) || listing[at.off + group] != '.')
		return is_word(listing, at, want);
	return !memcmp(listing + at.off, want, group) && !memcmp(listing + at.off + group + 1, slash + 1, at.len - group - 1);
}

bool listing_begins(const char *listing, const struct match *words, unsigned nr)
{
	struct arena arena = { 0 };
	struct def_words has = split(&arena, listing);
	bool same = nr < MAX(has.nr, 1u);

	for (unsigned i = 0; same && i < nr; i++)
		same = i ? is_word(listing, has.at[i + 1], words[i].text) : is_place(listing, has.at[1], words[0].text);
	arena_fini(&arena);
	return same;
}

bool listing_same(const char *a, const char *b)
{
	struct arena arena = { 0 };
	struct def_words x = split(&arena, a), y = split(&arena, b);
	bool same = x.nr == y.nr;

	for (unsigned i = 1; same && i < x.nr; i++)
		same = x.at[i].len == y.at[i].len && !memcmp(a + x.at[i].off, b + y.at[i].off, x.at[i].len);
	arena_fini(&arena);
	return same;
}

struct match *listing_words(struct arena *arena, const char *text, const char **ret_name, unsigned *ret_nr)
{
	const char *line = arena_printf(arena, "-%s", text);	/* as a '-' line, which has no filter */
	struct def_words has = split(arena, line);
	struct match *words = arena_array(arena, struct match, has.nr);

	*ret_name = arena_strndup(arena, line + 1, has.at[0].len - 1);
	*ret_nr = has.nr - 1;
	for (unsigned i = 0; i < *ret_nr; i++)
		words[i] = (struct match){ arena_strndup(arena, line + has.at[i + 1].off, has.at[i + 1].len), has.at[i + 1] };
	return words;
}
