// SPDX-License-Identifier: GPL-2.0-only
/*
 * signals.c - the signals that end bprobe's work, as a descriptor.
 */
#include "base/signals.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <termios.h>
#include <unistd.h>

static struct sigaction file_size_before, alarm_before;
static bool alarm_changed, alarm_was_blocked;

void signals_ignore_file_size(void)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };

	sigaction(SIGXFSZ, &ignore, &file_size_before);
}

static void wake(int number)
{
	(void)number;
}

void signals_wake_writes(void)
{
	struct sigaction wakes = { .sa_handler = wake };
	sigset_t alarm, before;

	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	sigaction(SIGALRM, &wakes, &alarm_before);
	sigprocmask(SIG_UNBLOCK, &alarm, &before);
	alarm_was_blocked = sigismember(&before, SIGALRM);
	alarm_changed = true;
}

int signals_open(struct signals *before, int more, int *ret_fd, struct diag *diag)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, usual = { .sa_handler = SIG_DFL };
	sigset_t mask;

	/* An ignored SIGCHLD would be inherited, and bprobe would not notice COMMAND's end. */
	sigaction(SIGPIPE, &ignore, &before->pipe);
	sigaction(SIGCHLD, &usual, &before->child);
	before->file_size = file_size_before;
	if (!alarm_changed)
		sigaction(SIGALRM, NULL, &alarm_before);
	before->alarm = alarm_before;
	sigemptyset(&mask);
	sigaddset(&mask, SIGINT);
	sigaddset(&mask, SIGTERM);
	sigaddset(&mask, SIGHUP);
	sigaddset(&mask, SIGCHLD);
	if (more)
		sigaddset(&mask, more);
	sigprocmask(SIG_BLOCK, &mask, &before->mask);
	if (alarm_was_blocked)
		sigaddset(&before->mask, SIGALRM);
	*ret_fd = signalfd(-1, &mask, SFD_NONBLOCK | SFD_CLOEXEC);
	return *ret_fd < 0 ? diag_set(diag, -errno, "cannot wait for signals: %s", strerror(errno)) : 0;
}

void signals_end_echo(const struct signalfd_siginfo *info)
{
	struct termios t;

	/* The terminal sent the signal, and no process did. (A process outside of this pid namespace has no number here.) */
	if (info->ssi_signo == SIGINT && info->ssi_code == SI_KERNEL && !tcgetattr(STDERR_FILENO, &t) && t.c_lflag & ECHO &&
	    t.c_lflag & ECHOCTL)
		fputc('\n', stderr);
}
