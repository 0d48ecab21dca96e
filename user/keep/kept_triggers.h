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
struct reload_how;

/*
 * Calls @show for each histogram of @ev with all that it has counted. @ks: for names of functions; NULL: none. -errno with @diag.
 */
int kept_triggers_each(const struct selection *s, const struct stored *ev, const struct ksyms *ks,
		       void (*show)(void *ctx, struct histogram *h, const struct hist_table *table), void *ctx, struct diag *diag);

/*
 * Gives the parts of an event other triggers (how->triggers). What the list @added of triggers enables is attached first, if it is not yet:
 * an error leaves everything as it was. @hists: its histograms change, and with them programs of other events that pause these. Returns 0
 * or an exit status when the reason has been printed to standard error.
 */
int kept_triggers_change(struct selection *s, const struct stored *const *parts, unsigned nr, const struct trigger *added,
			 const struct reload_how *how, bool hists);

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
