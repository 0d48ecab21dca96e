// SPDX-License-Identifier: GPL-2.0-only
/*
 * word.c - where a word of the probe language ends.
 */
#include "cexpr/word.h"

#include <string.h>

#include "base/macros.h"

struct text {
	const char *at;
	size_t len;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_';
}

static char peek(struct text t, size_t n)
{
	return n < t.len ? t.at[n] : '\0';
}

static bool starts(struct text t, const char *word)
{
	return t.len >= strlen(word) && !memcmp(t.at, word, strlen(word));
}

/* The bytes up to the ')' that closes the '(' at @from; 0: there is none. */
static size_t up_to_close(struct text t, size_t from)
{
	unsigned open = 0;

	for (size_t i = from; peek(t, i); i++) {
		if (peek(t, i) == '(')
			open++;
		else if (peek(t, i) == ')' && !--open)
			return i + 1;
	}
	return 0;
}

/* +8(...), -8(...), +u8(...): the bytes up to its '('; 0: it is none. */
static size_t deref_head(struct text t)
{
	size_t i = 1;

	if (peek(t, 0) != '+' && peek(t, 0) != '-')
		return 0;
	i += peek(t, i) == 'u';
	if (!is_digit(peek(t, i)))
		return 0;
	while (is_name_char(peek(t, i)))
		i++;
	return peek(t, i) == '(' ? i : 0;
}

/* this_cpu_ptr(...), this_cpu_read(...): the bytes up to its '('; 0: it is none. */
static size_t call_head(struct text t)
{
	static const char *const calls[] = { "this_cpu_ptr(", "this_cpu_read(" };

	for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
		if (starts(t, calls[i]))
			return strlen(calls[i]) - 1;
	}
	return 0;
}

/* @SYM, @SYM+8, @0x1000: what is added must be a number that stands right behind it, as in the kernel's language. */
static size_t memory_length(struct text t)
{
	size_t i = 1, n;

	while (is_name_char(peek(t, i)) || peek(t, i) == '.')
		i++;
	n = i + 1;
	if ((peek(t, i) != '+' && peek(t, i) != '-') || !is_digit(peek(t, n)))
		return i;
	while (is_name_char(peek(t, n)))
		n++;
	return peek(t, n) == '(' ? i : n;
}

size_t word_length(const char *text, size_t len)
{
	struct text t = { text, len };
	size_t open = deref_head(t), i = 1;

	open = open ? open : call_head(t);
	if (open)
		return up_to_close(t, open);
	if (peek(t, 0) == '@')
		return memory_length(t);
	if (peek(t, 0) != '%' && peek(t, 0) != '$')
		return 0;
	while (is_name_char(peek(t, i)))
		i++;
	return i > 1 ? i : 0;
}

bool word_is_deref(const char *text, size_t len)
{
	return deref_head((struct text){ text, len });
}
