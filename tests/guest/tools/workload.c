// SPDX-License-Identifier: GPL-2.0-only
/*
 * workload.c - makes the events that the guests trace; its comm is `wl`
 *
 *   wl OP [ARG]      do one thing
 *   wl contained CMD run CMD by sh as root of a container that may trace
 *   wl batch FILE    do each line of FILE in a child of its own; print "PID<tab>LINE" for each
 *
 * All data that a probe may fetch is at 0x10000000, so values are the same in each run and on
 * each kernel. Nothing else is near it: the Makefile links the program, and so its heap, above.
 * The cases depend on the layout that each op gives it. System calls are made
 * directly: functions of the C library would make other calls, too.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <pty.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DATA_SIZE = 65536, PAGE = 4096 };

static char *const data = (char *)0x10000000UL;

static void put_long(unsigned at, unsigned long value)
{
	memcpy(data + at, &value, sizeof(value));
}

static void put_text(unsigned at, const char *text)
{
	memcpy(data + at, text, strlen(text) + 1);
}

static int open_at(const void *path)
{
	return syscall(SYS_openat, AT_FDCWD, path, O_RDONLY, 0);
}

static int write_null(unsigned len)
{
	int fd = syscall(SYS_openat, AT_FDCWD, "/dev/null", O_WRONLY, 0);

	return syscall(SYS_write, fd, data, len) != (long)len;
}

/* Paths: a plain one, one with unusual bytes, one of a given length, an address that may be no path at all. */

static int op_open(const char *path)
{
	put_text(0, path);
	return open_at(data) < 0;
}

static int op_openraw(const char *arg)
{
	(void)arg;
	put_text(0, "a\"b\\c\001\x7f\xc3\xa9 d");
	return open_at(data) < 0;
}

static int op_opennl(const char *arg)
{
	(void)arg;
	put_text(0, "a\nb");
	return open_at(data) < 0;
}

static int op_openlong(const char *len)
{
	int n = atoi(len);

	for (int i = 0; i < n; i++)
		data[i] = 'a' + i % 26;
	data[n] = 0;
	open_at(data);
	return 0;
}

/* So many opens of a long name whose bytes are all 0xa5. */
static int op_openpattern(const char *times)
{
	memset(data, 0xa5, 4000);
	data[4000] = 0;
	for (int i = atoi(times); i > 0; i--)
		open_at(data);
	return 0;
}

static int op_openptr(const char *address)
{
	open_at((const void *)strtoul(address, NULL, 0));
	return 0;
}

/* No NUL before the end of the last mapped page. */
static int op_openedge(const char *arg)
{
	(void)arg;
	munmap(data + PAGE, DATA_SIZE - PAGE);
	memset(data + PAGE - 6, 'z', 6);
	open_at(data + PAGE - 6);
	return 0;
}

/* A path in a page that no one has touched: the first open finds it absent, the second present. */
static int op_openuntouched(const char *arg)
{
	static const char page[PAGE] = "/etc/xyz";
	int fd = syscall(SYS_openat, AT_FDCWD, "/tmp/ut", O_RDWR | O_CREAT | O_TRUNC, 0600);
	char *path;

	(void)arg;
	if (write(fd, page, sizeof(page)) != sizeof(page))
		return 1;
	path = mmap((void *)0x20000000UL, PAGE, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0);
	open_at(path);
	open_at(path);
	return 0;
}

static int op_creat(const char *path)
{
	put_text(0, path);
	return syscall(SYS_openat, AT_FDCWD, data, O_RDWR | O_CREAT | O_TRUNC, 0640) < 0;
}

static int op_stat(const char *path)
{
	struct stat st;

	put_text(0, path);
	return syscall(SYS_stat, data, &st) < 0;
}

/* Addresses of sockets, for connect(2) of a descriptor that is not open: the call reads none of them. */

static void connect_at(const void *address, unsigned len)
{
	syscall(SYS_connect, -1, address, len);
}

static void connect_unix(const char *name, unsigned len)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };

	memcpy(un.sun_path, name, len);
	memcpy(data, &un, sizeof(un));
	connect_at(data, 2 + len);
}

/* The end of @address is the end of the last mapped page. */
static void connect_edge(const void *address, unsigned len)
{
	memcpy(data + PAGE - len, address, len);
	connect_at(data + PAGE - len, len);
}

