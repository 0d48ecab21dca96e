/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * keep.h - the verbs for kept events, each in the file of its name. Each returns the exit status.
 */
#ifndef KEEP_KEEP_H
#define KEEP_KEEP_H

#include "base/buf.h"
#include "base/diag.h"
#include "stream/options.h"

/*
 * --apply FILE...|DIRECTORY...: makes the store what the files say (keep/apply_text.h), and prints what it did. Each file is applied as a
 * whole or not at all. --dry-run: prints what it would do.
 */
int apply_run(const struct options *opts);

/* -l --as=apply: appends the store as such a file. -errno with @diag. */
int apply_list(const struct options *opts, struct buf *out, struct diag *diag);

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

/*
 * --metrics [NAME...]: prints counts and histograms of kept events in the text format of Prometheus; with -o into a file, which appears when
 * it is complete.
 */
int metrics_run(const struct options *opts);

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

#endif
