/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * version.h - the version that this is.
 */
#ifndef BASE_VERSION_H
#define BASE_VERSION_H

/* The last version with a number, and the commit that this was built from. */
extern const char bprobe_release[], bprobe_commit[];

/* Both as one word: in a trace.dat, and in the store of kept probes. */
extern const char version[];

#endif
