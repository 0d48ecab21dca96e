// SPDX-License-Identifier: GPL-2.0-only
/*
 * fentry.c - attaches by a BPF trampoline at a function's entry (fentry) or return (fexit).
 *
 * It costs a third of a kprobe, but it shows only the parameters and the return value, and only of functions that BTF has.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>

#include "arch/kernel.h"
#include "attach/attach.h"
#include "attach/backends.h"
#include "attach/trampoline.h"
#include "bprobe_abi.h"
#include "kernel/features.h"
#include "kernel/syms/ksyms.h"
#include "kernel/text/ktext.h"
#include "plan/resolver.h"

enum { MAX_POINTER_OFFSET = 1 << 29 };	/* BPF_MAX_VAR_OFF (6.12, include/linux/bpf_verifier.h) */

/* ---- can it be done? ---- */

const char *trampoline_missing(struct features *features)
{
	if (!feature(features, FEATURE_BTF))
		return "this kernel has no BTF (CONFIG_DEBUG_INFO_BTF)";
	if (!feature(features, FEATURE_DIRECT_CALLS))
		return "this kernel is built without CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS";
	return feature(features, FEATURE_GUARD) ? NULL : "this kernel has no fentry that is guarded against recursion (5.12 and "
	"newer have)";
}

/*
 * Functions that never return. A trampoline at their return would stay in memory for ever (6.16 refuses them:
 * kernel/bpf/verifier.c, noreturn_deny).
 */
static bool never_returns(const char *name)
{
	static const char *const names[] = {
		"do_exit", "do_group_exit", "kthread_complete_and_exit", "kthread_exit", "make_task_dead", "complete_and_exit",
		"rewind_stack_and_make_dead",
	};
	static const char *const prefixes[] = { "__do_sys_", SYSCALL_WRAPPER, SYSCALL_WRAPPERS_32 };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (!strcmp(names[i], name))
			return true;
	}
	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++) {
		const char *call = name + strlen(prefixes[i]);

		if (!strncmp(name, prefixes[i], strlen(prefixes[i])) && (!strcmp(call, "exit") || !strcmp(call, "exit_group")))
			return true;
	}
	return false;
}

const char *trampoline_place_trouble(const struct facts *facts, const char *name, uint64_t addr, bool is_return)
{
	bool known;

	if (is_return && never_returns(name))
		return "the function never returns, so the trampoline could not be removed";
	if (ktext_trampoline_calls(facts->text, addr, &known))
		return "a trampoline calls this function itself, so it would never end";
	return known ? NULL : "the code that a trampoline calls cannot be read (another probe is in it)";
}

/* Why the place is not the entry of a kernel function with a unique name; NULL: it is. */
static const char *place_trouble(const struct resolver *r, const struct target *t)
{
	const struct ksym *const *syms;

	if (t->module)
		return "it is in a module, and a trampoline would keep the module from being unloaded";
	if (!t->symbol)
		return "its place is given as an address";
	if (t->off)
		return "its place is not a function's entry";
	/* Behind a landing pad a probe's address is that of the next instruction, as the kernel itself prints it. */
	if (!r->facts->text)
		return "the kernel's code cannot be read";
	if (!r->ks || ksyms_find(r->ks, t->symbol, NULL, &syms) != 1)
		return "several functions have this name";
	return NULL;
}

/* Each parameter must come in one register, and the return value, too. Returns why one does not; NULL: all do. */
static const char *registers_trouble(const struct kbtf_func *func)
{
	struct kbtf_type type;

	if (func->nr_params > REG_PARAMS)
		return "the function has parameters on the stack";
	if (func->is_variadic)
		return "the function has a variable number of parameters";
	for (unsigned i = 0; i < func->nr_params; i++) {
		struct kbtf_id id;

		kbtf_param(func, i, &id);
		kbtf_describe(id, &type);
		if (type.kind == KBTF_STRUCT || type.size > 8)
			return "the function gets a structure by value";
	}
	kbtf_describe(func->ret, &type);
	return type.kind == KBTF_STRUCT || type.size > 8 ? "the function returns a structure" : NULL;
}

const char *trampoline_type_trouble(const struct facts *facts, uint64_t addr, const struct kbtf_func *func, bool is_return)
{
	const char *why = registers_trouble(func);

	if (why)
		return why;
	/* pahole before 1.25 takes any one of several static functions. The trampoline would lose another one's parameters. */
	if (ktext_params_read(facts->text, addr) > func->nr_params)
		return "the function reads more parameters than BTF lists: BTF describes another function of this name";
	if (ktext_trampoline_denied(facts->text, func->self.id, is_return))
		return "the kernel lists this function among those that may have no trampoline";
	return NULL;
}

