// SPDX-License-Identifier: GPL-2.0-only
/*
 * fmulti.c - attaches by fentry.multi or fexit.multi: one program and one link for the trampolines of many functions (7.2).
 *
 * A hit costs little more than by fentry, much less than by kprobe.multi. But each function gets a trampoline of its own, so
 * attaching takes longer than by kprobe.multi. The program is the same for functions with different parameters: it may not load
 * from the context, so the values are read by a cast or a helper. What is printed as the address comes with the hit.
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
#include "attach/trampoline.h"
#include "kernel/btf/kbtf.h"
#include "kernel/features.h"
#include "kernel/syms/ksyms.h"
#include "plan/match.h"
#include "plan/resolver.h"

/* include/uapi/linux/bpf.h of 7.2. The headers of the build machine may be older. */
enum { FENTRY_MULTI = 59, FEXIT_MULTI = 60 };

/* The part of union bpf_attr that BPF_LINK_CREATE reads. The feature is there only if BTF shows these offsets. */
struct link_create {
	__u32 prog_fd, target_fd, attach_type, flags;
	__u64 ids;			/* __u32 each */
	__u64 cookies;			/* __u64 each */
	__u32 cnt;
};
_Static_assert(offsetof(struct link_create, ids) == FEATURE_TRAMPOLINES_IDS &&
	       offsetof(struct link_create, cookies) == FEATURE_TRAMPOLINES_COOKIES &&
	       offsetof(struct link_create, cnt) == FEATURE_TRAMPOLINES_CNT, "the offsets that features.c looks for");

static const char *missing(struct features *features)
{
	return feature(features, FEATURE_TRAMPOLINES) ? NULL : "this kernel has no link to the trampolines of many functions (7.2 has)";
}

/* ---- the definition ---- */

/* Why a trampoline cannot show what @e fetches; NULL: it can, from functions with *nr_params parameters or more. */
static const char *expr_trouble(const struct expr *e, bool is_return, bool calls, bool provisional, unsigned *nr_params)
{
	int param = -1;

	switch (e->kind) {
	case EXPR_VAR:
	case EXPR_ARGS:
		return "it names parameters, which differ from function to function";
	case EXPR_ARG:
		if (calls || provisional)
			return "it names parameters, which differ from function to function";
		param = (int)e->n - 1;
		break;
	case EXPR_REG:
		if (is_return && (e->reg == REG_RETURN || e->reg == REG_IP))
			return NULL;
		param = is_return ? -1 : reg_param_of(e->reg);
		if (param < 0)
			return "it fetches a register that a trampoline does not show";
		break;
	case EXPR_ELAPSED:
		return "at the return a trampoline does not know the time of the entry";
	case EXPR_STACK:
	case EXPR_STACKN:
		return "it fetches from the stack";
	default:
		return NULL;
	}
	if (param >= REG_PARAMS)
		return "it fetches a parameter on the stack";
	*nr_params = MAX(*nr_params, (unsigned)param + 1);
	return NULL;
}

/* What is asked of each part of an argument. */
struct part_ask {
	const struct arg *arg;
	bool is_return, calls;
	unsigned nr_params;		/* the functions must have so many */
	bool params;			/* some are fetched by their numbers */
	const char *why;
};

static bool part_trouble(void *ctx, const struct expr *e)
{
	struct part_ask *ask = ctx;

	ask->why = expr_trouble(e, ask->is_return, ask->calls, ask->arg->name_provisional, &ask->nr_params);
	ask->params |= e->kind == EXPR_ARG;
	return ask->why;
}

/* @calls: as for pattern_trouble(). @all_calls: all functions are system calls, each with one parameter. */
static const char *fetch_trouble(const struct probe_def *def, bool calls, bool all_calls, unsigned *nr_params)
{
	struct part_ask ask = { .is_return = def->kind == DEF_RETURN, .calls = calls };
	bool is_return = def->kind == DEF_RETURN, untyped = false;

	for (unsigned i = 0; (ask.arg = def_value(def, i)); i++) {
		untyped |= i < def->nr_args && ask.arg->expr->kind == EXPR_RETVAL && ask.arg->type.kind == TYPE_NONE;
		if (expr_any(ask.arg->expr, part_trouble, &ask))
			return ask.why;
	}
	*nr_params = all_calls && ask.params ? 1 : ask.nr_params;
	/* Without this link, parameters at a return need a probe for each function. Then each function has its own type of $retval. */
	return is_return && ask.params && untyped ? "the type of $retval differs from function to function" : NULL;
}

static const char *pattern_trouble(const struct probe_def *def, bool calls, struct features *features)
{
	const char *why = features ? missing(features) : "nothing is known about this kernel";
	unsigned nr_params;

	if (why)
		return why;
	if (def->place.module)
		return "it is in a module, and the link would keep the module from being unloaded";
	return fetch_trouble(def, calls, false, &nr_params);
}

