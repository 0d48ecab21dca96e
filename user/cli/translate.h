/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * translate.h - definitions of any dialect in the grammar of kprobe_events, as text.
 */
#ifndef CLI_TRANSLATE_H
#define CLI_TRANSLATE_H

#include "cli/options.h"

/*
 * Translates the definitions, the files (-f), or standard input when there is neither, line by line:
 * each one of the output is one of the input, comments and blank ones as they are. What cannot
 * be said so is a comment behind it. A line in error becomes a comment, and standard error tells why.
 * Asks no kernel. Returns an exit status.
 */
int translate_run(const struct options *opts);

#endif
