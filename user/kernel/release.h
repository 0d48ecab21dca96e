/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * release.h - which version of Linux is running.
 */
#ifndef KERNEL_RELEASE_H
#define KERNEL_RELEASE_H

/* major << 16 | minor << 8, so that versions compare as numbers. */
#define RELEASE(major, minor)	((unsigned)(major) << 16 | (unsigned)(minor) << 8)

/* The running kernel's, from uname(2); 0 if it cannot be understood. */
unsigned release_running(void);

#endif
