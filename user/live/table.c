// SPDX-License-Identifier: GPL-2.0-only
/*
 * table.c - the live view's figures as lines of text.
 *
 * The name of an event gets what the other columns leave. If that is too little, columns are left out, the least important first.
 */
#include "live/table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/memory.h"

enum { NAME_MIN = 8, INDENT = 2, CELL = 32 };

static const struct column {
	const char *title, *lettered;	/* lettered: the key that sorts by it is in brackets */
	char letter;
	unsigned width;			/* with the space in front of it; 0: the rest */
	unsigned rank;			/* the highest one is left out first */
	bool timed;			/* only where there are durations */
} columns[LIVE_COLUMNS] = {
	[LIVE_EVENT] = { "EVENT", "[E]VENT", 'e', 0, 0, false },
	[LIVE_RATE] = { "HITS/S", "HIT[S]/S", 's', 10, 1, false },
	[LIVE_TOTAL] = { "TOTAL", "[T]OTAL", 't', 11, 4, false },
	[LIVE_AVG] = { "AVG", "[A]VG", 'a', 8, 3, true },
	[LIVE_P99] = { "P99", "P[9]9", '9', 9, 2, true },
	[LIVE_LOST] = { "LOST", "[L]OST", 'l', 8, 5, false },
	[LIVE_MISSED] = { "MISSED", "[M]ISSED", 'm', 9, 6, false },
};

bool live_column_of(int c, enum live_column *ret)
{
	for (unsigned i = 0; i < LIVE_COLUMNS; i++) {
		if (columns[i].letter == c) {
			*ret = (enum live_column)i;
			return true;
		}
	}
	return false;
}

/* ---- numbers ---- */

void live_duration(uint64_t ns, struct buf *out)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	double n = (double)ns;
	unsigned unit = 0;

	/* 999.5 would be printed with four digits. */
	while (n >= 999.5 && unit + 1 < sizeof(units) / sizeof(*units)) {
		n /= 1000;
		unit++;
	}
	buf_addf(out, "%.*f%s", !unit || n >= 99.95 ? 0 : n >= 9.995 ? 1 : 2, n, units[unit]);
}

static void put_count(uint64_t n, struct buf *out)
{
	static const char units[] = "kMGTPE";
	double d = (double)n;
	unsigned unit = 0;

	if (n < 10000000) {
		buf_addf(out, "%" PRIu64, n);
		return;
	}
	for (d /= 1000; d >= 9999.5 && units[unit + 1]; d /= 1000)
		unit++;
	buf_addf(out, "%.*f%c", d < 99.95, d, units[unit]);
}

static double rate_of(const struct live_table *t, uint64_t hits)
{
	return t->ns ? (double)hits * 1e9 / (double)t->ns : 0;
}

static void put_rate(double rate, struct buf *out)
{
	if (rate && rate < 9.95)
		buf_addf(out, "%.1f", rate);
	else
		put_count((uint64_t)(rate + 0.5), out);
}

/* ---- cells ---- */

static const struct live_figures *shown(const struct live_table *t, const struct live_row *row)
{
	return t->whole ? &row->all : &row->now;
}

static void put_times(enum live_column c, const struct live_view *v, const struct live_row *row, const struct live_figures *f, struct buf *out)
{
	uint64_t ns;

	if (!row->has_elapsed)
		return;
	if (c == LIVE_AVG ? !live_average(f, &ns) : !live_percentile(f, 99, &ns)) {
		buf_addc(out, '-');
		return;
	}
	if (c == LIVE_P99)
		buf_adds(out, v->utf8 ? "\xe2\x89\xa4" : "<=");
	live_duration(ns, out);
}

static void put_cell(const struct live_table *t, const struct live_view *v, const struct live_row *row, enum live_column c, struct buf *out)
{
	switch (c) {
	case LIVE_RATE:
		put_rate(rate_of(t, shown(t, row)->hits), out);
		break;
	case LIVE_TOTAL:
		put_count(row->all.hits, out);
		break;
	case LIVE_LOST:
		put_count(row->lost, out);
		break;
	case LIVE_MISSED:
		if (row->missed_known)
			put_count(row->missed, out);
		else
			buf_addc(out, '?');
		break;
	default:
		put_times(c, v, row, shown(t, row), out);
		break;
	}
}

