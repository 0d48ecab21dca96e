/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * type.h - how an argument is stored and printed: u8, string, b4@0/8, x16[3], ...
 */
#ifndef LANG_TYPE_H
#define LANG_TYPE_H

#include "lang/parse.h"

/*
 * Parses all of @at, what stands behind the argument's first ':'. @is_text:
 * the value is $comm or \"text", which only 'string' fits.
 */
int type_parse(struct parse *p, struct span at, bool is_text, struct type *ret);

/*
 * Does @arg's type fit what its expression fetches, and does their program
 * fit? What depends on a variable's own type is accepted: only BTF knows.
 */
int type_check(struct parse *p, const struct arg *arg);

#endif
