// SPDX-License-Identifier: GPL-2.0-only
/*
 * glob.c - text patterns (6.12, lib/glob.c).
 */
#include "lang/glob.h"

#include <string.h>

enum { SET_WORDS = 256 / 32 };

static void set_add(uint32_t *set, unsigned char first, unsigned char last)
{
	for (unsigned c = first; c <= last; c++)
		set[c / 32] |= 1u << c % 32;
}

/*
 * Parses a class whose '[' is at @text[0] into @set. Returns its length in bytes; 0 if it is not closed.
 * Its first member may be ']'.
 */
static size_t class_parse(const char *text, size_t len, uint32_t *set)
{
	bool inverted = len > 1 && text[1] == '!';
	size_t i = 1 + inverted;

	do {
		unsigned char first = i < len ? (unsigned char)text[i++] : 0, last = first;

		if (!first)
			return 0;
		if (i + 1 < len && text[i] == '-' && text[i + 1] != ']') {
			last = (unsigned char)text[i + 1];
			i += 2;
		} else if (i + 1 == len && text[i] == '-') {
			return 0;
		}
		set_add(set, first, last);
	} while (i >= len || text[i] != ']');
	for (unsigned w = 0; inverted && w < SET_WORDS; w++)
		set[w] = ~set[w];
	set[0] &= ~1u;
	return i + 1;
}

/* Parses one element at the start of @text, which is not a star. Returns its length in bytes. */
static size_t element_parse(struct arena *arena, const char *text, size_t len, struct glob_element *ret)
{
	size_t taken;

	*ret = (struct glob_element){ .kind = GLOB_LITERAL, .byte = (unsigned char)*text };
	switch (*text) {
	case '?':
		ret->kind = GLOB_ANY;
		return 1;
	case '[':
		ret->set = arena_array(arena, uint32_t, SET_WORDS);
		taken = class_parse(text, len, (uint32_t *)ret->set);
		if (!taken)
			return 1;
		ret->kind = GLOB_CLASS;
		return taken;
	case '\\':
		if (len < 2)
			return 1;
		ret->byte = (unsigned char)text[1];
		return 2;
	default:
		return 1;
	}
}

struct glob *glob_parse(struct arena *arena, const char *text, size_t len)
{
	struct glob_element *elements = arena_array(arena, struct glob_element, len + 1);
	struct glob_segment *segments = arena_array(arena, struct glob_segment, len + 1);
	struct glob *glob = arena_new(arena, struct glob);
	struct glob_segment *s = segments;

	s->elements = elements;
	for (size_t i = 0; i < len;) {
		if (text[i] == '*') {
			i++;
			*++s = (struct glob_segment){ .elements = elements };
			continue;
		}
		i += element_parse(arena, text + i, len - i, elements++);
		s->len++;
		glob->min_len++;
	}
	glob->segments = segments;
	glob->nr = (unsigned)(s - segments) + 1;
	return glob;
}

bool glob_element_matches(const struct glob_element *element, unsigned char c)
{
	switch (element->kind) {
	case GLOB_LITERAL:
		return c == element->byte;
	case GLOB_ANY:
		return true;
	default:
		return element->set[c / 32] >> c % 32 & 1;
	}
}

static bool segment_matches(const struct glob_segment *s, const char *text)
{
	for (uint32_t i = 0; i < s->len; i++) {
		if (!glob_element_matches(&s->elements[i], (unsigned char)text[i]))
			return false;
	}
	return true;
}

/* For a segment between two stars the first matching place is enough: a later one cannot match more. */
bool glob_matches(const struct glob *glob, const char *text, size_t len)
{
	const struct glob_segment *first = glob->segments, *last = first + glob->nr - 1;
	size_t at = first->len, end;

	if (len < glob->min_len || !segment_matches(first, text))
		return false;
	if (glob->nr == 1)
		return len == first->len;
	end = len - last->len;
	if (!segment_matches(last, text + end))
		return false;
	for (const struct glob_segment *s = first + 1; s < last; s++) {
		while (at + s->len <= end && !segment_matches(s, text + at))
			at++;
		if (at + s->len > end)
			return false;
		at += s->len;
	}
	return true;
}
