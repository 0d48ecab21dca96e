/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CLI_EXPLAIN_H
#define CLI_EXPLAIN_H

#include "cli/options.h"

/* Prints what would be done for each definition. Attaches nothing. Returns the exit status. */
int explain_run(const struct options *opts);

#endif
