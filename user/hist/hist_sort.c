// SPDX-License-Identifier: GPL-2.0-only
/*
 * hist_sort.c - the order in which the entries of a histogram are shown.
 */
#include "hist/hist_sort.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* What to sort by: a value (its index), a key, or hitcount. */
struct order {
	enum { BY_HITS, BY_VALUE, BY_KEY } by;
	unsigned index;
	bool descending;
};

struct sorter {
	const struct histogram *h;
	struct order orders[HIST_MAX_SORTS];
	unsigned nr;
};

static bool is_called(const struct histogram *h, const struct hist_expr *e, const char *name)
{
	e = hist_expr_meant(e);
	if (e->kind == HIST_FIELD || (e->kind == HIST_VAR && !e->system))
		return !strcmp(e->name, name);
	return strlen(name) == e->at.len && !memcmp(name, h->trigger->text + e->at.off, e->at.len);
}

/* The kernel looks among the values first (6.12, create_sort_keys()). */
static struct order order_of(const struct histogram *h, const struct hist_sort *sort)
{
	const struct hist *hist = h->trigger->hist;

	if (!strcmp(sort->name, "hitcount"))
		return (struct order){ BY_HITS, 0, sort->descending };
	for (unsigned i = 0; i < hist->nr_values; i++) {
		if (is_called(h, hist->values[i], sort->name))
			return (struct order){ BY_VALUE, i, sort->descending };
	}
	for (unsigned i = 0; i < hist->nr_keys; i++) {
		if (is_called(h, hist->keys[i], sort->name))
			return (struct order){ BY_KEY, i, sort->descending };
	}
	return (struct order){ BY_HITS, 0, sort->descending };
}

static int compare_numbers(uint64_t a, uint64_t b, bool is_signed)
{
	if (is_signed)
		return ((int64_t)a > (int64_t)b) - ((int64_t)a < (int64_t)b);
	return (a > b) - (a < b);
}

uint64_t hist_key_number(const struct hist_entry *e, const struct hist_key *k)
{
	uint64_t n;

	memcpy(&n, e->key + k->off, sizeof(n));
	return n;
}

/* Keys that could not be read come first. */
static int compare_faults(const struct histogram *h, unsigned i, const struct hist_entry *a, const struct hist_entry *b)
{
	return histogram_key_faulted(h, i, b) - histogram_key_faulted(h, i, a);
}

static int compare_key(const struct histogram *h, unsigned i, const struct hist_entry *a, const struct hist_entry *b)
{
	const struct hist_key *k = &h->keys[i];
	int faults = compare_faults(h, i, a, b);

	if (faults)
		return faults;
	if (k->node->is_stack)
		return memcmp(a->key + k->off, b->key + k->off, k->size);
	if (k->node->is_string)
		return strcmp((const char *)a->key + k->off, (const char *)b->key + k->off);
	return compare_numbers(hist_key_number(a, k), hist_key_number(b, k), k->node->is_signed);
}

/* An entry without a number comes behind all others. */
static int compare_values(const struct histogram *h, const struct order *o, const struct hist_entry *a, const struct hist_entry *b)
{
	hist_sum x, y;
	bool has_x = histogram_value(h, o->index, a, &x), has_y = histogram_value(h, o->index, b, &y);

	if (!has_x || !has_y)
		return o->descending ? has_x - has_y : has_y - has_x;
	return (x > y) - (x < y);
}

static int compare_by(const struct histogram *h, const struct order *o, const struct hist_entry *a, const struct hist_entry *b)
{
	switch (o->by) {
	case BY_KEY:
		return compare_key(h, o->index, a, b);
	case BY_VALUE:
		return compare_values(h, o, a, b);
	default:
		return compare_numbers(a->hits, b->hits, false);
	}
}

static int compare(const void *x, const void *y, void *ctx)
{
	const struct hist_entry *a = *(struct hist_entry *const *)x, *b = *(struct hist_entry *const *)y;
	const struct sorter *s = ctx;

	for (unsigned i = 0; i < s->nr; i++) {
		int c = compare_by(s->h, &s->orders[i], a, b);

		if (c)
			return s->orders[i].descending ? -c : c;
	}
	for (unsigned i = 0; i < s->h->trigger->hist->nr_keys; i++) {
		int c = compare_key(s->h, i, a, b);

		if (c)
			return c;
	}
	return 0;
}

struct hist_entry **hist_sort(const struct histogram *h, const struct hist_table *table, size_t *ret_nr)
{
	const struct hist *hist = h->trigger->hist;
	struct sorter sorter = { .h = h, .orders = { { BY_HITS, 0, false } }, .nr = MAX(hist->nr_sorts, 1u) };
	struct hist_entry **sorted = must(calloc(table->nr + 1, sizeof(*sorted)));

	*ret_nr = 0;
	for (size_t i = 0; i < table->room; i++) {
		if (table->entries[i])
			sorted[(*ret_nr)++] = table->entries[i];
	}
	for (unsigned i = 0; i < hist->nr_sorts; i++)
		sorter.orders[i] = order_of(h, &hist->sorts[i]);
	qsort_r(sorted, *ret_nr, sizeof(*sorted), compare, &sorter);
	return sorted;
}
