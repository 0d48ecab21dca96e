// SPDX-License-Identifier: GPL-2.0-only
/*
 * programs.c - a dynamic program to be probed, for programs.guest: markers (USDT), allocations, calls of known durations
 *
 *	pw COMMAND [N]	does it once
 *	pw serve	does the commands that come from standard input, one a line, and says 'done' after each
 *
 *	values N	N times the marker demo:values, whose arguments are in all places that the compiler chooses
 *	sema		prints the counter of tracers of demo:values, and of demo:other, which nobody traces
 *	mallocs N	N times malloc() and free(); prints each size and pointer
 *	cold		three times cold(STRING) with a string in a file that is mapped, but is not in the page table
 *	threads N	timed(k) in 4 threads, N times in each
 *	forks N		N children and their parent call timed(k) at the same stack address
 *	inside N	fork_inside(k) forks; parent and child return from it
 *	jumps N		timed(k) for k = 1 to N; every second one is left by longjmp()
 *	signals N	interrupted(k), and in each a signal's handler that calls it, too
 *	recurse N	nested(k), 20 deep, N times
 *	deep N		nested(N), N deep, once
 *	storm N		hit(i) N times, in 4 threads
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROBED __attribute__((noinline, noclone, used))

enum { THREADS = 4 };

/* ---- markers: a nop, and a note about it, as <sys/sdt.h> makes them (package systemtap-sdt-dev) ---- */

#define MARKER(name, counter, arguments)						\
	"990:	nop\n"									\
	"	.pushsection .note.stapsdt, \"\", \"note\"\n"				\
	"	.balign 4\n"								\
	"	.4byte 992f - 991f, 994f - 993f, 3\n"					\
	"991:	.asciz \"stapsdt\"\n"							\
	"992:	.balign 4\n"								\
	"993:	.8byte 990b, _.stapsdt.base, " counter "\n"				\
	"	.asciz \"demo\", \"" name "\", \"" arguments "\"\n"			\
	"994:	.balign 4\n"								\
	"	.popsection\n"								\
	"	.ifndef _.stapsdt.base\n"						\
	"	.pushsection .stapsdt.base, \"aG\", \"progbits\", .stapsdt.base, comdat\n"	\
	"	.weak _.stapsdt.base\n"							\
	"	.hidden _.stapsdt.base\n"						\
	"_.stapsdt.base: .space 1\n"							\
	"	.size _.stapsdt.base, 1\n"						\
	"	.popsection\n"								\
	"	.endif\n"

__attribute__((section(".probes"), used)) volatile unsigned short demo_values_counter, demo_other_counter;

static volatile long global;
static long table[8] = { 100, 101, 102, 103, 104, 105, 106, 107 };
static volatile unsigned char bytes[2] = { 200, 201 };

PROBED static void values(int i)
{
	volatile short on_stack = (short)-i;
	long index = i & 7;

	global = i * 1000L;
	asm volatile(MARKER("values", "demo_values_counter", "-4@%[reg] -2@%[mem] -4@$-7 8@(%[base],%[index],8) 8@%[global] 8@%[text] 1@%[byte]")
		     : : [reg] "r"(i), [mem] "m"(on_stack), [base] "r"(table), [index] "r"(index), [global] "m"(global),
		     [text] "r"("a text"), [byte] "m"(bytes[1]));
}

PROBED static void other(void)
{
	asm volatile(MARKER("other", "demo_other_counter", ""));
	asm volatile(MARKER("bare", "0", "-4@$1"));
}

/* ---- allocations and strings ---- */

/* Allocates nothing, as printf() and dprintf() would. */
__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
	char line[64];
	va_list args;

	va_start(args, format);
	if (write(1, line, (size_t)vsnprintf(line, sizeof(line), format, args)) < 0)
		exit(1);
	va_end(args);
}

static void mallocs(long n)
{
	for (long i = 0; i < n; i++) {
		size_t size = 5000 + (size_t)i;
		void *p = malloc(size);

		say("0x%zx %p\n", size, p);
		free(p);
	}
}

PROBED static void cold(const char *text)
{
	asm volatile("" : : "r"(text) : "memory");
}

