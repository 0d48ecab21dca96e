/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * match.h - the functions that a pattern names.
 */
#ifndef PLAN_MATCH_H
#define PLAN_MATCH_H

#include "plan/plan.h"

struct ksym;

struct match_set {
	const struct ksym *const *syms;	/* in the order of kallsyms; no address is there twice */
	const char *const *names;	/* what to call each of them in a definition */
	unsigned nr;
	unsigned nr_calls;		/* the part of @nr that was named as system calls */
	unsigned nr_refused;		/* not in @nr: the kernel does not allow probes on them */
};

/*
 * Finds the functions that @def's pattern (place.pattern) names: in the kernel, or with MOD: in that module. sys_*, SyS_* and
 * __se_sys_* name only system calls, not other functions with such names. -ENOENT with the caret if there is no function that
 * can be probed.
 */
int match_functions(struct arena *arena, const struct probe_def *def, const struct facts *facts,
		    struct match_set *ret, struct diag *diag);

#endif
