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
	const char *const *names;	/* what to call each of them in a definition */
	unsigned nr;
	unsigned nr_calls;		/* of them, those that a system call's name was typed for */
	unsigned nr_refused;		/* others, which the kernel lets nobody probe */
};

/*
 * Finds the functions that @def's pattern (place.pattern) names: of the kernel, or with MOD: of the module. sys_*, SyS_* and
 * __se_sys_* are the system calls of such names, and no other functions. -ENOENT with the caret where there is none that can
 * be probed.
 */
int match_functions(struct arena *arena, const struct probe_def *def, const struct facts *facts,
		    struct match_set *ret, struct diag *diag);

#endif
