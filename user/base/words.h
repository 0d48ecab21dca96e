/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * words.h - reads text of our own: lines of a key and words behind it, one space apart.
 *
 * A reader that meets something else goes on with zeroes and sets words.bad, which is looked at once at the end.
 */
#ifndef BASE_WORDS_H
#define BASE_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

struct words {
	const char *at;			/* what is left of the line */
	size_t len;
	bool bad;
};

/* Is @text's first line of the key @key? */
bool words_line_is(const char *text, const char *key);

/* The line behind @text's first one; the end of the text if there is none. */
const char *words_next_line(const char *text);

/* Opens @text's first line behind its key. False: it has another. */
bool words_open(struct words *w, const char *text, const char *key);

/* The next word: a decimal number up to @max; a word that is @word (true) or "-"; one of @choices (its index, or -EBADMSG). */
uint64_t words_number(struct words *w, uint64_t max);
bool words_flag(struct words *w, const char *word);
int words_choice(struct words *w, const char *const *choices, size_t nr);

/* The next word itself, in @arena; "" if there is none. */
char *words_word(struct words *w, struct arena *arena);

/* What is left of the line, in @arena. */
char *words_rest(struct words *w, struct arena *arena);

#endif
