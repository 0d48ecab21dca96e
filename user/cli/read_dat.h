/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * read_dat.h - --read: prints what -o has recorded.
 */
#ifndef CLI_READ_DAT_H
#define CLI_READ_DAT_H

#include "cli/options.h"

/* Returns the exit status. */
int read_dat_run(const struct options *opts);

#endif
