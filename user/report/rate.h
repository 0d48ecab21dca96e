/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rate.h - how many events there were in each part of the time, for all events and for rows of them.
 *
 * Nobody knows at the first event when the last one comes. So the parts are short at first, and whenever there are too many of them, two or
 * five neighbours become one. Their width is always 1, 2, 10, 20, 100... microseconds.
 */
#ifndef REPORT_RATE_H
#define REPORT_RATE_H

#include <stdint.h>

enum {
	RATE_BINS = 4000,		/* at most; at least a fifth of them, if the recording is not very short */
	RATE_FIRST = 1000,		/* ns of a bin at first */
};

/* Starts as all zeroes. */
struct rate {
	uint64_t start;			/* of the first bin, ns */
	uint64_t width;			/* of a bin, ns; 0: there was no event yet */
	unsigned used;			/* bins up to the last event */
	unsigned steps;			/* how often the width has grown */
	uint32_t **rows;		/* RATE_BINS counts of each row; NULL: none yet */
	unsigned nr, size;
};

void rate_fini(struct rate *r);

/* Adds an event of row @row at @ts (ns). An event before the first one counts with it. If memory runs out, the process ends. */
void rate_add(struct rate *r, unsigned row, uint64_t ts);

/* Adds the bins of row @from to those of row @to, and empties @from. */
void rate_join(struct rate *r, unsigned to, unsigned from);

/* The count of bin @bin in row @row. */
uint32_t rate_count(const struct rate *r, unsigned row, unsigned bin);

#endif
