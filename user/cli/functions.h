/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * functions.h - bprobe --functions: what can be probed.
 */
#ifndef CLI_FUNCTIONS_H
#define CLI_FUNCTIONS_H

#include "cli/options.h"

/* Lists the functions that the patterns name. Returns the exit status. */
int functions_run(const struct options *opts);

#endif
