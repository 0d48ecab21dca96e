/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * count_map.h - the tables in which programs count (plan/count.h): making and reading their maps.
 */
#ifndef RUN_COUNT_MAP_H
#define RUN_COUNT_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "bprobe_abi.h"
#include "plan/count.h"

struct count_map_opts {
	uint64_t memory;		/* bytes that the entries may take; 0: a default */
	unsigned sharing;		/* tables that share the default; 0 is 1 */
	bool grows;			/* the kernel takes memory for an entry when it is made (FEATURE_HASH_GROWS); else all at once */
	bool paused;			/* it begins paused */
	bool only_state;		/* it is of a trigger that counts nothing in a table */
	uint64_t left;			/* bp_count_state.left */
};

/* Makes the maps of @t. -ENOMEM, -EPERM, ... without a message: engine_explain_open() has the messages. */
int count_map_create(const struct count_map_opts *opts, struct count_table *t);
void count_map_close(struct count_table *t);		/* maps that were not made are fine */

/* Stops the counting in @t, or lets it go on. Only for tables that can be paused. -errno. */
int count_map_pause(const struct count_table *t, bool paused);

/* The state of @t. -errno. */
int count_map_state(const struct count_table *t, struct bp_count_state *ret);

/*
 * Removes all entries, and sets what was dropped to 0. Hits during this call are not counted, as in the kernel's hist_clear() (6.12,
 * kernel/trace/trace_events_hist.c). -errno.
 */
int count_map_clear(const struct count_table *t);

typedef void (*count_entry_fn)(void *arg, const unsigned char *key, const struct bp_tally *tally);

/*
 * Calls @entry for each entry of @t. Entries that are made meanwhile may be left out. @key and @tally are valid during the call.
 * *ret: what is not there. -errno.
 */
int count_map_read(const struct count_table *t, count_entry_fn entry, void *arg, struct count_missing *ret);

/* The same, and removes these entries. No hit is lost: it is in these, or stays. For tables with generations. */
int count_map_take(const struct count_table *t, count_entry_fn entry, void *arg, struct count_missing *ret);

#endif
