/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * definitions_priv.h - the steps of definitions_read(), each in a file of its own. They return 0 or -errno with @diag.
 */
#ifndef SET_DEFINITIONS_PRIV_H
#define SET_DEFINITIONS_PRIV_H

#include "set/definitions.h"

/* Carries out a '-:' line. What it means may also be a probe of others: whether it exists is checked later. */
int definitions_take_removal(struct set *s, const struct probe_def *def, struct diag *diag);

/* Gives @def the triggers of @word. */
int definitions_take_triggers(struct set *s, const struct word *word, struct probe_def *def, struct diag *diag);

/* Gives @def the histogram of --count and the like, which are for all definitions. */
int definitions_take_answer(struct set *s, struct probe_def *def, struct diag *diag);

/* Parses the triggers of @word (NULL: it has none) into a list, in their order. */
int definitions_parse_triggers(struct set *s, const struct word *word, const struct trigger **ret, struct diag *diag);

/* *filter becomes @text, the filter of --filter for the definition @def_text, unless that has one already. */
int definitions_take_filter(struct set *s, const char *text, const char *def_text, const struct filter_expr **filter, struct diag *diag);

/* Adds the synthetic event of @text. @word: the word of the command line that it is; NULL: it is a line of a file. */
int definitions_take_synthetic(struct set *s, const char *text, const struct word *word, struct diag *diag);

#endif
