/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * type.h - how an argument is stored and printed: u8, string, b4@0/8, x16[3], ...
 */
#ifndef LANG_TYPE_H
#define LANG_TYPE_H

#include "lang/parse.h"

/*
 * Parses all of @at, the text behind the argument's first ':'. @is_text: the
 * value is $comm or \"text", so only 'string' is allowed.
 */
int type_parse(struct parse *p, struct span at, bool is_text, struct type *ret);

/*
 * Checks that @arg's type fits what its expression fetches, and that the fetch
 * program is not too long. Accepts what depends on a variable's own type: only
 * BTF knows that type.
 */
int type_check(struct parse *p, const struct arg *arg);

#endif
