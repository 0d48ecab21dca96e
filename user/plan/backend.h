/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * backend.h - the ways of attaching a probe: a table with a row for each.
 *
 * This code decides which backend a probe gets. It asks the rows in order, the cheapest first. All differences between the
 * backends are in their rows: no other code asks which backend it is. A row's code needs bpf(2), so the rows are files of
 * attach/, a higher layer. attach/backends.h lists them.
 */
#ifndef PLAN_BACKEND_H
#define PLAN_BACKEND_H

#include <stdbool.h>
#include <stdint.h>

#include "lang/ast.h"

struct arena;
struct attached;
struct attacher;
struct diag;
struct facts;
struct features;
struct fetch;
struct match_set;
struct plan;
struct resolver;

/* A return probe that uses parameters or the time of the entry has a second program, at the function's entry: the saver. */
enum attach_role { ATTACH_PROBE, ATTACH_SAVER };

/* How a program finds the address that a hit's record has, from its context: as hit_addr() of bpf/capture.bpf.h does. */
enum backend_place {
	PLACE_KNOWN,			/* plan.seen_func: it runs for one function */
	PLACE_KPROBE_IP,		/* the context is struct pt_regs; ip is KPROBE_IP_BEHIND bytes behind the place */
	PLACE_FTRACE_IP,		/* ... and here FTRACE_IP_BEHIND, where ftrace's call returns to */
	PLACE_FUNC_IP,			/* bpf_get_func_ip() */
	PLACE_COOKIE,			/* bpf_get_attach_cookie() */
	PLACE_IP,			/* the context is struct pt_regs; ip is the place */
	PLACE_UTASK,			/* the kernel's uprobe_dispatch_data of the task has it */
};

/* A word of a context, and how a program gets it. */
struct context_word {
	unsigned n;			/* its index: words have 8 bytes */
	enum { WORD_LOAD, WORD_CAST, WORD_FUNC_ARG, WORD_FUNC_RET } way;	/* a load; by bpf_rdonly_cast(); by a helper */
	unsigned cast_func, cast_struct;	/* WORD_CAST: of struct feature_ids */
};

/* A pattern's function that a backend takes. */
struct backend_pick {
	uint64_t addr;			/* target.addrs */
	uint32_t id;			/* target.ids; 0: it is not taken */
};

/* What a compiled program of a backend is for. run/engine.c takes programs by these, and knows no names. */
enum backend_model {
	MODEL_ENTRY,
	MODEL_RETURN,
	MODEL_ENTRY_WAITS,		/* where the program waits for memory; NULL: the one above can */
	MODEL_RETURN_WAITS,
	MODEL_RETURN_SAVED,		/* where an entry probe saves parameters; NULL: it never does */
	MODEL_RETURN_COPIED,		/* ... parameters and the time */
	MODEL_RETURN_TIMED,		/* ... only the time */
	MODEL_RETURN_CALLED,		/* ... only the time, in a table of calls (struct bp_calls) */
	MODEL_SAVER,			/* that entry probe: for MODEL_RETURN_SAVED and MODEL_RETURN_COPIED */
	MODEL_SAVER_TIMED,
	MODEL_SAVER_CALLED,
	MODEL_PAIR_ENTRY,		/* events of pairs; NULL: nobody could know which of their hits the kernel misses */
	MODEL_PAIR_RETURN,
	MODEL_PAIR_RETURN_SAVED,	/* ... where an entry probe saves parameters */
	BACKEND_MODELS
};

/* What it can attach to. The plan asks, and the expansion of patterns. */
struct backend_takes {
	unsigned kinds;			/* 1 << enum probe_kind */
	bool for_patterns;		/* one program for all functions of a pattern; else one program for one place */
	bool also_for_one;		/* for_patterns, and for one function too */
	unsigned functions_max;		/* patterns: it is not chosen for more functions than this; 0: for any number */
	unsigned crowd_max;		/* this many programs of one run may be on one function, and as many patterns; 0: any number */
};

