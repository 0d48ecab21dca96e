// SPDX-License-Identifier: GPL-2.0-only
/*
 * lw.c - the program whose lines lines.guest traces.
 *
 * Lines that are traced have a mark, @ and a name. Values that are asked for there are in use there, so compilers keep them.
 */
#include <stdio.h>
#include <string.h>

#define KEEP(x)		__asm__ volatile("" : : "r"(x) : "memory")

struct point { int x, y; };

struct shape {
	struct point at;
	char name[16];
	struct shape *next;
	unsigned flags : 3, kind : 5;
	short sizes[4];
	union { long first; char second; };
};

enum colour { RED, GREEN, BLUE };

static volatile long sink;
static long total = 1000;
static volatile int seven = 7;

static inline __attribute__((always_inline)) long weigh(struct shape *s, long factor)
{
	long sum = 0;

	for (int i = 0; i < 4; i++) {
		sum += s->sizes[i] * factor;
		KEEP(i);		/* @weigh */
		KEEP(s);
		KEEP(factor);
	}
	return sum;
}

static __attribute__((noinline)) long visit(struct shape *s, int depth, enum colour colour)	/* @visit_begin */
{
	long here = weigh(s, depth);

	KEEP(here);			/* @visit */
	KEEP(s);
	KEEP(depth);
	KEEP(colour);
	sink += here;
	return here;
}

static __attribute__((noinline)) long other(struct shape *s)
{
	long twice = weigh(s, 2);

	KEEP(twice);			/* @other */
	KEEP(s);
	sink += twice;
	return twice;
}

struct tail { long first, second; };

/* The last three are on the stack, and a structure stays there. Only this file can call it, so clang may change how it is called. */
static __attribute__((noinline)) void spill(long a, long b, long c, long d, long e, long f, long seventh, int eighth,
					     struct tail tail)
{
	KEEP(a + b + c + d + e + f);
	KEEP(seventh);
	KEEP(eighth);
	KEEP(tail.first);
	KEEP(tail.second);
}

int main(void)
{
	static struct shape shapes[2] = {
		{ .at = { 1, -2 }, .name = "square", .next = &shapes[1], .flags = 5, .kind = 17, .sizes = { 1, 2, 3, 4 }, .first = 77 },
		{ .at = { 30, 40 }, .name = "circle", .next = &shapes[0], .flags = 1, .kind = 2, .sizes = { -1, -2, -3, -4 }, .first = -5 },
	};

	for (int i = 1; i <= 3; i++)
		visit(&shapes[i % 2], i, (enum colour)(i % 3));
	other(&shapes[0]);
	spill(1, 2, 3, 4, 5, 6, seven, -seven - 1, (struct tail){ 2 * seven, 3 * seven });
	total += sink;
	printf("%ld\n", total);
	return 0;
}
