/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * mades.h - the synthetic events that the programs of a set make: those that are kept already, and those that are to be kept.
 *
 * Each has a channel of its own. The programs of the events that make it write there, and run its triggers.
 */
#ifndef KEEP_MADES_H
#define KEEP_MADES_H

#include "keep/kept_switches.h"
#include "keep/store.h"
#include "set/set.h"

struct made_event {
	const char *name;
	const struct stored *ev;	/* NULL: it is to be kept */
	struct store_use use;		/* of @ev, if its channel is open */
	struct channel *channel;
	uint32_t id;
	struct kept_trigger *triggers;	/* with tables, of one that is to be kept */
	const struct trigger **parsed;	/* the same, in the same order */
	unsigned nr_triggers;
};

struct made_events {
	struct made_event *list;
	unsigned nr, size;
};

/*
 * The definition of the kept synthetic event @name of @store, which may be not open, or NULL; *ret_first: its triggers. It is added to @m.
 * All is in @arena.
 */
const char *mades_find(struct made_events *m, const struct store *store, struct arena *arena, const char *name,
		       const struct trigger **ret_first);

/* Adds one that is to be kept. */
struct made_event *mades_add(struct made_events *m, struct arena *arena, const struct synthetic_def *def);

/* NULL: there is none. */
struct made_event *mades_named(const struct made_events *m, const char *name);

/* The table of @t, if it is a trigger of these. False: it is not. *ret_err: -ENOENT: it gets a new one. */
bool mades_open_table(const struct made_events *m, const struct trigger *t, struct count_table *table, int *ret_err);

/* Notes @table for @t, if it is a trigger of one that is to be kept. */
void mades_note_table(const struct made_events *m, const struct trigger *t, const struct count_table *table);

/*
 * Opens the channel of @e, or makes one with @opts, and sets the number of its records: the next free one from *next_id on. -errno with
 * @diag.
 */
int mades_open(struct made_event *e, const struct channel_opts *opts, const struct stored *list, unsigned nr, uint32_t *next_id,
	       const struct kept_switches *switches, struct diag *diag);

void mades_close(struct made_events *m);

#endif