uint64_t trampoline_seen(const struct facts *facts, uint64_t addr, bool is_return)
{
	/* A program in a trampoline cannot see whether there is a landing pad. */
	return addr + (!is_return && ktext_has_pad(facts->text, addr) ? ENTRY_PAD_SIZE : 0);
}

/* How many bytes of a register count: as many as the number has, or all 8 of an address. */
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
		return "it fetches a register that holds no parameter";
	kbtf_param(func, (unsigned)n, &id);
	kbtf_describe(id, &type);
	if (width > type.size && !feature(r->facts->features, FEATURE_WHOLE_ARGS))
		return "it fetches more of a register than this kernel's trampoline saves";
	return NULL;
}

/* At a function's return, a trampoline knows only the return value. Why it cannot give @reg; NULL: it can. */
static const char *return_trouble(const struct kbtf_func *func, enum reg reg)
{
	struct kbtf_type type;

	if (reg != REG_RETURN)
		return "it fetches a register other than the return value's";
	kbtf_describe(func->ret, &type);
	return type.kind == KBTF_VOID ? "the function returns nothing (void)" : NULL;
}

/*
 * For the verifier such a value is a pointer to a structure. The verifier does not allow an offset that large (1 << 29,
 * BPF_MAX_VAR_OFF) or a shift.
 */
static bool needs_number(const struct plan *plan, const struct fetch *f, const struct layout_field *field)
{
	int64_t off = f->nr_derefs ? f->derefs[0].off : f->add;

	if (off >= MAX_POINTER_OFFSET || off <= -MAX_POINTER_OFFSET)
		return true;
	return plan->def->filter && !f->nr_derefs && field->bit_off + field->bit_width > 32;
}

static unsigned word_of(const struct plan *plan, unsigned nr_params, const struct fetch *f)
{
	if (f->src == FETCH_SAVED)
		return f->n;
	return plan->target.is_return ? nr_params : (unsigned)reg_param_of(f->reg);
}

struct context_word trampoline_word(const struct plan *plan, const struct fetch *f)
{
	const struct trampoline *own = plan->own;
	struct context_word w = { .n = word_of(plan, own->nr_params, f), .cast_func = own->cast_func, .cast_struct = own->cast_struct };

	if (own->by_helper >> w.n & 1)
		w.way = w.n == own->nr_params ? WORD_FUNC_RET : own->cast_func ? WORD_CAST : WORD_FUNC_ARG;
	return w;
}

/* Sets a bit in @own->by_helper if what @f fetches cannot be loaded from the context. Why it is impossible; NULL: it is not. */
static const char *load_trouble(const struct resolver *r, const struct kbtf_func *func, const struct plan *plan, struct trampoline *own,
				const struct fetch *f, bool number)
{
	unsigned n = word_of(plan, own->nr_params, f);
	struct kbtf_id id = func->ret;
	struct kbtf_type type;

	if (n < func->nr_params)
		kbtf_param(func, n, &id);
	kbtf_describe(id, &type);
	if (kbtf_is_loadable(id) && (type.kind != KBTF_PTR || !number))
		return NULL;
	if (!feature(r->facts->features, FEATURE_FUNC_ARG))
		return "this kernel's verifier forbids this use of a pointer (5.17 allows it)";
	own->by_helper |= 1u << n;
	return NULL;
}

static const char *fetch_trouble(const struct resolver *r, const struct kbtf_func *func, const struct plan *plan,
				 struct trampoline *own, const struct fetch *f, unsigned width, bool number)
{
	const char *why;

	switch (f->src) {
	case FETCH_REG:
		if (f->has_index)
			return "it computes an address from two registers";
		if (plan->target.is_return)
			why = return_trouble(func, f->reg);
		else
			why = param_trouble(r, func, reg_param_of(f->reg), width);
		break;
	case FETCH_SAVED:
		why = param_trouble(r, func, (int)f->n, width);
		break;
	case FETCH_ELAPSED:
		return "at the return a trampoline does not know the time of the entry";
	case FETCH_STACKN:
		return "it fetches from the stack";
	default:
		return NULL;
	}
	return why ? why : load_trouble(r, func, plan, own, f, number);
}

struct calc_ask {
	const struct resolver *r;
	const struct kbtf_func *func;
	const struct plan *plan;
	struct trampoline *own;
	const char *why;
};

/* What is calculated with must be a number for the verifier. */
static bool leaf_trouble(void *ctx, const struct calc *leaf)
{
	struct calc_ask *ask = ctx;

	ask->why = fetch_trouble(ask->r, ask->func, ask->plan, ask->own, leaf->leaf, leaf->bit_size ? (leaf->bit_off + leaf->bit_size + 7u) / 8 : leaf->size, true);
	return ask->why;
}

