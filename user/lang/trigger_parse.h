/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * trigger_parse.h - what the files of the trigger parser share.
 */
#ifndef LANG_TRIGGER_PARSE_H
#define LANG_TRIGGER_PARSE_H

#include "lang/parse.h"
#include "lang/trigger.h"

/* Parses what follows "hist:", without the filter. */
int trigger_hist_parse(struct parse *p, struct span at, struct hist **ret);

/* Parses an expression. A variable of the same trigger stays unresolved: trigger_hist.c does that at the end. */
int trigger_expr_parse(struct parse *p, struct span at, struct hist_expr **ret);

/* Parses $NAME. */
int trigger_var_parse(struct parse *p, struct span at, struct hist_expr **ret);

/* Parses a parameter of trace(): as trigger_expr_parse(), or a field with an event in front, SYSTEM.EVENT.FIELD. */
int trigger_param_parse(struct parse *p, struct span at, struct hist_expr **ret);

/* Parses HANDLER(...).ACTION(...). */
int trigger_action_parse(struct parse *p, struct span at, struct hist_action *ret);

/* Is @at the beginning of such an action? */
bool trigger_is_action(const struct parse *p, struct span at);

/* Does the histogram use the field @name? */
bool hist_uses_field(const struct hist *h, const char *name);

/* @at without the white space around it. */
struct span trigger_strip(const struct parse *p, struct span at);

/* The parts of a text between separators. There is always at least one, which may be empty. */
struct trigger_parts {
	struct span rest;
	char separator;
	bool end;			/* all were taken */
};

/* Takes the next part. False: there is none. */
bool trigger_next(const struct parse *p, struct trigger_parts *parts, struct span *ret);

#endif
