/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * signals.h - the signals that end bprobe's work, as a descriptor.
 */
#ifndef BASE_SIGNALS_H
#define BASE_SIGNALS_H

#include <signal.h>
#include <sys/signalfd.h>

#include "base/diag.h"

/* The signal settings from before bprobe changed them: COMMAND gets these. */
struct signals {
	sigset_t mask;
	struct sigaction pipe, child, file_size, alarm;
};

/*
 * From now on a file that grows beyond this process's limit (ulimit -f) is an error of write(2), not a signal. Call it once,
 * at the start.
 */
void signals_ignore_file_size(void);

/*
 * From now on SIGALRM interrupts a waiting write(2), even if the process that started bprobe ignores or blocks this signal.
 * Call it before signals_open().
 */
void signals_wake_writes(void);

/*
 * From now on SIGINT, SIGTERM, SIGHUP, SIGCHLD, and @more if it is not 0, are read from *ret_fd (signalfd(2), not blocking), and a
 * pipe without a reader is an error of write(2). *before gets the previous settings. -errno with @diag.
 */
int signals_open(struct signals *before, int more, int *ret_fd, struct diag *diag);

/*
 * To be called when a signal was read. A terminal shows the key that sends a signal (^C) at the cursor. If standard error is
 * this terminal, this function starts a new line there.
 */
void signals_end_echo(const struct signalfd_siginfo *info);

#endif
