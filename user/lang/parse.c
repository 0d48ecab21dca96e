// SPDX-License-Identifier: GPL-2.0-only
/*
 * parse.c - parts of the typed text, and similar names.
 */
#include "lang/parse.h"

#include <errno.h>

#include "base/edits.h"
#include "base/escape.h"

int text_check(const char *text, size_t len, struct diag *diag)
{
	size_t end = strcspn(text, "\n");

	if (len > LANG_MAX_LINE)
		return diag_set(diag, -EINVAL, "the definition has %zu bytes, at most %d fit",
				len, LANG_MAX_LINE);
	if (text[end + strspn(text + end, PARSE_SPACE)])
		return diag_set(diag, -EINVAL, "a definition must be one line, and this text has several");
	return 0;
}

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
	uint32_t len = MIN(s.len, (uint32_t)LONGEST);

	if (len < s.len)
		len -= (uint32_t)escape_unfinished(span_ptr(p, s), len);
	return len < s.len ? arena_printf(p->arena, "%s...", span_dup(p, span_head(s, len))) : span_dup(p, s);
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
	unsigned best = len > 4 ? 3 : 2;	/* one more error than is accepted */
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
