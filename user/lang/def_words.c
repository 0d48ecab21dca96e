// SPDX-License-Identifier: GPL-2.0-only
/*
 * def_words.c - splits a definition into words: knows which of them may have spaces inside.
 */
#include "lang/def_words.h"

#include <string.h>

#include "lang/cast.h"
#include "lang/filter.h"

/* Is @at the 'if' that begins the filter? Nothing that can be probed or fetched has that name. */
static bool begins_filter(const struct parse *p, const struct def_words *words, struct span at)
{
	return words->nr && !strchr("-!", *span_ptr(p, words->at[0])) && span_is(p, at, "if");
}

/* Behind the ')' or ']' that belongs to the '(' or '[' at @i; 0: there is none in @most bytes. A comment has none. */
static size_t parentheses_end(const char *text, size_t i, size_t most)
{
	unsigned open = 0;

	for (most += i; i < most && text[i] && text[i] != '#'; i++) {
		open += text[i] == '(' || text[i] == '[';
		if ((text[i] == ')' || text[i] == ']') && !--open)
			return i + 1;
	}
	return 0;
}

/* Is there an 'if' between these spaces? Then the parentheses are closed by those of a filter. */
static bool has_if(const char *text, size_t len)
{
	for (size_t i = 1; i + 3 < len; i++) {
		if (strchr(PARSE_SPACE, text[i - 1]) && !memcmp(text + i, "if", 2) && strchr(PARSE_SPACE, text[i + 2]))
			return true;
	}
	return false;
}

/*
 * The end of the word that begins at @i. A cast may have spaces, (struct file *)$arg1->f_mode, and so may what is in parentheses or brackets that
 * are closed: x=(a + b[i + 1]). A text (\"a(b") ends at a space.
 */
static size_t word_end(const char *text, size_t i)
{
	size_t end, close = 0;		/* the next ')' or ']': a text may have millions of '(' */
	bool is_text = false;

	for (char before = '='; text[i] && !strchr(PARSE_SPACE "#", text[i]); before = text[i++]) {
		is_text |= text[i] == '"' && before == '\\';
		if (is_text || !strchr("([", text[i]))
			continue;
		if (close < i)
			close = i + strcspn(text + i, ")]");
		if (!text[close])
			continue;
		if (text[i] == '(' && strchr("=()", before))
			i += MAX(cast_with_spaces(text + i), (size_t)1) - 1;
		if (!strchr("([", text[i]))
			continue;
		end = parentheses_end(text, i, LANG_MAX_ARG_TEXT);
		if (end && !has_if(text + i, end - i))
			i = end - 1;
	}
	return i;
}

/* Behind the '>' that belongs to the '<' at @i; 0: there is none, or it is an operator's (operator<, operator<<). "->" does not end it. */
static size_t angles_end(const char *text, size_t i)
{
	static const char operator[] = "operator";
	size_t name = sizeof(operator) - 1, first = i;
	unsigned open = 0;

	while (first && text[first - 1] == '<')
		first--;
	if (first >= name && !strncmp(text + first - name, operator, name))
		return 0;
	for (; text[i]; i++) {
		open += text[i] == '<';
		if (text[i] == '>' && text[i - 1] != '-' && !--open)
			return i + 1;
	}
	return 0;
}

/* Behind the '"' that closes the one at @i; 0: there is none. */
static size_t quotes_end(const char *text, size_t i)
{
	const char *end = strchr(text + i + 1, '"');

	return end ? (size_t)(end - text) + 1 : 0;
}

/*
 * The same for a place. The name of a function of C++ or Rust may have spaces: PATH:net::read(char*, unsigned long) const is one word, and so
 * are PATH:Pair<int, long>::sum and PATH:"TYPE NAME".
 */
static size_t place_word_end(const char *text, size_t i)
{
	static const char qualifier[] = " const";
	bool in_program = false;

	for (; text[i] && !strchr(PARSE_SPACE "#", text[i]); i++) {
		size_t end = 0;

		in_program |= text[i] == ':';
		if (in_program && text[i] == '(' && !char_is_digit(text[i + 1]))
			end = parentheses_end(text, i, LANG_MAX_LINE);
		else if (in_program && text[i] == '<')
			end = angles_end(text, i);
		else if (in_program && text[i] == '"' && text[i - 1] == ':')
			end = quotes_end(text, i);
		i = MAX(end, i + 1) - 1;
	}
	if (i && text[i - 1] == ')' && !strncmp(text + i, qualifier, strlen(qualifier)) &&
	    strchr(PARSE_SPACE "#+%", text[i + strlen(qualifier)]))
		i += strlen(qualifier);
	return i;
}

struct def_words def_words_split(const struct parse *p)
{
	size_t len = strcspn(p->text, "#");	/* any '#' starts a comment */
	struct def_words words = {
		.at = arena_array(p->arena, struct span, len / 2 + 1),
	};

	for (size_t i = 0; i < len;) {
		size_t end;

		i += strspn(p->text + i, PARSE_SPACE);
		if (i >= len)
			break;
		end = words.nr == 1 ? place_word_end(p->text, i) : word_end(p->text, i);
		words.at[words.nr] = (struct span){ (uint32_t)i, (uint32_t)(end - i) };
		i = end;
		if (begins_filter(p, &words, words.at[words.nr])) {
			words.has_filter = true;
			words.filter.off = (uint32_t)end;
			words.filter.len = filter_length(p->text + end, (uint32_t)strlen(p->text + end));
			break;
		}
		words.nr++;
	}
	return words;
}