/* Its programs. The engine asks, and --doctor loads one of the type. */
struct backend_program {
	unsigned type;			/* enum bpf_prog_type */
	unsigned attach_types[2];	/* enum bpf_attach_type for loading them: at entries, and at returns */
	/* The BTF id of the function that @plan's program is loaded for. No function: they are loaded for any. */
	uint32_t (*btf_id)(const struct plan *plan);
	/* Writes the values of markers that only its compiled programs have: of marker m to values[m - BP_PATCH_BASE]. */
	void (*patch)(const struct plan *plan, uint64_t *values);
	bool rejects_by_one;		/* one that wants no hit returns 1 instead of 0 */
	bool may_nest;			/* one may run while it is running on the same CPU already */
	bool guards_itself;		/* each has its own guard against recursion; else one of the CPU guards all */
	const char *models[BACKEND_MODELS];	/* the names of compiled programs (bpf/probe.bpf.c); NULL: it has none for this */
};

/* What a program's context shows of a hit. gen asks, and print. */
struct backend_hit {
	enum backend_place places[2];	/* at entries, and at returns */
	bool shows_params;		/* a return's context has the parameters, so no entry probe must save them */
	bool shows_one;			/* a return's context has one parameter, or the time of the entry */
	bool gives_stacks;		/* the context is where its task's stack is unwound from */
	bool knows_context;		/* the flags register and preempt_count are known at each hit */
	bool depth_unsure;		/* at an entry the depth may be one more than adds_depth() says */
};

/* What --doctor says. */
struct backend_doctor {
	const char *needs;		/* the kernel's configuration that it needs */
	const char *without;		/* what happens where it is missing. NULL: no probe can run */
	bool needs_paranoid;		/* kernel.perf_event_paranoid may forbid it */
};

struct backend {
	const char *name;		/* as in --attach, and as kept events store it */
	const char *hooks[2];		/* names to show: of the hook at entries, and at returns */
	struct backend_takes takes;
	struct backend_program program;
	struct backend_hit hit;
	struct backend_doctor doctor;

	/* ---- asked while the plan is made ---- */

	/* Why this kernel does not have the backend at all; NULL: it does, as far as can be seen. No function: every kernel. */
	const char *(*missing)(struct features *features);
	/* Why @plan cannot use this backend. NULL: it can, and @plan has what the programs need. No function: it always can. */
	const char *(*trouble)(const struct resolver *r, struct plan *plan);
	/* The same for a definition with a pattern. @calls: some functions, not all, are system calls (parameters in memory). */
	const char *(*pattern_trouble)(const struct probe_def *def, bool calls, struct features *features);

	/*
	 * Which of a pattern's functions it can take: fills in @ret (zeroes before) for each function of @set, and returns how
	 * many. *ret_why: why it does not take the first of the others. No function: it takes all.
	 */
	unsigned (*pick)(struct arena *arena, const struct probe_def *def, const struct facts *facts, const struct match_set *set,
			 struct backend_pick *ret, const char **ret_why);

	/*
	 * May the program for this entry of a function be one of many behind a link (plan/bundle.h)? No function: the backend has no
	 * such link.
	 */
	bool (*bundles)(const struct plan *plan, struct features *features);

	/* May @plan's program sleep until memory is there, at its place on this kernel? No function: never. */
	bool (*waits)(const struct plan *plan, struct features *features);

	/* ---- asked of a hit ---- */

	/* Where the context holds the register or the parameter that @f fetches. */
	struct context_word (*context_word)(const struct plan *plan, const struct fetch *f);

	/* Can the program be missed at an entry whose return it does not miss? No function: it cannot. */
	bool (*misses_entries)(struct features *features);

	/* May a hit's context have the flags register on this kernel? No function: it is as the compiled program knows. */
	bool (*shows_flags)(struct features *features);

