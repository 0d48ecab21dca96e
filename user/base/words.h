/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * words.h - reads text that bprobe wrote: lines of a key and words after it, with one space between them.
 *
 * When a reader finds something unexpected, it continues with zeroes and sets words.bad. The caller checks that once,
 * at the end.
 */
#ifndef BASE_WORDS_H
#define BASE_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

struct words {
	const char *at;			/* the rest of the line */
	size_t len;
	bool bad;
};

/* Is the key of @text's first line @key? */
bool words_line_is(const char *text, const char *key);

/* The line after @text's first line; the end of the text if there is none. */
const char *words_next_line(const char *text);

/*
 * What is behind @key in the first line of **at, in @arena; then *at is the next line. NULL: that line has another key, and *at stays.
 */
char *words_take_line(const char **at, struct arena *arena, const char *key);

/* Starts to read @text's first line, after its key. False: the key is not @key. */
bool words_open(struct words *w, const char *text, const char *key);

/*
 * The next word: a decimal number up to @max; true for @word and false for "-"; one of @choices (its index or
 * -EBADMSG).
 */
uint64_t words_number(struct words *w, uint64_t max);
bool words_flag(struct words *w, const char *word);
int words_choice(struct words *w, const char *const *choices, size_t nr);

/* The next word itself, in @arena; "" if there is none. */
char *words_word(struct words *w, struct arena *arena);

/* The rest of the line, in @arena. */
char *words_rest(struct words *w, struct arena *arena);

#endif
