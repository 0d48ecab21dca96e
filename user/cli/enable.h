/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * enable.h - kept probes are attached and detached.
 */
#ifndef CLI_ENABLE_H
#define CLI_ENABLE_H

struct options;

/*
 * --enable NAME..., --disable NAME.... --enable without names attaches again what is enabled and lost its module, where that has
 * been loaded again; nothing to do is no error. Returns the exit status.
 */
int enable_run(const struct options *opts);
int disable_run(const struct options *opts);

/* The latter, of those of opts->words or, with none, of all. The store may not be locked. Returns the exit status. */
int enable_again(const struct options *opts);

#endif
