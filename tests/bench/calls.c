// SPDX-License-Identifier: GPL-2.0-only
/*
 * calls.c - makes system calls when asked to, and says how long they took
 *
 *	KIND N BLOCKS			BLOCKS times N calls as fast as possible: the nanoseconds of
 *					each block, on one line
 *	stream KIND N BATCH PAUSE_US	N calls, a pause behind each BATCH: the nanoseconds of all
 *
 *	calls copy			as an argument, not a command: standard input to standard output,
 *					in as large pieces as come
 *	calls offset			as an argument: where user_name() is in the program's file
 *
 * Commands come from standard input, one a line. KIND is open (an openat that
 * do_sys_openat2 refuses at once), pgid, user (no system call, but the function
 * user_name(), which takes a string and returns it), kill (a signal to itself
 * that it ignores: one signal_generate) or ioctl (one that is refused, of the
 * file FILE_PATH). In a guest under -icount a nanosecond
 * is an instruction. One process makes the calls of a whole run, so that pointers
 * in its arguments are the same for every tracer.
 */
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const char *const name = "/nonexistent-name-of-moderate-length";

/* The bit of O_TMPFILE without that of O_DIRECTORY: EINVAL before any name is looked at. */
enum { TMPFILE_ALONE = O_TMPFILE & ~O_DIRECTORY };

static void call_open(unsigned n)
{
	while (n--)
		syscall(SYS_openat, AT_FDCWD, name, TMPFILE_ALONE, 0);
}

static void call_pgid(unsigned n)
{
	while (n--)
		syscall(SYS_getpgid, 0);
}

/* It begins with a push, as most functions do: the kernel emulates that, and needs no second trap. */
__attribute__((noinline, noclone, used)) const char *user_name(const char *text)
{
	asm volatile("" : "+r"(text) : : "rbx", "memory");
	return text;
}

static void call_user(unsigned n)
{
	while (n--)
		user_name(name);
}

static void call_kill(unsigned n)
{
	pid_t pid = getpid();

	while (n--)
		syscall(SYS_kill, pid, SIGUSR1);
}

#define FILE_PATH "/run/a/few/directories/file"

static void call_ioctl(unsigned n)
{
	static int fd = -1;

	if (fd < 0) {
		mkdir("/run/a", 0755);
		mkdir("/run/a/few", 0755);
		mkdir("/run/a/few/directories", 0755);
		fd = open(FILE_PATH, O_CREAT | O_RDWR, 0644);
	}
	while (n--)
		syscall(SYS_ioctl, fd, 0x70000000, 0);
}

static const struct kind {
	const char *name;
	void (*call)(unsigned n);
} kinds[] = {
	{ "open", call_open },
	{ "pgid", call_pgid },
	{ "user", call_user },
	{ "kill", call_kill },
	{ "ioctl", call_ioctl },
};

static const struct kind *kind_find(const char *text)
{
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (text && !strcmp(kinds[i].name, text))
			return &kinds[i];
	}
	fprintf(stderr, "calls: no kind of call is named '%s'\n", text ? text : "");
	exit(64);
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void blocks(const struct kind *kind, unsigned n, unsigned nr)
{
	for (unsigned i = 0; i < nr; i++) {
		uint64_t start = now();

		kind->call(n);
		printf("%s%llu", i ? " " : "", (unsigned long long)(now() - start));
	}
	printf("\n");
}

static void stream(const struct kind *kind, unsigned n, unsigned batch, unsigned pause_us)
{
	struct timespec pause = { .tv_sec = pause_us / 1000000, .tv_nsec = pause_us % 1000000 * 1000 };
	uint64_t start = now();

	while (n) {
		unsigned some = n < batch ? n : batch;

		kind->call(some);
		n -= some;
		if (pause_us)
			nanosleep(&pause, NULL);
	}
	printf("%llu\n", (unsigned long long)(now() - start));
}

/* The next word of @at, ended in place; NULL when there is none. */
static char *word(char **at)
{
	char *start = *at + strspn(*at, " \n");

	*at = start + strcspn(start, " \n");
	if (**at)
		*(*at)++ = 0;
	return *start ? start : NULL;
}

static unsigned number(char **at)
{
	const char *text = word(at);

	if (!text) {
		fprintf(stderr, "calls: a number is missing\n");
		exit(64);
	}
	return (unsigned)strtoul(text, NULL, 10);
}

/* What cat does; busybox's would have the kernel do it. */
static int copy(void)
{
	static char data[128 << 10];
	ssize_t n;

	while ((n = read(0, data, sizeof(data))) > 0) {
		if (write(1, data, (size_t)n) != n)
			return 1;
	}
	return n < 0;
}

static int print_offset(struct dl_phdr_info *info, size_t size, void *data)
{
	uintptr_t at = (uintptr_t)user_name - info->dlpi_addr;

	(void)size;
	(void)data;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_LOAD && at - p->p_vaddr < p->p_filesz) {
			printf("0x%lx\n", (unsigned long)(at - p->p_vaddr + p->p_offset));
			return 1;
		}
	}
	return 0;
}

int main(int argc, char **argv)
{
	static char out[1 << 16];
	char line[128];

	if (argc > 1 && !strcmp(argv[1], "offset"))
		return !dl_iterate_phdr(print_offset, NULL);
	if (argc > 1)
		return strcmp(argv[1], "copy") ? 64 : copy();
	signal(SIGUSR1, SIG_IGN);

	/* Nothing is written between two blocks. */
	setvbuf(stdout, out, _IOFBF, sizeof(out));
	while (fgets(line, sizeof(line), stdin)) {
		char *at = line;
		const char *verb = word(&at);
		bool is_stream = verb && !strcmp(verb, "stream");
		const struct kind *kind = kind_find(is_stream ? word(&at) : verb);
		unsigned n = number(&at), of = number(&at);

		if (is_stream)
			stream(kind, n, of, number(&at));
		else
			blocks(kind, n, of);
		fflush(stdout);
	}
	return 0;
}
