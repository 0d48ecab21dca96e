/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * type_length.h - the types with a length: bytes(LENGTH) and hex(LENGTH).
 */
#ifndef LANG_TYPE_LENGTH_H
#define LANG_TYPE_LENGTH_H

#include "lang/parse.h"

/* Is @at such a type? Then sets @type's kind and show, and type->count_at: all from its '(' on. */
bool length_splits(const struct parse *p, struct span at, struct type *type);

/* Reads what is between the parentheses: type->count_at becomes this part, and type->bytes the number, if it is one. */
int length_parse(struct parse *p, struct type *type);

/*
 * Parses the length of @arg, unless it is a number, once all arguments of p->def have their names: the name of another argument
 * stands for that argument. Sets arg->type.length.
 */
int length_parse_value(struct parse *p, struct arg *arg);

/* Refuses the word @at of such a type without a length. */
int length_missing(struct parse *p, struct span at);

#endif