static int op_addresses(const char *arg)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(80), .sin_addr = { htonl(0x7f000001) } };
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6, .sin6_port = htons(443), .sin6_scope_id = 2 };
	struct { unsigned short family, pad; unsigned pid, groups; } netlink = { 16, 0, 1234, 1 };
	char path[28] = { AF_UNIX };

	(void)arg;
	memcpy(data, &in, sizeof(in));
	connect_at(data, sizeof(in));
	inet_pton(AF_INET6, "fe80::1", &in6.sin6_addr);
	memcpy(data, &in6, sizeof(in6));
	connect_at(data, sizeof(in6));
	connect_unix("/run/a b", 9);
	connect_unix("\0name", 5);
	connect_unix("", 0);
	memcpy(data, &netlink, sizeof(netlink));
	connect_at(data, sizeof(netlink));
	memset(data, 0, 16);
	data[0] = 17;				/* AF_PACKET */
	connect_at(data, 16);
	data[0] = 0;				/* AF_UNSPEC */
	connect_at(data, 16);
	munmap(data + PAGE, DATA_SIZE - PAGE);
	connect_edge(&in, sizeof(in));
	connect_edge(&netlink, sizeof(netlink));
	memset(path + 2, 'p', sizeof(path) - 2);
	connect_edge(path, sizeof(path));
	connect_edge("\2", 2);			/* AF_INET, and nothing of the address */
	connect_at((void *)1, 16);
	return 0;
}

/* execve(2) of a file that is not there, with so many arguments; @bad: the second is at an address without memory. */
static int exec_nothing(int nr, bool bad)
{
	char **argv = (char **)(data + 16384);

	for (int i = 0; i < nr; i++) {
		argv[i] = data + 64 * i;
		sprintf(argv[i], "a%d", i);
	}
	if (bad)
		argv[1] = (char *)8;
	argv[nr] = NULL;
	return syscall(SYS_execve, "/nonexist", argv, NULL) != -1;
}

static int op_exec(const char *nr)
{
	return exec_nothing(atoi(nr), false);
}

static int op_execbad(const char *nr)
{
	return exec_nothing(atoi(nr), true);
}

/* One argument of so many bytes. */
static int op_execlong(const char *len)
{
	char **argv = (char **)(data + 16384);

	memset(data, 'x', (size_t)atoi(len));
	data[atoi(len)] = 0;
	argv[0] = data;
	argv[1] = NULL;
	return syscall(SYS_execve, "/nonexist", argv, NULL) != -1;
}

/* Buffers with known bytes, handed to write(2). */

static int op_write(const char *text)
{
	put_text(0, text);
	return write_null(strlen(text));
}

/* 0x00 to 0xff, then two good pointers to strings and a bad one. */
static int op_writebin(const char *arg)
{
	(void)arg;
	for (int i = 0; i < 256; i++)
		data[i] = i;
	put_long(256, 0x10000200UL);
	put_text(512, "second");
	put_long(264, 0x10000210UL);
	put_text(528, "third");
	put_long(272, 8);
	return write_null(256);
}

static int op_writeneg(const char *arg)
{
	(void)arg;
	memset(data, 0xff, 8);
	data[8] = (char)0x80;
	data[16] = 0x7f;
	return write_null(32);
}

static int op_writestrs(const char *arg)
{
	(void)arg;
	put_long(0, (unsigned long)data + 256);
	put_long(8, (unsigned long)data + 272);
	put_long(16, (unsigned long)data + 288);
	put_long(24, 8);
	put_text(256, "one");
	put_text(272, "");
	put_text(288, "three");
	return write_null(64);
}

/* So many bytes in front of memory that is not there. */
static int op_writeedge(const char *number)
{
	unsigned nr = (unsigned)atoi(number);
	char *at = data + PAGE - nr;
	int fd = syscall(SYS_openat, AT_FDCWD, "/dev/null", O_WRONLY, 0);

	munmap(data + PAGE, DATA_SIZE - PAGE);
	for (unsigned i = 0; i < nr; i++)
		at[i] = (char)(i * 7 + 1);
	return syscall(SYS_write, fd, at, nr) != (long)nr;
}

