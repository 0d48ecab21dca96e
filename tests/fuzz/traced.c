// SPDX-License-Identifier: GPL-2.0-only
/*
 * traced.c - the program whose debug information fuzz_dwarf damages. It is compiled as it is for a tracer: with -O2, so that variables move and
 * functions are inlined. Nothing runs it.
 */
typedef unsigned long word;

enum colour { RED, GREEN = 7 };

struct thing {
	int number;
	unsigned low : 3, high : 29;
	char name[8];
	struct thing *next;
	short cube[2][3];
	union { word all; struct { unsigned a, b; }; };
	enum colour colour;
	int (*call)(struct thing *t, int n);
};

volatile int sink;
static __thread int own = 3;
struct thing global;

static inline __attribute__((always_inline)) int weigh(const struct thing *t, int by)
{
	int twice = t->number * by;

	sink += twice;
	return twice + t->cube[1][by & 1];
}

__attribute__((noinline)) int sum(struct thing *t, int times, word flags)
{
	struct thing copy = *t;
	int all = 0;

	for (int i = 0; i < times; i++) {
		int part = weigh(t, i);

		all += part + (int)(flags >> i);
		sink = all;
	}
	copy.low = (unsigned)all;
	sink = (int)copy.low + own;
	return all + weigh(t->next, 2);
}

int entry(struct thing *t, double weight)
{
	own += (int)weight;
	global = *t;
	return sum(&global, t->call(t, 1), t->all) + sum(t, 3, 1);
}
