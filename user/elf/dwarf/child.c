// SPDX-License-Identifier: GPL-2.0-only
/*
 * child.c - asks a child without privileges.
 *
 * A debug file is large, complex and not bprobe's. An error in libdw can do its harm only in a child: that has no capability, another
 * user (if bprobe is root's), few system calls, and no descriptor but the file, the program, a pipe and /dev/null. Its memory ends with it. The
 * child answers with text (answer.c). It ends after 300 seconds of a processor, after 15 minutes in all, and when it wants more than 16 GiB.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "arch/user.h"
#include "base/buf.h"
#include "base/cleanup.h"
#include "base/confine.h"
#include "base/macros.h"
#include "base/write_all.h"
#include "elf/dwarf/answer.h"

enum {
	NOBODY = 65534,
	MOST_TEXT = 64 << 20,		/* bytes of an answer, */
	MOST_TOGETHER = 256 << 20,	/* ... and of several */
	MOST_SECONDS = 300,		/* of a processor, */
	MOST_WAITED = 900,		/* ... and in all, also while it waits: a .dwo file can be a pipe that nobody writes */
};

static const uint64_t most_memory = 16ull << 30;		/* bytes more than the parent has mapped, which may be a lot (ASan) */

static const char damaged[] = "damaged\n";

/* ---- the child ---- */

