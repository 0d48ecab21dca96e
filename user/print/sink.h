/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sink.h - what is done with events: lines of text, JSON objects, or a file. Each has a row; the stream calls the row's functions.
 */
#ifndef PRINT_SINK_H
#define PRINT_SINK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "print/event.h"
#include "print/style.h"

enum { SINK_MORE = 1 };

struct entries;
struct home;
struct text;

/* An option of its own asks for a sink. */
struct sink_option {
	const char *name;		/* without its dashes */
	const char *value;		/* what stands behind its '='; NULL: nothing */
	const char *does;		/* for messages: "prints events" */
	const char *no_columns;		/* what the options for columns are for instead, and why: a sentence's end */
	bool takes_clock;		/* --clock has a meaning for it */
};

/* @to is where the sink writes. Text sinks have none, and append to @out. */
struct sink {
	bool prints;			/* it prints into the output's text, which its caller writes */
	bool fits;			/* its lines are not longer than text.width */
	bool objects;			/* each line is a JSON object: histograms are printed in this form, too */
	const struct sink_option *option;	/* NULL: no option of its own asks for it */
	const struct sink *on_terminal;	/* prints the same lines, but safe for a terminal; NULL: they are always safe */
	/* Changes the object that @out has from @from on into the form of the sink's own objects. NULL: nothing is to be changed. */
	void (*reform)(struct buf *out, size_t from);
	/* An event with this layout may come. NULL: the sink need not know. */
	void (*learn)(struct text *t, const struct layout *l);
	/* Prints what comes before the first event. @entries: NULL for a stream. ->header NULL: nothing. */
	void (*header)(struct text *t, enum style style, const struct entries *entries, struct buf *out);
	void (*event)(void *to, struct text *t, const struct event *ev, struct buf *out);
	/* @count UINT64_MAX: the number is not known. */
	void (*lost)(void *to, const struct text *t, unsigned cpu, uint64_t count, struct buf *out);
	/* Says which numbers are missing, instead of ->lost, if text.sender says that somebody looks at them. NULL: it has no numbers. */
	void (*gap)(void *to, const struct text *t, const struct gap *gap, struct buf *out);
	/*
	 * What follows is of @home, and what came before of another one. It is called only if events of several homes come. NULL: nothing is
	 * said of it, or each object says it.
	 */
	void (*home)(void *to, struct text *t, const struct home *home, struct buf *out);
	/* Symbols will change: prints all that waits. NULL: nothing waits. */
	void (*settle)(struct text *t, struct buf *out);
	/*
	 * Prints what can be said only after the last event, or a part of it. SINK_MORE: the caller writes @out, and calls again. 0: that
	 * was all; -errno: it cannot be said. NULL: there is nothing.
	 */
	int (*end)(struct text *t, struct buf *out);
	/*
	 * With @idle nothing more is waiting; then all events must be where they can be read. 0, or -errno of the first
	 * write that failed. NULL: it writes nothing itself.
	 */
	int (*flush)(void *to, bool idle);
	/* What is missing since ->flush has failed, although ->end prints what came before; or NULL. NULL: nothing is ever missing. */
	const char *(*missing)(const void *to);
};

extern const struct sink sink_text, sink_json, sink_json_flat;	/* sink_folded: print/folded.h */

/* Those that have an option of their own; NULL ends the table. */
extern const struct sink *const sinks[];

#endif
