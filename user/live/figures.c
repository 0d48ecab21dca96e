// SPDX-License-Identifier: GPL-2.0-only
/*
 * figures.c - what the live view knows of each event.
 */
#include "live/figures.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "hist/hist_sort.h"
#include "hist/hist_text.h"

/* ---- durations ---- */

bool live_average(const struct live_figures *f, uint64_t *ret)
{
	if (!f->timed)
		return false;
	*ret = (uint64_t)(f->sum / f->timed);
	return true;
}

bool live_percentile(const struct live_figures *f, unsigned percent, uint64_t *ret)
{
	/* The smallest rank that has so many of all durations up to it. */
	unsigned __int128 rank = ((unsigned __int128)f->timed * percent + 99) / 100, seen = 0;

	for (unsigned i = 0; i < LIVE_BUCKETS; i++) {
		seen += f->buckets[i];
		if (!f->timed || !f->buckets[i] || seen < rank)
			continue;
		*ret = i < 64 ? 1ull << i : UINT64_MAX;
		return true;
	}
	return false;
}

static void add(struct live_figures *to, const struct live_figures *from)
{
	to->hits += from->hits;
	to->timed += from->timed;
	to->sum += from->sum;
	for (unsigned i = 0; i < LIVE_BUCKETS; i++)
		to->buckets[i] += from->buckets[i];
}

/* ---- a reading ---- */

static void drop_keys(struct live_row *row)
{
	for (unsigned i = 0; i < row->nr_keys; i++)
		free(row->keys[i].name);
	row->nr_keys = 0;
	row->nr_others = 0;
}

void live_row_begin(struct live_row *row)
{
	drop_keys(row);
	row->now = (struct live_figures){ 0 };
}

void live_row_count(struct live_row *row, const struct live_counters *now)
{
	uint64_t hits = now->hits + row->dropped;

	row->now.hits = hits - MIN(row->all.hits, hits);
	row->all.hits = hits;
	row->lost = now->lost + row->dropped;
	row->missed = now->missed;
	row->missed_known = now->missed_known;
}

void live_row_fini(struct live_row *row)
{
	drop_keys(row);
	free(row->keys);
	row->keys = NULL;
}

/* ---- entries of the table ---- */

/* Entries with the same keys, but for the duration. They are neighbours when the entries are sorted. */
struct group {
	size_t first, nr;
	uint64_t hits;
};

struct reading {
	const struct histogram *h;
	unsigned nr_keys;		/* without the durations */
	bool has_elapsed;
	struct hist_entry **entries;
	size_t nr;
};

static int compare_keys(const struct reading *r, const struct hist_entry *a, const struct hist_entry *b)
{
	int c = 0;

	for (unsigned i = 0; i < r->nr_keys && !c; i++) {
		const struct hist_key *k = &r->h->keys[i];

		c = memcmp(a->key + k->off, b->key + k->off, k->size);
		if (!c)
			c = histogram_key_faulted(r->h, i, a) - histogram_key_faulted(r->h, i, b);
	}
	return c;
}

static int compare_entries(const void *a, const void *b, void *ctx)
{
	return compare_keys(ctx, *(struct hist_entry *const *)a, *(struct hist_entry *const *)b);
}

/* The most hits first; equal ones in the order of their keys. */
static int compare_groups(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	if (x->hits != y->hits)
		return x->hits < y->hits ? 1 : -1;
	return (x->first > y->first) - (x->first < y->first);
}

static void add_entry(const struct reading *r, const struct hist_entry *e, struct live_figures *to)
{
	uint64_t bucket;
	hist_sum sum;

	to->hits += e->hits;
	if (!r->has_elapsed || histogram_key_faulted(r->h, r->nr_keys, e) || !histogram_value(r->h, 0, e, &sum))
		return;
	/* A type that is too small for the time makes it negative: such a number is no duration. */
	if (sum < 0)
		return;
	bucket = hist_key_number(e, &r->h->keys[r->nr_keys]);
	to->timed += e->known[0];
	to->sum += sum;
	to->buckets[MIN(bucket, (uint64_t)LIVE_BUCKETS - 1)] += e->known[0];
}

static void take_group(struct live_row *row, const struct reading *r, const struct group *g, const struct text *t)
{
	struct live_key *key;
	struct buf name = { 0 };

	for (unsigned i = 0; i < r->nr_keys; i++) {
		if (i)
			buf_adds(&name, ", ");
		hist_text_key(r->h, &r->h->keys[i], r->entries[g->first], t, &name);
	}
	row->keys = heap_grow(row->keys, row->nr_keys, &row->size_keys);
	key = &row->keys[row->nr_keys++];
	*key = (struct live_key){ .name = must(strdup(buf_str(&name))) };
	for (size_t i = 0; i < g->nr; i++)
		add_entry(r, r->entries[g->first + i], &key->f);
	buf_fini(&name);
}

static size_t find_groups(const struct reading *r, struct group *groups)
{
	size_t nr = 0;

	for (size_t i = 0; i < r->nr; i++) {
		if (!i || compare_keys(r, r->entries[i - 1], r->entries[i]))
			groups[nr++] = (struct group){ .first = i };
		groups[nr - 1].nr++;
		groups[nr - 1].hits += r->entries[i]->hits;
	}
	return nr;
}

void live_row_add(struct live_row *row, const struct histogram *h, const struct hist_table *table, const struct text *t, unsigned top)
{
	struct reading r = { .h = h, .nr_keys = h->trigger->hist->nr_keys - row->has_elapsed, .has_elapsed = row->has_elapsed };
	struct live_figures timed = { 0 };
	struct group *groups;
	size_t nr;

	row->dropped += table->dropped;
	if (!table->nr)
		return;
	r.entries = must(calloc(table->nr, sizeof(struct hist_entry *)));
	groups = must(calloc(table->nr, sizeof(*groups)));
	for (size_t i = 0; i < table->room; i++) {
		if (table->entries[i])
			r.entries[r.nr++] = table->entries[i];
	}
	for (size_t i = 0; i < r.nr; i++)
		add_entry(&r, r.entries[i], &timed);
	timed.hits = 0;			/* the event's counters know them better */
	add(&row->now, &timed);
	add(&row->all, &timed);
	qsort_r(r.entries, r.nr, sizeof(struct hist_entry *), compare_entries, &r);
	nr = find_groups(&r, groups);
	qsort(groups, nr, sizeof(*groups), compare_groups);
	for (size_t i = 0; row->has_key && i < MIN(nr, (size_t)top); i++)
		take_group(row, &r, &groups[i], t);
	row->nr_others += nr - MIN(nr, (size_t)top);
	free(groups);
	free(r.entries);
}
