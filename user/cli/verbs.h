/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * verbs.h - the table of bprobe's verbs, and the functions of those that neither trace nor keep: each in the file of its name.
 */
#ifndef CLI_VERBS_H
#define CLI_VERBS_H

#include <stdio.h>

#include "stream/options.h"

/* The first one is tracing, which has no option. */
extern const struct verb verbs[];
extern const unsigned nr_verbs;

/* The verb with the short option @letter; NULL: there is none. */
const struct verb *verb_of_letter(int letter);

/* ---- the work of the verbs that are in cli/: each returns the exit status ---- */

/* --explain: prints what would be done for each definition. Attaches nothing. */
int explain_run(const struct options *opts);

/* --functions PATTERN...: lists the functions that can be probed. */
int functions_run(const struct options *opts);

/* --lines PLACE[:FROM-TO]...: lists the lines of a function or a file that have code, with their text. Attaches nothing. */
int lines_run(const struct options *opts);

/* --vars PLACE...: lists the variables at a place in the source. Attaches nothing. */
int vars_run(const struct options *opts);

/*
 * --translate: translates the definitions, the files (-f), or standard input when there is neither, line by line: each input line
 * gives one output line. Comments and blank lines stay as they are. What the grammar cannot express becomes a comment behind the
 * definition. A line with an error becomes a comment, and the reason is printed to standard error. Does not use the kernel.
 */
int translate_run(const struct options *opts);

/*
 * --doctor: prints one line for each check to @out, with the remedy where something is missing. Attaches nothing. Returns how
 * many things are missing without which no probe can run.
 */
int doctor_run(FILE *out);

#endif
