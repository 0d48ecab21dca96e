/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * match.h - the functions that a pattern names.
 */
#ifndef PLAN_MATCH_H
#define PLAN_MATCH_H

#include "plan/plan.h"

struct ksym;
struct ksyms;

/* A function that was found. Its name is made when it is asked for: with "*" and one link nobody does. */
struct matched {
	uint64_t addr;
	uint32_t number;		/* of the symbol, for ksyms_at() */
	bool call;			/* it was named as a system call */
};

struct match_set {
	const struct ksyms *ks;
	const struct matched *at;	/* in the order of kallsyms; no address is there twice */
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

const struct ksym *match_symbol(const struct match_set *set, unsigned i);

/* What to call function @i in a definition. */
const char *match_name(struct arena *arena, const struct match_set *set, unsigned i);

#endif
