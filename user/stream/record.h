/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * record.h - files that events are written to (-o). The ending of the file's name says which kind it is: a row of kinds[], record.c.
 */
#ifndef STREAM_RECORD_H
#define STREAM_RECORD_H

#include <stdbool.h>

#include "base/diag.h"
#include "print/sink.h"
#include "stream/options.h"

struct stream;

/* What a kind of file takes besides events. */
enum record_takes {
	RECORD_PACKING = 1 << 0,	/* --compress */
	RECORD_ROTATION = 1 << 1,	/* --rotate */
	RECORD_CONVERSION = 1 << 2,	/* it can be made of another file (--read) */
	RECORD_COUNTERS = 1 << 3,	/* --counter */
	RECORD_IS_READ = 1 << 4,	/* --read reads it */
	RECORD_ANY_CLOCK = 1 << 5,	/* --clock=real: it can name clocks that ftrace does not have */
};

struct record_kind {
	const char *ending;		/* of the file's name, with its dot; NULL: any other */
	const char *snapshot_ending;	/* the same for the file of --snapshot; NULL: it is no such file */
	const char *name;		/* for messages: "a trace.dat" */
	unsigned takes;			/* enum record_takes */
	const struct sink *sink;	/* writes to what ->open has made */
	/* Checks the file that @opts names; nothing is created or changed. -errno with @diag. */
	int (*open)(const struct options *opts, void **ret, struct diag *diag);
	/*
	 * Makes the file for the events of @s (borrowed). @more: sources with other layouts may come later. -errno with @diag. -ESRCH: an
	 * option names something that no event has.
	 */
	int (*start)(void *w, const struct stream *s, bool more, struct diag *diag);
	/* Symbols or sources of the stream have changed: a new layout may be at the address of an old one. */
	void (*forget)(void *w);
	/* Completes the file, if it was started. Prints to standard error what went wrong, or where the events are. 0 or -errno. */
	int (*finish)(void *w);
	/* The same for a file that was started; prints nothing about it, and no signal ends it. */
	int (*complete)(void *w);
	void (*close)(void *w);		/* NULL is fine. Without ->finish the files stay as they are */
	void (*remove)(const char *path);	/* a file that could not be completed */
};

/* The kind of a file of this name. */
const struct record_kind *record_kind_of(const char *path);

/* The kind of a snapshot's file; NULL: lines are written to it. */
const struct record_kind *record_kind_of_snapshot(const char *path);

/* Appends the endings of the kinds that take all of @takes: "FILE.json and FILE.pftrace". A kind without an ending is FILE.dat. */
void record_names(unsigned takes, struct buf *out);

/* ---- a file while events are written to it ---- */

struct record {
	const struct record_kind *kind;
	void *writer;			/* where the kind's sink writes */
};

/* The file that @opts names, of this kind. The caller closes with record_close(). -errno with @diag; see record_kind. */
int record_open(const struct record_kind *kind, const struct options *opts, struct record **ret, struct diag *diag);
int record_start(struct record *r, const struct stream *s, bool more, struct diag *diag);
void record_forget(struct record *r);
int record_finish(struct record *r);
int record_complete(struct record *r);
void record_close(struct record *r);	/* NULL is fine */

/* The ->to of a stream whose events go to @r; NULL if that is NULL. */
void *record_to(const struct record *r);

extern const struct record_kind record_dat, record_json, record_pftrace;

#endif
