/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * latency.h - durations of one kind: how many, their sum, and how they are distributed.
 *
 * The first LATENCY_EXACT values are kept, so percentiles of that many are exact. Of more, they are counted in steps: each power of two
 * has LATENCY_STEPS of them. Then a percentile is the upper end of its step: up to 1/LATENCY_STEPS too high, and never too low.
 */
#ifndef REPORT_LATENCY_H
#define REPORT_LATENCY_H

#include <stdbool.h>
#include <stdint.h>

enum { LATENCY_EXACT = 10000, LATENCY_ROOM = 1000000 /* of all kinds */, LATENCY_STEPS = 128, LATENCY_BUCKETS = 65 };

/* Starts as all zeroes. */
struct latency {
	uint64_t count, min, max;	/* ns */
	unsigned __int128 sum;
	uint64_t buckets[LATENCY_BUCKETS];	/* by powers of two: print/bar.h */
	uint64_t *values;		/* while they are exact */
	unsigned nr_values, size;
	bool sorted;
	uint64_t *steps[58];		/* of each power of two that has some; afterwards */
};

void latency_fini(struct latency *l);

/*
 * Adds one of @ns. *@room is for how many exact values of all kinds together there is room; if there is none, this kind's are counted in
 * steps from now on. If memory runs out, the process ends.
 */
void latency_add(struct latency *l, uint64_t ns, uint64_t *room);

/* Are percentiles exact? */
bool latency_is_exact(const struct latency *l);

/* The smallest value such that @percent of the values are not larger (nearest rank); 0: there are no values. */
uint64_t latency_percentile(struct latency *l, unsigned percent);

/* The sum of all divided by their number, rounded down. */
uint64_t latency_average(const struct latency *l);

#endif
