/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * recorded.h - one trace.dat that bprobe has written: its events, and its records in the form that the ring had.
 *
 * Between recorded_begin() and recorded_end() its pages are in memory: of each CPU one, or a chunk if the file is compressed.
 */
#ifndef TRACE_RECORDED_H
#define TRACE_RECORDED_H

#include "dat/dat.h"
#include "dat/dat_cursor.h"
#include "dat/dat_record.h"
#include "print/home.h"
#include "print/recording.h"

struct builds;
struct filter;
struct recorded_symbols;

/* An event of the file. */
struct recorded_event {
	struct dat_format format;	/* with the group */
	bool wanted;			/* it is to be shown */
	const struct filter *filter;	/* its records that this rejects are not shown; NULL: none is rejected */
};

struct recorded {
	const char *path;
	struct arena arena;
	int fd;				/* -1: not open */
	uint32_t page_size;
	struct dat_stripe *stripes, *found;	/* found: those of files beside a file that was not completed */
	unsigned nr_stripes, nr_found;
	unsigned nr_cpus;
	uint32_t *by_id;		/* 1 + the event, for each event number; 0: not an event of bprobe */
	unsigned nr_ids;
	struct recorded_event *events;
	unsigned nr_events;
	unsigned nr_foreign;		/* events that are not bprobe's */
	bool has_stacks;		/* some of its events have stacks */
	struct dat_file head;		/* only ->uname, ->writer, ->clock and ->complete */
	struct recording made;		/* where, and what the clocks showed there; only the boot's id and the readings may be unknown */
	struct home home;
	uint64_t begins;		/* time of the first record, on the file's clock; UINT64_MAX: it has none */

	/* What its reader decides. */
	unsigned first;			/* the number of its first event among those of all recordings */
	int64_t shift;			/* ns from the file's clock to that of the output */

	/* While it is read: */
	struct arena pages;
	struct dat_cursors *cursors;
	struct dat_extras *extras;	/* for each CPU */
	uint64_t *lost;			/* for each CPU: losses to report with the next record that is shown */
	struct dat_hit hit;		/* the next record, with its time on the clock of the output */
	bool has_hit;

	uint64_t skipped;		/* records of foreign events, and damaged records */
	uint64_t bad;			/* pages that were damaged or incomplete */
};

/*
 * Opens @path (borrowed), and reads everything except the records. @builds: what it says of builds is added there; NULL: nobody asks.
 * Messages about a file that was not completed, or has no symbols, go to standard error. -errno with @diag. The caller closes in any case.
 */
int recorded_open(struct recorded *r, const char *path, struct recorded_symbols *symbols, struct builds *builds, struct diag *diag);
void recorded_close(struct recorded *r);

/* Finds ->begins. */
void recorded_look(struct recorded *r);

/* Opens its pages: ->hit is the first record. */
void recorded_begin(struct recorded *r);

/* Replaces ->hit by the next one. It clears ->has_hit if there is none. */
void recorded_next(struct recorded *r);

/* Closes its pages. What was counted stays. */
void recorded_end(struct recorded *r);

/*
 * The event of ->hit as the ring had it, in @room, with ->probe among all recordings. NULL: it is none of bprobe's, or damaged, or frames of
 * the record before it.
 */
const struct bp_rec *recorded_unpack(struct recorded *r, struct buf *room, const struct recorded_event **ret);

#endif
