// SPDX-License-Identifier: GPL-2.0-only
/*
 * table.c - a table of text.
 */
#include "report/table.h"

#include <stdlib.h>

#include "print/bar.h"

enum { SHRINKS_TO = 8, GAP = 2 };

struct table_row {
	uint64_t bar;
	unsigned nr;
	const char *cells[TABLE_COLUMNS];
};

void table_fini(struct table *t)
{
	free(t->rows);
	arena_fini(&t->arena);
	t->rows = NULL;
	t->nr = t->size = 0;
}

void table_row(struct table *t, uint64_t bar)
{
	t->rows = heap_grow(t->rows, t->nr, &t->size);
	t->rows[t->nr++] = (struct table_row){ .bar = bar };
}

void table_cell(struct table *t, const char *fmt, ...)
{
	struct table_row *row = &t->rows[t->nr - 1];
	struct buf text = { 0 };
	va_list ap;

	va_start(ap, fmt);
	buf_vaddf(&text, fmt, ap);
	va_end(ap);
	if (row->nr < TABLE_COLUMNS)
		row->cells[row->nr++] = arena_strdup(&t->arena, buf_str(&text));
	buf_fini(&text);
}

unsigned table_width(const char *s)
{
	unsigned width = 0;

	for (; *s; s++)
		width += (*s & 0xc0) != 0x80;
	return width;
}

/* Appends @text in @width columns. What does not fit is cut. */
static void put_cell(const struct table_column *c, const char *text, unsigned width, bool utf8, bool last, struct buf *out)
{
	unsigned has = table_width(text), dots = utf8 ? 1 : 3;

	if (c->right && has < width)
		buf_pad(out, ' ', width - has);
	if (has <= width) {
		buf_adds(out, text);
	} else {
		for (unsigned n = 0; *text && (n < width - dots || (*text & 0xc0) == 0x80); text++) {
			n += (text[1] & 0xc0) != 0x80;
			buf_addc(out, *text);
		}
		buf_adds(out, utf8 ? "\u2026" : "...");
	}
	if (!c->right && has < width && !last)
		buf_pad(out, ' ', width - has);
}

static unsigned sum_of(const struct table *t, const unsigned *widths)
{
	unsigned sum = 0;

	for (unsigned c = 0; c < t->nr_columns; c++)
		sum += widths[c] + (c ? GAP : 0);
	return sum;
}

/* The widest column that shrinks gets narrower until all fit. */
static void find_widths(const struct table *t, unsigned width, unsigned *widths)
{
	for (unsigned c = 0; c < t->nr_columns; c++) {
		widths[c] = table_width(t->columns[c].title);
		for (unsigned i = 0; i < t->nr; i++)
			widths[c] = MAX(widths[c], c < t->rows[i].nr ? table_width(t->rows[i].cells[c]) : 0);
	}
	while (sum_of(t, widths) > width) {
		unsigned *widest = NULL;

		for (unsigned c = 0; c < t->nr_columns; c++) {
			if (t->columns[c].shrinks && widths[c] > SHRINKS_TO && (!widest || widths[c] > *widest))
				widest = &widths[c];
		}
		if (!widest)
			break;
		--*widest;
	}
}

void table_put(const struct table *t, unsigned width, bool utf8, struct buf *out)
{
	unsigned widths[TABLE_COLUMNS], used;
	uint64_t most = 0;
	bool bars;

	find_widths(t, width, widths);
	used = sum_of(t, widths);
	for (unsigned i = 0; i < t->nr; i++)
		most = MAX(most, t->rows[i].bar);
	bars = most && width >= used + 3 + BAR_MIN;
	for (unsigned c = 0; c < t->nr_columns; c++) {
		buf_pad(out, ' ', c ? GAP : 0);
		put_cell(&t->columns[c], t->columns[c].title, widths[c], utf8, c + 1 == t->nr_columns, out);
	}
	buf_addc(out, '\n');
	for (unsigned i = 0; i < t->nr; i++) {
		const struct table_row *row = &t->rows[i];

		for (unsigned c = 0; c < row->nr; c++) {
			buf_pad(out, ' ', c ? GAP : 0);
			put_cell(&t->columns[c], row->cells[c], widths[c], utf8, c + 1 == t->nr_columns, out);
		}
		if (bars && row->bar)
			bar_put(out, row->bar, most, bar_width(width, used), utf8);
		buf_addc(out, '\n');
	}
}
