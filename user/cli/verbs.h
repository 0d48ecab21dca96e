/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * verbs.h - the table of what bprobe can be asked to do.
 */
#ifndef CLI_VERBS_H
#define CLI_VERBS_H

#include "trace/options.h"

/* The first one is tracing, which no option asks for. */
extern const struct verb verbs[];
extern const unsigned nr_verbs;

/* The verb whose short option is @letter; NULL: there is none. */
const struct verb *verb_of_letter(int letter);

#endif
