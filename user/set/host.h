/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * host.h - who a set is made for: a run in the foreground, events that stay, an explanation. All differences between them that
 * matter to a set are here.
 */
#ifndef SET_HOST_H
#define SET_HOST_H

#include <stdbool.h>

struct act_word;
struct arena;
struct count_table;
struct diag;
struct set;
struct slot;
struct trigger;
struct triggers_probe;

/* @ctx of all functions: set.host_ctx. */
struct set_host {
	bool attaches;			/* it loads programs anyway, so it may also load one to read memory */
	bool explains;			/* nothing is loaded: it continues without facts of the kernel, as far as possible */
	bool stays;			/* the events go on without bprobe: nobody reads them now, and each is attached by itself */

	/* Gives each probe its slot, as soon as programs can be loaded. NULL: all probes have one channel. -errno with @diag. */
	int (*open_channels)(void *ctx, struct set *s, bool saves, struct diag *diag);

	/*
	 * The kept definition of synthetic event @name, in @arena; NULL: there is none. No function: no event is kept. *ret_first: if the set
	 * stays, the triggers that its programs run for it.
	 */
	const char *(*find_synthetic)(void *ctx, struct arena *arena, const char *name, const struct trigger **ret_first);

	/*
	 * ->stays: where the records of synthetic event @i of the set go, when triggers are resolved: to be called for each that programs
	 * make. -errno with @diag.
	 */
	int (*open_made)(void *ctx, struct set *s, unsigned i, struct slot *ret, struct diag *diag);

	/* Kept events that are not of this set and have triggers, which must outlive it. No function: there are none. */
	const struct triggers_probe *(*elsewhere)(void *ctx, unsigned *ret_nr);

	/* Opens the table of a trigger that is kept already: 0 or -errno; -ENOENT: it gets a new one. No function: all are new. */
	int (*open_table)(void *ctx, const struct trigger *t, struct count_table *table);

	/*
	 * ->stays: what trigger @t of probe @i writes to (struct act), from the set's arena; -errno with @diag. enable_hist and
	 * disable_hist of an event of this set do not ask.
	 */
	int (*find_words)(void *ctx, unsigned i, const struct trigger *t, const struct act_word **ret, unsigned *ret_nr,
			  struct diag *diag);

	/* ->stays: triggers_opts.needs */
	bool (*needs_trigger)(void *ctx, unsigned i, const struct trigger *t);
};

#endif
