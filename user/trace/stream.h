/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stream.h - records of rings into a sink, as they come: lines on standard output, or a file.
 *
 * For whoever traces and for whoever reads kept events: what waits for other things than
 * records and output is theirs.
 */
#ifndef TRACE_STREAM_H
#define TRACE_STREAM_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "print/sink.h"
#include "print/text.h"
#include "run/channel.h"
#include "run/pace.h"
#include "run/ring.h"
#include "trace/output.h"

/* What is known of the records that say they are of probe n (bp_rec.probe). */
struct source {
	const struct layout *layout;	/* NULL: they are not shown */
	const struct filter *filter;	/* what BPF has left to be decided; NULL: nothing */
	uint64_t *filtered;		/* records that it turned away are counted here */
	const struct channel *channel;
	unsigned index;			/* in the channel */
	uint32_t *told;			/* for each possible CPU: losses that LOST lines have told of */
};

struct stream {
	struct rings *rings;
	struct pace pace;
	struct output out;
	struct text text;
	struct source *sources;		/* by number; the caller's */
	unsigned nr_sources;
	unsigned nr_cpus;		/* possible ones */
	int wait_ms;			/* before the next look at the rings; PACE_WAIT: until they wake */
	const struct sink *sink;	/* what becomes of events */
	void *to;			/* the sink's: what it writes to; the caller's */
	int out_err;			/* what output_flush() returned last */
	bool take_all;			/* whether or not the output takes them */
	bool blocks;			/* a pass ends with a block of text, so that no more can be printed twice */
	bool told;			/* a LOST line was printed, or a record filtered, since this was cleared */
	uint64_t nr_events, max_events;	/* printed so far; 0: any number */
	uint64_t nr_lost;		/* told so far */
};

/* Opens standard output, if the sink prints, and @srcs; the other members are the caller's to set. -errno with @diag. */
int stream_open(struct stream *s, const struct ring_src *srcs, unsigned nr, struct diag *diag);
void stream_close(struct stream *s);

/* The style of all definitions' lines; where they differ, today's. */
enum style stream_style(const struct stream *s);

/* Before the first event: the header of its lines, if there is one. */
void stream_header(struct stream *s);

/* Have all the events been printed that were wanted? */
bool stream_enough(const struct stream *s);

/* Prints one record (a ring_record_fn; @ctx is the stream); false: the output takes no more. */
bool stream_take_record(void *ctx, const struct bp_rec *rec, uint32_t len);

/*
 * What to wait for with poll(2): rings, and the output. Returns for how many ms at most; -1: as long as it takes.
 */
int stream_poll(struct stream *s, struct pollfd fds[2]);

/* Has the reader of the output left, as poll(2) tells? */
bool stream_reader_left(const struct pollfd fds[2]);

/* Prints what the rings have, and writes it as far as it can be written. Returns what output_flush() did. */
int stream_step(struct stream *s);

/* Tells of events that were lost. */
void stream_lost(struct stream *s, unsigned cpu, uint64_t count);

/* Losses with no event behind them, one line for each CPU; @scratch holds what it needs for that. */
void stream_last_losses(struct stream *s, struct arena *scratch);

#endif
