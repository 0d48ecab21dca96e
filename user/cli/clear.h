/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * clear.h - drops the records of kept probes.
 */
#ifndef CLI_CLEAR_H
#define CLI_CLEAR_H

struct options;

/* --clear [NAME...]. Returns the exit status. */
int clear_run(const struct options *opts);

#endif
