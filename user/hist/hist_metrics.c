// SPDX-License-Identifier: GPL-2.0-only
/*
 * hist_metrics.c - histograms as metrics of Prometheus.
 */
#include "hist/hist_metrics.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "hist/hist_sort.h"
#include "hist/hist_text.h"

/* ---- label sets ---- */

/* One entry: its keys as labels, without the one that is in buckets. */
struct sample {
	const struct hist_entry *entry;
	char *labels;
	hist_sum upper;			/* of its bucket */
};

/* Labels of keys must differ from those that each sample has. */
static bool is_reserved(const char *name)
{
	static const char *const names[] = { "group", "event", "hist", "le", "value", "how", "job", "instance" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (!strcmp(names[i], name))
			return true;
	}
	return false;
}

static void key_name(const struct histogram *h, unsigned i, struct buf *out)
{
	const struct hist *hist = h->trigger->hist;
	unsigned same = 0;
	struct buf name = { 0 };

	prom_name(hist_text_name(hist->keys[i]), &name);
	for (unsigned k = 0; k < i; k++)
		same += !strcmp(hist_text_name(hist->keys[k]), hist_text_name(hist->keys[i]));
	/* Names that begin with two underscores are Prometheus' own. */
	if (is_reserved(buf_str(&name)) || !strncmp(buf_str(&name), "__", 2))
		buf_adds(out, "key_");
	buf_adds(out, buf_str(&name));
	if (same)
		buf_addf(out, "_%u", same + 1);
	buf_fini(&name);
}

/* The first key in buckets; nr_keys: there is none. */
static unsigned scale_of(const struct histogram *h)
{
	unsigned i = 0;

	while (i < h->trigger->hist->nr_keys && !hist_text_is_scale(&h->keys[i]))
		i++;
	return i;
}

/* A text as it is: a label has escapes of its own. */
static void add_key(const struct histogram *h, const struct hist_key *k, const struct hist_entry *e, const struct text *t, struct buf *out)
{
	const char *text = (const char *)e->key + k->off;

	if (k->node->is_string)
		buf_add(out, text, strnlen(text, k->size));
	else
		hist_text_key(h, k, e, t, out);
}

static char *labels_of(const struct hist_metrics *m, const struct histogram *h, const struct hist_entry *e, unsigned scale)
{
	struct buf labels = { 0 }, name = { 0 }, value = { 0 };
	char *ret;

	buf_adds(&labels, m->labels);
	for (unsigned i = 0; i < h->trigger->hist->nr_keys; i++) {
		if (i == scale)
			continue;
		buf_reset(&name);
		buf_reset(&value);
		key_name(h, i, &name);
		add_key(h, &h->keys[i], e, m->text, &value);
		prom_label(&labels, buf_str(&name), buf_str(&value));
	}
	buf_fini(&name);
	buf_fini(&value);
	ret = must(strdup(buf_str(&labels)));
	buf_fini(&labels);
	return ret;
}

/* The largest number of a bucket. Of a number with a sign, the last bucket of .log2 has all below 0. */
static hist_sum upper_of(const struct hist_key *k, uint64_t n)
{
	const struct hist_value *v = &k->node->value;

	if (v->modifier == HIST_BUCKETS) {
		uint64_t last = hist_text_bucket_last(v, n);

		return v->is_signed ? (hist_sum)(int64_t)last : (hist_sum)last;
	}
	if (n < 64)
		return (hist_sum)1 << n;
	return v->is_signed ? -1 : (hist_sum)UINT64_MAX;
}

static int compare_samples(const void *a, const void *b)
{
	const struct sample *x = a, *y = b;
	int diff = strcmp(x->labels, y->labels);

	return diff ? diff : x->upper < y->upper ? -1 : x->upper > y->upper;
}

/* ---- numbers ---- */

static void add_number(struct buf *out, hist_sum n)
{
	char digits[48], *at = digits + sizeof(digits);
	bool negative = n < 0;
	unsigned __int128 rest = negative ? -(unsigned __int128)n : (unsigned __int128)n;

	*--at = '\0';
	do
		*--at = (char)('0' + (unsigned)(rest % 10));
	while (rest /= 10);
	if (negative)
		*--at = '-';
	buf_adds(out, at);
}

