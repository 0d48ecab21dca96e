/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * backend.h - by what a probe is attached: the cheapest way that gives every value.
 */
#ifndef PLAN_BACKEND_H
#define PLAN_BACKEND_H

#include "lang/ast.h"

/* From dear to cheap. */
enum backend {
	BACKEND_KPROBE,		/* a perf event's kprobe or kretprobe: any place, any register */
	BACKEND_FENTRY,		/* fentry or fexit: a BPF trampoline at the function's entry */
	BACKEND_COUNT
};

/* What the user asked for. */
enum attach_choice { ATTACH_AUTO, ATTACH_KPROBE, ATTACH_FENTRY };

struct plan;
struct resolver;

/* The registers of the first BP_REG_PARAMS parameters, in their order. */
extern const enum reg plan_param_regs[];

/*
 * Sets @plan's backend, and why it is not a cheaper one. -EOPNOTSUPP with the caret at the
 * definition: the one that was asked for cannot do it.
 */
int backend_choose(const struct resolver *r, struct plan *plan);

/* The dearer way that can do everything, because of @why (lives as long as the plan). */
void backend_fall_back(struct plan *plan, const char *why);

/* "fentry", "fexit", "kprobe", "kretprobe": for people. */
const char *backend_name(const struct plan *plan);

#endif
