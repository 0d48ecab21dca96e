/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * triggers_priv.h - what the files of the triggers of a run share.
 */
#ifndef HIST_TRIGGERS_PRIV_H
#define HIST_TRIGGERS_PRIV_H

#include "hist/triggers.h"
#include "lang/filter.h"

/* An event: one or several probes. */
struct subject {
	const char *group, *name;
	bool enabled;			/* its lines are wanted */
	bool counts;			/* it has a histogram, so it prints no lines by itself */
	bool stacks;			/* it has a stacktrace: where that acts there is a line all the same */
	bool conditional;		/* a trigger has a filter or needs the record */
	struct installed *first;
};

/* A trigger of an event. */
struct installed {
	struct installed *next;
	const struct trigger *trigger;
	uint64_t left;			/* with a count: how many times more */
	struct histogram *main;		/* HIST: the one that is shown */
	struct subject *target;		/* ENABLE_EVENT to DISABLE_HIST */
	bool in_program;		/* programs run it: struct act */
	struct count_table *state;	/* ... and with a count it is here */
};

/* A trigger as one probe of the event needs it: probes of one event may have their fields at different places. */
struct placed {
	struct installed *installed;
	struct filter *filter;
	struct histogram *histogram;
};

struct probe_triggers {
	struct subject *subject;
	struct placed *placed;
	unsigned nr, size;
	bool waits;			/* for its module: its triggers are not installed yet */
};

struct triggers {
	struct triggers_opts opts;
	struct triggers_probe *list;	/* opts.probes; a plan may come later */
	struct subject *subjects;
	unsigned nr_subjects;
	struct probe_triggers *probes;
	struct hist_env env;
	bool on;			/* traceon, traceoff */
	struct histogram **histograms;	/* all, in the order of the definitions; those with the same table too */
	unsigned nr_histograms, size_histograms;
	struct histogram *gone;		/* removed ones; others may use their tables */
	struct synthetic *synthetics;
	unsigned nr_synthetics;
	struct count_made *mades;	/* one for each of these, if programs make them */
	bool by_programs;		/* programs run all triggers: triggers_by_programs() */
};

/* The event; NULL: the run has none of this name. */
struct subject *triggers_subject(const struct triggers *ts, const char *group, const char *name);

/* ---- triggers_add.c ---- */

/* Adds the trigger @t of probe @i, or changes what it is meant for. Errors as triggers_open(). */
int triggers_add(struct triggers *ts, unsigned i, const struct trigger *t, struct diag *diag);

/* All triggers of all probes that do not wait, in their order. Of the others it is noted what they will do. */
int triggers_add_all(struct triggers *ts, struct diag *diag);

/* ---- triggers_vars.c ---- */

/* What histograms ask of the run. */
struct hist_env triggers_env(struct triggers *ts);

/* Finds the synthetic events among the probes. */
void triggers_find_synthetics(struct triggers *ts);

/* -ELOOP with the caret in @diag, if the synthetic events that @h makes would make it count again, for ever. */
int triggers_refuse_circle(const struct triggers *ts, const struct histogram *h, struct diag *diag);

#endif
