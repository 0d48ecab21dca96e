// SPDX-License-Identifier: GPL-2.0-only
/*
 * command.c - the traced COMMAND.
 */
#include "trace/command.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/files.h"
#include "base/macros.h"
#include "base/number.h"
#include "run/engine.h"
#include "stream/options.h"

enum {
	SIGNAL_STATUS = 128,		/* shells report an end by a signal in this way */
	GRACE_MS = 2000, TICK_MS = 10,
};

/* What a child reports if it could not become COMMAND. */
struct failure {
	int err;			/* -errno */
	int own;			/* it could not be marked: this is not COMMAND's fault */
};

/* ---- which file to execute ---- */

/* The files to try, in their order. */
struct candidates {
	struct arena arena;
	const char **paths;
	unsigned nr;
	int err;			/* why there is no file */
};

static void add_candidate(struct candidates *c, const char *path)
{
	struct stat st;

	if (faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) || stat(path, &st)) {
		if (errno == EACCES)
			c->err = -EACCES;
	} else if (!S_ISREG(st.st_mode)) {
		c->err = -EACCES;	/* the error of execve(2) */
	} else {
		c->paths[c->nr++] = path;
	}
}

/* Searches like execvp(3). An empty element of PATH is bprobe's current directory. */
static void find_candidates(struct candidates *c, const char *name)
{
	const char *path = getenv("PATH") ? getenv("PATH") : "/bin:/usr/bin";

	*c = (struct candidates){ .err = -ENOENT };
	c->paths = arena_array(&c->arena, const char *, strlen(path) + 1);
	if (strchr(name, '/')) {
		add_candidate(c, name);
		return;
	}
	for (bool more = *name; more;) {
		size_t len = strcspn(path, ":");

		add_candidate(c, len ? arena_printf(&c->arena, "%.*s/%s", (int)len, path, name) : name);
		more = path[len];
		path += len + more;
	}
}

/* The shell runs a script without '#!', as with execvp(3). */
static void execute_script(const char *path, char **argv)
{
	static char shell[] = "/bin/sh";
	struct arena arena = { 0 };
	unsigned nr = 1;
	char **args;

	while (argv[nr - 1])
		nr++;
	args = arena_array(&arena, char *, nr + 2);
	args[0] = shell;
	args[1] = (char *)path;
	for (unsigned i = 1; i < nr; i++)
		args[i + 1] = argv[i];
	execv(shell, args);
	arena_fini(&arena);
}

/* After these errors the rest of PATH is tried, as execvp(3) does (glibc, posix/execvpe.c). */
static bool goes_on_behind(int err)
{
	return err == ENOENT || err == ENOTDIR || err == ESTALE || err == ENODEV || err == ETIMEDOUT || err == EACCES;
}

/* Returns only if no file can be executed: -errno; -EACCES wins over later errors in PATH. */
static int execute(const struct candidates *c, char **argv)
{
	int err = c->err;

	for (unsigned i = 0; i < c->nr; i++) {
		execv(c->paths[i], argv);
		if (errno == ENOEXEC)
			execute_script(c->paths[i], argv);
		if (err != -EACCES || !goes_on_behind(errno))
			err = -errno;
		if (!goes_on_behind(errno))
			break;
	}
	return err;
}

/* ---- its process ---- */

/*
 * Closes what bprobe has open for itself. Else the kernel would close it while COMMAND is executed, and probes on these functions would
 * show that as COMMAND's. What bprobe was given by its caller is COMMAND's, too, and stays.
 */
static void close_own(const int *keep, unsigned nr)
{
	DIR *all = opendir("/proc/self/fd");
	struct dirent *e;

	while (all && (e = readdir(all))) {
		uint64_t number;
		int fd = number_u64(e->d_name, strlen(e->d_name), 10, &number) ? -1 : (int)number;
		bool kept = fd <= STDERR_FILENO || fd == dirfd(all) || !(fcntl(fd, F_GETFD) & FD_CLOEXEC);

		for (unsigned i = 0; !kept && i < nr; i++)
			kept = keep[i] == fd;
		if (!kept)
			close(fd);
	}
	if (all)
		closedir(all);
}

/* Runs in the child: waits for the byte, marks, executes. Reports a failure through the pipe. */
static void __attribute__((noreturn)) become(char **argv, const struct candidates *files, const struct engine *engine,
					     int go_fd, int failed_fd, const struct signals *signals)
{
	const int keep[] = { go_fd, failed_fd, engine ? engine_mark_fd(engine) : -1 };
	struct failure f = { 0 };
	char byte;

	close_own(keep, ARRAY_SIZE(keep));
	if (read(go_fd, &byte, 1) != 1)		/* bprobe has ended */
		_exit(0);
	sigaction(SIGPIPE, &signals->pipe, NULL);
	sigaction(SIGCHLD, &signals->child, NULL);
	sigaction(SIGXFSZ, &signals->file_size, NULL);
	sigaction(SIGALRM, &signals->alarm, NULL);
	files_restore_limit();
	sigprocmask(SIG_SETMASK, &signals->mask, NULL);
	close(go_fd);
	if (engine && files->nr)
		f.err = engine_mark_self(engine);
	f.own = f.err != 0;
	if (!f.err)
		f.err = execute(files, argv);
	if (write(failed_fd, &f, sizeof(f)) != sizeof(f))
		_exit(1);
	_exit(0);
}

int command_prepare(struct command *c, char **argv, const struct engine *engine,
		    const struct signals *signals, struct diag *diag)
{
	struct candidates files;
	int go[2], failed[2];
	pid_t pid;

	if (pipe2(go, O_CLOEXEC))
		return diag_set(diag, -errno, "cannot make a pipe: %s", strerror(errno));
	if (pipe2(failed, O_CLOEXEC)) {
		close(go[0]);
		close(go[1]);
		return diag_set(diag, -errno, "cannot make a pipe: %s", strerror(errno));
	}
	find_candidates(&files, argv[0]);
	pid = fork();
	if (!pid) {
		close(go[1]);
		close(failed[0]);
		become(argv, &files, engine, go[0], failed[1], signals);
	}
	arena_fini(&files.arena);
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
	/* If the execution has succeeded, the pipe is closed without any data. */
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
	if (pid < 0)				/* another process has collected it */
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
	kill(c->pid, SIGCONT);			/* a stopped process could not react to SIGTERM */
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
