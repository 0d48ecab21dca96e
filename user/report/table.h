/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * table.h - a table of text: columns as wide as they need to be, and a bar behind them.
 */
#ifndef REPORT_TABLE_H
#define REPORT_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"

enum { TABLE_COLUMNS = 8 };

struct table_column {
	const char *title;
	bool right;			/* numbers */
	bool shrinks;			/* its texts may be cut where lines would be too long */
};

/* The caller sets the columns of a zeroed one. */
struct table {
	struct table_column columns[TABLE_COLUMNS];
	unsigned nr_columns;
	struct arena arena;
	struct table_row *rows;
	unsigned nr, size;
};

void table_fini(struct table *t);

/* Begins a row, which has a bar of this length. */
void table_row(struct table *t, uint64_t bar);

/* The next cell of the row: escaped text. */
void table_cell(struct table *t, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Appends it. Lines have at most @width columns, if the columns that shrink allow it; the largest bar takes what is left. */
void table_put(const struct table *t, unsigned width, bool utf8, struct buf *out);

/* How many columns of a terminal @s takes: each character one. */
unsigned table_width(const char *s);

#endif
