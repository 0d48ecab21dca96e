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
	BACKEND_MULTI,		/* kprobe.multi: one program on many functions' entries or returns */
	BACKEND_FENTRY,		/* fentry or fexit: a BPF trampoline at the function's entry */
	BACKEND_COUNT
};

/* What the user asked for. */
enum attach_choice { ATTACH_AUTO, ATTACH_KPROBE, ATTACH_MULTI, ATTACH_FENTRY };

struct features;
struct fetch;
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

/*
 * Can a definition with a pattern be one program for all functions? Not where their
 * parameters have names: those are in other registers in each; and of system calls in memory (@calls: such are among
 * others). Returns why not, or NULL.
 */
const char *backend_multi_trouble(const struct probe_def *def, bool calls, const struct features *features);

/* BACKEND_FENTRY: which of the function's parameters @f takes; behind the last one: the return value. */
unsigned backend_context_number(const struct plan *plan, const struct fetch *f);

/* "fentry", "fexit", "kprobe", "kretprobe": for people. */
const char *backend_name(const struct plan *plan);

#endif