/* 64 pointers to texts. SEED says which of them, a third, point nowhere. */
static int op_writeptrs(const char *seed)
{
	unsigned long state = strtoul(seed, NULL, 0);

	for (unsigned i = 0; i < 64; i++) {
		state = state * 6364136223846793005UL + 1442695040888963407UL;
		sprintf(data + PAGE + 16 * i, "t%u", i);
		put_long(8 * i, state >> 60 < 5 ? 8 : 0x10000000UL + PAGE + 16 * i);
	}
	return write_null(512);
}

static int op_read(const char *arg)
{
	int fd = open_at("/etc/xyz");

	(void)arg;
	return syscall(SYS_read, fd, data, 16) < 0;
}

static int op_lseek(const char *arg)
{
	int fd = open_at("/etc/xyz");

	(void)arg;
	syscall(SYS_lseek, fd, -5L, SEEK_SET);
	return 0;
}

static int op_mmap(const char *arg)
{
	(void)arg;
	syscall(SYS_mmap, 0x30000000UL, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	return 0;
}

/* Processes. */

static int op_getpid(const char *arg)
{
	(void)arg;
	syscall(SYS_getpid);
	return 0;
}

static int op_getppid(const char *arg)
{
	(void)arg;
	syscall(SYS_getppid);
	return 0;
}

static int op_getpgid(const char *pid)
{
	syscall(SYS_getpgid, atol(pid));
	return 0;
}

static int op_loop(const char *times)
{
	for (long i = atol(times); i > 0; i--)
		syscall(SYS_getppid);
	return 0;
}

/*
 * For the stress of the rings: getpgid(1) to getpgid(TIMES). Every eighth time a path with this number is opened, which is long
 * for some numbers. ringcheck.c knows both.
 */
static int op_rings(const char *times)
{
	unsigned nr = (unsigned)atol(times);
	char path[256];

	for (unsigned n = 1; n <= nr; n++) {
		syscall(SYS_getpgid, n);
		if (n % 8)
			continue;
		memset(path + snprintf(path, sizeof(path), "/no/%u/", n), 'x', n % 97);
		path[snprintf(NULL, 0, "/no/%u/", n) + (int)(n % 97)] = '\0';
		syscall(SYS_openat, AT_FDCWD, path, O_RDONLY);
	}
	return 0;
}

/* "TIMES[+BASE]": lseek() to BASE + 1, BASE + 2, ... on a file: each call returns the number that identifies it. */
static int op_seeks(const char *times)
{
	int fd = syscall(SYS_memfd_create, "seeks", 0);
	char *end;
	long nr = strtol(times, &end, 10), base = *end ? atol(end + 1) : 0;

	for (long n = base + 1; fd >= 0 && n <= base + nr; n++) {
		if (syscall(SYS_lseek, fd, n, SEEK_SET) != n)
			return 1;
	}
	return fd < 0;
}

/*
 * "TASKS:CALLS": each of TASKS tasks, from 0 on, calls getpgid() and then lseek() with each of the numbers task * CALLS + 1, 2, ... CALLS. It
 * sleeps a while now and then.
 */
static int op_paired(const char *arg)
{
	char *end;
	long tasks = strtol(arg, &end, 10), calls = *end ? atol(end + 1) : 0;
	int status, failed = 0;

	for (long task = 0; task < tasks; task++) {
		int fd;

		if (fork())
			continue;
		fd = syscall(SYS_memfd_create, "paired", 0);
		for (long n = task * calls + 1; n <= (task + 1) * calls; n++) {
			syscall(SYS_getpgid, n);
			if (syscall(SYS_lseek, fd, n, SEEK_SET) != n)
				_exit(1);
			if (!(n % 512))
				usleep(1);
		}
		_exit(0);
	}
	while (wait(&status) > 0)
		failed |= status;
	return failed;
}

/* For n = 1, 2, ...: lseek() to 0, 1, ... n % 4 - 1, which is none for every fourth n, and then getpgid(n % 5 ? 1 : 0). */
static int op_mix(const char *times)
{
	int fd = syscall(SYS_memfd_create, "mix", 0);
	long nr = atol(times);

	for (long n = 1; fd >= 0 && n <= nr; n++) {
		for (long i = 0; i < n % 4; i++)
			syscall(SYS_lseek, fd, i, SEEK_SET);
		syscall(SYS_getpgid, n % 5 ? 1 : 0);
	}
	return fd < 0;
}

/* For filters: numbers near each other and far from each other, with both signs, and short names. */
static int op_various(const char *arg)
{
	static const char *const names[] = { "/etc/xyz", "/etc/", "/x", "4x", "abcij", "/tmp/a b", "/tmp/[x]", "/etc/xyz.c", "*", "a*b\"b", "/tmp/a'b" };

	(void)arg;
	dup2(syscall(SYS_memfd_create, "various", 0), 102);
	for (int i = 0; i < 48; i++)
		syscall(SYS_lseek, 98 + i % 7, i % 2 ? 1L << i : -(1L << i / 2), i % 3);
	for (int i = -4; i < 14; i++)
		syscall(SYS_getpgid, i);
	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++) {
		put_text(0, names[i]);
		syscall(SYS_openat, i % 3 ? AT_FDCWD : -(int)i, data, O_RDONLY, 0);
	}
	return 0;
}

