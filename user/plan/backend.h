/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * backend.h - the ways of attaching a probe: a table with a row for each.
 *
 * Which one a probe gets is decided here, by asking the rows from the cheapest on. All that differs between them stands in their
 * rows: nothing else asks which one it is. A row's code needs bpf(2), so the rows are files of attach/, a higher room.
 */
#ifndef PLAN_BACKEND_H
#define PLAN_BACKEND_H

#include <stdbool.h>
#include <stdint.h>

#include "lang/ast.h"

struct attached;
struct attacher;
struct diag;
struct features;
struct fetch;
struct plan;
struct resolver;

/* A return probe that wants parameters has a second program, at the function's entry. */
enum attach_role { ATTACH_PROBE, ATTACH_SAVER };

struct backend {
	const char *name;		/* as --attach has it, and what is kept */
	const char *hooks[2];		/* for people: the hook at entries, and at returns */
	const char *models[2];		/* compiled programs (bpf/probe.bpf.c): at entries, and at returns */
	const char *model_saved;	/* at returns where an entry probe keeps parameters; NULL: it never does */
	unsigned prog_type;		/* enum bpf_prog_type */
	unsigned attach_types[2];	/* enum bpf_attach_type, as programs are loaded: at entries, and at returns */
	bool by_btf;			/* programs are loaded for plan->btf_id */
	bool for_patterns;		/* one program for all functions of a pattern; else for one place */
	bool keeps_params;		/* a return's context has the parameters, so no entry probe keeps them */
	bool is_kprobe;			/* does nothing while the kernel's kprobes are switched off */
	bool may_be_refused;		/* what looked possible the kernel may refuse: then a dearer one serves */
	bool depth_unsure;		/* at an entry the depth may be one more than adds_depth() says */

	/* Why @plan cannot have it; or NULL: it can, and what its programs need of @plan is set. No function: it always can. */
	const char *(*trouble)(const struct resolver *r, struct plan *plan);
	/* The same for a definition with a pattern; @calls: some of its functions, not all, are system calls in memory. */
	const char *(*pattern_trouble)(const struct probe_def *def, bool calls, const struct features *features);

	/* Which of the context's words of 8 bytes has the register or the parameter that @f takes. */
	unsigned (*context_word)(const struct plan *plan, const struct fetch *f);

	/* Levels of preempt_count that the hook adds, where the kernel counts them. No function: none. */
	unsigned (*adds_depth)(unsigned release, bool is_return);

	/* Is the place reached by ftrace, so that it is silent while that is off? No function: always. */
	bool (*uses_ftrace)(const struct plan *plan);
	/* As attach() of attach/attach.h. */
	int (*attach)(const struct attacher *at, const struct plan *plan, enum attach_role role, int prog_fd,
		      struct attached *ret, struct diag *diag);
	/* Hits that the hook missed beside its program; false: not known. No function: none. */
	bool (*missed)(const struct attacher *at, const struct attached *a, uint64_t *ret);
};

/* From cheap to dear; NULL ends it. */
extern const struct backend *const backends[];

/* By its name; NULL: there is none. */
const struct backend *backend_find(const char *name);

/* The dearest one, which can do all that is asked of one place. */
const struct backend *backend_last_resort(void);

/* The one for patterns. */
const struct backend *backend_for_patterns(void);

/*
 * Sets @plan's backend, and why it is not a cheaper one. -EOPNOTSUPP with the caret at the
 * definition: the one that was asked for cannot do it.
 */
int backend_choose(const struct resolver *r, struct plan *plan);

/* The dearer one that can do everything, because of @why (lives as long as the plan). */
void backend_fall_back(struct plan *plan, const char *why);

/* "fentry", "fexit", "kprobe", "kretprobe": for people. */
const char *backend_hook(const struct plan *plan);

/* For rows: the context is struct pt_regs. */
unsigned backend_register_word(const struct plan *plan, const struct fetch *f);

#endif
