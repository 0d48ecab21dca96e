// SPDX-License-Identifier: GPL-2.0-only
/*
 * backend.c - by what a probe is attached.
 *
 * A trampoline (fentry, fexit) costs a third of a kprobe, but shows the arguments and the
 * return value only, of functions that BTF knows. What does not fit is the kprobe's.
 */
#include "plan/backend.h"

#include <errno.h>

#include "bprobe_abi.h"
#include "kernel/features.h"
#include "kernel/syms/ksyms.h"
#include "kernel/text/ktext.h"
#include "plan/resolver.h"

enum { MAX_POINTER_OFFSET = 1 << 29 };	/* BPF_MAX_VAR_OFF (6.12, include/linux/bpf_verifier.h) */

const enum reg plan_param_regs[BP_REG_PARAMS] = {
	X86_DI, X86_SI, X86_DX, X86_CX, X86_R8, X86_R9,
};

/* The parameter that register @reg holds at a function's entry; -1: none. */
static int param_of(enum reg reg)
{
	for (int i = 0; i < BP_REG_PARAMS; i++) {
		if (plan_param_regs[i] == reg)
			return i;
	}
	return -1;
}

/*
 * Functions that never return: at their exit a trampoline would stay in memory for ever (6.16 refuses
 * them: kernel/bpf/verifier.c, noreturn_deny).
 */
static bool never_returns(const char *name)
{
	static const char *const names[] = {
		"__ia32_sys_exit", "__ia32_sys_exit_group", "__x64_sys_exit", "__x64_sys_exit_group", "do_exit",
		"do_group_exit", "kthread_complete_and_exit", "kthread_exit", "make_task_dead",
		"__do_sys_exit", "__do_sys_exit_group", "complete_and_exit", "rewind_stack_and_make_dead",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (!strcmp(names[i], name))
			return true;
	}
	return false;
}

/* Would its trampoline call the function for ever? */
static const char *recursion_trouble(const struct resolver *r, const struct target *t)
{
	bool known;

	if (ktext_trampoline_calls(r->facts->text, t->func, &known))
		return "a trampoline calls this function itself, so it would never end";
	return known ? NULL : "the code that a trampoline calls cannot be read (another probe stands in it)";
}

/* Is the place the entry of a function of the kernel that has its name for itself? */
static const char *place_trouble(const struct resolver *r, const struct target *t)
{
	const struct ksym *const *syms;

	if (t->module)
		return "it is in a module, which the program would keep from being unloaded";
	if (!t->symbol)
		return "its place is an address";
	if (t->off)
		return "it is not at a function's entry";
	if (t->is_return && never_returns(t->symbol))
		return "the function never returns, and the trampoline would stay";
	/* Behind an ENDBR a probe's address is the entry's + 4, as the kernel's own prints it. */
	if (!r->facts->text)
		return "the kernel's code cannot be read";
	if (!r->ks || ksyms_find(r->ks, t->symbol, NULL, &syms) != 1)
		return "its function's name is not the only one";
	return NULL;
}

/* Parameters come in registers, each in one. */
static const char *function_trouble(const struct kbtf_func *func)
{
	if (func->nr_params > BP_REG_PARAMS)
		return "the function has parameters on the stack";
	for (unsigned i = 0; i < func->nr_params; i++) {
		struct kbtf_type type;
		struct kbtf_id id;

		kbtf_param(func, i, &id);
		kbtf_describe(id, &type);
		if (type.kind == KBTF_VOID)
			return "the function has a variable number of parameters";
		if (type.kind == KBTF_STRUCT || type.size > 8)
			return "the function gets a structure by value";
	}
	return NULL;
}

unsigned backend_context_number(const struct plan *plan, const struct fetch *f)
{
	unsigned n = 0;

	if (f->src == FETCH_SAVED)
		return f->n;
	if (plan->target.is_return)
		return plan->nr_params;
	while (plan_param_regs[n] != f->reg)
		n++;
	return n;
}

