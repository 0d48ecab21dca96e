/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * release.h - which version of Linux is running.
 */
#ifndef KERNEL_RELEASE_H
#define KERNEL_RELEASE_H

#include <stdbool.h>

/* major << 16 | minor << 8, so that versions compare as numbers. */
#define RELEASE(major, minor)	((unsigned)(major) << 16 | (unsigned)(minor) << 8)

/* The version of the running kernel, from uname(2); 0 if its text cannot be understood. */
unsigned release_running(void);

/*
 * Does the running kernel count preempt_disable() calls (CONFIG_PREEMPT_COUNT)? The answer comes from the version's
 * text, which names each kind of preemption (init/Makefile). A kernel with only CONFIG_DEBUG_ATOMIC_SLEEP counts them
 * too, but is not recognised.
 */
bool release_counts_preemption(void);

#endif
