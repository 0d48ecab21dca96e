// SPDX-License-Identifier: GPL-2.0-only
/*
 * crowds.c - functions with more programs than their backend has room for.
 */
#include <errno.h>

#include "plan/plan.h"

/* Is plans[@i] on the function @func, by @backend? */
static bool is_on(const struct plan *plan, uint64_t func, const struct backend *backend)
{
	return plan && plan->target.func == func && plan->layout.backend == backend;
}

/* Gives all programs that are on @func by @backend another one: a mixture would see each other's trampolines as the caller. */
static int disperse(struct plan *const *plans, unsigned nr, uint64_t func, const struct backend *backend, const char *why,
		    const struct facts *facts, struct diag *diag)
{
	for (unsigned i = 0; i < nr; i++) {
		if (!is_on(plans[i], func, backend))
			continue;
		if (facts->attach) {
			diag->text = plans[i]->def->text;
			return diag_at(diag, -EOPNOTSUPP, plans[i]->def->head_at, "--attach=%s cannot do this: %s", backend->name,
				       why);
		}
		backend_fall_back(plans[i], why);
	}
	return 0;
}

int plan_settle_crowds(struct arena *arena, struct plan *const *plans, unsigned nr, const struct facts *facts, struct diag *diag)
{
	int err = 0;

	for (unsigned i = 0; !err && i < nr; i++) {
		const struct backend *b = plans[i] ? plans[i]->layout.backend : NULL;
		uint64_t func = plans[i] ? plans[i]->target.func : 0;
		const char *why;
		unsigned others = 0;

		/* Patterns have no single function. They are counted when they are expanded. */
		if (!b || !b->takes.crowd_max || !func)
			continue;
		for (unsigned k = i + 1; k < nr; k++)
			others += is_on(plans[k], func, b);
		why = backend_crowded(arena, b, others);
		if (why)
			err = disperse(plans, nr, func, b, why, facts, diag);
	}
	return err;
}