/* Becomes another program, which has the same name. */
static int op_run(const char *arg)
{
	execl("/dw/wl", "wl", arg, (char *)NULL);
	return 99;
}

/* Reads 1, 2, ... bytes from a pipe, each time before they are written: calls that sleep, and return what they were asked for. */
static int op_pipes(const char *times)
{
	static char bytes[4096];
	long nr = atol(times);
	int fd[2];

	if (pipe(fd))
		return 1;
	if (!fork()) {
		for (long n = 1; n <= nr; n++) {
			usleep(50);
			if (write(fd[1], bytes, (size_t)n) != n)
				_exit(1);
		}
		_exit(0);
	}
	for (long n = 1; n <= nr; n++) {
		if (read(fd[0], bytes, (size_t)n) != n)
			return 1;
	}
	wait(NULL);
	return 0;
}

/* Changes a map of BPF's again and again: meanwhile the kernel runs no programs of kprobes on the processor. */
static int op_maps(const char *unused)
{
	static char value[4096];
	union bpf_attr map = { .map_type = BPF_MAP_TYPE_HASH, .key_size = 8, .value_size = sizeof(value), .max_entries = 1000 };
	const struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };
	int fd;

	(void)unused;
	setrlimit(RLIMIT_MEMLOCK, &all);		/* before 5.11 maps count as locked memory */
	fd = (int)syscall(SYS_bpf, BPF_MAP_CREATE, &map, sizeof(map));
	for (uint64_t n = 0; fd >= 0; n++) {
		uint64_t key = n % 1000;
		union bpf_attr change = { .map_fd = (uint32_t)fd, .key = (uintptr_t)&key, .value = (uintptr_t)value };

		syscall(SYS_bpf, BPF_MAP_UPDATE_ELEM, &change, sizeof(change));
	}
	return 1;
}

/* Adds epoll instances to each other, four deep: the kernel's search for loops calls itself for each one. */
static int op_nest(const char *times)
{
	struct epoll_event event = { .events = EPOLLIN };
	long nr = atol(times);
	int fd[5];

	for (int i = 0; i < 5; i++) {
		fd[i] = epoll_create1(0);
		if (i && i < 4 && epoll_ctl(fd[i], EPOLL_CTL_ADD, fd[i - 1], &event))
			return 1;
	}
	for (long n = 0; n < nr; n++) {
		if (epoll_ctl(fd[4], EPOLL_CTL_ADD, fd[3], &event) || epoll_ctl(fd[4], EPOLL_CTL_DEL, fd[3], NULL))
			return 1;
	}
	return 0;
}

static volatile sig_atomic_t signalled;

static void on_signal(int number)
{
	(void)number;
	signalled = 1;
}

/* A life: the kernel's get_signal returns for each of some signals, and never for the last one. */
static void live_and_die(long n)
{
	const struct timespec long_time = { .tv_sec = 1000 };

	signal(SIGUSR1, on_signal);
	for (long i = 0; i < n % 4; i++)
		raise(SIGUSR1);
	if (n % 3)
		raise(n % 2 ? SIGKILL : SIGTERM);
	nanosleep(&long_time, NULL);		/* the parent kills it there */
}

static pid_t used_tid(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	return pid;
}

/* A child with this number (set_tid of the system call clone3, 5.5). */
static pid_t fork_as(pid_t tid)
{
	struct { uint64_t words[11]; } args = { { 0 } };

	args.words[4] = SIGCHLD;			/* exit_signal */
	args.words[8] = (uintptr_t)&tid;		/* set_tid */
	args.words[9] = 1;				/* set_tid_size */
	return (pid_t)syscall(435, &args, 80);		/* clone3; the size until set_tid_size */
}

