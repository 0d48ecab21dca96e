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

/* What a call passes in registers, in memory, or in both. */
struct pair { int a; float b; };
struct bits { unsigned x : 3, y : 29; long z; };
struct big { long all[4]; };
struct tail { short few[3]; unsigned char last; };
extern int far_away;

__attribute__((noinline)) long take(struct pair p, struct bits b, struct big g, struct tail t, double d, int n, int m, const char *text)
{
	const int limit = 5;
	static int calls;

	calls += limit;
	sink += n + m + *text + far_away;
	return p.a + b.y + b.z + g.all[2] + t.few[1] + t.last + (long)d + (long)p.b + calls;
}

/* It lists a pointer to a type whose name fuzz_dwarf takes away. */
__attribute__((noinline)) double *later(double *at)
{
	return at + sink;
}
