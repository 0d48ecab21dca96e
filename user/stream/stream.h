/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stream.h - takes records from rings to a sink as they come: lines on standard output, or a file.
 *
 * Used for tracing and for reading kept events. The callers themselves wait for
 * everything except records and output.
 */
#ifndef STREAM_STREAM_H
#define STREAM_STREAM_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "print/sink.h"
#include "print/text.h"
#include "run/channel.h"
#include "run/losses.h"
#include "run/pace.h"
#include "run/ring.h"
#include "stream/output.h"

/* What is known about the records of probe n (bp_rec.probe). */
struct source {
	const struct layout *layout;	/* NULL: the records are not shown */
	const struct filter *filter;	/* the part of the filter that BPF did not decide; NULL: nothing */
	const struct filter *shows_stack;	/* records that it rejects are shown without kernel stack; NULL: none */
	uint64_t *filtered;		/* counts the records that it rejected */
	uint64_t *undecided;		/* ... because a value could not be read; NULL: nobody asks */
	const struct channel *channel;
	unsigned index;			/* in the channel */
	struct losses *losses;		/* for each possible CPU; NULL: there is no layout, or the rings overwrite, so gaps are no losses */
	bool read;			/* since this was cleared, a record was taken */
	uint64_t cleared;		/* if the rings overwrite: this many records were dropped, or overwritten before: see tally.h */
};

struct numbers;
struct recording;
struct triggers;

struct stream {
	struct triggers *triggers;	/* what events set off; NULL: nothing; the caller's */
	struct rings *rings;		/* NULL: the caller gives the records to stream_take_record() */
	struct numbers *numbers;	/* of hits, as stream_begin() found; NULL: nobody asks for them */
	struct pace pace;
	struct output out;
	struct text text;
	struct source *sources;		/* indexed by number; the caller's */
	unsigned nr_sources;
	unsigned nr_cpus;		/* possible CPUs */
	int wait_ms;			/* time until the next look at the rings; PACE_WAIT: until they wake the reader */
	const struct sink *sink;	/* what is done with events */
	void *to;			/* where the sink writes; the caller's */
	const struct recording *recordings;	/* where the records were made, by text.machine; NULL: here, and now; the caller's */
	unsigned nr_recordings;
	int out_err;			/* the last result of output_flush() */
	bool take_all;			/* take records even if the output is full */
	bool blocks;			/* a pass ends after one block of text, so that at most this block can be printed twice */
	uint64_t nr_events, max_events;	/* nr_events: printed so far; max_events: 0: any number */
	uint64_t nr_lost;		/* reported so far */
};

/* Opens standard output, if the sink prints, and the @nr rings @srcs, if there are any. The caller sets the other members. -errno with @diag. */
int stream_open(struct stream *s, const struct ring_src *srcs, unsigned nr, struct diag *diag);
void stream_close(struct stream *s);

/*
 * To be called before the first event: tells the sink which events may come, and prints the header of the lines unless @quiet.
 * @entries: NULL if more may come.
 */
void stream_begin(struct stream *s, bool quiet, const struct entries *entries);

/* Reads the terminal's width. stream_step() calls it. A caller without stream_step() calls it after each write. */
void stream_fit(struct stream *s);

/* Have all wanted events been printed? */
bool stream_enough(const struct stream *s);

/* Prints one record (a ring_record_fn; @ctx is the stream). False: the output takes no more. */
bool stream_take_record(void *ctx, const struct bp_rec *rec, uint32_t len);

/* Fills in what poll(2) shall wait for: rings and output. Returns the longest time to wait in ms; -1: no limit. */
int stream_poll(struct stream *s, struct pollfd fds[2]);

/* Does the result of poll(2) say that the reader of the output has gone? */
bool stream_reader_left(const struct pollfd fds[2]);

/*
 * Prints the records of the rings, and writes as much as possible. Returns what output_flush() returned. The records stay in the
 * rings until rings_commit() if the stream blocks.
 */
int stream_step(struct stream *s);

/* Prints the records that are in the rings now, even if the output is full. */
void stream_catch_up(struct stream *s);

/* Reports lost events. */
void stream_lost(struct stream *s, unsigned cpu, uint64_t count);

/*
 * No event follows: prints what the sink has to say at the end. SINK_MORE: that was a part of it; the caller writes ->out.text, and calls
 * again. -errno: it cannot be said.
 */
int stream_end(struct stream *s);

/* What is missing since the sink's flush has failed, although stream_end() prints what came before; NULL: nothing more can be printed. */
const char *stream_missing(const struct stream *s);

/* Symbols will change: prints events that wait. */
void stream_settle(struct stream *s);

/* Reports losses that no event follows, one line for each CPU. @scratch is used as temporary memory. */
void stream_last_losses(struct stream *s, struct arena *scratch);

#endif
