/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * translate.h - translates definitions of any dialect to the grammar of kprobe_events, as text.
 */
#ifndef CLI_TRANSLATE_H
#define CLI_TRANSLATE_H

#include "cli/options.h"

/*
 * Translates the definitions, the files (-f), or standard input when there is neither, line by line: each input line gives
 * one output line. Comments and blank lines stay as they are. What the grammar cannot express becomes a comment behind the
 * definition. A line with an error becomes a comment, and the reason is printed to standard error. Does not use the kernel.
 * Returns an exit status.
 */
int translate_run(const struct options *opts);

#endif