static void add_sample(struct buf *out, const char *name, const char *labels, const char *more, hist_sum n)
{
	buf_addf(out, "%s{%s%s%s} ", name, labels, more && *labels ? "," : "", more ? more : "");
	add_number(out, n);
	buf_addc(out, '\n');
}

/* ---- entries ---- */

static const char *how_of(enum hist_modifier fold)
{
	return fold == HIST_MIN ? "min" : fold == HIST_MAX ? "max" : fold == HIST_AVG ? "avg" : "sum";
}

static void add_values(const struct hist_metrics *m, const struct histogram *h, const struct sample *s)
{
	const struct hist *hist = h->trigger->hist;

	for (unsigned i = 0; i < hist->nr_values; i++) {
		enum hist_modifier fold = histogram_fold(h, i);
		bool counter = fold != HIST_MIN && fold != HIST_MAX && fold != HIST_AVG && !h->values[i]->is_signed;
		struct buf more = { 0 };
		hist_sum n;

		if (!histogram_value(h, i, s->entry, &n))
			continue;
		prom_label(&more, "value", hist_text_name(hist->values[i]));
		if (counter) {
			add_sample(prom_family(m->to, "bprobe_entry_sum_total", "counter", "Sums of values of a histogram's entries."),
				   "bprobe_entry_sum_total", s->labels, buf_str(&more), n);
		} else {
			prom_label(&more, "how", how_of(fold));
			add_sample(prom_family(m->to, "bprobe_entry_value", "gauge", "Other values of a histogram's entries."),
				   "bprobe_entry_value", s->labels, buf_str(&more), n);
		}
		buf_fini(&more);
	}
}

static void add_entries(const struct hist_metrics *m, const struct histogram *h, const struct sample *samples, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		add_sample(prom_family(m->to, "bprobe_entry_hits_total", "counter", "Hits of a histogram's entries."),
			   "bprobe_entry_hits_total", samples[i].labels, NULL, samples[i].entry->hits);
		add_values(m, h, &samples[i]);
	}
}

/* ---- buckets ---- */

/* The sum of the numbers in buckets, if the histogram has it as a value. */
static bool sum_of(const struct histogram *h, unsigned scale, const struct hist_entry *e, hist_sum *ret)
{
	const struct hist *hist = h->trigger->hist;
	const struct hist_expr *key = hist_expr_meant(hist->keys[scale]);

	for (unsigned i = 0; i < hist->nr_values; i++) {
		const struct hist_expr *v = hist_expr_meant(hist->values[i]);
		enum hist_modifier fold = histogram_fold(h, i);

		if (key->name && v->name && !strcmp(key->name, v->name) && fold != HIST_MIN && fold != HIST_MAX && fold != HIST_AVG)
			return histogram_value(h, i, e, ret);
	}
	return false;
}

/* The samples of one label set: @nr buckets, the smallest first. */
static void add_buckets(struct buf *out, const char *name, const struct histogram *h, unsigned scale, const struct sample *samples, size_t nr)
{
	const char *labels = samples[0].labels;
	hist_sum hits = 0, sum = 0, one;
	bool has_sum = true;
	char of_bucket[300], total[300];

	snprintf(of_bucket, sizeof(of_bucket), "%.200s_bucket", name);
	for (size_t i = 0; i < nr; i++) {
		struct buf le = { 0 }, more = { 0 };

		hits += samples[i].entry->hits;
		has_sum = has_sum && sum_of(h, scale, samples[i].entry, &one);
		sum += has_sum ? one : 0;
		if (i + 1 < nr && samples[i + 1].upper == samples[i].upper)
			continue;
		add_number(&le, samples[i].upper);
		prom_label(&more, "le", buf_str(&le));
		add_sample(out, of_bucket, labels, buf_str(&more), hits);
		buf_fini(&le);
		buf_fini(&more);
	}
	add_sample(out, of_bucket, labels, "le=\"+Inf\"", hits);
	snprintf(total, sizeof(total), "%.200s_count", name);
	add_sample(out, total, labels, NULL, hits);
	snprintf(total, sizeof(total), "%.200s_sum", name);
	if (has_sum)
		add_sample(out, total, labels, NULL, sum);
}

