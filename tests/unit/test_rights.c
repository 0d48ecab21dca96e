// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_rights.c - what a process can do after rights_keep(), tried with this machine's own kernel. Nothing is traced.
 *
 * Each trial is a child, since nothing gives rights back. A call that the filter refuses fails with EPERM and does nothing. So the trials are calls
 * that would end in another way without it: with success, or with another error.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "kernel/caps.h"
#include "kernel/rights.h"
#include "tap.h"

/* ---- trials: 0 or -errno ---- */

static int of(long result)
{
	return result < 0 ? -errno : 0;
}

static int reads(void) { return of(open("/proc/self/stat", O_RDONLY)); }
static int writes(void) { return of(open("/dev/null", O_WRONLY)); }
static int creates(void) { return of(openat(AT_FDCWD, "/nosuch/directory/file", O_RDONLY | O_CREAT, 0600)); }
static int removes(void) { return of(unlink("/nosuch/directory/file")); }
static int renames(void) { return of(rename("/nosuch/directory/file", "/nosuch/directory/other")); }
static int executes(void) { return of(execl("/nosuch/directory/file", "file", (char *)NULL)); }
static int asks_for_socket(void) { return of(socket(AF_INET, SOCK_STREAM, 0)); }
static int own_socket(void) { return of(socket(AF_UNIX, SOCK_STREAM, 0)); }
static int maps_memory(void) { return mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? -errno : 0; }
static int types_for_user(void) { return of(ioctl(-1, TIOCSTI, "x")); }
static int asks_for_size(void) { return of(ioctl(-1, TIOCGWINSZ, NULL)); }
static int signals_other(void) { return of(kill(getppid(), 0)); }
static int signals_itself(void) { return of(kill(getpid(), 0)); }
static int traces_other(void) { return of(syscall(SYS_ptrace, 16, -1, 0, 0)); }
static int mounts(void) { return of(syscall(SYS_mount, "", "/nosuch/directory", "tmpfs", 0, NULL)); }
static int loads_module(void) { return of(syscall(SYS_finit_module, -1, "", 0)); }
static int loads_program(void) { return of(syscall(SYS_bpf, 5 /* BPF_PROG_LOAD */, NULL, 0)); }
static int reads_map(void) { return of(syscall(SYS_bpf, 1 /* BPF_MAP_LOOKUP_ELEM */, NULL, 0)); }
static int opens_event(void) { return of(syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0)); }
static int makes_namespace(void) { return of(syscall(SYS_clone, CLONE_NEWUSER | CLONE_NEWNET | SIGCHLD | CLONE_VM, NULL)); }
static int old_thread(void) { return of(syscall(SYS_clone3, NULL, 0)); }
static int keeps_executed(void) { return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ? 0 : -ENOTSUP; }

static int forks(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	return pid < 0 ? -errno : of(waitpid(pid, NULL, 0));
}

/* The error of @trial in a child that has only @wanted. */
static int with(unsigned wanted, int (*trial)(void))
{
	const struct rights r = { .wanted = wanted };
	struct buf report = { 0 };
	int status;
	pid_t pid = fork();

	if (!pid) {
		rights_keep(&r, &report);
		_exit(-trial());
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? -WEXITSTATUS(status) : -EFAULT;
}

static void check_trials(void)
{
	static const struct {
		const char *what;
		unsigned wanted;
		int (*trial)(void);
		int err;
	} rows[] = {
		{ "reading a file", 0, reads, 0 },
		{ "memory", 0, maps_memory, 0 },
		{ "opening for writing", 0, writes, -EPERM },
		{ "... with files", RIGHT_FILES, writes, 0 },
		{ "creating", 0, creates, -EPERM },
		{ "... with files", RIGHT_FILES, creates, -ENOENT },
		{ "removing", 0, removes, -EPERM },
		{ "... with peers: a socket", RIGHT_PEERS, removes, -ENOENT },
		{ "renaming", RIGHT_PEERS, renames, -EPERM },
		{ "... with files", RIGHT_FILES, renames, -ENOENT },
		{ "executing", ~(unsigned)RIGHT_EXECUTE, executes, -EPERM },
		{ "... with the right to", RIGHT_EXECUTE, executes, -ENOENT },
		{ "a socket of the net", ~(unsigned)RIGHT_EXECUTE, asks_for_socket, -EPERM },
		{ "a socket of this machine", RIGHT_PEERS, own_socket, -EPERM },
		{ "... for the registry", RIGHT_REGISTER, own_socket, 0 },
		{ "typing for the user of a terminal", ~(unsigned)RIGHT_EXECUTE, types_for_user, -EPERM },
		{ "the size of a terminal", 0, asks_for_size, -EBADF },
		{ "a signal to another process", RIGHT_SIGNAL, signals_other, -EPERM },
		{ "... to itself", 0, signals_itself, 0 },
		{ "ptrace", ~(unsigned)RIGHT_EXECUTE, traces_other, -EPERM },
		{ "mounting", ~(unsigned)RIGHT_EXECUTE, mounts, -EPERM },
		{ "loading a module", ~(unsigned)RIGHT_EXECUTE, loads_module, -EPERM },
		{ "loading a program", RIGHT_MAPS | RIGHT_MEMORY, loads_program, -EPERM },
		{ "a perf event", RIGHT_MAPS | RIGHT_MEMORY | RIGHT_FILES, opens_event, -EPERM },
		{ "a namespace of its own", RIGHT_CHILDREN, makes_namespace, -EPERM },
		{ "forking", 0, forks, -EPERM },
		{ "... with children", RIGHT_CHILDREN, forks, 0 },
		{ "clone3(2) looks older", RIGHT_CHILDREN, old_thread, -ENOSYS },
		{ "what it executes gets no more", RIGHT_EXECUTE, keeps_executed, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		int got = with(rows[i].wanted, rows[i].trial);

		CHECK(got == rows[i].err, "%s: %d, should be %d", rows[i].what, got, rows[i].err);
	}
	/* What the kernel says to a user without privileges differs; what the filter says does not. */
	CHECK(with(0, reads_map) == -EPERM, "a map, without the right to: refused");
}

/* With all rights it has no capability that a row of the table does not name, and none that it had not. */
static void check_capabilities(void)
{
	struct buf report = { 0 };
	uint64_t before = caps_effective();
	int status;
	pid_t pid = fork();

	if (!pid) {
		rights_keep(&(struct rights){ .wanted = 0 }, &report);
		_exit(caps_effective() ? 1 : strcmp(buf_str(&report), "capabilities none; system calls: filtered") ? 2 : 0);
	}
	waitpid(pid, &status, 0);
	CHECK(WIFEXITED(status) && !WEXITSTATUS(status), "without anything to do it has no capability, and says so: %d", status);
	pid = fork();
	if (!pid) {
		rights_keep(&(struct rights){ .wanted = ~0u }, &report);
		_exit(caps_effective() & ~before ? 1 : 0);
	}
	waitpid(pid, &status, 0);
	CHECK(WIFEXITED(status) && !WEXITSTATUS(status), "it gets none that it had not");
}

int main(void)
{
	check_trials();
	check_capabilities();
	return tap_done();
}
