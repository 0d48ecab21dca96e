/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * reload.h - loads the programs of a kept event again: for another filter, another way to attach, a reloaded module, or another
 * version of bprobe.
 */
#ifndef KEEP_RELOAD_H
#define KEEP_RELOAD_H

#include "keep/store.h"

/* Triggers of an event. Those whose number it has already keep their tables. */
struct reload_triggers {
	const struct kept_trigger *list;
	unsigned nr;
};

struct reload_how {
	const struct reload_triggers *triggers;	/* all that it has from now on; NULL: those that it has */
	bool filters;			/* all definitions get @filter; false: each keeps its own */
	const char *filter;		/* NULL: none */
	bool attaches;			/* the event is enabled afterwards, even if it is disabled now */
	bool renews;			/* it gets new rings and counters; the records are lost, and removed definitions are forgotten */
	unsigned nr_channels;		/* these rings share the memory with those of this many parts; 0: no others */
};

/*
 * Loads new programs for the @nr @parts of an event, with the options that the event was kept with. They replace the present
 * programs; the records stay, unless @how says otherwise. The caller holds the lock on @store. Returns 0 or an exit status. On failure
 * the reason has been printed to standard error and no part has changed.
 */
int reload_parts(const struct store *store, const struct stored *const *parts, unsigned nr, const struct reload_how *how);

/* An event with all its parts. */
struct reload_event {
	const struct stored *const *parts;
	unsigned nr;
	const struct reload_how *how;
};

/* The same for several events: all of them, or none. */
int reload_events(const struct store *store, const struct reload_event *events, unsigned nr);

#endif
