/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * parse.h - what the parsers of lang/ share: the text, and parts of it.
 *
 * A parser never copies text to split it: it narrows a span. So every node and
 * every caret points into the text that the user typed.
 */
#ifndef LANG_PARSE_H
#define LANG_PARSE_H

#include <stdbool.h>

#include "base/diag.h"
#include "lang/ast.h"

struct parse {
	struct arena *arena;
	struct diag *diag;
	const char *text;		/* NUL-terminated, in the arena */
	struct probe_def *def;		/* the definition being filled in */
	bool in_source;			/* a function is one of the source: debug information has it, also where it is inlined */
	bool names_program;		/* what is in front of a place's ':' is a program, also without '/' and ".so" */
	/*
	 * Parses all of @at as a word of another dialect. It is called for expressions
	 * that do not begin with % @ + or -. NULL: use the words of kprobe_events.
	 */
	int (*word)(struct parse *p, struct span at, struct expr **ret);
	unsigned c_tries;		/* how often an expression of this argument was tried as C: expr.c */
};

/* The characters between words: the ASCII ones of the kernel's isspace(). */
#define PARSE_SPACE " \t\n\v\f\r"

/* Checks that @text of @len bytes can be one definition: it is one line, and not too long. */
int text_check(const char *text, size_t len, struct diag *diag);

static inline const char *span_ptr(const struct parse *p, struct span s)
{
	return p->text + s.off;
}

/* span_head(): the first @n bytes of @s. span_tail(): the bytes behind them. @n must not exceed the length. */
static inline struct span span_head(struct span s, uint32_t n)
{
	return (struct span){ s.off, n };
}

static inline struct span span_tail(struct span s, uint32_t n)
{
	return (struct span){ s.off + n, s.len - n };
}

static inline struct span span_end(struct span s)
{
	return span_tail(s, s.len);
}

/* The position in @s of the first byte that is in @set, or of the last @c; s.len if there is none. */
uint32_t span_find(const struct parse *p, struct span s, const char *set);
uint32_t span_find_last(const struct parse *p, struct span s, char c);

/* The number of white space bytes at the start of @s. */
uint32_t span_skip_space(const struct parse *p, struct span s);

bool span_is(const struct parse *p, struct span s, const char *text);
bool span_starts(const struct parse *p, struct span s, const char *text);

char *span_dup(const struct parse *p, struct span s);

/* A copy for use in a message: control bytes become '?', and a long text is cut. */
const char *span_quote(const struct parse *p, struct span s);

/* ASCII only, independent of the locale. */
bool char_is_digit(char c);
bool char_is_alpha(char c);

/*
 * The name in @names (@count of them) that is most similar to @word, or NULL if
 * none is close. A short word may have one error, a long word two.
 */
const char *spell_nearest(const char *word, const char *const *names, size_t count);

#endif
