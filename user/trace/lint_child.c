// SPDX-License-Identifier: GPL-2.0-only
/*
 * lint_child.c - searches for probes that never fire, in parallel with the tracing.
 */
#include "trace/lint_child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "keep/store.h"
#include "kernel/mem/kmem.h"
#include "kernel/syms/ksyms.h"
#include "set/lint.h"

enum { LEAST_URGENT = 19 };

/* So the reader of standard output sees its end when bprobe ends, not when this process ends. */
static void give_up_standard_io(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
}

static void tell_far(void *ctx)
{
	const int *fd = ctx;

	if (write(*fd, "", 1) != 1)
		errno = 0;		/* bprobe has ended; this process ends with it */
}

static void __attribute__((noreturn)) judge(struct set *s, const char *store, int go_fd, int far_fd, pid_t parent)
{
	struct left_out self;
	char byte;

	if (!s->opts->self)
		store_leave_out(store, &self);
	give_up_standard_io();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent || read(go_fd, &byte, 1) != 1)		/* bprobe has ended */
		_exit(0);
	setpriority(PRIO_PROCESS, 0, LEAST_URGENT);
	if (!kmem_reopen(s->machine.mem) && !ksyms_reopen(s->machine.ks))
		lint_print(s, stderr, tell_far, &far_fd);
	_exit(0);
}

static void close_go(struct lint_child *c)
{
	if (c->go_fd > 0)
		close(c->go_fd);
	c->go_fd = 0;
}

static void close_far(struct lint_child *c)
{
	if (c->far_fd >= 0)
		close(c->far_fd);
	c->far_fd = -1;
}

void lint_child_prepare(struct lint_child *c, struct set *s, const char *store)
{
	pid_t parent = getpid();
	int go[2], far[2];

	*c = (struct lint_child){ .far_fd = -1 };
	if (!lint_is_wanted(s))
		return;
	if (pipe2(go, O_CLOEXEC)) {
		lint_print(s, stderr, NULL, NULL);
		return;
	}
	if (pipe2(far, O_CLOEXEC)) {
		close(go[0]);
		close(go[1]);
		lint_print(s, stderr, NULL, NULL);
		return;
	}
	fflush(NULL);
	c->pid = fork();
	if (!c->pid) {
		close(go[1]);
		close(far[0]);
		judge(s, store, go[0], far[1], parent);
	}
	close(go[0]);
	close(far[1]);
	c->go_fd = go[1];
	c->far_fd = far[0];
	if (c->pid < 0) {
		c->pid = 0;
		close_go(c);
		close_far(c);
		lint_print(s, stderr, NULL, NULL);
	}
}

void lint_child_go(struct lint_child *c)
{
	/* If the process was killed meanwhile, this is treated as if it had found nothing. */
	if (c->pid && write(c->go_fd, "", 1) != 1)
		errno = 0;
	close_go(c);
}

static bool collect(struct lint_child *c, int flags)
{
	pid_t pid;

	if (!c->pid)
		return true;
	do
		pid = waitpid(c->pid, NULL, flags);
	while (pid < 0 && errno == EINTR);
	if (pid)
		c->pid = 0;
	return !c->pid;
}

bool lint_child_ended(struct lint_child *c)
{
	return collect(c, WNOHANG);
}

void lint_child_kill(struct lint_child *c)
{
	close_go(c);
	close_far(c);
	if (c->pid)
		kill(c->pid, SIGKILL);
	collect(c, 0);
}