/* Children with the same number. Of two, the first one calls lseek() and dies, and the second one calls getpgid(). */
static int op_orphans(const char *times)
{
	pid_t tid = used_tid(), pid;
	long nr = atol(times);

	for (long n = 0; n < 2 * nr; n++) {
		pid = fork_as(tid);
		if (pid < 0)
			return 1;
		if (!pid) {
			if (n % 2)
				_exit(syscall(SYS_getpgid, 1) < 0);
			syscall(SYS_lseek, 0, 0, SEEK_CUR);
			raise(SIGKILL);
		}
		waitpid(pid, NULL, 0);
	}
	return 0;
}

/* Children that die in get_signal, all with the same number. */
static int op_deaths(const char *times)
{
	pid_t tid = used_tid(), pid;
	long nr = atol(times);

	for (long n = 1; n <= nr; n++) {
		pid = fork_as(tid);
		if (pid < 0)
			return 1;
		if (!pid) {
			live_and_die(n);
			_exit(1);
		}
		if (!(n % 3)) {
			usleep(2000);
			kill(pid, SIGKILL);
		}
		waitpid(pid, NULL, 0);
	}
	return 0;
}

/* getpgid(1), getpgid(2), ... with USEC between two, until there is a file "stop"; says how many. */
static int op_count(const char *usec)
{
	int n = 0;

	while (access("stop", F_OK)) {
		syscall(SYS_getpgid, ++n);
		usleep((useconds_t)atoi(usec));
	}
	printf("%d\n", n);
	return 0;
}

/* For tests of which tasks are traced: a call each 10 ms until it is killed, with a number that identifies the task. */
static void beat(long number)
{
	const struct timespec between = { .tv_nsec = 10000000 };

	for (;;) {
		syscall(SYS_getpgid, number);
		nanosleep(&between, NULL);
	}
}

static int op_beat(const char *number)
{
	beat(atol(number));
	return 0;
}

static void *beat_thread(void *number)
{
	prctl(PR_SET_NAME, "second");
	beat((long)number);
	return NULL;
}

/* Two threads, with this number and the next. */
static int op_beat2(const char *number)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, beat_thread, (void *)(atol(number) + 1)))
		return 1;
	beat(atol(number));
	return 0;
}

/* As user 1000. */
static int op_beatuser(const char *number)
{
	if (setgid(1000) || setuid(1000))
		return 1;
	beat(atol(number));
	return 0;
}

static int op_clone(const char *arg)
{
	pid_t pid = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);

	(void)arg;
	if (!pid)
		_exit(3);
	waitpid(pid, NULL, 0);
	return 0;
}

static int op_exit(const char *status)
{
	_exit(atoi(status));
}

static int op_kill0(const char *arg)
{
	(void)arg;
	syscall(SYS_kill, 0x7ffffff0, 0);
	return 0;
}

/*
 * Contexts. The kernel does the following in a soft interrupt, in a hard one, with interrupts
 * off, and with a reschedule due, each time with this process as the current one.
 */

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/*
 * Over the loopback device: the receiving half runs as soon as the sender enables soft interrupts. While ksoftirqd runs, the
 * kernel leaves it to that thread (ksoftirqd_running() in kernel/softirq.c). Then it is done again, until this task did it.
 */
static int op_udp(const char *arg)
{
	struct sockaddr_in to = { .sin_family = AF_INET };
	socklen_t len = sizeof(to);
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	(void)arg;
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(fd, (void *)&to, len) || getsockname(fd, (void *)&to, &len))
		return 1;
	for (int tries = 0; tries < 1000; tries++) {
		char byte;

		if (sendto(fd, "x", 1, 0, (void *)&to, len) != 1)
			return 1;
		if (recv(fd, &byte, 1, MSG_DONTWAIT) == 1)
			return 0;
		usleep(1000);
		while (recv(fd, &byte, 1, MSG_DONTWAIT) == 1)	/* the late one */
			;
	}
	return 1;
}

/* The timer's interrupt comes while we run. */
static int op_alarm(const char *arg)
{
	const struct itimerval soon = { .it_value.tv_usec = 20000 };
	const struct sched_param param = { .sched_priority = 10 };

	(void)arg;
	pin(0);
	sched_setscheduler(0, SCHED_FIFO, &param);	/* or the interrupt comes to the task that has the CPU then */
	signal(SIGALRM, on_signal);
	setitimer(ITIMER_REAL, &soon, NULL);
	while (!signalled)
		;
	return 0;
}

