/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * read_kept.h - prints the records of kept probes. Both functions return the exit status.
 */
#ifndef CLI_READ_KEPT_H
#define CLI_READ_KEPT_H

struct options;

/* --trace: prints all records, and leaves them in the rings. */
int read_kept_look(const struct options *opts);

/* --pipe: prints records as they come, and removes them from the rings. */
int read_kept_pipe(const struct options *opts);

#endif
