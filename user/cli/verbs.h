/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * verbs.h - the table of bprobe's verbs.
 */
#ifndef CLI_VERBS_H
#define CLI_VERBS_H

#include "trace/options.h"

/* The first one is tracing, which has no option. */
extern const struct verb verbs[];
extern const unsigned nr_verbs;

/* The verb with the short option @letter; NULL: there is none. */
const struct verb *verb_of_letter(int letter);

#endif
