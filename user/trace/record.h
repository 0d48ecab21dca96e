/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * record.h - events into a trace.dat (-o), or one after the other (--rotate).
 */
#ifndef TRACE_RECORD_H
#define TRACE_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "print/event.h"
#include "print/sink.h"
#include "print/text.h"
#include "trace/options.h"

struct record;
struct stream;

/*
 * For the file that @opts names, which is looked at, but neither created nor changed before record_start(). -errno with
 * @diag; the caller closes with record_close().
 */
int record_open(const struct options *opts, struct record **ret, struct diag *diag);

/*
 * Opens the file for the events of @s (borrowed), whose sources and text are set; what it had is gone. @more: there may come sources of
 * other layouts. -errno with @diag.
 */
int record_start(struct record *r, const struct stream *s, bool more, struct diag *diag);

/* Symbols or the sources of the stream are others: layouts that are at the same place as before may be, too. */
void record_forget(struct record *r);

/*
 * Events go to a struct record that was started. Errors are kept until the sink is flushed. With nothing more to be recorded all of
 * them are in the files beside FILE afterwards.
 */
extern const struct sink sink_dat;

/* The last file is completed, if it was started. Says on standard error what went wrong, or where the events are. 0 or -errno. */
int record_finish(struct record *r);

/* NULL is fine. Without record_finish() files are left as they are. */
void record_close(struct record *r);

#endif
