// SPDX-License-Identifier: GPL-2.0-only
/*
 * session.c - attaches by kprobe.session: one program and one link for the entries and the returns of functions (6.10, used
 * from 6.14 on).
 *
 * The kernel has a word for each call that the entry can set and the return can read. So a return probe can have one parameter of
 * the entry, on all functions of a pattern, or on one function that can have no trampoline. Or it can have the time of the entry,
 * which a trampoline at the return does not know. Without this, each function would need a kretprobe, a kprobe, and a map between
 * the two.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "arch/kernel.h"
#include "attach/attach.h"
#include "attach/backends.h"
#include "attach/multi.h"
#include "bprobe_abi.h"
#include "kernel/features.h"
#include "plan/fetches.h"
#include "plan/resolver.h"

/* include/uapi/linux/bpf.h of 6.10. The headers and the libbpf of the build machine may be older. */
enum { KPROBE_SESSION = 56 };

/* The part of union bpf_attr that BPF_LINK_CREATE reads, as for kprobe.multi (5.18). */
struct link_create {
	__u32 prog_fd, target_fd, attach_type, flags;
	__u32 multi_flags, cnt;
	__u64 syms, addrs, cookies;
};

static const char *missing(struct features *features)
{
	return feature(features, FEATURE_SESSION) ? NULL
		: "this kernel has no kprobe.session that misses whole calls (6.14, with the BPF compiler on)";
}

/* What is asked of each part of an argument. */
struct part_ask {
	const struct arg *arg;
	bool calls;
	struct features *features;
	unsigned nr;			/* of the parameter that the return needs; 0: none */
	const char *why;
};

static bool part_trouble(void *ctx, const struct expr *e)
{
	struct part_ask *ask = ctx;

	if (e->kind == EXPR_VAR || e->kind == EXPR_ARGS || (e->kind == EXPR_ARG && (ask->calls || ask->arg->name_provisional)))
		ask->why = "it names parameters, which differ from function to function";
	else if (multi_lacks(e, true, ask->features))
		ask->why = "it fetches a register that this kernel's kprobe.session does not show";
	else if (e->kind == EXPR_ARG && ask->nr && ask->nr != e->n)
		ask->why = "it needs two parameters at the return, and there is room for one";
	else if (e->kind == EXPR_ARG)
		ask->nr = e->n;
	return ask->why;
}

/* Why it cannot give what @def fetches; NULL: it can. */
static const char *fetch_trouble(const struct probe_def *def, bool calls, struct features *features)
{
	struct part_ask ask = { .calls = calls, .features = features };
	bool untyped = false, times = false;

	for (unsigned i = 0; (ask.arg = def_value(def, i)); i++) {
		untyped |= i < def->nr_args && ask.arg->expr->kind == EXPR_RETVAL && ask.arg->type.kind == TYPE_NONE;
		times |= ask.arg->expr->kind == EXPR_ELAPSED;
		if (expr_any(ask.arg->expr, part_trouble, &ask))
			return ask.why;
	}
	if (ask.nr && times)
		return "it needs the time of the entry and a parameter, and there is room for one of them";
	if (!ask.nr && !times)
		return "it needs nothing of the entry";
	if (ask.nr > REG_PARAMS)
		return "it needs a parameter on the stack";
	/* With a probe for each function, each has its own type of $retval. */
	return untyped ? "the type of $retval differs from function to function" : NULL;
}

static const char *pattern_trouble(const struct probe_def *def, bool calls, struct features *features)
{
	const char *why = features ? missing(features) : "nothing is known about this kernel";

	if (why)
		return why;
	if (def->kind != DEF_RETURN)
		return "it is for returns";
	if (def->place.module)
		return "it is in a module, and the link would keep the module from being unloaded";
	return fetch_trouble(def, calls, features);
}

/* What is asked of each source of one function's values. */
struct source_ask {
	struct features *features;
	const struct fetch *saved;	/* what the entry must save; NULL: nothing */
	const char *why;
};

static bool source_trouble(void *ctx, const struct fetch *f)
{
	struct source_ask *ask = ctx;

	if (f->src == FETCH_STACKN || (f->src == FETCH_REG && (f->has_index || !multi_shows(f->reg, true, ask->features))))
		ask->why = "it fetches what this kernel's kprobe.session does not show";
	if (f->src != FETCH_SAVED)
		return ask->why;
	if (f->n >= REG_PARAMS || (ask->saved && f->n != ask->saved->n))
		ask->why = "it needs more of the entry than one register";
	ask->saved = f;
	return ask->why;
}

