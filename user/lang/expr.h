/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * expr.h - what an argument fetches: %REG, +0(%REG), file->f_mode, ...
 */
#ifndef LANG_EXPR_H
#define LANG_EXPR_H

#include "lang/parse.h"

/*
 * Parses the whole of @at, an argument without NAME= and :TYPE. The kind and
 * place of p->def must be known: they decide what can be fetched. On failure *ret
 * is unchanged, but the arena may have grown.
 */
int expr_parse(struct parse *p, struct span at, struct expr **ret);

/* Parses all of @at as an expression of the kernel's own language: C is possible only inside its parentheses. */
int expr_parse_word(struct parse *p, struct span at, struct expr **ret);

/*
 * The number of steps that @expr needs in the kernel's fetch program. That program
 * has room for LANG_MAX_OPS steps, the end step included.
 */
unsigned expr_steps(const struct expr *expr);

/*
 * Checks whether @inner can be the address of @levels nested reads. It cannot if
 * it is a text, or if the fetch program would be too long.
 */
int expr_check_deref(struct parse *p, const struct expr *inner, unsigned levels);

/* Fails if the argument at @at cannot use parameters of the function. */
int expr_require_args(struct parse *p, struct span at);

#endif
