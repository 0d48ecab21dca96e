// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_listing.c - any bytes as a listing, and as a name of probes with words behind it (see fuzz.h): words lie in their order in the text, a
 * listing is the same probe as itself and begins with its own words, and a name means itself.
 */
#include "base/macros.h"
#include "lang/def_words.h"
#include "lang/event_name.h"
#include "lang/listing.h"

static const char fuzz_name[] = "fuzz_listing";
static const char *const fuzz_seeds[] = {
	"p:g/e f+4 a=%di b=+0(%si):string if a > 4  # running", "p:e /bin/sh:net::read(char*, unsigned long) const+8 x=(struct file *)$arg1->f_mode",
	"e:g/e sched.sched_switch prev=$prev_pid", "p:e /bin/sh:Pair<int, long>::sum x=(a + b[i + 1])", "p:e /a:\"T n\" t=\\\"a(b\"", "g/e f a=%di", "e?[a-c]*/x",
};

static const char *const fuzz_words[] = {
	"p:g/e ", " ", "\t", "f", "a=", "%di", "(", ")", "[", "]", "<", ">", "->", "operator<", ":", "\"", "\\\"", " if ", "#", " const", "=(", "((", "))",
	"/", "*", "?", "[!", "-", "e", "(struct file *)", ",", "\x80", "\n",
};

#include "fuzz.h"

static void check_words(struct arena *arena, const char *text)
{
	const struct parse p = { .arena = arena, .text = text };
	const struct def_words words = def_words_split(&p);
	size_t end = 0;

	for (unsigned i = 0; i < words.nr; i++) {
		check_span(words.at[i], text);
		require(words.at[i].len && words.at[i].off >= end, "words are not in their order", text);
		end = words.at[i].off + words.at[i].len;
	}
	if (words.has_filter)
		check_span(words.filter, text);
}

/* A listing begins with all of its words behind the head, and with all but the last one. */
static void check_begins(struct arena *arena, const char *text)
{
	const struct parse p = { .arena = arena, .text = text };
	const struct def_words words = def_words_split(&p);
	struct match *all = arena_array(arena, struct match, words.nr);

	for (unsigned i = 1; i < words.nr; i++)
		all[i - 1] = (struct match){ arena_strndup(arena, text + words.at[i].off, words.at[i].len), words.at[i] };
	for (unsigned nr = 1; nr < words.nr; nr++)
		require(listing_begins(text, all, nr), "a listing does not begin with its own words", text);
	require(!words.nr || !listing_begins(text, all, words.nr), "a listing begins with more words than it has", text);
}

static void check_text(const char *text)
{
	struct arena arena = { 0 };
	const char *name = "";
	unsigned nr = 0;
	const struct match *words = listing_words(&arena, text, &name, &nr);

	check_words(&arena, text);
	require(listing_same(text, text), "a listing is another probe than itself", text);
	require(listing_begins(text, NULL, 0), "a listing does not begin with no words", text);
	require(!strncmp(name, text, strlen(name)), "a name that the text does not begin with", text);
	for (unsigned i = 0; i < nr; i++)
		require(words[i].text && *words[i].text, "a word without letters", text);
	check_begins(&arena, text);
	if (*name && !strpbrk(name, "*?[]/\\"))
		require(name_matches("g", name, name), "a name does not mean itself", text);
	name_matches(name, "e", text);
	arena_fini(&arena);
}
