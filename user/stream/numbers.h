/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * numbers.h - gives each event of a stream the number that tells it from all others, and tells which numbers have no event.
 *
 * Each CPU numbers the hits of a definition (bp_rec.seq). So these are facts of the record: a record that is printed twice has the same
 * number twice. A number is in an event, or in a gap: hits that were lost, or hits that were read and not printed.
 */
#ifndef STREAM_NUMBERS_H
#define STREAM_NUMBERS_H

#include <stdbool.h>

#include "bprobe_abi.h"
#include "print/event.h"

struct numbers;
struct stream;

/* To be called before the first event, and again for other sources. Sets s->numbers if the text has a sender and the sink takes gaps. */
void numbers_begin(struct stream *s);
void numbers_close(struct numbers *n);		/* NULL is fine */

/* ---- only with s->numbers ---- */

/* Takes note of a record, and tells the sink of the hits that were lost before it. */
void numbers_note(struct stream *s, const struct bp_rec *rec);

/* The record is not printed. */
void numbers_skip(struct stream *s, const struct bp_rec *rec);

/* Gives @ev its number. */
void numbers_give(struct stream *s, struct event *ev);

/* Tells the sink of the hits that were lost behind the last record of source @i on @cpu. */
void numbers_last(struct stream *s, unsigned i, unsigned cpu);

/* Tells the sink of what was not printed since the last time: before the records are given back. Fine without s->numbers. */
void numbers_settle(struct stream *s);

#endif
