/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * read_kept.h - prints what kept probes have recorded. Both return the exit status.
 */
#ifndef CLI_READ_KEPT_H
#define CLI_READ_KEPT_H

struct options;

/* --trace: all that there is, and leaves it there. */
int read_kept_look(const struct options *opts);

/* --pipe: as it comes, and takes it away. */
int read_kept_pipe(const struct options *opts);

#endif
