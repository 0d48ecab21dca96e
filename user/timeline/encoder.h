/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * encoder.h - the forms of a timeline's file: a row for each. timeline.c decides what is on which track; an encoder only writes it.
 */
#ifndef TIMELINE_ENCODER_H
#define TIMELINE_ENCODER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "print/recording.h"
#include "timeline/details.h"

enum track_kind {
	TRACK_MACHINE,			/* has the tracks of the machine as a whole: CPUs, pairs, counters */
	TRACK_PROCESS,			/* has the tracks of its threads; never an event */
	TRACK_THREAD,
	TRACK_IDLE,			/* the idle task of a CPU: all of them have the number 0 */
	TRACK_CPU,
	TRACK_LANE,			/* pairs of one event that do not overlap */
	TRACK_COUNTER,
	TRACK_KINDS
};

/* Two tracks with the same machine, kind and number are the same. */
struct track {
	enum track_kind kind;
	unsigned machine;		/* from 0 */
	uint32_t number;		/* the process, thread, or CPU; else from 0 */
	uint32_t pid;			/* THREAD: its process */
	const char *name;		/* UTF-8; only for ->track() */
};

/* Times are ns of the recording's clock. Texts are UTF-8 without control characters. */
struct slice {
	struct track track;
	uint64_t start, end;		/* an instant: only @start */
	bool unfinished;		/* it had not ended when the recording ended */
	const char *name, *category;
	const struct details *args;
	const struct details *rest;	/* those of its end; NULL: none */
};

struct sample {
	struct track track;
	uint64_t at;
	const char *name;		/* of the track */
	bool is_signed;
	uint64_t n;
};

/* All functions append to @out. @e is what ->open returned. */
struct encoder {
	const char *name;		/* for messages: "trace-event JSON" */
	const char *missing;		/* why this bprobe cannot write it; NULL: it can */
	/* The file's beginning. @version: "bprobe VERSION". */
	void *(*open)(const struct recording *machines, unsigned nr, const char *version, struct buf *out);
	/* Before the first event of a track, and again when its name has changed. */
	void (*track)(void *e, const struct track *track, struct buf *out);
	/* A slice that is inside another one comes before it; otherwise they come in any order. Those of one track are nested. */
	void (*slice)(void *e, const struct slice *slice, struct buf *out);
	void (*instant)(void *e, const struct slice *slice, struct buf *out);
	void (*counter)(void *e, const struct sample *sample, struct buf *out);
	/* What the clocks showed at the end of @machine's recording. NULL: the form has no place for it. */
	void (*clocks)(void *e, unsigned machine, const struct clock_reading *r, struct buf *out);
	void (*end)(void *e, struct buf *out);
	void (*close)(void *e);
};

extern const struct encoder encoder_json, encoder_pftrace;

#endif
