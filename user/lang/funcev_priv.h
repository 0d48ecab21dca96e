/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * funcev_priv.h - what the files that parse function_events share.
 */
#ifndef LANG_FUNCEV_PRIV_H
#define LANG_FUNCEV_PRIV_H

#include "lang/parse.h"

/* A token is a word ([A-Za-z0-9_]) or one other character. Blanks may stand anywhere between tokens. */
struct cursor {
	struct parse *p;
	struct span rest;		/* the text behind the token */
	struct span token;		/* .len 0: the end */
	unsigned param;			/* the function's next argument, from 0 */
	unsigned room;			/* capacity of p->def->args in elements */
};

static inline bool cursor_is_word(char c)
{
	return char_is_alpha(c) || char_is_digit(c) || c == '_';
}

void cursor_next(struct cursor *c);

/* These test the current token. */
bool cursor_is(const struct cursor *c, const char *text);
bool cursor_is_name(const struct cursor *c);
bool cursor_is_number(const struct cursor *c);

/* If the token is @text, moves to the next token. */
bool cursor_take(struct cursor *c, const char *text);

/* The text taken since the byte @start, without the blanks at its end. */
struct span cursor_since(const struct cursor *c, uint32_t start);

/* Refuses the token: @wanted ("a name") is what was expected. -EINVAL. */
int cursor_unexpected(const struct cursor *c, const char *wanted);

/* These move behind what they parse. On an error they return -EINVAL or -ERANGE, set the diag, and leave *ret unchanged. */
int cursor_number(struct cursor *c, uint64_t *ret);
int cursor_type(struct cursor *c, struct type *ret);

#endif