static const char *field_trouble(const struct resolver *r, const struct kbtf_func *func, const struct plan *plan,
				 struct trampoline *own, const struct fetch *f, const struct layout_field *field)
{
	struct calc_ask ask = { r, func, plan, own, NULL };

	if (f->src != FETCH_CALC)
		return fetch_trouble(r, func, plan, own, f, width_of(f, field), needs_number(plan, f, field));
	calc_any_leaf(f->calc, leaf_trouble, &ask);
	return ask.why;
}

static const char *trouble(const struct resolver *r, struct plan *plan)
{
	const struct target *t = &plan->target;
	const char *why = r->ks && ksyms_hidden(r->ks) ? "the kernel hides its addresses" : place_trouble(r, t);
	struct trampoline *own;
	struct kbtf_func func;

	if (why)
		return why;
	why = r->facts->features ? trampoline_missing(r->facts->features) : "nothing is known about this kernel";
	if (!why)
		why = trampoline_place_trouble(r->facts, t->symbol, t->func, t->is_return);
	if (why)
		return why;
	if (kbtf_find_func(r->btf, t->symbol, "vmlinux", &func))
		return "BTF does not know the function";
	why = trampoline_type_trouble(r->facts, t->func, &func, t->is_return);
	own = arena_new(r->arena, struct trampoline);
	*own = (struct trampoline){ .btf_id = func.self.id, .nr_params = func.nr_params };
	for (unsigned i = 0; !why && i < layout_all(&plan->layout); i++)
		why = field_trouble(r, &func, plan, own, &plan->fetches[i], &plan->layout.fields[i]);
	if (why)
		return why;
	plan->own = own;
	plan->seen_func = trampoline_seen(r->facts, t->func, t->is_return);
	return NULL;
}

/*
 * Without CONFIG_FUNCTION_ERROR_INJECTION the kernel allows it for functions with this name alone; with it, these are among those that it
 * allows it for (7.1, kernel/bpf/verifier.c, check_attach_sleepable()).
 */
static bool waits(const struct plan *plan, struct features *features)
{
	static const char wrapper[] = SYSCALL_WRAPPER;

	return plan->target.symbol && !strncmp(plan->target.symbol, wrapper, sizeof(wrapper) - 1) &&
	       feature(features, FEATURE_SYSCALL_SLEEPS);
}

/* ---- attaching ---- */

static uint32_t btf_id(const struct plan *plan)
{
	const struct trampoline *own = plan->own;

	return own->btf_id;
}

static void patch(const struct plan *plan, uint64_t *values)
{
	const struct trampoline *own = plan->own;

	values[BP_PATCH_FRAME - BP_PATCH_BASE] = 8 * own->nr_params;
}

/* Makes a link to the function for which the program was loaded. */
static int attach_program(const struct attacher *at, const struct plan *plan, enum attach_role role, int prog_fd,
			  struct attached *ret, struct diag *diag)
{
	int link = bpf_raw_tracepoint_open(NULL, prog_fd);

	(void)at;
	(void)role;
	if (link < 0) {
		int err = -errno;

		diag->text = plan->def->text;
		return diag_at(diag, err, plan->def->place.at, "the kernel refused a trampoline here: %s",
			       strerror(-err));
	}
	*ret = (struct attached){ .prog_fd = prog_fd, .event_fd = -1, .link_fd = link };
	return 0;
}

const struct backend backend_fentry = {
	.name = "fentry",
	.hooks = { "fentry", "fexit" },
	.takes = { .kinds = BACKEND_CODE },
	.program = {
		.type = BPF_PROG_TYPE_TRACING, .attach_types = { BPF_TRACE_FENTRY, BPF_TRACE_FEXIT }, .btf_id = btf_id,
		.patch = patch, .guards_itself = true, .models = {
			[MODEL_ENTRY] = "bp_fentry", [MODEL_RETURN] = "bp_fexit",
			[MODEL_ENTRY_WAITS] = "bp_fentry_waits", [MODEL_RETURN_WAITS] = "bp_fexit_waits",
		},
	},
	.hit = { .places = { PLACE_KNOWN, PLACE_KNOWN }, .shows_params = true },
	.doctor = {
		.needs = "CONFIG_DEBUG_INFO_BTF=y and CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS=y",
		.without = "kprobes serve instead, at a higher cost",
	},
	.missing = trampoline_missing,
	.trouble = trouble,
	.context_word = trampoline_word,
	.waits = waits,
	.may_be_refused = true,
	.detach_ms = 130,
	.attach = attach_program,
};
