/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kept_triggers_priv.h - a kept event whose triggers are resolved: for the verbs that read them, and the one that changes them.
 */
#ifndef KEEP_KEPT_TRIGGERS_PRIV_H
#define KEEP_KEPT_TRIGGERS_PRIV_H

#include "hist/triggers.h"
#include "keep/elsewhere.h"
#include "keep/kept_triggers.h"

/* A trigger that another event needs: see triggers_opts.needs. */
struct needed_trigger {
	const struct stored *ev;
	const struct trigger *trigger;
};

/* The triggers of a kept event, resolved, with the tables that its programs count in. */
struct opened {
	const struct stored *ev;
	struct arena *arena;
	struct triggers_probe probe;	/* its first one: all have the same fields */
	struct elsewhere elsewhere;
	struct facts facts;
	struct triggers *triggers;	/* NULL: it has none */
	struct needed_trigger *needed;	/* what was asked for since it was opened */
	unsigned nr_needed;
};

/*
 * Resolves the triggers of @ev, and opens their tables. All lives in @arena, but for what kept_triggers_close() closes. @ks: for names of
 * functions; NULL: none. @always: ret->triggers also if only other events have triggers. -errno with @diag.
 */
int kept_triggers_open(const struct selection *s, struct arena *arena, const struct stored *ev, const struct ksyms *ks, bool always,
		       struct opened *ret, struct diag *diag);
void kept_triggers_close(struct opened *o);

/* The kept text of @t; NULL: it is none of this event. */
const struct kept_trigger *kept_triggers_of(const struct opened *o, const struct trigger *t);

#endif
