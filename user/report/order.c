// SPDX-License-Identifier: GPL-2.0-only
/*
 * order.c - the rows of a report's tables, the largest first.
 */
#include "report/order.h"

#include <stdlib.h>

#include "base/memory.h"
#include "report/report.h"

typedef unsigned __int128 (*size_fn)(const struct report *r, uint32_t nr);

struct sorted {
	const struct report *r;
	size_fn size;
};

static unsigned __int128 site_size(const struct report *r, uint32_t nr)
{
	return r->sites[nr].count;
}

static unsigned __int128 task_size(const struct report *r, uint32_t nr)
{
	return r->tasks[nr].count;
}

static unsigned __int128 row_size(const struct report *r, uint32_t nr)
{
	return r->rows[nr].count;
}

static unsigned __int128 latency_size(const struct report *r, uint32_t nr)
{
	return r->latencies[nr].latency.sum;
}

static int compare(const void *x, const void *y, void *ctx)
{
	const struct sorted *s = ctx;
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	unsigned __int128 n = s->size(s->r, a), m = s->size(s->r, b);

	return n != m ? (n < m) - (n > m) : (a > b) - (a < b);
}

static uint32_t *sorted(const struct report *r, unsigned nr, size_fn size)
{
	uint32_t *order = must(calloc(nr + 1, sizeof(*order)));
	struct sorted s = { r, size };

	for (unsigned i = 0; i < nr; i++)
		order[i] = i;
	qsort_r(order, nr, sizeof(*order), compare, &s);
	return order;
}

uint32_t *order_sites(const struct report *r)
{
	return sorted(r, r->nr_sites, site_size);
}

uint32_t *order_tasks(const struct report *r)
{
	return sorted(r, r->nr_tasks, task_size);
}

uint32_t *order_rows(const struct report *r)
{
	return sorted(r, r->nr_rows, row_size);
}

uint32_t *order_latencies(const struct report *r)
{
	return sorted(r, r->nr_latencies, latency_size);
}
