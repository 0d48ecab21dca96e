/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * options.h - reads the command line.
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "stream/options.h"

/*
 * Returns 0, or EXIT_USAGE after it has printed to standard error what is wrong. What *ret points to lives in @arena and in
 * @argv.
 */
int options_parse(struct arena *arena, int argc, char **argv, struct options *ret);

extern const char options_help[];

#endif
