/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * timeline.h - events become slices, instants and counters on tracks, in the form of an encoder.
 *
 * An entry and the return of the same call become one slice on their thread's track; a return that has the time since its entry becomes
 * one by itself; the end of a pair becomes one in a lane of its event. Everything else is an instant. doc/pictures.md has the rules.
 */
#ifndef TIMELINE_TIMELINE_H
#define TIMELINE_TIMELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "print/event.h"
#include "print/recording.h"
#include "print/text.h"
#include "timeline/encoder.h"

struct timeline;

struct timeline_opts {
	const struct encoder *encoder;
	const char *version;			/* "bprobe VERSION" */
	const struct recording *machines;	/* where events come from; the first one's clock is that of the file. Borrowed */
	unsigned nr_machines;
	const char *const *counters;		/* see counters.h; borrowed */
	unsigned nr_counters;
};

/* What became of events. */
struct timeline_counts {
	uint64_t slices, instants, samples;
	uint64_t unfinished;		/* slices without an end: their return had not come when the recording ended */
	uint64_t no_return;		/* instants of entries whose return did not come, though an outer call returned */
	uint64_t no_entry;		/* instants of returns without an entry */
	uint64_t lost;			/* instants of entries whose return may have been lost */
	uint64_t forgotten;		/* ... that were too many to be remembered */
	uint64_t crossing;		/* instants of hits with a duration that would have crossed another slice, or for which no lane was free */
};

/*
 * Appends the file's beginning to @out. Only what is remembered of threads and names needs memory, for any number of events. Without
 * memory the process ends. The caller frees with timeline_free().
 */
struct timeline *timeline_new(const struct timeline_opts *opts, struct buf *out);
void timeline_free(struct timeline *tl);	/* NULL is fine */

/*
 * Which events may come: an event's bp_rec.probe is the index of its layout (NULL: none comes). An entry becomes a slice only if there is a
 * layout of the return of the same function. To be called again when layouts have changed.
 */
void timeline_learn(struct timeline *tl, const struct layout *const *layouts, unsigned nr);

/* Is its layout one of those that timeline_learn() was given? */
bool timeline_knows(const struct timeline *tl, const struct event *ev);

/* The first pattern of --counter that no field has; NULL: there is none. */
const char *timeline_unused_counter(const struct timeline *tl);

/* Events come in the order of their times. */
void timeline_event(struct timeline *tl, unsigned machine, const struct text *t, const struct event *ev, struct buf *out);

/* Events were lost before the next one. @count UINT64_MAX: it is not known how many. */
void timeline_lost(struct timeline *tl, unsigned machine, unsigned cpu, uint64_t count);

/* No event follows: calls that have not returned, and the file's end. @last: what the clocks show at the end; NULL: not known. */
void timeline_end(struct timeline *tl, const struct clock_reading *last, struct buf *out);

struct timeline_counts timeline_counts(const struct timeline *tl);

#endif
