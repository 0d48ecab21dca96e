// SPDX-License-Identifier: GPL-2.0-only
/*
 * looks.c - whether a text looks like C.
 */
#include <string.h>

#include "cexpr/type_name.h"
#include "cexpr/word.h"

static bool is_alpha(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_name_char(char c)
{
	return is_alpha(c) || (c >= '0' && c <= '9');
}

/* $arg* */
static bool is_all_args(const char *text, size_t i)
{
	return i >= 4 && !memcmp(text + i - 4, "$arg", 4);
}

bool cexpr_casts_to_number(const char *text, size_t len)
{
	struct cexpr_type type = { 0 };
	struct arena arena = { 0 };
	bool sure = false, ret;

	if (!len || *text != '(')
		return false;
	ret = type_name_parse(&arena, text + 1, len - 1, &type, &sure) && sure &&
	      (type.is_number || type.is_void || type.tag == C_TAG_ENUM);
	arena_fini(&arena);
	return ret;
}

/* (p->a)->b, ((p->a)->b)->c, ((p)->a)->b: the first parentheses hold an expression. A type has its argument behind it. */
static bool begins_with_group(const char *text, size_t len)
{
	size_t i = 0, close;

	while (i < len && text[i] == '(')
		i++;
	for (close = i; close < len && text[close] != ')'; close++)
		if (text[close] == ',')
			return false;
	return i && close < len && close > i && !strchr("+-", text[i]) &&
	       (strchr("$%", text[i]) || memmem(text + i, close - i, "->", 2) || (i > 1 && close + 2 < len && !memcmp(text + close + 1, "->", 2)));
}

bool cexpr_looks_like_c(const char *text, size_t len)
{
	if (cexpr_casts_to_number(text, len) || begins_with_group(text, len))
		return true;
	for (size_t i = 0; i < len; i++) {
		char next = i + 1 < len ? text[i + 1] : '\0';

		if (strchr("[]&~!<^|='", text[i]) || (text[i] == '>' && (!i || text[i - 1] != '-')))
			return true;
		if (text[i] == '*' && next != ')' && !is_all_args(text, i) && !(i && strchr(" *", text[i - 1]) && strchr(" *", next)))
			return true;
		/* ')' and '%' begin a register behind a cast. */
		if ((text[i] == '/' || (text[i] == '%' && !is_alpha(next))) && i && (is_name_char(text[i - 1]) || strchr(")]", text[i - 1])))
			return true;
		/* A sign between two operands. */
		if ((text[i] == '+' || (text[i] == '-' && next != '>')) && i && (is_name_char(text[i - 1]) || strchr(") ", text[i - 1])) &&
		    (is_name_char(next) || strchr(" (%$@-", next)) && next && !word_is_deref(text + i, len - i))
			return true;
	}
	return false;
}
