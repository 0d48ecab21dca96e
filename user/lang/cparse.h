/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cparse.h - C expressions in definitions, and this CPU's variables.
 */
#ifndef LANG_CPARSE_H
#define LANG_CPARSE_H

#include "lang/parse.h"

/*
 * Parses all of @at as a C expression into an EXPR_C. Its names and words are expressions themselves (cexpr.word): a name is an EXPR_VAR, or
 * at a place in the source whatever debug information knows.
 */
int cparse(struct parse *p, struct span at, struct expr **ret);

/*
 * Can @at, which the kernel's language does not have, be C? What begins with a dereference or '@' is that language only. It ignores what
 * follows the last ')', so as C the same text would mean another value.
 */
bool cparse_may_be(const struct parse *p, struct span at);

/* Does it begin with a cast that only C has, such as (u8)? */
bool cparse_is_number_cast(const struct parse *p, struct span at);

/* this_cpu_ptr(ARG), this_cpu_read(ARG): does @at begin so? */
bool percpu_begins(const struct parse *p, struct span at);

/* ... parses all of (*expr)->at as one. */
int percpu_parse(struct parse *p, struct expr *expr);

#endif
