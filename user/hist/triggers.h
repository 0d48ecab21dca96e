/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * triggers.h - the triggers of one run: what each hit sets off.
 *
 * The hits come in the order of their times, so a trigger that switches something acts on exactly those that follow.
 *
 * An event with a histogram counts instead of printing lines. Hits for which stacktrace acts are printed all the same. An event
 * that a trigger enables begins disabled, as the kernel's soft-disabled ones do.
 */
#ifndef HIST_TRIGGERS_H
#define HIST_TRIGGERS_H

#include "hist/hist_kernel.h"
#include "hist/hist_show.h"
#include "plan/plan.h"

struct act;
struct act_word;
struct bp_count_state;
struct bp_tally;
struct count;
struct count_made;
struct count_missing;
struct count_table;
struct triggers;

/* One probe of the run, or a synthetic event. Probes of one event have the same group and name. */
struct triggers_probe {
	const struct plan *plan;	/* NULL: it waits for its module, and has no triggers until triggers_arrive() */
	const struct trigger *first;	/* of its definition; NULL: none */
	const char *group, *event;
	const struct synthetic_def *synthetic;	/* NULL: a probe */
	bool elsewhere;			/* a kept event whose programs are loaded already: only its histograms count, for what others have of them */
	const struct layout *const *places;	/* of a kept event: layouts of all its probes, of which only this one is here */
	unsigned nr_places;
};

/* An event outside of the run that triggers may switch. */
struct triggers_other {
	const char *group, *event;
};

/* What triggers reach besides the events of the run. All zeroes: nothing. */
struct triggers_reach {
	const struct triggers_other *others;
	unsigned nr_others;
	bool snapshots;			/* the trigger snapshot can be run: a file was named */
};

struct triggers_opts {
	struct arena *arena;
	const struct triggers_probe *probes;
	unsigned nr_probes;
	struct triggers_reach reach;
	const struct facts *facts;
	bool prints_nothing;		/* no event prints lines, also one without triggers */
	bool always;			/* triggers_open() has a result also if only events elsewhere have triggers */
	bool apart;			/* histograms have no table together with those of events elsewhere, by name= */
	struct hist_kernel_opts kernel;	/* for what programs count */
	/*
	 * With kernel.drops: the event of probe @i needs the trigger @t, too, because another one passes on a field of it. False, or
	 * NULL: it cannot have it. Called for each probe of the event.
	 */
	bool (*needs)(void *ctx, unsigned i, const struct trigger *t);
	void *needs_ctx;
	hist_syscall_fn syscall;
	void *syscall_ctx;
};

/*
 * Resolves all triggers in their order (trigger.order). '!' removes an earlier one of the event; pause, continue and clear change
 * one. -ENOENT, -EINVAL, -EEXIST, -EBUSY, -ELOOP or -EOPNOTSUPP with the caret in @diag. *ret is NULL if there are no triggers (but see opts.always).
 * triggers_close() frees the tables.
 */
int triggers_open(const struct triggers_opts *opts, struct triggers **ret, struct diag *diag);
void triggers_close(struct triggers *ts);	/* NULL is fine */

/*
 * Probe @i has waited for its module, and has @plan now, which @facts are of: its triggers are resolved and added behind those that
 * there are. User space runs them. Later calls for the same probe do nothing. Errors as triggers_open(); then a later call tries
 * again.
 */
int triggers_arrive(struct triggers *ts, unsigned i, const struct plan *plan, const struct facts *facts, struct diag *diag);

/* Is @t one of the triggers of its event now? It is none if a later one has removed it, or if it only changed another one. */
bool triggers_is_installed(const struct triggers *ts, const struct trigger *t);

/* Has the event of probe @i a histogram? */
bool triggers_has_histogram(const struct triggers *ts, unsigned i);

/* Does any event print lines, at least at times? */
bool triggers_leave_lines(const struct triggers *ts);

/*
 * Does what the hit @ev of probe @i sets off. False: it is not printed. Sets ev->hidden_stacks to those stacks that only a trigger
 * wants, if it did not act.
 */
bool triggers_hit(struct triggers *ts, unsigned i, struct event *ev, const struct text *t);

/* Work on the tables of triggers: see triggers_tables(). */
typedef int (*triggers_table_fn)(void *ctx, const struct trigger *trigger, struct count_table *table);

/*
 * Has a histogram of the run variables, actions, calculated values or another clock, or is one of a synthetic event? Their order is that of
 * the hits, so programs work them out, and run all triggers of the run.
 */
bool triggers_by_programs(struct triggers *ts);

/*
 * The histograms that the program of probe @i counts, so that its hits make no records. NULL: none, user space counts. To be called
 * once for each probe, before programs are loaded. The tables have no maps yet: triggers_tables().
 */
