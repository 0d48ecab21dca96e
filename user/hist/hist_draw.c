// SPDX-License-Identifier: GPL-2.0-only
/*
 * hist_draw.c - a histogram for people.
 *
 *	comm  function  count  sum(bytes)		elapsed of vfs_read, comm cat
 *	cat   vfs_read    120      131072 |####|	(256, 512]     12 |######          |
 *							(512, 1K]      31 |################|
 *
 * If the last key is in buckets each bucket is a line, also one without hits between two others, unless there are many of these. Other
 * keys then make groups.
 */
#include "hist/hist_draw.h"

#include <stdlib.h>

#include "base/memory.h"
#include "hist/hist_sort.h"
#include "hist/hist_text.h"
#include "print/bar.h"
#include "print/text.h"

enum { COLUMNS = HIST_MAX_KEYS + 1 + HIST_MAX_VALUES, GAPS_MAX = 8 };

struct draw {
	const struct histogram *h;
	const struct hist *hist;
	const struct text *text;
	const struct hist_view *view;
	struct buf *out;
	struct hist_entry **entries;
	size_t nr;
};

/* ---- bars ---- */

static unsigned width_left(const struct draw *d, unsigned used)
{
	return bar_width(d->view->width, used);
}

static void put_bar(const struct draw *d, uint64_t n, uint64_t max, unsigned width)
{
	bar_put(d->out, n, max, width, d->view->utf8);
}

/* ---- tables ---- */

struct column {
	const char *title;
	bool right;			/* numbers */
	unsigned width;
};

struct cells {
	struct column columns[COLUMNS];
	unsigned nr;
	char **texts;			/* of entry i and column c: [i * nr + c] */
};

/* The fields of an event can be called anything, also "count". A value names what it is, so it is not taken for a key or the hits. */
static void value_title(const struct draw *d, unsigned i, struct buf *out)
{
	static const char *const folds[] = { [HIST_AVG] = "avg", [HIST_MIN] = "min", [HIST_MAX] = "max" };
	const char *name = hist_text_name(d->hist->values[i]);
	enum hist_modifier fold = histogram_fold(d->h, i);

	if (d->h->values[i]->kind == HIST_NODE_VALUE && d->h->values[i]->value.source == HIST_FROM_HITS)
		buf_adds(out, name);
	else
		buf_addf(out, "%s(%s)", fold < ARRAY_SIZE(folds) && folds[fold] ? folds[fold] : "sum", name);
}

static const char *hits_title(const struct draw *d)
{
	for (unsigned i = 0; i < d->hist->nr_keys; i++) {
		if (!strcmp(hist_text_name(d->hist->keys[i]), "count"))
			return "hits";
	}
	return "count";
}

static void column_title(const struct draw *d, unsigned column, struct buf *out)
{
	unsigned nr_keys = d->hist->nr_keys;

	buf_reset(out);
	if (column < nr_keys)
		buf_adds(out, hist_text_name(d->hist->keys[column]));
	else if (column == nr_keys)
		buf_adds(out, hits_title(d));
	else
		value_title(d, column - nr_keys - 1, out);
}

static bool key_is_number(const struct hist_key *k)
{
	const struct hist_value *v = &k->node->value;
	bool is_place = v->source == HIST_FROM_PLACE || v->source == HIST_FROM_CALLER;

	return !k->node->is_string && !k->node->is_stack && !is_place && v->modifier != HIST_SYM && v->modifier != HIST_SYM_OFFSET;
}

static void cell_text(const struct draw *d, const struct hist_entry *e, unsigned column, struct buf *out)
{
	unsigned nr_keys = d->hist->nr_keys;

	buf_reset(out);
	if (column < nr_keys)
		hist_text_key(d->h, &d->h->keys[column], e, d->text, out);
	else if (column == nr_keys)
		buf_addf(out, "%llu", (unsigned long long)e->hits);
	else
		hist_text_value(d->h, column - nr_keys - 1, e, out);
}

/* Columns of a terminal that @s takes; its characters are taken for one column each. */
static unsigned shown_width(const char *s)
{
	unsigned width = 0;

	for (; *s; s++)
		width += (*s & 0xc0) != 0x80;
	return width;
}

static void put_cell(const struct draw *d, const struct column *c, const char *text, bool last)
{
	unsigned pad = c->width - MIN(c->width, shown_width(text));

	if (c->right)
		buf_addf(d->out, "%*s", (int)pad, "");
	buf_adds(d->out, text);
	if (!c->right && !last)
		buf_addf(d->out, "%*s", (int)pad, "");
}