/* ... and while nobody uses the CPU. */
static int op_sleepalarm(const char *arg)
{
	const struct itimerval soon = { .it_value.tv_usec = 50000 };
	sigset_t block, old;

	(void)arg;
	sigemptyset(&block);
	sigaddset(&block, SIGALRM);
	sigprocmask(SIG_BLOCK, &block, &old);
	signal(SIGALRM, on_signal);
	setitimer(ITIMER_REAL, &soon, NULL);
	sigsuspend(&old);
	return 0;
}

/* Signals are sent and taken with interrupts off. */
static int op_sigself(const char *arg)
{
	(void)arg;
	signal(SIGUSR1, on_signal);
	syscall(SYS_kill, getpid(), SIGUSR1);
	return 0;
}

static int pipe_fds[2];

static void *high_priority(void *arg)
{
	const struct sched_param param = { .sched_priority = 10 };
	char byte;

	(void)arg;
	sched_setscheduler(0, SCHED_FIFO, &param);
	while (read(pipe_fds[0], &byte, 1) == 1)
		;
	return NULL;
}

/* Waking a thread of higher priority on our own processor leaves a reschedule due. */
static int op_preempt(const char *arg)
{
	pthread_t thread;

	(void)arg;
	pin(0);
	if (pipe(pipe_fds) || pthread_create(&thread, NULL, high_priority, NULL))
		return 1;
	usleep(20000);
	for (int i = 0; i < 3; i++)
		if (write(pipe_fds[1], "x", 1) != 1)
			return 1;
	close(pipe_fds[1]);
	pthread_join(thread, NULL);
	return 0;
}

/*
 * A shell command on a terminal of its own; what it prints there comes out here, so many bytes at once. @key is typed when it
 * has printed @wait.
 */
