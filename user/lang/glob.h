/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * glob.h - text patterns, as in the kernel's filters.
 *
 * A pattern is parsed once, into the segments between its stars. A segment has one element
 * for each byte that it matches.
 */
#ifndef LANG_GLOB_H
#define LANG_GLOB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

enum glob_kind {
	GLOB_LITERAL,		/* this byte */
	GLOB_ANY,		/* ?: any byte */
	GLOB_CLASS,		/* [a-z], [!a-z]: one byte of a set */
};

struct glob_element {
	enum glob_kind kind;
	unsigned char byte;		/* LITERAL */
	const uint32_t *set;		/* CLASS: one bit for each of 256 bytes; the bit of NUL is never set */
};

struct glob_segment {
	const struct glob_element *elements;
	uint32_t len;
};

/* The first segment must match the start of the text, the last one its end. With one segment these are the same. */
struct glob {
	const struct glob_segment *segments;
	unsigned nr;			/* number of stars + 1; never 0 */
	uint32_t min_len;		/* of all segments together: no shorter text matches */
};

/* Parses @len bytes of @text, which contain no NUL. Every text is a pattern: a '[' that is not closed is an ordinary byte. */
struct glob *glob_parse(struct arena *arena, const char *text, size_t len);

/* Does @element match @c? */
bool glob_element_matches(const struct glob_element *element, unsigned char c);

/* Does @glob match the whole of @text? */
bool glob_matches(const struct glob *glob, const char *text, size_t len);

#endif
