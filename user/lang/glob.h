/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * glob.h - patterns of text, as the kernel's filters have them.
 *
 * A pattern is taken apart once: into what stands between its stars. Each such segment has
 * as many elements as it matches bytes.
 */
#ifndef LANG_GLOB_H
#define LANG_GLOB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

enum glob_kind {
	GLOB_LITERAL,		/* this byte */
	GLOB_ANY,		/* ?: any byte */
	GLOB_CLASS,		/* [a-z], [!a-z]: one of a set */
};

struct glob_element {
	enum glob_kind kind;
	unsigned char byte;		/* LITERAL */
	const uint32_t *set;		/* CLASS: a bit for each of 256 bytes; never NUL's */
};

struct glob_segment {
	const struct glob_element *elements;
	uint32_t len;
};

/* The first segment begins the text, the last one ends it; with one they are the same. */
struct glob {
	const struct glob_segment *segments;
	unsigned nr;			/* one more than stars; never 0 */
	uint32_t min_len;		/* of all segments: no shorter text matches */
};

/* Parses @len bytes of @text, which has no NUL. Every text is a pattern: a '[' that is not closed is itself. */
struct glob *glob_parse(struct arena *arena, const char *text, size_t len);

/* Is @c one that @element matches? */
bool glob_element_matches(const struct glob_element *element, unsigned char c);

/* Does @glob match the whole of @text? */
bool glob_matches(const struct glob *glob, const char *text, size_t len);

#endif
