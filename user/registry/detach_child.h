/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * detach_child.h - closes what attaches many probes, in a process of its own.
 *
 * The kernel waits for a grace period for each trampoline and each kprobe that goes, one after the other. For a hundred of them
 * this takes seconds. So a child process closes their descriptors, and bprobe need not wait. If the child is killed, the kernel
 * closes them.
 */
#ifndef REGISTRY_DETACH_CHILD_H
#define REGISTRY_DETACH_CHILD_H

#include "run/detach.h"

/*
 * Starts the child process. It has its own session, and nothing else that is open here. Until it ends, 'bprobe -l' lists
 * what it has not closed yet; on return -l already lists it. This process has closed its own copies then. The caller
 * owns *ret_fd, which reads as at its end when the child has ended. -errno: no child could be made; then this process has
 * closed the descriptors itself, and *ret_fd is -1. @d is empty afterwards.
 */
int detach_child_start(struct detach *d, int *ret_fd);

#endif
