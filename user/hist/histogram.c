// SPDX-License-Identifier: GPL-2.0-only
/*
 * histogram.c - counts the hits of one histogram.
 */
#include "hist/histogram.h"

#include "hist/histogram_priv.h"

struct hit {
	struct histogram *h;
	const struct event *ev;
	const struct text *text;
	struct hist_entry *entry;
};

struct hist_table *histogram_table(struct histogram *h)
{
	return h->shared ? &h->shared->table : &h->table;
}

/* ---- the key ---- */

static void make_key(const struct hit *hit, unsigned char *key)
{
	for (unsigned i = 0; i < hit->h->trigger->hist->nr_keys; i++) {
		const struct hist_key *k = &hit->h->keys[i];
		uint64_t number;

		if (k->node->is_stack) {
			hist_value_stack(hit->ev, (uint64_t *)(void *)(key + k->off));
			continue;
		}
		if (k->node->is_string && k->size == HIST_STRING_SIZE) {
			hist_value_string(&k->node->value, hit->ev, hit->text, (char *)key + k->off);
			continue;
		}
		number = hist_value_number(&k->node->value, hit->ev, hit->text, hit->h->usecs);
		memcpy(key + k->off, &number, sizeof(number));
	}
}

/* Puts into @key which keys could not be read, and makes these 0. False: one of them would have told the bucket. */
static bool mark_faults(const struct hit *hit, unsigned char *key)
{
	const struct histogram *h = hit->h;
	uint64_t faults = 0;

	for (unsigned i = 0; i < h->trigger->hist->nr_keys; i++) {
		const struct hist_value *v = &h->keys[i].node->value;

		if (!hist_value_faulted(v, hit->ev))
			continue;
		if (v->modifier == HIST_LOG2 || v->modifier == HIST_BUCKETS)
			return false;
		faults |= 1ull << i;
		memset(key + h->keys[i].off, 0, h->keys[i].size);
	}
	memcpy(key + h->faults_off, &faults, sizeof(faults));
	return true;
}

bool histogram_key_faulted(const struct histogram *h, unsigned i, const struct hist_entry *e)
{
	uint64_t faults;

	if (!h->trigger->hist->exact)
		return false;
	memcpy(&faults, e->key + h->faults_off, sizeof(faults));
	return faults >> i & 1;
}

/* ---- values that are no sums ---- */

enum hist_modifier histogram_fold(const struct histogram *h, unsigned i)
{
	const struct hist_node *n = h->values[i];

	return n->kind == HIST_NODE_VALUE ? n->value.modifier : HIST_PLAIN;
}

void histogram_add(const struct histogram *h, unsigned i, struct hist_entry *e, uint64_t n, uint64_t hits)
{
	enum hist_modifier fold = histogram_fold(h, i);
	hist_sum value = h->values[i]->is_signed ? (hist_sum)(int64_t)n : (hist_sum)n;
	bool first = !e->known[i];

	e->known[i] += hits;
	if (fold != HIST_MIN && fold != HIST_MAX)
		e->sums[i] += value;
	else if (first || (value != e->sums[i] && (value < e->sums[i]) == (fold == HIST_MIN)))
		e->sums[i] = value;
}

bool histogram_value(const struct histogram *h, unsigned i, const struct hist_entry *e, hist_sum *ret)
{
	hist_sum sum = e->sums[i];

	if (!h->trigger->hist->exact)		/* the kernel's sums have 64 bits */
		sum = h->values[i]->is_signed ? (hist_sum)(int64_t)sum : (hist_sum)(uint64_t)sum;
	*ret = histogram_fold(h, i) == HIST_AVG && e->known[i] ? sum / (hist_sum)e->known[i] : sum;
	return e->known[i];
}

/* ---- a hit ---- */

static void update(const struct hit *hit)
{
	const struct hist *hist = hit->h->trigger->hist;

	hit->entry->hits++;
	for (unsigned i = 0; i < hist->nr_values; i++) {
		const struct hist_node *n = hit->h->values[i];

		if (!hist->exact || !hist_value_faulted(&n->value, hit->ev))
			histogram_add(hit->h, i, hit->entry, hist_value_number(&n->value, hit->ev, hit->text, hit->h->usecs), 1);
	}
}

void histogram_hit(struct histogram *h, const struct event *ev, const struct text *t)
{
	struct hist_table *table = histogram_table(h);
	struct hit hit = { .h = h, .ev = ev, .text = t };
	unsigned char key[HISTOGRAM_MAX_KEY] = { 0 };
	bool is_new;

	if (h->paused)
		return;
	make_key(&hit, key);
	if (h->trigger->hist->exact && !mark_faults(&hit, key))
		return;
	hit.entry = hist_table_get(table, key, &is_new);
	if (!hit.entry)
		return;
	if (is_new)
		memcpy(hit.entry->comm, ev->rec->comm, BP_COMM_LEN);
	update(&hit);
}

void histogram_fini(struct histogram *h)
{
	hist_table_fini(&h->table);
}

const struct hist_assignment *histogram_var(const struct histogram *h, const char *name)
{
	for (unsigned i = 0; i < h->nr_vars; i++) {
		if (!strcmp(h->vars[i].name, name))
			return &h->vars[i];
	}
	return NULL;
}
