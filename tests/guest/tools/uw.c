// SPDX-License-Identifier: GPL-2.0-only
/*
 * uw.c - a program to be probed: functions with known arguments, at fixed addresses (it is linked without PIE).
 *
 *	uw N		calls each function N times
 *	uw hold N	the same, and then waits until standard input ends
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PROBED __attribute__((noinline, noclone, used, section(".probed")))

char uw_text[64] = "text of uw";
long uw_numbers[8] = { 1, -2, 300000, 0x123456789abcdef0, 5, 6, 7, 8 };
const char *uw_names[4] = { "one", "two", "", NULL };

struct uw_point {
	int x, y;
	const char *name;
	char tag[8];
};

static struct uw_point point = { 3, -4, "a point", "tag" };

PROBED long uw_sum(long a, int b, unsigned char c)
{
	asm volatile("" : "+r"(a), "+r"(b));
	return a + b + c;
}

PROBED int uw_name(const char *name, const char *const *names)
{
	asm volatile("" : : "r"(name), "r"(names) : "memory");
	return name ? (int)strlen(name) : -1;
}

PROBED long uw_many(long a, long b, long c, long d, long e, long f, long g, long h)
{
	asm volatile("" : "+r"(a), "+r"(h) : : "memory");
	return a + b + c + d + e + f + g + h;
}

PROBED const char *uw_point(const struct uw_point *p)
{
	asm volatile("" : : "r"(p) : "memory");
	return p->name;
}

PROBED int uw_deep(int n)
{
	int below = n ? uw_deep(n - 1) : 0;

	asm volatile("" : "+r"(below));
	return below + 1;
}

int main(int argc, char **argv)
{
	int holds = argc > 1 && !strcmp(argv[1], "hold"), n = atoi(argv[argc - 1]);
	char byte;

	for (int i = 0; i < (n ? n : 1); i++) {
		uw_sum(1000 + i, -7, 255);
		uw_name("a name", uw_names);
		uw_name(uw_text, uw_names);
		uw_name(NULL, NULL);
		uw_many(1, 2, 3, 4, 5, 6, 7, 8);
		uw_point(&point);
		uw_deep(3);
	}
	while (holds && read(0, &byte, 1) > 0)
		;
	return 0;
}
