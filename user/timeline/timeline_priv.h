/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * timeline_priv.h - what the files of the timeline share.
 */
#ifndef TIMELINE_TIMELINE_PRIV_H
#define TIMELINE_TIMELINE_PRIV_H

#include "timeline/counters.h"
#include "timeline/lanes.h"
#include "timeline/threads.h"
#include "timeline/timeline.h"

/* What is known of the events of a layout. */
struct known {
	const struct layout *layout;	/* NULL: none comes */
	bool paired;			/* an entry whose function's return is probed, too */
	uint64_t function;		/* a hash of the function's name */
	const struct layout_field *elapsed;	/* NULL: it has none */
	const struct counted *counted;
	unsigned nr_counted;
};

/* Losses that are told with the next event. */
struct loss {
	unsigned machine, cpu;
	uint64_t count;
};

struct timeline {
	const struct encoder *encoder;
	void *e;
	const struct recording *machines;
	unsigned nr_machines;
	struct arena arena;		/* of what timeline_learn() has made last */
	struct known *known;
	const struct layout **layouts;
	unsigned nr_known;
	bool has_elapsed;		/* of a call: only then slices begin in the past */
	struct threads threads;
	struct lanes lanes;
	struct counters counters;
	bool *told_machines;
	struct loss *losses;
	unsigned nr_losses, losses_room;
	uint64_t *told_cpus;		/* a bit for each CPU of each machine; see tell_cpu() */
	unsigned nr_told_cpus;
	uint64_t latest;		/* ns: of the last event */
	struct buf *out;		/* while a function of the interface runs */
	struct details args, rest;		/* of the event that is being written */
	struct timeline_counts counts;
};

/* The event that is being written. */
struct hit {
	unsigned machine;
	uint64_t at;
	const struct text *t;
	const struct event *ev;
	const struct known *known;
	struct thread *thread;
};

/* ---- tracks.c ---- */

struct track track_of(unsigned machine, const struct thread *t);

/* Describes a track of the machine as a whole. */
void tell_track(struct timeline *tl, const struct track *track, const char *name);
void tell_cpu(struct timeline *tl, unsigned machine, unsigned cpu);	/* before its first event */

/* The thread of a record, whose track is described. */
struct thread *thread_of(struct timeline *tl, unsigned machine, const struct bp_rec *rec);

/* ---- hits.c ---- */

/* Adds bprobe's own part, which is the last one, so that a note can be added to it. Returns what add_note() wants. */
unsigned add_own(struct details *a, const struct hit *h, bool is_slice);
void add_note(struct details *a, unsigned own, const char *name, const char *text);

/* Adds what the return of a call had. */
void add_return(struct details *a, const struct hit *h);

const char *function_name(const struct hit *h);

/* Which function: its entry and its return have the same. Functions can have the same name; their addresses differ. */
uint64_t function_id(const struct hit *h);

/* Writes the hit as an instant. @note: NULL: nothing is to be said. */
void put_instant(struct timeline *tl, const struct hit *h, const char *note);

/* Calls @from to @to become instants at the times of their entries, which @why explains and @count counts. Those at the end are left. */
void forget_calls(struct timeline *tl, struct thread *t, unsigned from, unsigned to, const char *why, uint64_t *count);

/* ---- calls.c ---- */

void call_enter(struct timeline *tl, const struct hit *h);

/* False: the call was not entered. *ret_start: when it was. */
bool call_leave(struct timeline *tl, const struct hit *h, uint64_t *ret_start);

/* The event's duration in ns. False: it has none, or it is not known. */
bool duration_of(const struct hit *h, uint64_t *ret);

/* A call of which only the return is known, and how long it took. */
void put_elapsed(struct timeline *tl, const struct hit *h, uint64_t duration);

/* The end of a pair: its beginning may have been anywhere. */
void put_pair(struct timeline *tl, const struct hit *h, uint64_t duration);

/* Calls that are under way at the end: slices without an end. */
void end_calls(struct timeline *tl, struct thread *t);

#endif