/* ---- the functions ---- */

static const char *function_trouble(const struct facts *facts, const struct ksym *sym, const struct kbtf_func *func, bool is_return,
				    unsigned nr_params)
{
	const struct ksym *const *syms;
	const char *why;

	if (!func->self.id)
		return "BTF does not know the function";
	if (func->nr_params < nr_params)
		return "it fetches a register that holds no parameter";
	if (ksyms_find(facts->ks, sym->name, "vmlinux", &syms) != 1)
		return "several functions have this name";
	why = trampoline_place_trouble(facts, sym->name, sym->addr, is_return);
	return why ? why : trampoline_type_trouble(facts, sym->addr, func, is_return);
}

static unsigned pick(struct arena *arena, const struct probe_def *def, const struct facts *facts, const struct match_set *set,
		     struct backend_pick *ret, const char **ret_why)
{
	const char **names = arena_array(arena, const char *, set->nr);
	struct kbtf_func *funcs = arena_array(arena, struct kbtf_func, set->nr);
	bool is_return = def->kind == DEF_RETURN;
	unsigned nr_params, nr = 0;

	*ret_why = "the kernel's code cannot be read";
	for (unsigned i = 0; i < set->nr; i++)
		names[i] = match_symbol(set, i)->name;
	if (!facts->text || kbtf_find_funcs(facts->btf, names, set->nr, funcs))
		return 0;
	fetch_trouble(def, false, set->nr_calls == set->nr, &nr_params);
	for (unsigned i = 0; i < set->nr; i++) {
		const struct ksym *sym = match_symbol(set, i);
		const char *why = function_trouble(facts, sym, &funcs[i], is_return, nr_params);

		if (why) {
			*ret_why = nr < i ? *ret_why : arena_printf(arena, "%s: %s", sym->name, why);
			continue;
		}
		ret[i] = (struct backend_pick){ trampoline_seen(facts, sym->addr, is_return), funcs[i].self.id };
		nr++;
	}
	return nr;
}

/* No value can be loaded from the context. All functions have the same number for their return value. */
static const char *trouble(const struct resolver *r, struct plan *plan)
{
	struct trampoline *own = arena_new(r->arena, struct trampoline);
	struct feature_ids ids;

	features_find_ids(r->facts->features, &ids);
	own->nr_params = REG_PARAMS;
	own->by_helper = (1u << (REG_PARAMS + 1)) - 1;
	own->cast_func = ids.cast_func;
	own->cast_struct = ids.cast_struct;
	plan->own = own;
	return NULL;
}

/* ---- attaching ---- */

static int create_link(const struct plan *plan, int prog_fd)
{
	const struct target *t = &plan->target;
	struct link_create attr = {
		.prog_fd = (__u32)prog_fd,
		.attach_type = plan->layout.backend->program.attach_types[t->is_return],
		.ids = (uint64_t)(uintptr_t)t->ids,
		.cookies = (uint64_t)(uintptr_t)t->addrs,
		.cnt = t->nr_addrs,
	};
	long fd = syscall(SYS_bpf, BPF_LINK_CREATE, &attr, offsetof(struct link_create, cnt) + sizeof(attr.cnt));

	return fd < 0 ? -errno : (int)fd;
}

static int attach_program(const struct attacher *at, const struct plan *plan, enum attach_role role, int prog_fd,
			  struct attached *ret, struct diag *diag)
{
	int link = create_link(plan, prog_fd);

	(void)at;
	(void)role;
	if (link < 0) {
		diag->text = plan->def->text;
		return diag_at(diag, link, plan->def->place.at, "the kernel refused trampolines on these %u functions: %s",
			       plan->target.nr_addrs, strerror(-link));
	}
	*ret = (struct attached){ .prog_fd = prog_fd, .event_fd = -1, .link_fd = link };
	return 0;
}

const struct backend backend_fmulti = {
	.name = "fmulti",
	.hooks = { "fentry.multi", "fexit.multi" },
	.takes = { .kinds = BACKEND_CODE, .for_patterns = true, .functions_max = 512 },
	.program = {
		.type = BPF_PROG_TYPE_TRACING, .attach_types = { FENTRY_MULTI, FEXIT_MULTI }, .guards_itself = true,
		.models = { [MODEL_ENTRY] = "bp_fmulti", [MODEL_RETURN] = "bp_fmulti_return" },
	},
	.hit = { .places = { PLACE_COOKIE, PLACE_FUNC_IP }, .shows_params = true },
	.doctor = {
		.needs = "CONFIG_DEBUG_INFO_BTF=y and CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS=y",
		.without = "patterns use kprobe.multi instead, at a higher cost",
	},
	.missing = missing,
	.trouble = trouble,
	.pattern_trouble = pattern_trouble,
	.pick = pick,
	.context_word = trampoline_word,
	.may_be_refused = true,
	.attach = attach_program,
};