/* Families of histograms, such as bprobe_count_hist: no name of a family can be that of another one's samples. */
static void add_histograms(const struct hist_metrics *m, const struct histogram *h, unsigned scale, const struct sample *samples, size_t nr)
{
	struct buf name = { 0 };
	struct buf *out;

	buf_adds(&name, "bprobe_");
	prom_name(hist_text_name(h->trigger->hist->keys[scale]), &name);
	buf_adds(&name, "_hist");
	out = prom_family(m->to, buf_str(&name), "histogram", "Hits by a number in buckets.");
	for (size_t i = 0, end; i < nr; i = end) {
		for (end = i + 1; end < nr && !strcmp(samples[i].labels, samples[end].labels); end++)
			;
		add_buckets(out, buf_str(&name), h, scale, samples + i, end - i);
	}
	buf_fini(&name);
}

/* ---- a histogram ---- */

/* A label set and its hits, for the choice of those with the most. */
struct label_set {
	size_t first, nr;
	uint64_t hits;
};

static int compare_sets(const void *a, const void *b)
{
	const struct label_set *x = a, *y = b;

	if (x->hits != y->hits)
		return x->hits < y->hits ? 1 : -1;
	return x->first < y->first ? -1 : x->first > y->first;
}

/* Moves the samples of the sets with the most hits to the front. Returns how many samples are left. */
static size_t choose(const struct hist_metrics *m, struct sample *samples, size_t nr, bool grouped)
{
	struct label_set *sets = must(calloc(nr + 1, sizeof(*sets)));
	struct sample *chosen = must(calloc(nr + 1, sizeof(*chosen)));
	size_t nr_sets = 0, left = 0, kept = 0;
	uint64_t left_hits = 0;

	for (size_t i = 0; i < nr; i++) {
		if (!nr_sets || !grouped || strcmp(samples[i].labels, samples[sets[nr_sets - 1].first].labels))
			sets[nr_sets++] = (struct label_set){ .first = i };
		sets[nr_sets - 1].nr++;
		sets[nr_sets - 1].hits += samples[i].entry->hits;
	}
	qsort(sets, nr_sets, sizeof(*sets), compare_sets);
	for (size_t i = 0; i < nr_sets; i++) {
		bool taken = !m->most || i < m->most;

		left += !taken;
		left_hits += taken ? 0 : sets[i].hits;
		for (size_t k = 0; k < sets[i].nr; k++) {
			if (taken)
				chosen[kept++] = samples[sets[i].first + k];
			else
				free(samples[sets[i].first + k].labels);
		}
	}
	memcpy(samples, chosen, kept * sizeof(*samples));
	add_sample(prom_family(m->to, "bprobe_left_out_sets", "gauge", "Label sets of a histogram that are not here, because there are too many."),
		   "bprobe_left_out_sets", m->labels, NULL, (hist_sum)left);
	add_sample(prom_family(m->to, "bprobe_left_out_hits", "gauge", "Hits in the label sets that are not here."),
		   "bprobe_left_out_hits", m->labels, NULL, left_hits);
	free(sets);
	free(chosen);
	return kept;
}

void hist_metrics_add(const struct hist_metrics *m, const struct histogram *h, const struct hist_table *table)
{
	unsigned scale = scale_of(h), nr_keys = h->trigger->hist->nr_keys;
	bool in_buckets = scale < nr_keys;
	size_t nr;
	struct hist_entry **entries = hist_sort(h, table, &nr);
	struct sample *samples = must(calloc(nr + 1, sizeof(*samples)));

	for (size_t i = 0; i < nr; i++) {
		samples[i] = (struct sample){ .entry = entries[i], .labels = labels_of(m, h, entries[i], scale) };
		if (in_buckets)
			samples[i].upper = upper_of(&h->keys[scale], hist_key_number(entries[i], &h->keys[scale]));
	}
	if (in_buckets)
		qsort(samples, nr, sizeof(*samples), compare_samples);
	nr = choose(m, samples, nr, in_buckets);
	if (in_buckets)
		add_histograms(m, h, scale, samples, nr);
	else
		add_entries(m, h, samples, nr);
	for (size_t i = 0; i < nr; i++)
		free(samples[i].labels);
	free(samples);
	free(entries);
}
