/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sink.h - what becomes of events: lines of text, objects of JSON, or a file. A row for each; the stream asks the row.
 */
#ifndef PRINT_SINK_H
#define PRINT_SINK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "print/event.h"
#include "print/style.h"

struct text;

/* @to is what the sink was given to write to; text sinks have none, and append to @out. */
struct sink {
	bool prints;			/* into the output's text, which somebody else writes */
	/* What stands before the first event. NULL: nothing. */
	void (*header)(const struct text *t, enum style style, struct buf *out);
	void (*event)(void *to, struct text *t, const struct event *ev, struct buf *out);
	/* @count UINT64_MAX: nobody knows how many. */
	void (*lost)(void *to, unsigned cpu, uint64_t count, struct buf *out);
	/*
	 * With @idle, when nothing more waits, all events are to be where they can be read. 0, or -errno of the first write that
	 * failed. NULL where ->prints.
	 */
	int (*flush)(void *to, bool idle);
};

extern const struct sink sink_text, sink_json;

#endif
