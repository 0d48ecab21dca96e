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
	struct hist_entry *entry;	/* a copy */
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

/* Names of the keys' labels: each once, and none that every sample has. */
struct key_names {
	struct buf names[HIST_MAX_KEYS];
	unsigned nr;
};

static bool is_taken(const struct key_names *k, const char *name)
{
	/* Names that begin with two underscores are Prometheus' own. */
	if (is_reserved(name) || !strncmp(name, "__", 2))
		return true;
	for (unsigned i = 0; i < k->nr; i++) {
		if (!strcmp(buf_str(&k->names[i]), name))
			return true;
	}
	return false;
}

static void find_names(const struct histogram *h, struct key_names *ret)
{
	const struct hist *hist = h->trigger->hist;

	*ret = (struct key_names){ 0 };
	for (unsigned i = 0; i < hist->nr_keys; i++) {
		struct buf first = { 0 }, name = { 0 };

		prom_name(hist_text_name(hist->keys[i]), &first);
		buf_adds(&name, buf_str(&first));
		for (unsigned n = 1; is_taken(ret, buf_str(&name)); n++) {
			buf_reset(&name);
			buf_addf(&name, "key_%s", buf_str(&first));
			if (n > 1)
				buf_addf(&name, "_%u", n);
		}
		ret->names[ret->nr++] = name;
		buf_fini(&first);
	}
}

static void free_names(struct key_names *k)
{
	for (unsigned i = 0; i < k->nr; i++)
		buf_fini(&k->names[i]);
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

static char *labels_of(const struct hist_metrics *m, const struct histogram *h, const struct key_names *names, const struct hist_entry *e,
		       unsigned scale)
{
	struct buf labels = { 0 }, value = { 0 };
	char *ret;

	buf_adds(&labels, m->labels);
	for (unsigned i = 0; i < h->trigger->hist->nr_keys; i++) {
		if (i == scale)
			continue;
		buf_reset(&value);
		add_key(h, &h->keys[i], e, m->text, &value);
		prom_label(&labels, buf_str(&names->names[i]), buf_str(&value));
	}
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

static void free_sample(struct sample *s)
{
	free(s->labels);
	free(s->entry);
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

/*
 * The upper bounds of all buckets of .log2, from the smallest on: a fixed row, because histograms of several machines can only be added up if
 * all have the same bounds. False: there are no more.
 */
static bool bound_of(const struct hist_key *k, unsigned i, hist_sum *ret)
{
	unsigned below = k->node->value.is_signed;	/* one bucket for all numbers below 0 */

	*ret = i < below ? -1 : (hist_sum)1 << (i - below);
	return i < 64 + below;
}

static void add_bucket(struct buf *out, const char *name, const char *labels, hist_sum upper, hist_sum hits)
{
	struct buf le = { 0 }, more = { 0 };

	add_number(&le, upper);
	prom_label(&more, "le", buf_str(&le));
	add_sample(out, name, labels, buf_str(&more), hits);
	buf_fini(&le);
	buf_fini(&more);
}

/* The samples of one label set: @nr buckets, the smallest first. */
static void add_buckets(struct buf *out, const char *name, const struct histogram *h, unsigned scale, const struct sample *samples, size_t nr)
{
	const struct hist_key *k = &h->keys[scale];
	bool log2 = k->node->value.modifier == HIST_LOG2, has_sum = true;
	const char *labels = samples[0].labels;
	hist_sum hits = 0, sum = 0, one, bound;
	struct buf of = { 0 };
	size_t at = 0;

	buf_addf(&of, "%s_bucket", name);
	for (unsigned i = 0; log2 && bound_of(k, i, &bound); i++) {
		while (at < nr && samples[at].upper <= bound)
			hits += samples[at++].entry->hits;
		add_bucket(out, buf_str(&of), labels, bound, hits);
	}
	for (; at < nr; at++) {
		hits += samples[at].entry->hits;
		if (!log2)
			add_bucket(out, buf_str(&of), labels, samples[at].upper, hits);
	}
	add_sample(out, buf_str(&of), labels, "le=\"+Inf\"", hits);
	buf_reset(&of);
	buf_addf(&of, "%s_count", name);
	add_sample(out, buf_str(&of), labels, NULL, hits);
	for (size_t i = 0; i < nr; i++) {
		has_sum = has_sum && sum_of(h, scale, samples[i].entry, &one);
		sum += has_sum ? one : 0;
	}
	buf_reset(&of);
	buf_addf(&of, "%s_sum", name);
	if (has_sum)
		add_sample(out, buf_str(&of), labels, NULL, sum);
	buf_fini(&of);
}

/* Families of histograms, such as bprobe_count_hist. The suffix keeps their names apart from those of all other samples. */
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

/* Adds @from to @to: two functions of one name, for example, are one sample. */
static void merge(const struct histogram *h, struct hist_entry *to, const struct hist_entry *from)
{
	to->hits += from->hits;
	for (unsigned i = 0; i < h->trigger->hist->nr_values; i++) {
		enum hist_modifier fold = histogram_fold(h, i);

		if (from->known[i] && !to->known[i])
			to->sums[i] = from->sums[i];
		else if (from->known[i] && fold == HIST_MIN)
			to->sums[i] = MIN(to->sums[i], from->sums[i]);
		else if (from->known[i] && fold == HIST_MAX)
			to->sums[i] = MAX(to->sums[i], from->sums[i]);
		else if (from->known[i])
			to->sums[i] += from->sums[i];
		to->known[i] += from->known[i];
	}
}

/* @samples are sorted. Returns how many are left. */
static size_t merge_all(const struct histogram *h, struct sample *samples, size_t nr)
{
	size_t left = 0;

	for (size_t i = 0; i < nr; i++) {
		if (left && !compare_samples(&samples[left - 1], &samples[i])) {
			merge(h, samples[left - 1].entry, samples[i].entry);
			free(samples[i].labels);
			free(samples[i].entry);
		} else {
			samples[left++] = samples[i];
		}
	}
	return left;
}

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
				free_sample(&samples[sets[i].first + k]);
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
	unsigned scale = scale_of(h);
	bool in_buckets = scale < h->trigger->hist->nr_keys;
	size_t nr, size = sizeof(struct hist_entry) + table->key_size;
	struct hist_entry **entries = hist_sort(h, table, &nr);
	struct sample *samples = must(calloc(nr + 1, sizeof(*samples)));
	struct key_names names;

	find_names(h, &names);
	for (size_t i = 0; i < nr; i++) {
		samples[i].labels = labels_of(m, h, &names, entries[i], scale);
		samples[i].entry = memcpy(must(malloc(size)), entries[i], size);
		if (in_buckets)
			samples[i].upper = upper_of(&h->keys[scale], hist_key_number(entries[i], &h->keys[scale]));
	}
	qsort(samples, nr, sizeof(*samples), compare_samples);
	nr = merge_all(h, samples, nr);
	nr = choose(m, samples, nr, in_buckets);
	if (in_buckets)
		add_histograms(m, h, scale, samples, nr);
	else
		add_entries(m, h, samples, nr);
	for (size_t i = 0; i < nr; i++)
		free_sample(&samples[i]);
	free_names(&names);
	free(samples);
	free(entries);
}