/* Of a key only the figures of this time are known. */
static void put_key_cell(const struct live_table *t, const struct live_view *v, const struct live_row *row, const struct live_key *key,
			 enum live_column c, struct buf *out)
{
	if (c == LIVE_RATE)
		put_rate(rate_of(t, key->f.hits), out);
	else if (c == LIVE_AVG || c == LIVE_P99)
		put_times(c, v, row, &key->f, out);
}

/* ---- lines ---- */

struct plan {
	bool has[LIVE_COLUMNS];
	unsigned name;			/* columns of a terminal for the name */
};

static unsigned shown_width(const char *text)
{
	unsigned width = 0, columns_of;
	struct buf scratch = { 0 };

	for (size_t len = strlen(text); len;) {
		size_t used = escape_character(&scratch, text, len, &columns_of);

		text += used;
		len -= used;
		width += columns_of;
	}
	buf_fini(&scratch);
	return width;
}

unsigned live_put_cut(const char *text, size_t len, unsigned width, struct buf *out)
{
	unsigned used = 0;

	while (len) {
		size_t before = out->len, took;
		unsigned columns_of;

		took = escape_character(out, text, len, &columns_of);
		if (used + columns_of > width) {
			out->len = before;
			break;
		}
		used += columns_of;
		text += took;
		len -= took;
	}
	return used;
}

/* The name, cut or filled to @width columns. */
static void put_name(const char *text, unsigned width, struct buf *out)
{
	unsigned used = live_put_cut(text, strlen(text), width, out);

	buf_addf(out, "%*s", (int)(width - used), "");
}

static void event_name(const struct live_table *t, const struct live_row *row, struct buf *out)
{
	bool twice = false;

	for (unsigned i = 0; i < t->nr_rows; i++)
		twice |= &t->rows[i] != row && !strcmp(t->rows[i].event, row->event);
	buf_reset(out);
	buf_addf(out, twice ? "%s/%s" : "%.0s%s", row->group, row->event);
}

static unsigned longest_name(const struct live_table *t)
{
	unsigned longest = NAME_MIN;
	struct buf name = { 0 };

	for (unsigned i = 0; i < t->nr_rows; i++) {
		const struct live_row *row = &t->rows[i];

		event_name(t, row, &name);
		longest = MAX(longest, shown_width(buf_str(&name)));
		for (unsigned k = 0; !t->whole && k < row->nr_keys; k++)
			longest = MAX(longest, INDENT + shown_width(row->keys[k].name));
	}
	buf_fini(&name);
	return longest;
}

static unsigned used_width(const struct plan *p)
{
	unsigned used = 0;

	for (unsigned c = 0; c < LIVE_COLUMNS; c++)
		used += p->has[c] ? columns[c].width : 0;
	return used;
}

static struct plan plan_columns(const struct live_table *t, const struct live_view *v)
{
	struct plan p = { .has = { false } };
	bool timed = false;

	for (unsigned i = 0; i < t->nr_rows; i++)
		timed |= t->rows[i].has_elapsed;
	for (unsigned c = 0; c < LIVE_COLUMNS; c++)
		p.has[c] = timed || !columns[c].timed;
	for (unsigned rank = LIVE_COLUMNS - 1; v->width && rank && used_width(&p) + NAME_MIN > v->width; rank--) {
		for (unsigned c = 0; c < LIVE_COLUMNS; c++)
			p.has[c] &= columns[c].rank != rank;
	}
	p.name = longest_name(t);
	if (v->width)
		p.name = MIN(p.name, v->width - MIN(v->width, used_width(&p)));
	return p;
}

