/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * expr.h - what an argument fetches: %di, +0(%si), file->f_mode, ...
 */
#ifndef LANG_EXPR_H
#define LANG_EXPR_H

#include "lang/parse.h"

/*
 * Parses the whole of @at, an argument without NAME= and :TYPE. p->def's kind
 * and place must be known: they decide what can be fetched. *ret is untouched
 * on failure, except that the arena may have grown.
 */
int expr_parse(struct parse *p, struct span at, struct expr **ret);

/*
 * How many steps of the kernel's fetch program it takes, which has room for
 * LANG_MAX_OPS with the one that ends it.
 */
unsigned expr_steps(const struct expr *expr);

/*
 * Can @inner be the address of @levels nested reads? Not if it is a text, or
 * if the program would be too long.
 */
int expr_check_deref(struct parse *p, const struct expr *inner, unsigned levels);

/* Fails when an argument at @at cannot have parameters of the function. */
int expr_require_args(struct parse *p, struct span at);

#endif