struct count *triggers_counts(struct triggers *ts, unsigned i);

/*
 * The synthetic events that programs make. NULL: none, or user space makes them. All programs must know them, so it is asked before
 * triggers_counts().
 */
const struct count_made *triggers_mades(struct triggers *ts);

/*
 * With kernel.acts: the triggers of probe @i that its program runs besides histograms, in the order in which they act; from then on
 * user space does not run them. NULL: none. *ret_conditional: see plan.sets_off.acts_conditional. The words of the acts are to be set.
 */
struct act *triggers_acts(struct triggers *ts, unsigned i, bool *ret_conditional);

/*
 * What enable_hist and disable_hist, the trigger @t of probe @i, switch: a word for each histogram of their event that programs
 * count in a table with maps. *ret lives in the arena. -EOPNOTSUPP with the caret in @diag: another event counts in the same table
 * (name=).
 */
int triggers_target_words(const struct triggers *ts, unsigned i, const struct trigger *t, const struct act_word **ret,
			  unsigned *ret_nr, struct diag *diag);

/* Calls @each for the state of each trigger with a count that triggers_acts() gave, as triggers_tables() does for histograms. */
int triggers_states(const struct triggers *ts, triggers_table_fn each, void *ctx);

/*
 * The first trigger of probe @i that its program cannot run. NULL: it could run each of them, but not all together.
 */
const struct trigger *triggers_uncounted(struct triggers *ts, unsigned i);

/* Calls @each for each table that programs count in, with the trigger that it was made for, until it returns an error. */
int triggers_tables(const struct triggers *ts, triggers_table_fn each, void *ctx);

/* The same for each histogram that counts in it, also by name=. */
int triggers_users_of_tables(const struct triggers *ts, triggers_table_fn each, void *ctx);

/*
 * For triggers that programs of a kept event run already: gives each histogram a table without maps, and each count a state without
 * one, which triggers_tables() and triggers_states() can open. Call it instead of triggers_counts() and triggers_acts().
 */
void triggers_adopt(struct triggers *ts);

/* The trigger of probe @i that is equal to @t, which is resolved for it. NULL: there is none, or @diag has an error. */
const struct trigger *triggers_find(struct triggers *ts, unsigned i, const struct trigger *t, struct diag *diag);

/*
 * Appends the triggers of the event of probe @i as the trigger file lists them, each with a newline: with counts and states of now.
 */
void triggers_list(const struct triggers *ts, unsigned i, struct buf *out);

/*
 * For triggers that programs run: from now on triggers_list() and triggers_show() tell what is left of their counts, and which histograms
 * are paused. @state is count_map_state() of run/count_map.h. What cannot be read stays. @ts may be NULL.
 */
void triggers_read_states(struct triggers *ts, int (*state)(const struct count_table *table, struct bp_count_state *ret));

/* Reads a table that programs count in: count_map_read() of run/count_map.h. */
typedef int (*triggers_read_fn)(const struct count_table *table, void (*entry)(void *arg, const unsigned char *key,
				const struct bp_tally *tally), void *arg, struct count_missing *ret);

/* What is done with all histograms. */
struct triggers_reading {
	triggers_read_fn read;
	/* Called for each histogram with all that was counted for it. */
	void (*show)(void *ctx, struct histogram *h, const struct hist_table *table);
	void *ctx;
	bool shared;			/* also for those that have the table of another one, by name= */
	bool clears;			/* they begin at zero again; @read has removed what programs have counted */
};

/* Reads all histograms, in the order of the definitions. An error of @read: what could not be read is left out. -ENOMEM. */
int triggers_each(const struct triggers *ts, const struct triggers_reading *how);

/* The hits of a probe that programs have counted, so that they have no records. */
struct triggers_counted {
	const void *table;		/* where; NULL: nowhere. Probes that share it have one number together. */
	uint64_t hits;			/* until the last reading, also those that it cleared */
	uint64_t raced;			/* see struct count_missing */
	bool several;			/* there are other tables, which have not more hits */
};

struct triggers_counted triggers_counted(const struct triggers *ts, unsigned i);	/* NULL is fine */

/* From now on system calls have the names that @name gives: opts.syscall. */
void triggers_name_calls(struct triggers *ts, hist_syscall_fn name, void *ctx);

/*
 * Appends all histograms, in the order of the definitions; nothing if there is none. An error of @read: what could not be read is
 * left out. @clears: see struct triggers_reading.
 */
int triggers_show(const struct triggers *ts, const struct text *t, triggers_read_fn read, bool clears, struct buf *out);

#endif
