/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * keep.h - puts probes into the kernel that stay there after bprobe has ended.
 */
#ifndef CLI_KEEP_H
#define CLI_KEEP_H

struct options;

/* --keep DEFINITION...: keeps all of them or none. Returns the exit status. */
int keep_run(const struct options *opts);

#endif
