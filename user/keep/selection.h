/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * selection.h - the kept events that a command line names.
 */
#ifndef KEEP_SELECTION_H
#define KEEP_SELECTION_H

#include "keep/store.h"
#include "stream/options.h"

struct selection {
	struct arena arena;
	struct store store;		/* locked until selection_unlock() */
	struct stored *all;		/* all events of the store */
	unsigned nr_all;
	struct stored **events;		/* the named events that can be used */
	unsigned nr_events;
	unsigned nr_troubles;		/* number of named events that cannot be used; each was reported on standard error */
};

/*
 * Opens the store and finds the events that @words name; without words all events. -ENOENT with @diag if a word names no
 * event. If the store does not exist, there are no events.
 */
int selection_open(const struct options *opts, const struct word *words, unsigned nr_words, struct selection *ret,
		   struct diag *diag);

/*
 * The same for a verb whose names are opts->words. Returns 0 or an exit status; then the reason has been printed to standard
 * error.
 */
int selection_start(const struct options *opts, struct selection *ret);

/*
 * Leaves out the events whose records this bprobe cannot read. Each is reported on standard error, and counts as one that cannot be
 * used.
 */
void selection_skip_old(struct selection *s);

/* The same for events whose rings overwrite, which nobody can consume. */
void selection_skip_overwriting(struct selection *s);

/*
 * Finds all parts that have the name of s->events[@first]: the event itself and the parts that joined it later. A verb that
 * changes an event changes all parts or none. Returns the number of parts, or 0 if s->events[@first] is not the first of
 * them. *ret lives as long as @s.
 */
unsigned selection_parts(struct selection *s, unsigned first, const struct stored ***ret);
void selection_unlock(struct selection *s);
void selection_close(struct selection *s);

#endif