/* Bytes of a register that are looked at: those of a number, all where it is an address. */
static unsigned width_of(const struct fetch *f, const struct layout_field *field)
{
	if (f->nr_derefs || type_is_dynamic(&field->type))
		return 8;
	return field->type.size;
}

static const char *param_trouble(const struct resolver *r, const struct kbtf_func *func, int n,
				 unsigned width)
{
	struct kbtf_type type;
	struct kbtf_id id;

	if (n < 0 || (unsigned)n >= func->nr_params)
		return "it fetches a register that is no parameter";
	kbtf_param(func, (unsigned)n, &id);
	kbtf_describe(id, &type);
	if (!r->facts->features->whole_args && width > type.size)
		return "it fetches more of a register than this kernel's trampoline saves";
	return NULL;
}

/* What a function's trampoline knows of the registers at its return. */
static const char *return_trouble(const struct kbtf_func *func, enum reg reg)
{
	struct kbtf_type type;

	if (reg != X86_AX)
		return "it fetches a register other than the return value's";
	kbtf_describe(func->ret, &type);
	return type.kind == KBTF_VOID ? "the function returns nothing (void)" : NULL;
}

/*
 * The verifier knows such a value as a pointer to a structure, which it lets nobody move so far (1 << 29, BPF_MAX_VAR_OFF)
 * or shift.
 */
static bool needs_number(const struct plan *plan, const struct fetch *f, const struct layout_field *field)
{
	int64_t off = f->nr_derefs ? f->derefs[0].off : f->add;

	if (off >= MAX_POINTER_OFFSET || off <= -MAX_POINTER_OFFSET)
		return true;
	return plan->def->filter && !f->nr_derefs && field->bit_off + field->bit_width > 32;
}

/* Sets @plan->by_helper where @f takes what cannot be loaded from the context; why it cannot, or NULL. */
static const char *load_trouble(const struct resolver *r, const struct kbtf_func *func, struct plan *plan,
				const struct fetch *f, const struct layout_field *field)
{
	unsigned n = backend_context_number(plan, f);
	struct kbtf_id id = func->ret;
	struct kbtf_type type;

	if (n < func->nr_params)
		kbtf_param(func, n, &id);
	kbtf_describe(id, &type);
	if (kbtf_is_loadable(id) && (type.kind != KBTF_PTR || !needs_number(plan, f, field)))
		return NULL;
	if (!r->facts->features->func_arg)
		return "this kernel's verifier forbids this use of a pointer (5.17 allows it)";
	plan->by_helper |= 1u << n;
	return NULL;
}

static const char *fetch_trouble(const struct resolver *r, const struct kbtf_func *func, struct plan *plan,
				 const struct fetch *f, const struct layout_field *field)
{
	unsigned width = width_of(f, field);
	const char *why;

	switch (f->src) {
	case FETCH_REG:
		if (plan->target.is_return)
			why = return_trouble(func, f->reg);
		else
			why = param_trouble(r, func, param_of(f->reg), width);
		break;
	case FETCH_SAVED:
		why = param_trouble(r, func, (int)f->n, width);
		break;
	case FETCH_STACKN:
		return "it fetches from the stack";
	default:
		return NULL;
	}
	return why ? why : load_trouble(r, func, plan, f, field);
}

/* Why a trampoline cannot do it; NULL: it can, and *ret is the function. */
static const char *fentry_trouble(const struct resolver *r, struct plan *plan, struct kbtf_func *ret)
{
	const struct target *t = &plan->target;
	const char *why = place_trouble(r, t);

	if (why)
		return why;
	if (!r->facts->features || !r->facts->features->fentry)
		return "this kernel has no fentry with a guard against recursion (5.12 and newer)";
	if (ksyms_hidden(r->ks))
		return "the kernel hides its addresses";
	why = recursion_trouble(r, t);
	if (why)
		return why;
	if (kbtf_find_func(r->btf, t->symbol, "vmlinux", ret))
		return "BTF does not know the function";
	why = function_trouble(ret);
	/* pahole before 1.25 takes any of several static functions; the trampoline would lose the other's parameters. */
	if (!why && ktext_params_read(r->facts->text, t->func) > ret->nr_params)
		why = "the function reads more parameters than BTF knows: BTF has another one of its name";
	plan->nr_params = ret->nr_params;
	for (unsigned i = 0; !why && i < plan->layout.nr_fields; i++)
		why = fetch_trouble(r, ret, plan, &plan->fetches[i], &plan->layout.fields[i]);
	return why;
}

