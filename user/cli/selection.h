/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * selection.h - the kept events that a command line names.
 */
#ifndef CLI_SELECTION_H
#define CLI_SELECTION_H

#include "cli/options.h"
#include "run/store.h"

struct selection {
	struct arena arena;
	struct store store;		/* locked until selection_unlock() */
	struct stored *all;		/* every event of the store, and */
	unsigned nr_all;
	struct stored **events;		/* those that were named, which can be used */
	unsigned nr_events;
	unsigned nr_troubles;		/* named, but cannot be used: standard error has heard of them */
};

/*
 * Opens the store and finds the events that @words name, with none all of them. A word that names none is -ENOENT
 * with @diag. Where there is no store there are no events.
 */
int selection_open(const struct options *opts, const struct word *words, unsigned nr_words, struct selection *ret,
		   struct diag *diag);

/* The same for a verb that goes by opts->words: returns 0 or an exit status, and standard error has heard why. */
int selection_start(const struct options *opts, struct selection *ret);

/*
 * What stands under the name of s->events[@first]: the event's own part and those that joined it. Verbs that change an event change
 * all of it or nothing. 0: it is not the first of them. Else their number; *ret lives as long as @s.
 */
unsigned selection_parts(struct selection *s, unsigned first, const struct stored ***ret);
void selection_unlock(struct selection *s);
void selection_close(struct selection *s);

#endif
