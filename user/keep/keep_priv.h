/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * keep_priv.h - what the files of --keep share. All functions return 0 or -errno with @diag.
 */
#ifndef KEEP_KEEP_PRIV_H
#define KEEP_KEEP_PRIV_H

#include <stdio.h>

#include "keep/elsewhere.h"
#include "keep/kept_switches.h"
#include "keep/mades.h"
#include "keep/store.h"
#include "set/set.h"
#include "set/trigger_run.h"
#include "stream/options.h"

/* The probes of one event, in the event's order. */
struct event_probes {
	const char *group, *event;
	unsigned *probes;		/* indices in the set */
	unsigned nr;
	struct channel *channel;
	const char *wanted;		/* the name that it would have if this name were free, or NULL */
	const struct stored *replaced;	/* the kept event that it replaces, or NULL */
	const struct stored *joined;	/* the kept event that it joins, or NULL */
	int switch_fd;			/* what triggers switch: struct bp_switch; -1: nothing can */
	bool owns_switch;		/* it is to be closed */
	bool armed;			/* it starts off, because a trigger will enable it */
	struct kept_trigger *triggers;	/* of all its definitions */
	const struct trigger **parsed;	/* the same, in the same order */
	unsigned nr_triggers;
};

/* The events that are already kept. The store is locked. */
struct kept_list {
	struct stored *list;
	unsigned nr;
};

struct keeper {
	struct set set;
	const struct options *opts;
	const struct store *given;	/* the caller's store, which is locked; NULL: it is opened when programs can be loaded */
	struct store store;
	struct kept_list kept;
	struct event_probes *events;
	unsigned nr_events;
	uint64_t now;			/* CLOCK_MONOTONIC ns; events are ordered by their creation */
	struct triggers *triggers;	/* NULL: no definition has one */
	struct kept_switches switches;
	struct elsewhere elsewhere;	/* kept events that are not of this command */
	struct made_events mades;	/* synthetic events of this command, and those that its triggers make */
	int given_tracing;		/* the switch of all events, which another set of the same command has made; -1: none has */
	/* Is the event to be disabled? NULL: opts->keep.disabled is for all. */
	bool (*is_disabled)(const struct keeper *k, const char *group, const char *event);
	void *ctx;			/* the caller's, for this */
	bool refused;			/* an error is in a definition */
	unsigned nr_sharing;		/* events that share the memory for rings, if they are more than those of this set */
	uint32_t next_id;		/* the first number that its probes may have; other sets of the same command have those before it */
};

/*
 * Does everything for k->opts->words but making it visible: at the end, all of it is loaded, attached and in the store under names that no
 * list shows. Returns 0 or an exit status, with @diag, or the reason has been printed. keep_end() frees in any case; what was not
 * committed goes when the store is closed.
 */
int keep_begin(struct keeper *k, struct diag *diag);

/* Makes what @nr keepers of one store have prepared visible, all or nothing. Returns as keep_begin(). */
int keep_commit(struct keeper *const *keepers, unsigned nr, struct diag *diag);

/* Prints what the user should know about what was kept. */
void keep_tell(const struct keeper *k, FILE *out);
void keep_end(struct keeper *k);

/* If an event of @ev's name is kept already, the rules of the definition's dialect decide: another name, replaced, joined or refused. */
int keep_settle_name(struct keeper *k, const struct kept_list *kept, struct event_probes *ev, struct diag *diag);
int keep_settle_synthetic(struct keeper *k, const struct synthetic_def *def, struct diag *diag);

/* What the user should know about the names. */
void keep_note_names(const struct keeper *k, FILE *out);

/* The event of this command that has this name; NULL: none has it. One that is to be replaced counts as one of this command. */
struct event_probes *keep_event_named(struct keeper *k, const char *group, const char *event);

/* elsewhere(), open_table() and find_words() of the host. */
const struct triggers_probe *keep_elsewhere(void *ctx, unsigned *ret_nr);
int keep_open_table(void *ctx, const struct trigger *t, struct count_table *table);
bool keep_needs_trigger(void *ctx, unsigned i, const struct trigger *t);
int keep_find_words(void *ctx, unsigned i, const struct trigger *t, const struct act_word **ret, unsigned *ret_nr, struct diag *diag);

/* Opens the channel of synthetic event @i of the set. */
int keep_open_synthetic(struct keeper *k, unsigned i, struct diag *diag);

/* Opens what triggers switch, and then the triggers with their tables. */
int keep_open_switches(struct keeper *k, struct diag *diag);
int keep_open_triggers(struct keeper *k, struct diag *diag);

/* A trigger can only switch on what is attached: so its event is attached with --disabled, too. */
void keep_attach_armed(struct keeper *k);

/* -ENOENT: a definition waits for its module. A running process could wait; a kept probe has none. */
int keep_refuse_waiting(const struct set *s, struct diag *diag);

/* Writes an event into the store, where it is not seen before store_commit(). */
int keep_prepare_event(struct keeper *k, const struct event_probes *ev, struct diag *diag);
int keep_prepare_synthetic(struct keeper *k, unsigned i, struct diag *diag);

#endif
