/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cast.h - casts: (STRUCT)ARG->FIELD and (STRUCT,MEMBER)ARG->FIELD.
 */
#ifndef LANG_CAST_H
#define LANG_CAST_H

#include "lang/parse.h"

/*
 * The length of the cast in the parentheses at the start of @text, ')' included, if it has spaces inside, as in
 * "(struct file *)". 0: it has none, or it is no cast. Such a cast is one word, although spaces separate words.
 */
size_t cast_with_spaces(const char *text);

/*
 * Parses all of (*expr)->at, which begins with '('. *expr becomes the outermost node, which is a field. On failure *expr
 * is unchanged.
 */
int cast_parse(struct parse *p, struct expr **expr);

#endif
