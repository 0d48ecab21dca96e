// SPDX-License-Identifier: GPL-2.0-only
/*
 * words.c - reads text that bprobe wrote: lines of a key and words after it.
 */
#include "base/words.h"

#include <errno.h>
#include <string.h>

#include "base/number.h"

bool words_line_is(const char *text, const char *key)
{
	size_t len = strlen(key);

	return !strncmp(text, key, len) && (text[len] == ' ' || text[len] == '\n');
}

const char *words_next_line(const char *text)
{
	text += strcspn(text, "\n");
	return *text ? text + 1 : text;
}

bool words_open(struct words *w, const char *text, const char *key)
{
	size_t skip = strlen(key);

	*w = (struct words){ .at = text, .bad = true };
	if (!words_line_is(text, key))
		return false;
	skip += text[skip] == ' ';
	*w = (struct words){ .at = text + skip, .len = strcspn(text + skip, "\n") };
	return true;
}

/* Takes the next word and the space after it. An empty word counts as missing. */
static const char *take(struct words *w, size_t *ret_len)
{
	const char *word = w->at, *space = memchr(w->at, ' ', w->len);
	size_t len = space ? (size_t)(space - word) : w->len;

	w->bad = w->bad || !len;
	w->at += len + (space != NULL);
	w->len -= len + (space != NULL);
	*ret_len = len;
	return word;
}

uint64_t words_number(struct words *w, uint64_t max)
{
	size_t len;
	const char *word = take(w, &len);
	uint64_t n = 0;

	if (number_u64(word, len, 10, &n) || n > max) {
		w->bad = true;
		return 0;
	}
	return n;
}

static bool is_word(const char *word, size_t len, const char *text)
{
	return strlen(text) == len && !memcmp(word, text, len);
}

bool words_flag(struct words *w, const char *word)
{
	size_t len;
	const char *got = take(w, &len);

	if (is_word(got, len, word))
		return true;
	w->bad = w->bad || !is_word(got, len, "-");
	return false;
}

int words_choice(struct words *w, const char *const *choices, size_t nr)
{
	size_t len;
	const char *got = take(w, &len);

	for (size_t i = 0; i < nr; i++) {
		if (is_word(got, len, choices[i]))
			return (int)i;
	}
	w->bad = true;
	return -EBADMSG;
}

char *words_word(struct words *w, struct arena *arena)
{
	size_t len;
	const char *got = take(w, &len);

	return arena_strndup(arena, got, len);
}

char *words_rest(struct words *w, struct arena *arena)
{
	char *rest = arena_strndup(arena, w->at, w->len);

	w->at += w->len;
	w->len = 0;
	return rest;
}

char *words_take_line(const char **at, struct arena *arena, const char *key)
{
	struct words w;

	if (!words_open(&w, *at, key))
		return NULL;
	*at = words_next_line(*at);
	return words_rest(&w, arena);
}