/* The same for the return of one function, which can have no trampoline. */
static const char *one_trouble(const struct resolver *r, const struct plan *plan)
{
	struct features *features = r->facts->features;
	const struct target *t = &plan->target;
	struct source_ask ask = { .features = features };

	if (plan->saved.time && plan->saved.params)
		return "it needs the time of the entry and a parameter, and there is room for one of them";
	if (!features || missing(features))
		return "this kernel has no kprobe.session";
	if (!t->is_return || t->off || !t->func || t->module)
		return "it is for returns of the kernel's own functions";
	for (unsigned i = 0; i < layout_all(&plan->layout); i++) {
		if (fetch_any_source(&plan->fetches[i], source_trouble, &ask))
			return ask.why;
	}
	return plan->saved.any ? NULL : "it needs nothing of the entry";
}

/* Its private part of a plan. */
struct own {
	enum reg saved;			/* the register with the parameter that the entry saves for the return */
};

static bool take_saved(void *ctx, const struct fetch *f)
{
	struct own *own = ctx;

	if (f->src == FETCH_SAVED)
		own->saved = reg_params[f->n];
	return false;
}

/* All functions of a pattern have the parameter in the same register: that of system calls is the address of all parameters. */
static const char *trouble(const struct resolver *r, struct plan *plan)
{
	const char *why = r->def->place.pattern ? NULL : one_trouble(r, plan);
	struct own *own = arena_new(r->arena, struct own);

	for (unsigned i = 0; !why && i < layout_all(&plan->layout); i++)
		fetch_any_source(&plan->fetches[i], take_saved, own);
	plan->own = own;
	return why;
}

static void patch(const struct plan *plan, uint64_t *values)
{
	const struct own *own = plan->own;

	values[BP_PATCH_SESSION_PARAM - BP_PATCH_BASE] = 8 * own->saved;
}

/*
 * From 6.14 on, the kernel has 32 words for a call of a function (kernel/trace/fgraph.c, FGRAPH_MAX_DATA_SIZE). Each of these programs
 * needs two of them. If all programs on the function need more than there are, each of them misses every call, those of other
 * tracers too (kernel/trace/fprobe.c, fprobe_fgraph_entry(); seen on 7.2: 16 programs have hits, 17 have none). So there are at most
 * 4 of single places and 4 of patterns, and half of the words remain for others.
 */
enum { CROWD_MAX = 4 };

static int attach_program(const struct attacher *at, const struct plan *plan, enum attach_role role, int prog_fd,
			  struct attached *ret, struct diag *diag)
{
	const struct target *t = &plan->target;
	struct link_create attr = {
		.prog_fd = (__u32)prog_fd,
		.attach_type = KPROBE_SESSION,
		.cnt = t->addrs ? t->nr_addrs : 1,
		.addrs = (uint64_t)(uintptr_t)(t->addrs ? t->addrs : &t->func),
	};
	int link = (int)syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr));

	(void)at;
	(void)role;
	if (link < 0) {
		int err = -errno;

		diag->text = plan->def->text;
		diag_at(diag, err, plan->def->place.at, "the kernel refused kprobe.session here: %s", strerror(-err));
		if (t->addrs)
			diag_note(diag, "help: --attach=kprobe gives each function a probe of its own");
		return err;
	}
	*ret = (struct attached){ .prog_fd = prog_fd, .event_fd = -1, .link_fd = link };
	return 0;
}

const struct backend backend_session = {
	.name = "session",
	.hooks = { "kprobe.session", "kprobe.session" },
	.takes = { .kinds = BACKEND_CODE, .for_patterns = true, .also_for_one = true, .crowd_max = CROWD_MAX },
	.program = {
		.type = BPF_PROG_TYPE_KPROBE, .attach_types = { KPROBE_SESSION, KPROBE_SESSION },
		.patch = patch, .rejects_by_one = true, .models = { [MODEL_RETURN] = "bp_session" },
	},
	.hit = { .places = { PLACE_FUNC_IP, PLACE_FUNC_IP }, .shows_one = true, .gives_stacks = true },
	.doctor = {
		.needs = "CONFIG_FPROBE=y",
		.without = "return probes on many functions with parameters or $elapsed are attached one by one",
	},
	.missing = missing,
	.trouble = trouble,
	.pattern_trouble = pattern_trouble,
	.context_word = backend_register_word,
	.shows_flags = multi_shows_flags,
	.adds_depth = multi_adds_depth,
	.may_be_refused = true,
	.detach_ms = 130,
	.attach = attach_program,
	.missed = attached_hook_missed,
};
