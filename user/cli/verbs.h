/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * verbs.h - the table of bprobe's verbs, and the functions that do their work: each in the file of its name.
 */
#ifndef CLI_VERBS_H
#define CLI_VERBS_H

#include <stdio.h>

#include "set/options.h"

/* The first one is tracing, which has no option. */
extern const struct verb verbs[];
extern const unsigned nr_verbs;

/* The verb with the short option @letter; NULL: there is none. */
const struct verb *verb_of_letter(int letter);

/* ---- the work: each returns the exit status ---- */

/* --keep DEFINITION...: keeps all of them or none. */
int keep_run(const struct options *opts);

/*
 * --enable NAME..., --disable NAME.... Without names, --enable attaches again every enabled event that lost its module, if
 * the module has been loaded again. It is no error if there is nothing to do.
 */
int enable_run(const struct options *opts);
int disable_run(const struct options *opts);

/*
 * Attaches again the enabled events whose module was loaded again: those that opts->words name, or all without words. The
 * caller must not hold the store's lock.
 */
int enable_again(const struct options *opts);

/* --tracing-on, --tracing-off: kept events record again, or no longer, as tracefs' tracing_on. */
int tracing_on_run(const struct options *opts);
int tracing_off_run(const struct options *opts);

/* --set-filter NAME EXPR: gives kept probes another filter. */
int refilter_run(const struct options *opts);

/* --set-trigger NAME TRIGGER; --triggers NAME... lists them; --hist NAME... prints what they have counted. */
int set_trigger_run(const struct options *opts);
int triggers_run(const struct options *opts);
int hist_run(const struct options *opts);

/* --renew [NAME...]: keeps anew what an older bprobe kept. It is no error if there is nothing to do. */
int renew_run(const struct options *opts);

/* --clear [NAME...]: drops the records of kept probes. */
int clear_run(const struct options *opts);

/* --trace: prints all records of kept probes, and leaves them in the rings. */
int read_kept_look(const struct options *opts);

/* --snapshot FILE: writes all records of kept probes to FILE, and leaves them in the rings. */
int read_kept_snapshot(const struct options *opts);

/* --pipe: prints records of kept probes as they come, and removes them from the rings. */
int read_kept_pipe(const struct options *opts);

/* --read FILE: prints what -o has recorded. */
int read_dat_run(const struct options *opts);

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
