/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * parse.h - what the parsers of lang/ share: the text, and parts of it.
 *
 * A parser never copies text to take it apart: it narrows a span. So every
 * node and every caret points into the text that the user typed.
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
	struct probe_def *def;		/* being filled */
	/*
	 * Another dialect's words, where an expression has neither of % @ + - in front:
	 * parses all of @at. NULL: those of kprobe_events.
	 */
	int (*word)(struct parse *p, struct span at, struct expr **ret);
};

/* What separates words, as the kernel's isspace() has it for ASCII. */
#define PARSE_SPACE " \t\n\v\f\r"

struct words {
	struct span *at;
	unsigned nr;
	bool has_filter;
	struct span filter;		/* what stands behind 'if' */
};

/*
 * The words of p->text up to its filter or a comment. They are separated by white space only: nothing quotes, nothing
 * escapes.
 */
struct words words_split(const struct parse *p);

/* Is @text one definition, as to its shape: one line of @len bytes, and not too long? */
int text_check(const char *text, size_t len, struct diag *diag);

static inline const char *span_ptr(const struct parse *p, struct span s)
{
	return p->text + s.off;
}

/* The first @n bytes of @s; what follows them. @n must not exceed the length. */
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

/* Where in @s a byte (one of @set) stands first or last; s.len if it does not. */
uint32_t span_find(const struct parse *p, struct span s, const char *set);
uint32_t span_find_last(const struct parse *p, struct span s, char c);

/* How many bytes of white space @s begins with. */
uint32_t span_skip_space(const struct parse *p, struct span s);

bool span_is(const struct parse *p, struct span s, const char *text);
bool span_starts(const struct parse *p, struct span s, const char *text);

char *span_dup(const struct parse *p, struct span s);

/* A copy fit for a message: control bytes as '?', cut when it is long. */
const char *span_quote(const struct parse *p, struct span s);

/* ASCII only, whatever the locale. */
bool char_is_digit(char c);
bool char_is_alpha(char c);

/*
 * The name in @names (@count of them) that looks most like @word, or NULL if
 * none is close: one slip in a short word, two in a long one.
 */
const char *spell_nearest(const char *word, const char *const *names, size_t count);

#endif