/* From 6.14 on the registers come from fgraph: those of the parameters, and a few more. */
static bool multi_shows(enum reg reg, bool is_return, const struct features *features)
{
	if (features->multi_whole || reg == X86_SP || reg == X86_BP || (is_return && reg == X86_IP))
		return true;
	return is_return ? reg == X86_AX : param_of(reg) >= 0;
}

const char *backend_multi_trouble(const struct probe_def *def, bool calls, const struct features *features)
{
	bool is_return = def->kind == DEF_RETURN;

	if (!features || !features->multi)
		return "this kernel has no kprobe.multi (CONFIG_FPROBE, 5.18 and newer)";
	if (def->place.module)
		return "it is in a module, which the link would keep from being unloaded";
	for (unsigned i = 0; i < def->nr_args; i++) {
		for (const struct expr *e = def->args[i].expr; e; e = e->inner) {
			if (e->kind == EXPR_VAR || e->kind == EXPR_ARGS ||
			    (e->kind == EXPR_ARG && (is_return || calls || def->args[i].name_provisional)))
				return "it names parameters, which differ from function to function";
			if (e->kind == EXPR_REG && !multi_shows(e->reg, is_return, features))
				return "it fetches a register that this kernel's kprobe.multi does not show";
		}
	}
	return NULL;
}

int backend_choose(const struct resolver *r, struct plan *plan)
{
	enum attach_choice choice = r->facts->attach;
	struct kbtf_func func;
	const char *why;

	if (r->def->place.pattern) {
		plan->backend = BACKEND_MULTI;
		plan->layout.backend = BACKEND_MULTI;
		return 0;
	}
	if (choice == ATTACH_MULTI)
		return diag_at(r->diag, -EOPNOTSUPP, r->def->head_at, "--attach=multi is for definitions of many functions "
			       "(p:vfs vfs_*)");
	plan->backend = BACKEND_KPROBE;
	if (choice == ATTACH_KPROBE) {
		plan->why_dearer = "asked for by --attach";
		return 0;
	}
	why = fentry_trouble(r, plan, &func);
	if (!why) {
		plan->backend = BACKEND_FENTRY;
		plan->layout.backend = BACKEND_FENTRY;
		plan->btf_id = func.self.id;
		plan->entry = plan->target.func + (ktext_has_endbr(r->facts->text, plan->target.func) ? 4 : 0);
		return 0;
	}
	plan->why_dearer = why;
	if (choice != ATTACH_FENTRY)
		return 0;
	diag_at(r->diag, -EOPNOTSUPP, r->def->head_at, "--attach=fentry cannot do this: %s", why);
	diag_note(r->diag, "help: without --attach=fentry it gets a kprobe");
	return -EOPNOTSUPP;
}

void backend_fall_back(struct plan *plan, const char *why)
{
	plan->backend = BACKEND_KPROBE;
	plan->layout.backend = BACKEND_KPROBE;
	plan->why_dearer = why;
	plan->fell_back = true;
}

const char *backend_name(const struct plan *plan)
{
	static const char *const names[BACKEND_COUNT][2] = {
		[BACKEND_KPROBE] = { "kprobe", "kretprobe" },
		[BACKEND_MULTI] = { "kprobe.multi", "kretprobe.multi" },
		[BACKEND_FENTRY] = { "fentry", "fexit" },
	};

	return names[plan->backend][plan->target.is_return];
}
