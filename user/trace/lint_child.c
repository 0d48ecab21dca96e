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

#include "run/store.h"
#include "trace/lint.h"

enum { LEAST_URGENT = 19 };

/* So the reader of standard output sees its end when bprobe ends, not when this process ends. */
static void give_up_standard_io(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
}

static void __attribute__((noreturn)) judge(struct session *s, int go_fd, pid_t parent)
{
	struct diag ignored = { 0 };
	struct left_out self;
	char byte;

	if (!s->opts->self)
		store_leave_out(s->opts->store, &self);
	give_up_standard_io();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent || read(go_fd, &byte, 1) != 1)		/* bprobe has ended */
		_exit(0);
	setpriority(PRIO_PROCESS, 0, LEAST_URGENT);
	/* BPF copies memory into a map that both processes would use. So the child opens its own. */
	if (strcmp(kmem_name(s->machine.mem), "BPF") || !session_reread_symbols(s, &ignored))
		lint_print(s, stderr);
	_exit(0);
}

void lint_child_prepare(struct lint_child *c, struct session *s)
{
	pid_t parent = getpid();
	int go[2];

	*c = (struct lint_child){ 0 };
	if (!lint_is_wanted(s))
		return;
	if (pipe2(go, O_CLOEXEC)) {
		lint_print(s, stderr);
		return;
	}
	fflush(NULL);
	c->pid = fork();
	if (!c->pid) {
		close(go[1]);
		judge(s, go[0], parent);
	}
	close(go[0]);
	c->go_fd = go[1];
	if (c->pid < 0) {
		c->pid = 0;
		close(go[1]);
		lint_print(s, stderr);
	}
}

static void close_go(struct lint_child *c)
{
	if (c->go_fd > 0)
		close(c->go_fd);
	c->go_fd = 0;
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
	if (c->pid)
		kill(c->pid, SIGKILL);
	collect(c, 0);
}
