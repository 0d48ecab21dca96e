/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hist_draw.h - a histogram for people: a table, or bars for each bucket.
 */
#ifndef HIST_HIST_DRAW_H
#define HIST_HIST_DRAW_H

#include "hist/histogram.h"

struct hist_view {
	unsigned width;			/* columns; lines are not longer where that is possible */
	bool utf8;			/* bars may have parts of a character */
	size_t top;			/* so many entries at most, or groups of buckets; 0: all */
};

/* Appends the entries of @table, which are @h's. Each line ends with a newline. */
void hist_draw(const struct histogram *h, const struct hist_table *table, const struct text *t, const struct hist_view *view,
	       struct buf *out);

#endif
