/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * var.h - variables: $retval and its like, and the function's own by name.
 */
#ifndef LANG_VAR_H
#define LANG_VAR_H

#include "lang/parse.h"

/*
 * Both parse all of (*expr)->at, starting with '$' or a letter. Behind a field
 * access *expr becomes the outermost node; untouched on failure.
 */
int var_parse(struct parse *p, struct expr **expr);
int var_parse_named(struct parse *p, struct expr **expr);

/* $arg... as a whole argument: is it $arg*, and may it stand there? */
int var_check_args(struct parse *p, struct span at, bool *ret_is_all);

#endif