static void make_cells(const struct draw *d, size_t nr, struct cells *ret)
{
	struct buf text = { 0 };

	*ret = (struct cells){ .nr = d->hist->nr_keys + 1 + d->hist->nr_values };
	ret->texts = must(calloc(nr * ret->nr + ret->nr + 1, sizeof(char *)));
	for (unsigned c = 0; c < ret->nr; c++) {
		struct column *column = &ret->columns[c];

		column->right = c >= d->hist->nr_keys || key_is_number(&d->h->keys[c]);
		column_title(d, c, &text);
		column->title = ret->texts[nr * ret->nr + c] = must(strdup(buf_str(&text)));
		column->width = shown_width(column->title);
		for (size_t i = 0; i < nr; i++) {
			cell_text(d, d->entries[i], c, &text);
			ret->texts[i * ret->nr + c] = must(strdup(buf_str(&text)));
			column->width = MAX(column->width, shown_width(buf_str(&text)));
		}
	}
	buf_fini(&text);
}

static void free_cells(struct cells *cells, size_t nr)
{
	for (size_t i = 0; i < (nr + 1) * cells->nr; i++)
		free(cells->texts[i]);
	free(cells->texts);
}

/* What the bars show: the first value that the entries are sorted by, or the hits. Signed values have no bars. */
static bool bar_of(const struct draw *d, const struct hist_entry *e, uint64_t *ret)
{
	hist_sum value;

	*ret = e->hits;
	if (!d->hist->nr_values)
		return true;
	if (!histogram_value(d->h, 0, e, &value))
		value = 0;
	*ret = value > (hist_sum)UINT64_MAX ? UINT64_MAX : (uint64_t)value;
	return value >= 0;
}

static void draw_table(const struct draw *d, size_t nr)
{
	unsigned used = 0, width;
	uint64_t max = 0, n;
	bool bars = true;
	struct cells cells;

	make_cells(d, nr, &cells);
	for (unsigned c = 0; c < cells.nr; c++)
		used += cells.columns[c].width + (c ? 2 : 0);
	for (size_t i = 0; i < nr; i++) {
		bars &= bar_of(d, d->entries[i], &n);
		max = MAX(max, n);
	}
	bars &= d->view->width >= used + 3 + BAR_MIN;
	width = width_left(d, used);
	for (size_t i = 0; i <= nr; i++) {
		size_t row = i ? i - 1 : nr;	/* the titles are behind the entries */

		for (unsigned c = 0; c < cells.nr; c++) {
			if (c)
				buf_adds(d->out, "  ");
			put_cell(d, &cells.columns[c], cells.texts[row * cells.nr + c], c + 1 == cells.nr && !i);
		}
		if (i && bars && bar_of(d, d->entries[row], &n))
			put_bar(d, n, max, width);
		buf_addc(d->out, '\n');
	}
	free_cells(&cells, nr);
}

/* ---- buckets ---- */

static const struct hist_key *scale_of(const struct draw *d)
{
	return &d->h->keys[d->hist->nr_keys - 1];
}

static int compare_group(const struct draw *d, const struct hist_entry *a, const struct hist_entry *b)
{
	for (unsigned i = 0; i + 1 < d->hist->nr_keys; i++) {
		const struct hist_key *k = &d->h->keys[i];
		int c = memcmp(a->key + k->off, b->key + k->off, k->size);

		if (!c)
			c = histogram_key_faulted(d->h, i, b) - histogram_key_faulted(d->h, i, a);
		if (c)
			return c;
	}
	return 0;
}

/* Where the bucket is in the order of the numbers. Of .log2 all negative numbers are in one bucket, which comes first. */
static int64_t position(const struct hist_key *k, uint64_t bucket)
{
	if (k->node->value.modifier == HIST_LOG2)
		return k->node->is_signed && bucket == HIST_LOG2_NEGATIVE ? -1 : (int64_t)bucket;
	/* The order of numbers without a sign is that of signed ones 2^63 below them. */
	return (int64_t)(k->node->is_signed ? bucket : bucket - (1ull << 63));
}

static int compare_scale(const void *x, const void *y, void *ctx)
{
	const struct hist_entry *a = *(struct hist_entry *const *)x, *b = *(struct hist_entry *const *)y;
	const struct draw *d = ctx;
	const struct hist_key *k = scale_of(d);
	int64_t n = position(k, hist_key_number(a, k)), m = position(k, hist_key_number(b, k));
	int c = compare_group(d, a, b);

	return c ? c : (n > m) - (n < m);
}

struct group {
	size_t first, nr;
	uint64_t hits, max;
};

/* The largest group first; equal ones in the order of their keys. */
static int compare_groups(const void *x, const void *y)
{
	const struct group *a = x, *b = y;

	if (a->hits != b->hits)
		return a->hits < b->hits ? 1 : -1;
	return (a->first > b->first) - (a->first < b->first);
}

/* The widths of a group's lines, and its largest number. */
struct scale {
	unsigned label, digits;
	uint64_t max;
};

static void put_row(const struct draw *d, const struct scale *s, uint64_t bucket, uint64_t hits)
{
	struct buf text = { 0 };

	hist_text_bucket(scale_of(d), bucket, &text);
	buf_addf(d->out, "%-*s  %*llu", (int)s->label, buf_str(&text), (int)s->digits, (unsigned long long)hits);
	put_bar(d, hits, s->max, width_left(d, s->label + 2 + s->digits));
	buf_addc(d->out, '\n');
	buf_fini(&text);
}

