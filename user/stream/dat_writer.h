/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dat_writer.h - writes events into a trace.dat (-o), or into several, one after the other (--rotate).
 */
#ifndef STREAM_DAT_WRITER_H
#define STREAM_DAT_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "print/event.h"
#include "print/sink.h"
#include "print/text.h"
#include "stream/options.h"

struct dat_writer;
struct stream;

/*
 * Prepares for the file that @opts names. It is checked, but neither created nor changed before dat_writer_start(). -errno with
 * @diag. The caller closes with dat_writer_close().
 */
int dat_writer_open(const struct options *opts, struct dat_writer **ret, struct diag *diag);

/*
 * Opens the file for the events of @s (borrowed), whose sources and text must be set. The old content of the file is lost.
 * @more: sources with other layouts may come later. -errno with @diag.
 */
int dat_writer_start(struct dat_writer *r, const struct stream *s, bool more, struct diag *diag);

/* To be called when the symbols or the sources of the stream have changed. A new layout may be at the address of an old one. */
void dat_writer_forget(struct dat_writer *r);

/*
 * Writes events to a struct dat_writer that was started. An error is kept until the sink is flushed. After a flush with nothing
 * more to record, all events are in the files beside FILE.
 */
extern const struct sink sink_dat;

/* Completes the last file, if it was started. Prints to standard error what went wrong, or where the events are. 0 or -errno. */
int dat_writer_finish(struct dat_writer *r);

/* The same for a file that was started, without --rotate; prints nothing about it, and no signal ends it. */
int dat_writer_complete(struct dat_writer *r);

/* NULL is fine. Without dat_writer_finish() the files stay as they are. */
void dat_writer_close(struct dat_writer *r);

#endif
