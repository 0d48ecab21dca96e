/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * filter_pred.h - one comparison of a filter: FIELD[.ustring|.function] OP VALUE.
 */
#ifndef LANG_FILTER_PRED_H
#define LANG_FILTER_PRED_H

#include "lang/filter.h"
#include "lang/parse.h"

/* Is there a field's name at the start of @rest? */
bool filter_pred_begins(const struct parse *p, struct span rest);

/* Parses what *rest begins with, and moves *rest behind it. Errors as filter_parse(). */
int filter_pred_parse(struct parse *p, struct span *rest, struct filter_pred **ret);

#endif
