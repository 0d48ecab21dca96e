// SPDX-License-Identifier: GPL-2.0-only
/* clang-tidy.c - faults that clang-tidy must find */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct padded {
	char kind;
	long n;
};

bool same(const struct padded *a, const struct padded *b)
{
	return !memcmp(a, b, sizeof(*a));	/* finds: bugprone-suspicious-memory-comparison,cert-exp42-c,cert-flp37-c */
}

int count(int nr, double share)
{
	int n = nr, *all = malloc(sizeof(int));	/* finds: clang-analyzer-deadcode.DeadStores */

	all = NULL;
	if (nr > 3 || nr > 3)			/* finds: misc-redundant-expression */
		n = (int)strlen("x") + 1;
	for (; n < 10;)				/* finds: bugprone-infinite-loop */
		nr++;
	n += share;				/* finds: bugprone-narrowing-conversions */
	return all ? *all : n;
}

int first(const int *all, int nr)
{
	int sum = all ? *all : nr;

	return sum + *all;			/* finds: clang-analyzer-core.NullDereference */
}

char *grown(char *p, size_t n)
{
	strtol(p, NULL, 10);			/* finds: cert-err33-c */
	return realloc(p, n);
}
