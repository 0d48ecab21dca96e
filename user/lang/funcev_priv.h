/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * funcev_priv.h - what the files that parse function_events share.
 */
#ifndef LANG_FUNCEV_PRIV_H
#define LANG_FUNCEV_PRIV_H

#include "lang/parse.h"

/* Tokens are words ([A-Za-z0-9_]) and single other characters; blanks are free. */
struct cursor {
	struct parse *p;
	struct span rest;		/* behind the token */
	struct span token;		/* .len 0: the end */
	unsigned param;			/* the function's argument that comes next, from 0 */
	unsigned room;			/* elements of p->def->args */
};

static inline bool cursor_is_word(char c)
{
	return char_is_alpha(c) || char_is_digit(c) || c == '_';
}

void cursor_next(struct cursor *c);

/* What the token is. */
bool cursor_is(const struct cursor *c, const char *text);
bool cursor_is_name(const struct cursor *c);
bool cursor_is_number(const struct cursor *c);

/* Goes on behind the token if it is @text. */
bool cursor_take(struct cursor *c, const char *text);

/* What was taken since the byte @start, without the blanks behind it. */
struct span cursor_since(const struct cursor *c, uint32_t start);

/* Refuses the token: @wanted ("a name") is what should stand there. -EINVAL. */
int cursor_unexpected(const struct cursor *c, const char *wanted);

/* These take what they parse. -EINVAL, -ERANGE with the diag; *ret is untouched then. */
int cursor_number(struct cursor *c, uint64_t *ret);
int cursor_type(struct cursor *c, struct type *ret);

#endif
