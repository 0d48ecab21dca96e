// SPDX-License-Identifier: GPL-2.0-only
/*
 * command.c - the COMMAND that is traced.
 */
#include "cli/command.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/files.h"
#include "cli/options.h"
#include "run/engine.h"

enum {
	SIGNAL_STATUS = 128,		/* as shells report an end by signal */
	GRACE_MS = 2000, TICK_MS = 10,
};

/* What a child that could not become COMMAND tells. */
struct failure {
	int err;			/* -errno */
	int own;			/* it could not be marked: not COMMAND's fault */
};

/* In the child: wait for the byte, mark, execute; what fails goes to the pipe. */
static void __attribute__((noreturn)) become(char **argv, const struct engine *engine, int go_fd,
					     int failed_fd, const struct signals *signals)
{
	struct failure f = { 0 };
	char byte;

	if (read(go_fd, &byte, 1) != 1)		/* bprobe has ended */
		_exit(0);
	sigaction(SIGPIPE, &signals->pipe, NULL);
	sigaction(SIGCHLD, &signals->child, NULL);
	files_restore_limit();
	sigprocmask(SIG_SETMASK, &signals->mask, NULL);
	if (engine)
		f.err = engine_mark_self(engine);
	f.own = f.err != 0;
	if (!f.err) {
		execvp(argv[0], argv);
		f.err = -errno;
	}
	if (write(failed_fd, &f, sizeof(f)) != sizeof(f))
		_exit(1);
	_exit(0);
}

int command_prepare(struct command *c, char **argv, const struct engine *engine,
		    const struct signals *signals, struct diag *diag)
{
	int go[2], failed[2];
	pid_t pid;

	if (pipe2(go, O_CLOEXEC))
		return diag_set(diag, -errno, "cannot make a pipe: %s", strerror(errno));
	if (pipe2(failed, O_CLOEXEC)) {
		close(go[0]);
		close(go[1]);
		return diag_set(diag, -errno, "cannot make a pipe: %s", strerror(errno));
	}
	pid = fork();
	if (!pid) {
		close(go[1]);
		close(failed[0]);
		become(argv, engine, go[0], failed[1], signals);
	}
	close(go[0]);
	close(failed[1]);
	*c = (struct command){ .argv = argv, .pid = pid, .go_fd = go[1], .failed_fd = failed[0] };
	if (pid < 0) {
		c->pid = 0;
		close(go[1]);
		close(failed[0]);
		return diag_set(diag, -errno, "cannot fork for COMMAND: %s", strerror(errno));
	}
	return 0;
}

int command_start(struct command *c, bool *ret_own)
{
	struct failure f = { 0 };

	*ret_own = true;
	if (write(c->go_fd, "", 1) != 1)
		return -errno;
	close(c->go_fd);
	c->go_fd = -1;
	/* The pipe closes without a word when the execution has succeeded. */
	while (read(c->failed_fd, &f, sizeof(f)) < 0 && errno == EINTR)
		;
	close(c->failed_fd);
	c->failed_fd = -1;
	*ret_own = f.own;
	return f.err;
}

static bool collect(struct command *c, int flags)
{
	int status;
	pid_t pid;

	do
		pid = waitpid(c->pid, &status, flags);
	while (pid < 0 && errno == EINTR);
	if (!pid)
		return false;
	c->ended = true;
	if (pid < 0)				/* somebody else has collected it */
		c->status = EXIT_COMMAND_OWN;
	else
		c->status = WIFSIGNALED(status) ? SIGNAL_STATUS + WTERMSIG(status) : WEXITSTATUS(status);
	return true;
}

void command_reap(struct command *c)
{
	if (c->pid && !c->ended)
		collect(c, WNOHANG);
}

void command_stop(struct command *c)
{
	static const struct timespec tick = { .tv_nsec = TICK_MS * 1000000 };

	if (!c->pid || c->ended || collect(c, WNOHANG))
		return;
	kill(c->pid, SIGTERM);
	kill(c->pid, SIGCONT);			/* a stopped one could not hear it */
	for (int ms = 0; ms < GRACE_MS; ms += TICK_MS) {
		if (collect(c, WNOHANG))
			return;
		nanosleep(&tick, NULL);
	}
	kill(c->pid, SIGKILL);
	collect(c, 0);
}

void command_close(struct command *c)
{
	if (!c->pid)
		return;
	if (c->go_fd >= 0)
		close(c->go_fd);
	if (c->failed_fd >= 0)
		close(c->failed_fd);
	command_stop(c);
	c->pid = 0;
}