/* Bytes that this process has mapped. */
static uint64_t mapped(void)
{
	auto_fd fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	char text[64];
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (n <= 0)
		return 0;
	text[n] = '\0';
	return strtoull(text, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* After MOST_WAITED seconds SIGALRM ends this process, even if the parent blocks or handles SIGALRM. */
static void limit_wait(void)
{
	sigset_t alarms;

	signal(SIGALRM, SIG_DFL);
	sigemptyset(&alarms);
	sigaddset(&alarms, SIGALRM);
	sigprocmask(SIG_UNBLOCK, &alarms, NULL);
	alarm(MOST_WAITED);
}

static int lose_rights(void)
{
	const uint64_t most = mapped() + most_memory;
	const struct rlimit no_core = { 0, 0 }, seconds = { MOST_SECONDS, MOST_SECONDS }, memory = { most, most };

	setrlimit(RLIMIT_CORE, &no_core);
	setrlimit(RLIMIT_CPU, &seconds);
	setrlimit(RLIMIT_AS, &memory);
	limit_wait();
	/* EPERM: a container has taken these capabilities away already. */
	if (!geteuid() && ((setgroups(0, NULL) && errno != EPERM) || (setresgid(NOBODY, NOBODY, NOBODY) && errno != EPERM) ||
			   (setresuid(NOBODY, NOBODY, NOBODY) && errno != EPERM)))
		return -errno;
	confine_capabilities(0);
	return confine_executed();
}

/* What reading files, and malloc, need. Everything else fails with EPERM. Split debug information is in more files: opened for reading only. */
static int lose_calls(void)
{
	static const struct confine_call calls[] = {
		CONFINE_ALLOW(read), CONFINE_ALLOW(pread64), CONFINE_ALLOW(write), CONFINE_ALLOW(close), CONFINE_ALLOW(fstat),
		CONFINE_ALLOW(newfstatat), CONFINE_ALLOW(lseek), CONFINE_ALLOW(mmap), CONFINE_ALLOW(munmap), CONFINE_ALLOW(mprotect),
		CONFINE_ALLOW(mremap), CONFINE_ALLOW(madvise), CONFINE_ALLOW(brk), CONFINE_ALLOW(exit), CONFINE_ALLOW(exit_group),
		CONFINE_ALLOW(rt_sigreturn), CONFINE_ALLOW(rt_sigprocmask), CONFINE_ALLOW(futex), CONFINE_ALLOW(getrandom),
		CONFINE_ALLOW(dup), CONFINE_ALLOW(fcntl), CONFINE_ALLOW(getpid), CONFINE_ALLOW(gettid), CONFINE_ALLOW(sigaltstack),
		CONFINE_ONLY(openat, 2, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC, 0),
	};

	return confine_calls(user_audit_arch, &(struct confine_list){ calls, ARRAY_SIZE(calls) }, 1, false);
}

enum { FILE_FD = 3, PIPE_FD, PROGRAM_FD, FREE_FD };

/*
 * The file, the pipe and the program's own file have fixed numbers, the three standard descriptors are /dev/null, and nothing else is open.
 * It can only be read: a run with stacks may open nothing for writing any more (kernel/rights.h).
 */
static bool place_files(int fd, int out_fd, struct lines_query *queries, unsigned nr)
{
	int program_fd = fcntl(queries->segments ? queries->program_fd : fd, F_DUPFD, FREE_FD);
	int null = open("/dev/null", O_RDONLY);

	for (unsigned i = 0; i < nr; i++)
		queries[i].program_fd = PROGRAM_FD;
	fd = fcntl(fd, F_DUPFD, FREE_FD);
	out_fd = fcntl(out_fd, F_DUPFD, FREE_FD);
	for (int i = 0; null >= 0 && i < 3; i++)
		dup2(null, i);
	return dup2(fd, FILE_FD) >= 0 && dup2(out_fd, PIPE_FD) >= 0 && dup2(program_fd, PROGRAM_FD) >= 0 &&
	       !syscall(SYS_close_range, FREE_FD, ~0u, 0);
}

/* The parent reads it while the next one is looked for. */
static void send_answer(void *ctx, const struct lines_query *q, const struct lines_answer *a)
{
	struct buf *out = ctx;

	buf_reset(out);
	answer_print(a, q, out);
	if (write_all(PIPE_FD, buf_str(out), out->len))
		_exit(1);
}

/* Ends the process. */
static void child(int fd, int out_fd, pid_t parent, const char *name, struct lines_query *queries, unsigned nr)
{
	struct arena arena = { 0 };
	struct diag diag = { 0 };
	struct buf out = { 0 };

	if (!place_files(fd, out_fd, queries, nr))
		_exit(1);
	if (lose_rights())
		_exit(1);
	/* A change of the user takes this back. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent || lose_calls())
		_exit(1);
	_exit(lines_look(&arena, FILE_FD, name, queries, nr, send_answer, &out, &diag) && write_all(PIPE_FD, damaged, strlen(damaged)));
}

/* ---- the parent ---- */

static int read_pipe(int fd, uint64_t most, struct buf *out)
{
	for (;;) {
		ssize_t n = read(fd, buf_room(out, 65536), 65536);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : 0;
		out->len += (size_t)n;
		if (out->len > most)
			return -EFBIG;
	}
}

/* The directory of the file, which the child could not find out. NULL: it has no name any more. */
static const char *directory_of(struct arena *arena, int fd)
{
	char link[64], path[PATH_MAX + 1], *slash;
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = readlink(link, path, PATH_MAX);
	path[len < 0 ? 0 : len] = '\0';
	slash = strrchr(path, '/');
	return slash ? arena_strndup(arena, path, (size_t)(slash - path)) : NULL;
}

/* Each answer ends with a line that says so. What is not there is no answer. */
static int read_answers(struct arena *arena, char *text, const struct lines_query *queries, unsigned nr, struct lines_answer *ret)
{
	for (unsigned i = 0; i < nr; i++) {
		char *end = answer_end(text), more = end ? *end : '\0';
		int err;

		if (!end)
			return -EBADMSG;
		*end = '\0';
		err = answer_read(arena, text, &queries[i], &ret[i]);
		*end = more;
		if (err)
			return err;
		text = end;
	}
	return *text ? -EBADMSG : 0;
}

static int explain_wait(const char *name, struct diag *diag)
{
	diag_set(diag, -ETIMEDOUT, "the debug information of %s was not read within %d seconds", name, MOST_WAITED);
	diag_note(diag, "help: look for a pipe, or a file system that does not answer, among its .dwo files; if bprobe was stopped meanwhile, try again");
	return -ETIMEDOUT;
}

int lines_ask(struct arena *arena, int fd, const char *name, const struct lines_query *queries, unsigned nr, struct lines_answer *ret,
	      struct diag *diag)
{
	struct lines_query *copies = arena_array(arena, struct lines_query, nr);
	struct buf text = { 0 };
	int ends[2], status = 0, err;
	pid_t pid, parent = getpid();

	if (!lines_is_known)
		return lines_look(arena, fd, name, queries, nr, NULL, NULL, diag);
	if (pipe2(ends, O_CLOEXEC))
		return diag_set(diag, -errno, "cannot make a pipe: %s", strerror(errno));
	memcpy(copies, queries, nr * sizeof(*copies));
	for (unsigned i = 0; i < nr && !queries->dir; i++)
		copies[i].dir = i ? copies->dir : directory_of(arena, fd);
	pid = fork();
	if (!pid)
		child(fd, ends[1], parent, name, copies, nr);
	err = pid < 0 ? -errno : 0;
	close(ends[1]);
	if (!err)
		err = read_pipe(ends[0], nr > 1 ? MOST_TOGETHER : MOST_TEXT, &text);
	close(ends[0]);
	if (pid > 0 && err)
		kill(pid, SIGKILL);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	buf_addc(&text, '\0');
	if (err)
		diag_set(diag, err, "cannot read %s: %s", name, strerror(-err));
	else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
		err = explain_wait(name, diag);
	else if (WIFSIGNALED(status))
		err = diag_set(diag, -EBADMSG, "reading the debug information of %s ended with signal %d (%s)", name,
			       WTERMSIG(status), strsignal(WTERMSIG(status)));
	else if (WIFEXITED(status) && WEXITSTATUS(status))
		err = diag_set(diag, -EPERM, "the process that reads debug information could not give up its privileges");
	else if (!strcmp(text.data, damaged))
		err = diag_set(diag, -EBADMSG, "%s has no debug information, or it is damaged", name);
	else if (read_answers(arena, text.data, queries, nr, ret))
		err = diag_set(diag, -EBADMSG, "%s is damaged: its debug information could not be read", name);
	buf_fini(&text);
	return err;
}