/* Each call of cold() comes first to the page: the processor has no entry for it in its tables. */
static void read_cold(void)
{
	static const char name[] = "/tmp/cold.text";
	long page = sysconf(_SC_PAGESIZE);
	int fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
	char *map;

	if (fd < 0 || ftruncate(fd, 4 * page) || pwrite(fd, "a text in a file", 17, page + 100) != 17)
		exit(1);
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	map = mmap(NULL, 4 * (size_t)page, PROT_READ, MAP_SHARED, fd, 0);
	for (int i = 0; i < 3; i++) {
		cold(map + page + 100);
		madvise(map, 4 * (size_t)page, MADV_DONTNEED);
	}
	close(fd);
}

/* ---- calls that take known times ---- */

static __thread jmp_buf back;
static volatile long sink;

PROBED static long timed(long k, int leaves)
{
	for (volatile int i = 0; i < k % 7 * 100; i++)
		;
	if (k % 16 == 0)
		sched_yield();
	if (k % 64 == 0)
		usleep(100);
	if (leaves)
		longjmp(back, 1);
	return k;
}

static void *thread(void *n)
{
	for (long k = 1; k <= (long)n; k++)
		sink = timed(k, 0);
	return NULL;
}

static void threads(void *(*run)(void *), long n)
{
	pthread_t t[THREADS];

	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, run, (void *)n);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
}

static void forks(long n)
{
	for (long i = 0; i < n; i++) {
		pid_t child = fork();

		for (long k = 1; k <= 20; k++)
			sink = timed(child ? i * 20 + k : k, 0);
		if (!child)
			_exit(0);
	}
	while (wait(NULL) > 0)
		;
}

PROBED static long fork_inside(long k)
{
	pid_t child = fork();

	if (child)
		waitpid(child, NULL, 0);
	sink = child;
	return k;
}

static void inside(long n)
{
	pid_t self = getpid();

	for (long k = 1; k <= n; k++) {
		fork_inside(k);
		if (getpid() != self)
			_exit(0);
	}
}

static void jumps(long n)
{
	for (volatile long k = 1; k <= n; k++) {
		if (!setjmp(back))
			sink = timed(k, k & 1);
	}
}

PROBED static long nested(long k)
{
	long below = k > 1 ? nested(k - 1) : 0;

	asm volatile("" : "+r"(below));
	return below + 1;
}

PROBED static long interrupted(long k)
{
	if (k)
		raise(SIGUSR1);
	return k;
}

static void handler(int signal)
{
	(void)signal;
	sink = interrupted(0);
}

static void signals(long n)
{
	signal(SIGUSR1, handler);
	for (long k = 1; k <= n; k++)
		sink = interrupted(k);
}

PROBED static void hit(long i)
{
	asm volatile("" : : "r"(i) : "memory");
}

static void *storm(void *n)
{
	for (long i = 1; i <= (long)n; i++)
		hit(i);
	return NULL;
}

/* ---- */

static void command(const char *name, long n)
{
	if (!strcmp(name, "values")) {
		for (int i = 1; i <= n; i++)
			values(i);
		other();
	} else if (!strcmp(name, "sema")) {
		say("%u %u\n", demo_values_counter, demo_other_counter);
	} else if (!strcmp(name, "mallocs")) {
		mallocs(n);
	} else if (!strcmp(name, "cold")) {
		read_cold();
	} else if (!strcmp(name, "threads")) {
		threads(thread, n);
	} else if (!strcmp(name, "forks")) {
		forks(n);
	} else if (!strcmp(name, "inside")) {
		inside(n);
	} else if (!strcmp(name, "jumps")) {
		jumps(n);
	} else if (!strcmp(name, "signals")) {
		signals(n);
	} else if (!strcmp(name, "recurse")) {
		for (long i = 0; i < n; i++)
			nested(20);
	} else if (!strcmp(name, "deep")) {
		nested(n);
	} else if (!strcmp(name, "storm")) {
		threads(storm, n / THREADS);
	} else {
		dprintf(2, "pw: no command '%s'\n", name);
		exit(64);
	}
}

int main(int argc, char **argv)
{
	char line[64], *n;

	if (argc < 2)
		return 64;
	if (strcmp(argv[1], "serve")) {
		command(argv[1], argc > 2 ? atol(argv[2]) : 1);
		return 0;
	}
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		n = strchr(line, ' ');
		if (n)
			*n++ = '\0';
		command(line, n ? atol(n) : 1);
		say("done\n");
	}
	return 0;
}
