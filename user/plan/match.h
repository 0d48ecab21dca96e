/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * match.h - the functions that a pattern names.
 */
#ifndef PLAN_MATCH_H
#define PLAN_MATCH_H

#include "plan/plan.h"

struct ksym;

struct match_set {
	const struct ksym *const *syms;	/* in the order of kallsyms, no address twice */
	unsigned nr;
	unsigned nr_refused;		/* others, which the kernel lets nobody probe */
};

/*
 * Finds the functions that @def's pattern (place.pattern) names: of the kernel, or with MOD:
 * of the module. -ENOENT with the caret where there is none that can be probed.
 */
int match_functions(struct arena *arena, const struct probe_def *def, const struct facts *facts,
		    struct match_set *ret, struct diag *diag);

#endif
