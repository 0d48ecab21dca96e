// SPDX-License-Identifier: GPL-2.0-only
/*
 * command.c - the COMMAND that is traced.
 */
#include "cli/command.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run/engine.h"

enum { SIGNAL_STATUS = 128 };		/* as shells report an end by signal */

/* In the child: wait for the byte, mark, execute; what fails goes to the pipe. */
static void __attribute__((noreturn)) become(char **argv, const struct engine *engine, int go_fd,
					     int failed_fd, const sigset_t *mask)
{
	int err = 0;
	char byte;

	if (read(go_fd, &byte, 1) != 1)		/* bprobe has ended */
		_exit(0);
	signal(SIGPIPE, SIG_DFL);
	sigprocmask(SIG_SETMASK, mask, NULL);
	if (engine)
		err = engine_mark_self(engine);
	if (!err) {
		execvp(argv[0], argv);
		err = -errno;
	}
	if (write(failed_fd, &err, sizeof(err)) != sizeof(err))
		_exit(1);
	_exit(0);
}

int command_prepare(struct command *c, char **argv, const struct engine *engine,
		    const sigset_t *mask, struct diag *diag)
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
		become(argv, engine, go[0], failed[1], mask);
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

int command_start(struct command *c)
{
	int err = 0;

	if (write(c->go_fd, "", 1) != 1)
		return -errno;
	close(c->go_fd);
	c->go_fd = -1;
	/* The pipe closes without a word when the execution has succeeded. */
	while (read(c->failed_fd, &err, sizeof(err)) < 0 && errno == EINTR)
		;
	close(c->failed_fd);
	c->failed_fd = -1;
	return err;
}

void command_reap(struct command *c, bool wait)
{
	int status;

	if (!c->pid || c->ended || waitpid(c->pid, &status, wait ? 0 : WNOHANG) != c->pid)
		return;
	c->ended = true;
	c->status = WIFSIGNALED(status) ? SIGNAL_STATUS + WTERMSIG(status) : WEXITSTATUS(status);
}

void command_close(struct command *c)
{
	if (!c->pid)
		return;
	if (c->go_fd >= 0)
		close(c->go_fd);
	if (c->failed_fd >= 0)
		close(c->failed_fd);
	if (!c->ended)
		kill(c->pid, SIGTERM);
	command_reap(c, true);
	c->pid = 0;
}
