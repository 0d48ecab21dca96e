/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rights.h - what bprobe may still do once its probes are attached: only what this run has left to do.
 */
#ifndef KERNEL_RIGHTS_H
#define KERNEL_RIGHTS_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/buf.h"

/* What a process has left to do, one bit each. A row of the table in rights.c says what each one takes. */
enum right {
	RIGHT_OUTPUT = 1 << 0,		/* to read, to wait, and to write to what is open: always */
	RIGHT_MAPS = 1 << 1,		/* to read and write BPF's maps that are open */
	RIGHT_MEMORY = 1 << 2,		/* to read the kernel's memory and symbols */
	RIGHT_ATTACH = 1 << 3,		/* to load and attach programs: something waits for its module, or the store may change */
	RIGHT_TASKS = 1 << 4,		/* to read what other users' processes have in /proc */
	RIGHT_FILES = 1 << 5,		/* to make, rename and remove files */
	RIGHT_CHILDREN = 1 << 6,	/* to fork, and to wait for children */
	RIGHT_PEERS = 1 << 7,		/* to answer other bprobes */
	RIGHT_REGISTER = 1 << 8,	/* to become one that others can ask: the child that detaches */
	RIGHT_SIGNAL = 1 << 9,		/* to send signals to processes of another user, too */
	RIGHT_CONFINE = 1 << 10,	/* to start children that have fewer rights: those that read debug information */
	RIGHT_WATCH = 1 << 12,		/* to hear of CPUs that come, and to open an event of perf on them: for stacks of programs */
	RIGHT_EXECUTE = 1 << 11,	/* to execute programs. It cannot be told what they need, so no system call is refused */
};

struct rights {
	unsigned wanted;		/* enum right */
	pid_t pids[2];			/* the only other processes that it may send signals to; 0: none */
};

/*
 * From now on this process and its later children can do only what @r has, and RIGHT_OUTPUT. Capabilities that it did not have it does not
 * get. There may be no second thread. If the kernel cannot filter system calls, all stay allowed. A line about what is kept is added to @report.
 */
void rights_keep(const struct rights *r, struct buf *report);

#endif
