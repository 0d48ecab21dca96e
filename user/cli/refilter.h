/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * refilter.h - gives kept probes another filter.
 */
#ifndef CLI_REFILTER_H
#define CLI_REFILTER_H

struct options;

/* --set-filter NAME EXPR. Returns the exit status. */
int refilter_run(const struct options *opts);

#endif
