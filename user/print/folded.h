/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * folded.h - stacks and how often each one came, as flamegraph.pl and other programs that draw flame graphs read them.
 */
#ifndef PRINT_FOLDED_H
#define PRINT_FOLDED_H

struct sink;

/*
 * Counts events, and prints at the end "COMM;FRAME;...;FRAME COUNT" for each different stack, the outermost frame first and frames of the
 * program before those of the kernel. An event without stacks has its function as the only frame. The lines are in the order of their
 * bytes. They depend on names only: two places of a function are one frame.
 */
extern const struct sink sink_folded;

#endif
