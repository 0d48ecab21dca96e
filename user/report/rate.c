// SPDX-License-Identifier: GPL-2.0-only
/*
 * rate.c - how many events there were in each part of the time.
 */
#include "report/rate.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void rate_fini(struct rate *r)
{
	for (unsigned i = 0; i < r->nr; i++)
		free(r->rows[i]);
	free(r->rows);
	*r = (struct rate){ 0 };
}

static void add(uint32_t *to, uint64_t n)
{
	*to = (uint32_t)MIN(*to + n, (uint64_t)UINT32_MAX);
}

static void widen(struct rate *r)
{
	unsigned by = r->steps++ % 2 ? 5 : 2;

	for (unsigned row = 0; row < r->nr; row++) {
		uint32_t *bins = r->rows[row];

		for (unsigned i = 0; bins && i < r->used; i++) {
			uint32_t n = bins[i];

			bins[i] = 0;
			add(&bins[i / by], n);
		}
	}
	r->used = (r->used + by - 1) / by;
	r->width *= by;
}

static uint32_t *row_of(struct rate *r, unsigned row)
{
	while (r->nr <= row) {
		r->rows = heap_grow(r->rows, r->nr, &r->size);
		r->rows[r->nr++] = NULL;
	}
	if (!r->rows[row])
		r->rows[row] = must(calloc(RATE_BINS, sizeof(uint32_t)));
	return r->rows[row];
}

void rate_add(struct rate *r, unsigned row, uint64_t ts)
{
	uint64_t bin;

	if (!r->width) {
		r->width = RATE_FIRST;
		r->start = ts;
	}
	while ((bin = ts > r->start ? (ts - r->start) / r->width : 0) >= RATE_BINS)
		widen(r);
	r->used = MAX(r->used, (unsigned)bin + 1);
	add(&row_of(r, row)[bin], 1);
}

void rate_join(struct rate *r, unsigned to, unsigned from)
{
	if (from >= r->nr || !r->rows[from])
		return;
	for (unsigned i = 0; i < r->used; i++)
		add(&row_of(r, to)[i], r->rows[from][i]);
	free(r->rows[from]);
	r->rows[from] = NULL;
}

uint32_t rate_count(const struct rate *r, unsigned row, unsigned bin)
{
	return row < r->nr && r->rows[row] ? r->rows[row][bin] : 0;
}
