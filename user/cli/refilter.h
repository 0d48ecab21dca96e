/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * refilter.h - another filter for kept probes.
 */
#ifndef CLI_REFILTER_H
#define CLI_REFILTER_H

struct options;

/* --set-filter NAME EXPR. Returns the exit status. */
int refilter_run(const struct options *opts);

#endif
