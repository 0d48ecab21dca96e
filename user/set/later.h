/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * later.h - advice: the definition that reads later what a hit could not read.
 */
#ifndef SET_LATER_H
#define SET_LATER_H

#include <stdbool.h>
#include <stdio.h>

struct probe_def;
struct set;

/*
 * Asks the kernel now what later_advise() needs to know, if it is asked by loading a program: at the end of a run bprobe may load none any more
 * (kernel/rights.h).
 */
void later_prepare(struct set *s);

/*
 * Prints a line of help about @def, of which values could not be read because they were not in memory. @undecided: its condition needed
 * one. Proposes only what this kernel has.
 */
void later_advise(struct set *s, const struct probe_def *def, bool undecided, FILE *out);

#endif