	/* The number of levels that the hook adds to preempt_count, if the kernel counts them. No function: none. */
	unsigned (*adds_depth)(unsigned release, bool is_return);

	/* ---- asked when it is attached ---- */

	bool may_be_refused;		/* the kernel may refuse what looked possible: then backend_fallback() is used */
	bool is_kprobe;			/* does nothing while the kernel's kprobes are switched off */
	unsigned detach_ms;		/* how long the kernel waits while one link is closed (6.12); 0: hardly, however many functions it has */

	/* Does the kernel use ftrace for the place, so that there are no hits while ftrace is off? No function: always. */
	bool (*uses_ftrace)(const struct plan *plan);
	/* Like attach() of attach/attach.h. */
	int (*attach)(const struct attacher *at, const struct plan *plan, enum attach_role role, int prog_fd,
		      struct attached *ret, struct diag *diag);
	/* The number of hits that the hook missed, without those that the program missed; false: not known. No function: none. */
	bool (*missed)(const struct attacher *at, const struct attached *a, uint64_t *ret);
};

/* From the cheapest to the dearest. NULL ends the table. */
extern const struct backend *const backends[];

/* That of events that no probe records: it adds nothing. It is not in the table. */
extern const struct backend backend_none;

/* Finds a backend by its name; NULL: there is none. */
const struct backend *backend_find(const char *name);

/* The dearest backend of a kind. It can do everything that can be asked of one place. */
const struct backend *backend_last_resort(enum probe_kind kind);

/*
 * What @plan's program becomes if the kernel refuses it: a dearer backend, which for a pattern is one for patterns. NULL: no other
 * one can do it.
 */
const struct backend *backend_fallback(const struct plan *plan);

/*
 * Sets @plan's backend, and the reason why it is not a cheaper one. -EOPNOTSUPP with the caret at
 * the definition: the requested backend cannot do it.
 */
int backend_choose(const struct resolver *r, struct plan *plan);

/*
 * Why @b cannot give @stacks (bits of enum stack_kind); NULL: it can.
 *
 * bpf_get_stack() of a trampoline's program takes registers from a place of its CPU, which it uses like a stack (kernel/trace/bpf_trace.c,
 * bpf_raw_tp_regs). Such a program can be preempted: then another task's program takes the next place, and when the first one ends,
 * a third one overwrites it. So it could unwind another task's frames. Until the middle of 6.12 the frames themselves could be
 * overwritten in the same way before they were copied (kernel/bpf/stackmap.c, __bpf_get_stack()). The programs of kprobes have
 * registers of their own, and are not preempted.
 */
const char *backend_stack_trouble(const struct backend *b, unsigned stacks);

/* Why @b cannot take @def, which begins or ends pairs; NULL: it can, or @def does not. */
const char *backend_unpaired(const struct backend *b, const struct probe_def *def);

/* Why @b takes no more after @nr programs on a function, or @nr patterns; NULL: it takes more. */
const char *backend_crowded(struct arena *arena, const struct backend *b, unsigned nr);

/* Changes @plan's backend, and takes the private part of the one before. The reason for it (why_dearer) stays. */
void backend_change(struct plan *plan, const struct backend *backend);

/* Changes to backend_fallback(). @why is the reason; it must live as long as the plan. */
void backend_fall_back(struct plan *plan, const char *why);

/* The hook's name to show to people: "fentry", "fexit", "kprobe", "kretprobe". */
const char *backend_hook(const struct plan *plan);

/* For rows of places in the kernel's code: p and r, and f. */
#define BACKEND_CODE	(1u << PROBE_KPROBE | 1u << PROBE_FPROBE)

/* A context_word() for rows whose context is struct pt_regs. */
struct context_word backend_register_word(const struct plan *plan, const struct fetch *f);

/* The uses_ftrace() of hooks that never use it. */
bool backend_uses_no_ftrace(const struct plan *plan);

#endif