static int on_terminal(const char *command, size_t at_once, const char *wait, char key)
{
	int status = 0, terminal;
	char text[4096];
	size_t met = 0;
	ssize_t n;
	pid_t pid = forkpty(&terminal, NULL, NULL, NULL);

	if (pid < 0)
		return 1;
	if (!pid) {
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	while ((n = read(terminal, text, at_once)) > 0) {
		if (write(STDOUT_FILENO, text, (size_t)n) != n)
			return 1;
		for (ssize_t i = 0; wait && i < n; i++) {
			met = text[i] == wait[met] ? met + 1 : text[i] == wait[0];
			if (wait[met])
				continue;
			wait = NULL;
			if (write(terminal, &key, 1) != 1)
				return 1;
		}
		if (at_once < sizeof(text))
			usleep(1000);
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* As in a container: root, with no capability but these, and none to be had. */
static int op_contained(const char *command)
{
	enum { SYSLOG = 34, PERFMON = 38, BPF = 39, MOST = 63 };

	for (unsigned long cap = 0; cap <= MOST; cap++) {
		if (cap != SYSLOG && cap != PERFMON && cap != BPF)
			prctl(PR_CAPBSET_DROP, cap, 0, 0, 0);
	}
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return 96;
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	return 97;
}

static int op_pty(const char *command)
{
	return on_terminal(command, 4096, NULL, 0);
}

/* Ctrl-C, as soon as bprobe says that it helps. */
static int op_ptyend(const char *command)
{
	return on_terminal(command, 4096, "Ctrl-C ends\r\n", '\003');
}

static int op_ptyslow(const char *command)
{
	return on_terminal(command, 100, NULL, 0);
}

/* On a terminal that takes nothing more once it is full, with SIGALRM ignored and blocked. 95: it has not ended within a minute. */
static int op_ptystuck(const char *command)
{
	int status = 0, terminal;
	sigset_t alarm;
	pid_t pid;

	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	signal(SIGALRM, SIG_IGN);
	sigprocmask(SIG_BLOCK, &alarm, NULL);
	pid = forkpty(&terminal, NULL, NULL, NULL);
	if (pid < 0)
		return 1;
	if (!pid) {
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	for (int tenths = 0; tenths < 600; tenths++) {
		if (waitpid(pid, &status, WNOHANG))
			return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
		usleep(100000);
	}
	return 95;
}

/* @command by a shell, where CLOCK_MONOTONIC is 1000 s ahead. */
static int op_timens(const char *command)
{
	static const char ahead[] = "monotonic 1000 0\n";
	int fd, status;
	pid_t pid;

	if (unshare(0x80) || (fd = open("/proc/self/timens_offsets", O_WRONLY)) < 0 ||	/* CLONE_NEWTIME */
	    write(fd, ahead, sizeof(ahead) - 1) != sizeof(ahead) - 1)
		return 96;
	close(fd);
	pid = fork();
	if (!pid) {
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* @command by a shell, where the kernel makes no BPF links; so it refuses kprobe.multi, but no trampoline and no kprobe. */
static int op_nolinks(const char *command)
{
	struct sock_filter tests[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_bpf, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, BPF_LINK_CREATE, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(tests) / sizeof(*tests), tests };

	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		return 96;
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	return 97;
}

static const struct op {
	const char *name;
	int (*run)(const char *arg);
} ops[] = {
	{ "open", op_open },		{ "openraw", op_openraw },	{ "opennl", op_opennl },
	{ "openlong", op_openlong },	{ "openptr", op_openptr },	{ "openedge", op_openedge },
	{ "openuntouched", op_openuntouched },				{ "creat", op_creat },		{ "openpattern", op_openpattern },
	{ "stat", op_stat },		{ "write", op_write },		{ "writebin", op_writebin },
	{ "addresses", op_addresses },	{ "exec", op_exec },		{ "execbad", op_execbad },
	{ "execlong", op_execlong },
	{ "writeneg", op_writeneg },	{ "writestrs", op_writestrs },	{ "read", op_read },
	{ "lseek", op_lseek },		{ "mmap", op_mmap },		{ "getpid", op_getpid },
	{ "getppid", op_getppid },	{ "getpgid", op_getpgid },	{ "loop", op_loop },		{ "rings", op_rings },
	{ "seeks", op_seeks },		{ "paired", op_paired },	{ "mix", op_mix },		{ "orphans", op_orphans },	{ "nest", op_nest },
	{ "pipes", op_pipes },		{ "maps", op_maps },		{ "deaths", op_deaths },
	{ "clone", op_clone },		{ "exit", op_exit },		{ "kill0", op_kill0 },
	{ "udp", op_udp },		{ "alarm", op_alarm },		{ "sleepalarm", op_sleepalarm },
	{ "sigself", op_sigself },	{ "preempt", op_preempt },	{ "pty", op_pty },
	{ "ptyend", op_ptyend },	{ "ptyslow", op_ptyslow },	{ "ptystuck", op_ptystuck },
	{ "timens", op_timens },	{ "nolinks", op_nolinks },
	{ "writeedge", op_writeedge },	{ "writeptrs", op_writeptrs },	{ "various", op_various },	{ "run", op_run },
	{ "count", op_count },
	{ "contained", op_contained },
	{ "beat", op_beat },		{ "beat2", op_beat2 },		{ "beatuser", op_beatuser },
};

static int run_op(const char *name, const char *arg)
{
	if (mmap(data, DATA_SIZE, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != data)
		return 99;
	memset(data, 0, DATA_SIZE);

	for (size_t i = 0; i < sizeof(ops) / sizeof(*ops); i++)
		if (!strcmp(ops[i].name, name))
			return ops[i].run(arg);
	fprintf(stderr, "wl: no operation '%s'\n", name);
	return 98;
}

/* Children need no exec, so no event of theirs comes from a shell, a linker or a start-up. */
static int run_batch(const char *path)
{
	FILE *file = fopen(path, "re");
	char line[256];
	int bad = 0;

	if (!file)
		return 97;
	while (fgets(line, sizeof(line), file)) {
		char *arg;
		int status;
		pid_t pid;

		line[strcspn(line, "\n")] = 0;
		fflush(stdout);
		pid = fork();
		if (!pid) {
			arg = strchr(line, ' ');
			if (arg)
				*arg++ = 0;
			_exit(run_op(line, arg ? arg : ""));
		}
		printf("%d\t%s\n", pid, line);
		if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status) || WEXITSTATUS(status) >= 98)
			bad = 96;
	}
	fclose(file);
	return bad;
}

int main(int argc, char **argv)
{
	const char *arg = argc > 2 ? argv[2] : "";

	if (argc < 2)
		return 98;
	return strcmp(argv[1], "batch") ? run_op(argv[1], arg) : run_batch(arg);
}