/* The texts of one line's cells are @cells, of which that of LIVE_EVENT is the name. */
static void put_line(const struct plan *p, const struct buf *cells, unsigned indent, struct buf *out)
{
	indent = MIN(indent, p->name);
	buf_addf(out, "%*s", (int)indent, "");
	put_name(buf_str(&cells[LIVE_EVENT]), p->name - indent, out);
	for (unsigned c = LIVE_EVENT + 1; c < LIVE_COLUMNS; c++) {
		unsigned width = shown_width(buf_str(&cells[c]));

		if (!p->has[c])
			continue;
		buf_addf(out, "%*s%s", (int)(columns[c].width - MIN(columns[c].width, width)), "", buf_str(&cells[c]));
	}
	while (out->len && out->data[out->len - 1] == ' ')
		out->data[--out->len] = '\0';
}

static void reset(struct buf *cells)
{
	for (unsigned c = 0; c < LIVE_COLUMNS; c++)
		buf_reset(&cells[c]);
}

static void put_titles(const struct live_view *v, const struct plan *p, struct buf *cells, struct buf *out)
{
	reset(cells);
	for (unsigned c = 0; c < LIVE_COLUMNS; c++)
		buf_adds(&cells[c], v->letters ? columns[c].lettered : columns[c].title);
	buf_adds(out, v->begin ? v->begin : "");
	put_line(p, cells, 0, out);
	buf_adds(out, v->end ? v->end : "");
	buf_addc(out, '\n');
}

static void put_row(const struct live_table *t, const struct live_view *v, const struct live_row *row, const struct plan *p,
		    struct buf *cells, struct buf *out)
{
	reset(cells);
	event_name(t, row, &cells[LIVE_EVENT]);
	for (unsigned c = LIVE_EVENT + 1; c < LIVE_COLUMNS; c++)
		put_cell(t, v, row, (enum live_column)c, &cells[c]);
	put_line(p, cells, 0, out);
	buf_addc(out, '\n');
	for (unsigned k = 0; !t->whole && k < row->nr_keys; k++) {
		reset(cells);
		buf_adds(&cells[LIVE_EVENT], row->keys[k].name);
		for (unsigned c = LIVE_EVENT + 1; c < LIVE_COLUMNS; c++)
			put_key_cell(t, v, row, &row->keys[k], (enum live_column)c, &cells[c]);
		put_line(p, cells, INDENT, out);
		buf_addc(out, '\n');
	}
}

/* ---- the order ---- */

struct order {
	const struct live_table *table;
	const struct live_view *view;
};

static uint64_t sort_number(const struct order *o, const struct live_row *row)
{
	const struct live_figures *f = shown(o->table, row);
	uint64_t ns;

	switch (o->view->sort) {
	case LIVE_TOTAL:
		return row->all.hits;
	case LIVE_AVG:
		return live_average(f, &ns) ? ns : 0;
	case LIVE_P99:
		return live_percentile(f, 99, &ns) ? ns : 0;
	case LIVE_LOST:
		return row->lost;
	case LIVE_MISSED:
		return row->missed;
	default:
		return f->hits;
	}
}

/* The largest number first; names from A on. Equal ones in the order of the definitions. */
static int compare(const void *a, const void *b, void *ctx)
{
	const struct live_row *x = *(const struct live_row *const *)a, *y = *(const struct live_row *const *)b;
	const struct order *o = ctx;
	int c;

	if (o->view->sort == LIVE_EVENT) {
		c = strcmp(x->event, y->event);
	} else {
		uint64_t n = sort_number(o, x), m = sort_number(o, y);

		c = (n < m) - (n > m);
	}
	if (!c)
		return x < y ? -1 : x > y;
	return o->view->reverse ? -c : c;
}

void live_table_text(const struct live_table *table, const struct live_view *view, struct buf *out)
{
	const struct plan p = plan_columns(table, view);
	struct order order = { table, view };
	struct buf cells[LIVE_COLUMNS] = { { 0 } };
	const struct live_row **rows = must(calloc(table->nr_rows + 1, sizeof(*rows)));

	for (unsigned i = 0; i < table->nr_rows; i++)
		rows[i] = &table->rows[i];
	qsort_r(rows, table->nr_rows, sizeof(*rows), compare, &order);
	put_titles(view, &p, cells, out);
	for (unsigned i = 0; i < table->nr_rows; i++)
		put_row(table, view, rows[i], &p, cells, out);
	for (unsigned c = 0; c < LIVE_COLUMNS; c++)
		buf_fini(&cells[c]);
	free(rows);
}
