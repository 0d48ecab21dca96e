/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * table.h - the live view's figures as lines of text, and as JSON.
 */
#ifndef LIVE_TABLE_H
#define LIVE_TABLE_H

#include "live/figures.h"

struct sender;

enum live_column { LIVE_EVENT, LIVE_RATE, LIVE_TOTAL, LIVE_AVG, LIVE_P99, LIVE_LOST, LIVE_MISSED, LIVE_COLUMNS };

/* What is shown, of when. */
struct live_table {
	const struct live_row *rows;
	unsigned nr_rows;
	uint64_t ns;			/* the length of the time that "now" is */
	bool whole;			/* of each event all since the beginning is shown, and no keys */
	const char *key;		/* what the keys are: "comm" */
};

struct live_view {
	unsigned width;			/* no line is longer; 0: as long as they need to be */
	bool utf8;
	bool letters;			/* the titles show the keys that sort by them */
	const char *begin, *end;	/* around the line with the titles; they take no room */
	enum live_column sort;
	bool reverse;
};

/* The column that the letter @c sorts by. False: none. */
bool live_column_of(int c, enum live_column *ret);

/* Appends the lines: titles, then each event with its keys below it. */
void live_table_text(const struct live_table *table, const struct live_view *view, struct buf *out);

/* Appends an object on a line for @row. @ts: CLOCK_MONOTONIC ns of the reading. @sender: whose it is; NULL: it does not say it. */
void live_row_json(const struct live_table *table, const struct live_row *row, uint64_t ts, const struct sender *sender, struct buf *out);

/* Appends the @len bytes at @text, escaped (base/escape.h), as far as they have @width columns. Returns how many they have. */
unsigned live_put_cut(const char *text, size_t len, unsigned width, struct buf *out);

/* Appends a duration in three digits and its unit: "812ns", "4.19ms". */
void live_duration(uint64_t ns, struct buf *out);

#endif