static void put_title(const struct draw *d, const struct hist_entry *e)
{
	struct buf text = { 0 };

	buf_addf(d->out, "%s of %s", hist_text_name(d->hist->keys[d->hist->nr_keys - 1]), d->h->event);
	for (unsigned i = 0; i + 1 < d->hist->nr_keys; i++) {
		buf_reset(&text);
		hist_text_key(d->h, &d->h->keys[i], e, d->text, &text);
		buf_addf(d->out, ", %s %s", hist_text_name(d->hist->keys[i]), buf_str(&text));
	}
	buf_addc(d->out, '\n');
	buf_fini(&text);
}

/* The buckets between @from, which is that of an entry, and @to: how many are not shown as lines. */
static uint64_t gap_between(const struct hist_key *k, uint64_t from, uint64_t to, uint64_t *ret_first)
{
	uint64_t step = k->node->value.modifier == HIST_LOG2 ? 1 : k->node->value.buckets, distance;

	/* The two lowest buckets of signed numbers are not a step apart. */
	distance = (uint64_t)position(k, to) - (uint64_t)position(k, from);
	*ret_first = from + step;
	if (k->node->is_signed && k->node->value.modifier == HIST_LOG2 && from == HIST_LOG2_NEGATIVE) {
		*ret_first = 0;
		return distance - 1;
	}
	if (k->node->is_signed && from == (uint64_t)INT64_MIN && from % step) {
		*ret_first = from + from % step;
		distance -= from % step;
		return distance / step;
	}
	return distance / step - 1;
}

typedef void (*row_fn)(const struct draw *d, struct scale *s, uint64_t bucket, uint64_t hits);

/* Calls @row for each line of a group. @hits 0: no entry; UINT64_MAX: lines are left out here. */
static void each_row(const struct draw *d, const struct group *g, row_fn row, struct scale *s)
{
	const struct hist_key *k = scale_of(d);
	uint64_t step = k->node->value.modifier == HIST_LOG2 ? 1 : k->node->value.buckets, last = 0;

	for (size_t i = 0; i < g->nr; i++) {
		const struct hist_entry *e = d->entries[g->first + i];
		uint64_t n = hist_key_number(e, k), first, gap = i ? gap_between(k, last, n, &first) : 0;

		if (gap > GAPS_MAX)
			row(d, s, 0, UINT64_MAX);
		for (uint64_t r = 0; gap <= GAPS_MAX && r < gap; r++)
			row(d, s, first + r * step, 0);
		row(d, s, n, e->hits);
		last = n;
	}
}

static void measure_row(const struct draw *d, struct scale *s, uint64_t bucket, uint64_t hits)
{
	struct buf text = { 0 };

	if (hits == UINT64_MAX)
		return;
	hist_text_bucket(scale_of(d), bucket, &text);
	s->label = MAX(s->label, (unsigned)text.len);
	buf_fini(&text);
}

static void draw_row(const struct draw *d, struct scale *s, uint64_t bucket, uint64_t hits)
{
	if (hits == UINT64_MAX)
		buf_adds(d->out, "...\n");
	else
		put_row(d, s, bucket, hits);
}

static void draw_group(const struct draw *d, const struct group *g)
{
	struct scale s = { .digits = 1, .max = g->max };

	for (uint64_t n = g->max; n >= 10; n /= 10)
		s.digits++;
	put_title(d, d->entries[g->first]);
	each_row(d, g, measure_row, &s);
	each_row(d, g, draw_row, &s);
}

static void draw_scale(struct draw *d)
{
	struct group *groups = must(calloc(d->nr + 1, sizeof(*groups)));
	size_t nr = 0;

	qsort_r(d->entries, d->nr, sizeof(struct hist_entry *), compare_scale, d);
	for (size_t i = 0; i < d->nr; i++) {
		if (!i || compare_group(d, d->entries[i - 1], d->entries[i]))
			groups[nr++] = (struct group){ .first = i };
		groups[nr - 1].nr++;
		groups[nr - 1].hits += d->entries[i]->hits;
		groups[nr - 1].max = MAX(groups[nr - 1].max, d->entries[i]->hits);
	}
	qsort(groups, nr, sizeof(*groups), compare_groups);
	for (size_t i = 0; i < nr && (!d->view->top || i < d->view->top); i++) {
		if (i)
			buf_addc(d->out, '\n');
		draw_group(d, &groups[i]);
	}
	free(groups);
}

void hist_draw(const struct histogram *h, const struct hist_table *table, const struct text *t, const struct hist_view *view,
	       struct buf *out)
{
	struct draw d = { .h = h, .hist = h->trigger->hist, .text = t, .view = view, .out = out };

	d.entries = hist_sort(h, table, &d.nr);
	if (hist_text_is_scale(scale_of(&d)))
		draw_scale(&d);
	else
		draw_table(&d, view->top ? MIN(view->top, d.nr) : d.nr);
	if (table->dropped)
		buf_addf(out, "%llu hits were not counted, because the table was full\n", (unsigned long long)table->dropped);
	free(d.entries);
}
