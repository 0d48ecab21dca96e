/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * options_answers.h - the options for histograms.
 */
#ifndef CLI_OPTIONS_ANSWERS_H
#define CLI_OPTIONS_ANSWERS_H

#include "base/diag.h"
#include "cli/options.h"

enum answer_option { ANSWER_COUNT, ANSWER_HISTOGRAM, ANSWER_SUM, ANSWER_AVG, ANSWER_MIN, ANSWER_MAX, ANSWER_BY, ANSWER_TOP,
		     ANSWER_INTERVAL, ANSWER_RESET, ANSWER_LIVE };

/* Takes one of these options; @arg NULL: it was given without a value. -EINVAL with a sentence in @diag. */
int options_answer(struct options *o, enum answer_option opt, const char *arg, struct diag *diag);

/* Is the word behind --top a definition, so that --live is meant? A definition has a blank, a colon or a bracket. */
bool options_top_is_live(const char *arg);

/* Do they fit together, and with the verb? Completes o->answers. -EINVAL with a sentence in @diag. */
int options_answers_check(struct options *o, struct diag *diag);

#endif
