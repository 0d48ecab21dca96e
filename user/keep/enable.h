/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * enable.h - kept events that triggers enable.
 */
#ifndef KEEP_ENABLE_H
#define KEEP_ENABLE_H

#include "keep/selection.h"
#include "lang/trigger.h"

/* What enable_arm() has attached. */
struct armed {
	struct selection sel;		/* it does not own the store */
	const struct stored **parts;
	unsigned nr;
};

/*
 * Enables all @nr parts of an event of @s, or none; a module that is not loaded prevents only its own probes from being enabled.
 * enable_event_undo() disables what is disabled in @parts. Returns 0 or an exit status when the reason has been printed to standard error.
 */
int enable_event(const struct selection *s, const struct stored **parts, unsigned nr);
void enable_event_undo(const struct stored **parts, unsigned nr);

/*
 * Attaches those disabled events of the @nr in @list that the lists of triggers @firsts enable, but switched off. The caller holds the lock
 * on the store. All or none: returns 0, or an exit status when the reason has been printed to standard error. enable_arm_close() frees
 * *ret in any case.
 */
int enable_arm(const struct store *store, struct stored *list, unsigned nr,
	       const struct trigger *const *firsts, unsigned nr_firsts, struct armed *ret);
void enable_disarm(const struct armed *armed);	/* undoes it */
void enable_arm_close(struct armed *armed);

#endif
