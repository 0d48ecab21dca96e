/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * var.h - variables: $retval and similar ones, and the function's own variables by name.
 */
#ifndef LANG_VAR_H
#define LANG_VAR_H

#include "lang/parse.h"

/*
 * Both parse all of (*expr)->at, which begins with '$' or a letter. If there is a
 * field access, *expr becomes the outermost node. On failure *expr is unchanged.
 */
int var_parse(struct parse *p, struct expr **expr);
int var_parse_named(struct parse *p, struct expr **expr);

/* Parses the fields in @rest, if any, as nodes around @base. The span of @base ends where @rest begins. */
int var_parse_fields(struct parse *p, struct span rest, struct expr *base, struct expr **ret);

/* Is @at $vars or $params, and can the place have them? Then debug information knows the place, and all names are variables. */
bool var_is_list(const struct parse *p, struct span at);

/* For $arg... as a whole argument: is it $arg*, and is that allowed here? */
int var_check_args(struct parse *p, struct span at, bool *ret_is_all);

#endif
