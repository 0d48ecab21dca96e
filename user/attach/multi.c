// SPDX-License-Identifier: GPL-2.0-only
/*
 * multi.c - attaches by kprobe.multi: one program and one link for all functions of a pattern, at entries or returns.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>

#include "attach/attach.h"
#include "attach/backends.h"
#include "attach/multi.h"
#include "kernel/features.h"
#include "plan/fetches.h"

bool multi_shows_flags(struct features *features)
{
	return feature(features, FEATURE_MULTI_WHOLE);
}

/*
 * From 6.14 on the registers come from fgraph: only those of the parameters, and a few more. Up to 6.17 the stack pointer at a return is
 * whatever the stack had there (return_to_handler; seen on 6.16 and 6.17). Few returns need it, so it is fetched
 * by a kretprobe on all kernels from 6.14 on.
 */
bool multi_shows(enum reg reg, bool is_return, struct features *features)
{
	if (reg == REG_FRAME || (is_return ? reg == REG_IP || reg == REG_RETURN : reg == REG_SP || reg_param_of(reg) >= 0))
		return true;
	return multi_shows_flags(features);
}

bool multi_lacks(const struct expr *e, bool is_return, struct features *features)
{
	if (e->kind == EXPR_STACK || e->kind == EXPR_STACKN)
		return !multi_shows(REG_SP, is_return, features);
	return e->kind == EXPR_REG && !multi_shows(e->reg, is_return, features);
}

static const char *missing(struct features *features)
{
	return feature(features, FEATURE_MULTI) ? NULL : "this kernel has no kprobe.multi (CONFIG_FPROBE, 5.18 and newer)";
}

/* What is asked of each part of an argument. */
struct part_ask {
	const struct probe_def *def;
	const struct arg *arg;
	bool calls;
	struct features *features;
	const char *why;
};

static bool part_trouble(void *ctx, const struct expr *e)
{
	struct part_ask *ask = ctx;
	bool is_return = ask->def->kind == DEF_RETURN;

	if (e->kind == EXPR_VAR || e->kind == EXPR_ARGS || (e->kind == EXPR_ARG && (is_return || ask->calls || ask->arg->name_provisional)))
		ask->why = "it names parameters, which differ from function to function";
	else if (e->kind == EXPR_ELAPSED && !ask->def->ends_pair)
		ask->why = "at the return it does not know the time of the entry";
	else if (multi_lacks(e, is_return, ask->features))
		ask->why = "it fetches a register that this kernel's kprobe.multi does not show";
	return ask->why;
}

static const char *pattern_trouble(const struct probe_def *def, bool calls, struct features *features)
{
	struct part_ask ask = { .def = def, .calls = calls, .features = features };
	const char *why = features ? missing(features) : "nothing is known about this kernel";

	if (why)
		return why;
	if (def->place.module)
		return "it is in a module, and the link would keep the module from being unloaded";
	for (unsigned i = 0; (ask.arg = def_value(def, i)); i++) {
		if (expr_any(ask.arg->expr, part_trouble, &ask))
			return ask.why;
	}
	return NULL;
}

static bool is_hidden(void *features, const struct fetch *f)
{
	return f->src == FETCH_REG && (f->has_index || !multi_shows(f->reg, false, features));
}

/* Does the context have all that the program fetches? */
static bool bundles(const struct plan *plan, struct features *features)
{
	for (unsigned i = 0; i < layout_all(&plan->layout); i++) {
		if (fetch_any_source(&plan->fetches[i], is_hidden, features))
			return false;
	}
	return true;
}

/*
 * The levels are those of ftrace's guard against recursion, and at returns of fgraph's or rethook's guard around it. Since 6.19 entries
 * have a second guard, too (kernel/trace/fprobe.c, fprobe_ftrace_entry(); seen: 1 on 6.12 and 6.18, 2 on 7.2). At an entry with
 * several ftrace users, ftrace's guard adds one more level. The number of users is not known, so that level may belong to the
 * traced code or not (depth_unsure).
 */
unsigned multi_adds_depth(unsigned release, bool is_return)
{
	return is_return || feature_by_release(FEATURE_MULTI_FTRACE, release) ? 2 : 1;
}

/* Makes one link to all functions of a pattern. The kernel accepts all of them or none. */
static int attach_program(const struct attacher *at, const struct plan *plan, enum attach_role role, int prog_fd,
			  struct attached *ret, struct diag *diag)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts,
		.kprobe_multi.flags = plan->target.is_return ? BPF_F_KPROBE_MULTI_RETURN : 0,
		.kprobe_multi.addrs = (const unsigned long *)plan->target.addrs,
		.kprobe_multi.cnt = plan->target.nr_addrs,
	);
	int link = bpf_link_create(prog_fd, 0, BPF_TRACE_KPROBE_MULTI, &opts);

	(void)at;
	(void)role;
	if (link < 0) {
		int err = -errno;

		diag->text = plan->def->text;
		diag_at(diag, err, plan->def->place.at, "the kernel refused kprobe.multi on these %u "
			"functions: %s", plan->target.nr_addrs, strerror(-err));
		diag_note(diag, "help: --attach=kprobe gives each function a probe of its own");
		return err;
	}
	*ret = (struct attached){ .prog_fd = prog_fd, .event_fd = -1, .link_fd = link };
	return 0;
}

const struct backend backend_multi = {
	.name = "multi",
	.hooks = { "kprobe.multi", "kretprobe.multi" },
	.takes = { .kinds = BACKEND_CODE, .for_patterns = true },
	.program = {
		.type = BPF_PROG_TYPE_KPROBE, .attach_types = { BPF_TRACE_KPROBE_MULTI, BPF_TRACE_KPROBE_MULTI },
		.models = {
			[MODEL_ENTRY] = "bp_multi", [MODEL_RETURN] = "bp_multi_return",
			[MODEL_PAIR_ENTRY] = "bp_pair_multi", [MODEL_PAIR_RETURN] = "bp_pair_multi_return",
		},
	},
	.hit = { .places = { PLACE_FTRACE_IP, PLACE_FUNC_IP }, .gives_stacks = true, .depth_unsure = true },
	.doctor = { .needs = "CONFIG_FPROBE=y", .without = "the functions of a pattern are attached one by one" },
	.missing = missing,
	.pattern_trouble = pattern_trouble,
	.bundles = bundles,
	.context_word = backend_register_word,
	.shows_flags = multi_shows_flags,
	.adds_depth = multi_adds_depth,
	.attach = attach_program,
	.missed = attached_hook_missed,
};
