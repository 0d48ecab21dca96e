/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * signals.h - the signals that end what bprobe does, as a descriptor.
 */
#ifndef TRACE_SIGNALS_H
#define TRACE_SIGNALS_H

#include <signal.h>
#include <sys/signalfd.h>

#include "base/diag.h"

/* Signals as they were when bprobe started: COMMAND gets them so. */
struct signals {
	sigset_t mask;
	struct sigaction pipe, child, file_size, alarm;
};

/* From now on a file that grows beyond this process's limit (ulimit -f) is an error of write(2). Once, at the start. */
void signals_ignore_file_size(void);

/* From now on SIGALRM interrupts a write(2) that waits, even where who started bprobe ignores or blocks it. Before signals_open(). */
void signals_wake_writes(void);

/*
 * From now on SIGINT, SIGTERM, SIGHUP and SIGCHLD are read from *ret_fd (signalfd(2), not blocking), and a pipe without a
 * reader is an error of write(2). *before is how they were. -errno with @diag.
 */
int signals_open(struct signals *before, int *ret_fd, struct diag *diag);

/*
 * A signal was read. What a terminal sends by a key it shows where the cursor is (^C): on standard error, if that is one, the
 * next line begins behind it.
 */
void signals_end_echo(const struct signalfd_siginfo *info);

#endif
