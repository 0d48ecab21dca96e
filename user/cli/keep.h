/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * keep.h - probes that are left in the kernel.
 */
#ifndef CLI_KEEP_H
#define CLI_KEEP_H

struct options;

/* --keep DEFINITION...: all of them or none. Returns the exit status. */
int keep_run(const struct options *opts);

#endif
