/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * filter_pred.h - one comparison of a filter: FIELD[.ustring|.function] OP VALUE.
 */
#ifndef LANG_FILTER_PRED_H
#define LANG_FILTER_PRED_H

#include "lang/filter.h"
#include "lang/parse.h"

/* Does @rest begin with a field's name? */
bool filter_pred_begins(const struct parse *p, struct span rest);

/* Parses the comparison at the start of *rest, and moves *rest behind it. Returns the same errors as filter_parse(). */
int filter_pred_parse(struct parse *p, struct span *rest, struct filter_pred **ret);

#endif
