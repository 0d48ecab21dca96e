// SPDX-License-Identifier: GPL-2.0-only
/*
 * parse.c - parts of the typed text, and names that look alike.
 */
#include "lang/parse.h"

#include "base/edits.h"

uint32_t span_find(const struct parse *p, struct span s, const char *set)
{
	uint32_t i = 0;

	while (i < s.len && !strchr(set, span_ptr(p, s)[i]))
		i++;
	return i;
}

uint32_t span_find_last(const struct parse *p, struct span s, char c)
{
	for (uint32_t i = s.len; i > 0; i--) {
		if (span_ptr(p, s)[i - 1] == c)
			return i - 1;
	}
	return s.len;
}

uint32_t span_skip_space(const struct parse *p, struct span s)
{
	uint32_t i = 0;

	while (i < s.len && strchr(PARSE_SPACE, span_ptr(p, s)[i]))
		i++;
	return i;
}

bool span_is(const struct parse *p, struct span s, const char *text)
{
	return strlen(text) == s.len && !memcmp(span_ptr(p, s), text, s.len);
}

bool span_starts(const struct parse *p, struct span s, const char *text)
{
	size_t len = strlen(text);

	return len <= s.len && !memcmp(span_ptr(p, s), text, len);
}

char *span_dup(const struct parse *p, struct span s)
{
	return arena_strndup(p->arena, span_ptr(p, s), s.len);
}

const char *span_quote(const struct parse *p, struct span s)
{
	enum { LONGEST = 64 };
	char *copy = span_dup(p, span_head(s, MIN(s.len, (uint32_t)LONGEST)));

	for (char *c = copy; *c; c++) {
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	}
	return s.len > LONGEST ? arena_printf(p->arena, "%s...", copy) : copy;
}

bool char_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool char_is_alpha(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

const char *spell_nearest(const char *word, const char *const *names, size_t count)
{
	size_t len = strlen(word);
	unsigned best = len > 4 ? 3 : 2;	/* one more than is accepted */
	const char *nearest = NULL;

	if (!len || len > EDITS_LONGEST)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		size_t name_len = strlen(names[i]);
		unsigned distance;

		if (name_len > EDITS_LONGEST)
			continue;
		distance = edits_between(word, len, names[i], name_len, best);
		if (distance < best && distance < MAX(len, name_len)) {
			best = distance;
			nearest = names[i];
		}
	}
	return nearest;
}
