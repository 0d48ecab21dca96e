/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * figures.h - what the live view knows of each event: hits, durations, losses, and the keys with the most hits.
 *
 * The hits are those of the event's counters. Durations and keys come from a histogram that programs count, which is taken and begun again at
 * each reading. A bucket holds the durations of one power of two, so a percentile is known only as an upper bound.
 */
#ifndef LIVE_FIGURES_H
#define LIVE_FIGURES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

struct hist_table;
struct histogram;
struct text;

enum { LIVE_BUCKETS = 65 };		/* [n]: durations above 2^(n-1) ns, up to 2^n ns */

struct live_figures {
	uint64_t hits;
	uint64_t timed;			/* hits whose duration is known */
	__int128 sum;			/* of their durations, ns */
	uint64_t buckets[LIVE_BUCKETS];
};

struct live_key {
	char *name;			/* without control characters */
	struct live_figures f;
};

/* One event. The caller zeroes it, sets the first members, and frees with live_row_fini(). */
struct live_row {
	const char *group, *event;	/* borrowed */
	bool has_elapsed;		/* its hits have durations */
	bool has_key;			/* its hits are counted by a key */

	struct live_figures now;	/* since the reading before */
	struct live_figures all;	/* since the beginning */
	struct live_key *keys;		/* since the reading before, the one with the most hits first */
	unsigned nr_keys, size_keys;
	uint64_t nr_others;		/* further keys */
	uint64_t dropped;		/* hits that the histogram had no room for, since the beginning */
	uint64_t lost, missed;		/* since the beginning */
	bool missed_known;
};

/* What all counters say of an event now. */
struct live_counters {
	uint64_t hits;			/* without those that @dropped of the row has */
	uint64_t lost, missed;
	bool missed_known;
};

/* A new reading: forgets the keys and durations of the reading before. Then come live_row_add() and live_row_count(). */
void live_row_begin(struct live_row *row);

/*
 * Adds the entries of @table, which are those since the reading before. The last key of @h are the durations if row->has_elapsed; the keys
 * before it are what is shown, @top of them. @t: for their text.
 */
void live_row_add(struct live_row *row, const struct histogram *h, const struct hist_table *table, const struct text *t, unsigned top);

/* Takes the counters. Hits that the histogram had no room for count as lost, too. */
void live_row_count(struct live_row *row, const struct live_counters *now);

void live_row_fini(struct live_row *row);

/* The average duration in ns. False: no duration is known. */
bool live_average(const struct live_figures *f, uint64_t *ret);

/*
 * An upper bound in ns of what @percent of the durations do not exceed: the end of the bucket with the duration of that rank. False: no
 * duration is known.
 */
bool live_percentile(const struct live_figures *f, unsigned percent, uint64_t *ret);

#endif
