// SPDX-License-Identifier: GPL-2.0-only
/*
 * frames.c - a program with known stacks: for stacks.guest
 *
 *	frames calls N		getpgid(N) to getpgid(1), each below main, outer, middle, inner
 *	frames distinct N	getpgid(1) to getpgid(N), each with a stack of its own: 20 calls, left or right by the bits of the number.
 *				After each 2000 it waits until its parent, bprobe, has read them
 *	frames deep N		getpgid(1) below N calls of deep
 *	frames names N		as calls, but between main and inner are functions with names of C++ and Rust
 *	frames wait N		the same as calls, after a byte from standard input
 *
 * Built with frame pointers, as a position-independent program.
 */
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define KEEP __attribute__((noinline, noclone, used))

void inner(long n);
void middle(long n);
void outer(long n);

static volatile long sink;		/* written behind each call, so that no call is the last of its function */

KEEP void inner(long n)
{
	/* The system call in place: libc's syscall() may have no frame. */
	register long number __asm__("rax") = SYS_getpgid;

	__asm__ volatile("syscall" : "+r"(number) : "D"(n) : "rcx", "r11", "memory");
	sink = number;
}

KEEP void middle(long n)
{
	inner(n);
	sink = n;
}

KEEP void outer(long n)
{
	middle(n);
	sink = n;
}

/* The symbols that a compiler of C++ or Rust gives to the functions on the right. */
void cxx_method(long n) __asm__("_ZN3net6Socket4readEPcm");			/* net::Socket::read(char*, unsigned long) */
void cxx_array(long n) __asm__("_Z5applyRA3_i");				/* apply(int (&)[3]) */
void rust_legacy(long n) __asm__("_ZN4core3fmt5write17h0123456789abcdefE");	/* core::fmt::write */
void rust_v0(long n) __asm__("_RNvNtCs_3std2io4copy");				/* std::io::copy */

KEEP void cxx_method(long n)
{
	inner(n);
	sink = n;
}

KEEP void cxx_array(long n)
{
	cxx_method(n);
	sink = n;
}

KEEP void rust_legacy(long n)
{
	cxx_array(n);
	sink = n;
}

KEEP void rust_v0(long n)
{
	rust_legacy(n);
	sink = n;
}

void left(long n, int depth);
void right(long n, int depth);
void deep(long n);

KEEP void left(long n, int depth)
{
	if (!depth)
		inner(n);
	else if (n >> (depth - 1) & 1)
		right(n, depth - 1);
	else
		left(n, depth - 1);
	sink = n;
}

KEEP void right(long n, int depth)
{
	if (!depth)
		inner(n);
	else if (n >> (depth - 1) & 1)
		right(n, depth - 1);
	else
		left(n, depth - 1);
	sink = n;
}

KEEP void deep(long n)
{
	if (n > 1)
		deep(n - 1);
	else
		inner(1);
	sink = n;
}

/* How often the parent has gone to sleep; *ret_sleeps: does it sleep now? */
static long sleeps_of_parent(int *ret_sleeps)
{
	static const char count[] = "voluntary_ctxt_switches:";
	char path[40], line[256];
	long nr = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)getppid());
	f = fopen(path, "r");
	*ret_sleeps = 1;
	while (f && fgets(line, sizeof(line), f)) {
		if (!strncmp(line, "State:", 6))
			*ret_sleeps = strstr(line, "\tS") != NULL;
		else if (!strncmp(line, count, sizeof(count) - 1))
			nr = strtol(line + sizeof(count) - 1, NULL, 10);
	}
	if (f)
		fclose(f);
	return nr;
}

/*
 * Until the parent has read all that is there: it has slept four times since, and reads before it sleeps; or it sleeps for longer than the
 * 50 ms after which it would look again (user/run/pace.c), so there was nothing.
 */
static void wait_for_parent(void)
{
	enum { STEP_US = 10000, STEPS = 10, PASSES = 4 };
	int sleeps, still = 0;
	long start = sleeps_of_parent(&sleeps), last = start;

	while (still < STEPS && last - start < PASSES) {
		long now;

		usleep(STEP_US);
		now = sleeps_of_parent(&sleeps);
		still = sleeps && now == last ? still + 1 : 0;
		last = now;
	}
}

int main(int argc, char **argv)
{
	long times = argc == 3 ? strtol(argv[2], NULL, 10) : 0;

	if (argc == 3 && !strcmp(argv[1], "distinct")) {
		for (long n = 1; n <= times; n++) {
			left(n, 20);
			if (n % 2000 == 0)
				wait_for_parent();
		}
		return 0;
	}
	if (argc == 3 && !strcmp(argv[1], "deep")) {
		deep(times);
		return 0;
	}
	if (argc != 3 || (strcmp(argv[1], "calls") && strcmp(argv[1], "names") && strcmp(argv[1], "wait")))
		return 64;
	if (!strcmp(argv[1], "wait"))
		getchar();
	for (long n = times; n > 0; n--)
		(strcmp(argv[1], "names") ? outer : rust_v0)(n);
	return 0;
}
