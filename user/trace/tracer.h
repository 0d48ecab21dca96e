/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tracer.h - one run of bprobe, for trace.c and its helpers.
 */
#ifndef TRACE_TRACER_H
#define TRACE_TRACER_H

#include <stdbool.h>
#include <stdint.h>

#include "registry/registry.h"
#include "run/mapwatch.h"
#include "run/modwatch.h"
#include "set/set.h"
#include "stream/options.h"
#include "stream/stream.h"
#include "trace/answers_show.h"
#include "trace/command.h"
#include "trace/lint_child.h"
#include "trace/live_show.h"

/* Why the tracing ends. */
enum end {
	END_NOT,
	END_COMMAND,			/* COMMAND has ended */
	END_LIMIT,			/* -d or -n */
	END_SIGNAL,			/* the first signal; with COMMAND the second one */
	END_REMOVED,			/* the last probe was removed by another bprobe */
	END_CLOSED,			/* nobody reads standard output any more */
	END_OUTPUT,			/* standard output or FILE cannot be written */
};

struct tracer;

/* When records go from the rings to the output: as they come (trace.c), or the newest ones at the end (flight.c). */
struct intake {
	int signal;				/* its own signal, which sets ->snapshot_wanted; 0: none */
	int (*open)(struct tracer *t, struct diag *diag);	/* nothing is attached yet. -errno with @diag */
	void (*begin)(struct tracer *t);	/* the probes are attached */
	int (*step)(struct tracer *t);		/* something has come. Returns the last result of output_flush() */
	int (*rest)(struct tracer *t, enum end why);	/* nothing is attached any more. 0 or -errno of the output */
	void (*serve_asks)(void *t);		/* a trigger has asked for a snapshot; NULL: none can */
};

extern const struct intake intake_flight;

struct tracer {
	const struct options *opts;
	const struct intake *intake;
	struct set set;
	struct command command;
	struct lint_child lint;
	struct stream stream;
	struct answers_show answers;
	struct live_show *live;		/* --live; or NULL */
	struct triggers *triggers;	/* NULL: no definition has one */
	struct record *record;	/* -o: the stream goes there; or NULL */
	struct registry *registry;
	struct modwatch *modules;	/* NULL: no definition names a module */
	struct mapwatch *maps;		/* NULL: no definition has a user stack, or they cannot be watched */
	struct cgwatch *cgroups;	/* the names of containers; NULL: nobody asks */
	bool modules_changed;		/* modules have come or gone since symbols were last read */
	uint64_t deadline_ns;		/* CLOCK_MONOTONIC; 0: none */
	struct signals signals;
	int signal_fd;
	enum end end;
	int detach_fd;			/* of the child that detaches (registry/detach_child.h); -1: there is none */
	bool snapshot_wanted;		/* SIGUSR2 came */
	unsigned nr_snapshots;		/* written so far */
	struct ring_buffer *asks;	/* the bell by which triggers ask for snapshots; NULL: there is no such trigger */
	bool forwarded;			/* a signal was forwarded to COMMAND: the next one ends bprobe */
};

/* The first reason wins. */
void tracer_end(struct tracer *t, enum end why);

/*
 * Writes the last lines, as long as somebody reads them. A signal ends this, and with @hurry a short delay. Returns the last result of
 * output_flush(), but 0 if it was ended: then it has said so.
 */
int tracer_flush(struct tracer *t, bool hurry);

/* Prints what the sink has to say at the end. A signal ends this early, and a message says so. 0 or -errno. */
int tracer_end_stream(struct tracer *t);

/* Tells the stream about a resolved probe. */
void tracer_set_source(struct tracer *t, unsigned i);

#endif
