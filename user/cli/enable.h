/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * enable.h - attaches and detaches kept probes.
 */
#ifndef CLI_ENABLE_H
#define CLI_ENABLE_H

struct options;

/*
 * --enable NAME..., --disable NAME.... Without names, --enable attaches again every enabled event that lost its module, if
 * the module has been loaded again. It is no error if there is nothing to do. Returns the exit status.
 */
int enable_run(const struct options *opts);
int disable_run(const struct options *opts);

/*
 * Attaches again the enabled events whose module was loaded again: those that opts->words name, or all without words. The
 * caller must not hold the store's lock. Returns the exit status.
 */
int enable_again(const struct options *opts);

#endif
