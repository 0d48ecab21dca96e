/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * trigger_run.h - the triggers of a set: from the definitions to what is shown at the end.
 */
#ifndef SET_TRIGGER_RUN_H
#define SET_TRIGGER_RUN_H

#include "base/diag.h"
#include "hist/triggers.h"
#include "set/set.h"

struct trigger_run_opts {
	bool in_kernel;			/* programs may count what user space could count, too */
	bool takes;			/* count_map_take() will be used */
	struct triggers_reach reach;
};

/*
 * Resolves the triggers of @s, whose definitions are resolved, and makes the tables that programs count in. Call it before programs
 * are loaded. *ret is NULL if there are no triggers. Errors of the definitions: -ENOENT, -EINVAL, -EEXIST, -EOPNOTSUPP with the
 * caret in @diag; any other error is the kernel's.
 */
int trigger_run_open(struct set *s, const struct trigger_run_opts *opts, struct triggers **ret, struct diag *diag);
void trigger_run_close(struct triggers *ts);		/* NULL is fine */

/*
 * Probe @i of @s has waited for its module, and is resolved: its triggers act from now on. Errors of the definitions. @ts may be
 * NULL.
 */
int trigger_run_arrive(struct triggers *ts, struct set *s, unsigned i, struct diag *diag);

/* Prints the triggers of all events as they are now, a line each: "trigger GROUP/EVENT TRIGGER". @ts may be NULL. */
void trigger_run_print(const struct triggers *ts, const struct set *s, FILE *out);

#endif
