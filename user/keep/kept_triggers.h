/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kept_triggers.h - the triggers of kept events.
 */
#ifndef KEEP_KEPT_TRIGGERS_H
#define KEEP_KEPT_TRIGGERS_H

#include "keep/kept.h"
#include "keep/selection.h"
#include "keep/store.h"
#include "lang/trigger.h"

/*
 * Parses the texts of @nr kept triggers into a list, in their order; *ret is NULL if there are none. All lives in @arena. Errors as
 * trigger_parse().
 */
int kept_triggers_parse(struct arena *arena, const struct kept_trigger *triggers, unsigned nr, const struct trigger **ret,
			struct diag *diag);

/* Does a trigger of @k name the event @ev, and is it of the kind @least or of one behind it? Those kinds all name an event. */
bool kept_triggers_name(const struct kept *k, enum trigger_kind least, const struct stored *ev);

struct histogram;
struct hist_table;
struct ksyms;
struct reload_event;

/*
 * Calls @show for each histogram of @ev with all that it has counted, and with the number of its trigger, which stays the same. @ks: for names of functions; NULL: none. -errno with @diag.
 */
int kept_triggers_each(const struct selection *s, const struct stored *ev, const struct ksyms *ks,
		       void (*show)(void *ctx, unsigned number, struct histogram *h, const struct hist_table *table), void *ctx, struct diag *diag);

/*
 * Gives events other triggers (how->triggers) and filters: all of them, or none. Events that the lists @added of triggers enable are attached
 * first; on an error they are detached again. Programs of other events that pause the histograms of these are loaded again. Returns 0 or an
 * exit status when the reason has been printed to standard error.
 */
int kept_triggers_change(struct selection *s, const struct reload_event *events, unsigned nr, const struct trigger *const *added,
			 unsigned nr_added);

struct kept_counted {
	bool any;			/* the event has a histogram */
	uint64_t hits, dropped;
};

/*
 * What the histogram of @ev with the most hits has now: hits that it counted, and hits that it dropped because its table was full.
 * -errno with @diag.
 */
int kept_triggers_counted(const struct selection *s, const struct stored *ev, struct kept_counted *ret, struct diag *diag);

#endif
