// SPDX-License-Identifier: GPL-2.0-only
/*
 * latency.c - how durations are distributed.
 */
#include "report/latency.h"

#include <stdlib.h>

#include "base/memory.h"
#include "print/bar.h"

void latency_fini(struct latency *l)
{
	for (unsigned i = 0; i < ARRAY_SIZE(l->steps); i++)
		free(l->steps[i]);
	free(l->values);
	*l = (struct latency){ 0 };
}

bool latency_is_exact(const struct latency *l)
{
	return l->count == l->nr_values;
}

/* Numbers below LATENCY_STEPS are their own step. */
static unsigned power_of(uint64_t ns)
{
	return ns < LATENCY_STEPS ? 0 : 63 - (unsigned)__builtin_clzll(ns) - __builtin_ctz(LATENCY_STEPS) + 1;
}

static void count_step(struct latency *l, uint64_t ns)
{
	unsigned power = power_of(ns);

	if (!l->steps[power])
		l->steps[power] = must(calloc(LATENCY_STEPS, sizeof(uint64_t)));
	l->steps[power][power ? (ns >> (power - 1)) - LATENCY_STEPS : ns]++;
}

static uint64_t end_of_step(unsigned power, unsigned step)
{
	return power ? (((uint64_t)step + LATENCY_STEPS + 1) << (power - 1)) - 1 : step;
}

void latency_add(struct latency *l, uint64_t ns, uint64_t *room)
{
	l->min = l->count ? MIN(l->min, ns) : ns;
	l->max = MAX(l->max, ns);
	l->sum += ns;
	l->buckets[bar_bucket(ns)]++;
	if (latency_is_exact(l) && l->count < LATENCY_EXACT && *room) {
		l->values = heap_grow(l->values, l->nr_values, &l->size);
		l->values[l->nr_values++] = ns;
		l->sorted = false;
		(*room)--;
	} else {
		/* From now on all are counted in steps. */
		for (unsigned i = 0; i < l->nr_values; i++)
			count_step(l, l->values[i]);
		*room += l->nr_values;
		free(l->values);
		l->values = NULL;
		l->nr_values = l->size = 0;
		count_step(l, ns);
	}
	l->count++;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

uint64_t latency_percentile(struct latency *l, unsigned percent)
{
	uint64_t rank = (uint64_t)(((unsigned __int128)l->count * percent + 99) / 100), before = 0;

	if (!l->count)
		return 0;
	rank = MAX(rank, 1u);
	if (latency_is_exact(l)) {
		if (!l->sorted)
			qsort(l->values, l->count, sizeof(uint64_t), compare);
		l->sorted = true;
		return l->values[rank - 1];
	}
	for (unsigned power = 0; power < ARRAY_SIZE(l->steps); power++) {
		for (unsigned i = 0; l->steps[power] && i < LATENCY_STEPS; i++) {
			before += l->steps[power][i];
			if (before >= rank)
				return MIN(end_of_step(power, i), l->max);
		}
	}
	return l->max;
}

uint64_t latency_average(const struct latency *l)
{
	return l->count ? (uint64_t)(l->sum / l->count) : 0;
}
