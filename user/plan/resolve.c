// SPDX-License-Identifier: GPL-2.0-only
/*
 * resolve.c - resolves a definition with the kernel's facts.
 *
 * First it replaces the words that stand for others ($arg*, a $argN without a
 * name), as 6.12 does before it reads the arguments. Then it resolves each
 * argument.
 */
#include <errno.h>

#include "arch/kernel.h"
#include "bprobe_abi.h"
#include "kernel/features.h"
#include "kernel/syms/ksyms.h"
#include "lang/dialect.h"
#include "lang/filter.h"
#include "plan/cold.h"
#include "plan/fetches.h"
#include "plan/filter_plan.h"
#include "plan/pair.h"
#include "plan/resolver.h"

static bool names_btf(void *ctx, const struct expr *e)
{
	(void)ctx;
	return e->kind == EXPR_VAR || e->kind == EXPR_FIELD || e->kind == EXPR_ARG || e->kind == EXPR_ARGS || e->kind == EXPR_RETVAL;
}

static bool wants_btf(const struct probe_def *def)
{
	const struct arg *arg;

	for (unsigned i = 0; (arg = def_value(def, i)); i++) {
		if (expr_any(arg->expr, names_btf, NULL))
			return true;
	}
	return false;
}

/* ---- $arg* and $argN ---- */

static struct arg param_arg(const struct resolver *r, const struct arg *typed, unsigned param)
{
	struct expr *e = arena_new(r->arena, struct expr);
	struct arg arg = *typed;

	*e = (struct expr){ .kind = EXPR_VAR, .at = typed->expr->at, .name_at = typed->expr->at };
	e->name = r->proto.names[param];
	if (!*e->name) {
		e->kind = EXPR_ARG;
		e->n = param + 1;
		e->name = arena_printf(r->arena, "arg%u", param + 1);
	}
	arg.expr = e;
	arg.name = e->name;
	arg.name_provisional = false;
	return arg;
}

static int refuse_expansion(const struct resolver *r, const struct arg *arg)
{
	int err = diag_at(r->diag, -EOPNOTSUPP, arg->at, "BTF does not tell the parameters of %s",
			  r->def->place.symbol ? r->def->place.symbol : "this place");

	resolve_note_registers(r);
	return err;
}

/* Replaces one typed argument by the arguments that it stands for. */
static int expand_arg(const struct resolver *r, const struct arg *arg, struct probe_def *def)
{
	unsigned nr = def->nr_args;

	/*
	 * $argN stands for the parameter's name only if the argument has no name of its own, also with %pd and %pD. The
	 * words of 2009 mean places, not parameters: a6 exists no matter what the prototype is.
	 */
	if (r->def->dialect == DIALECT_KPROBE && arg->expr->kind == EXPR_ARG && !arg->name_at.len && r->proto.known &&
	    arg->expr->n > r->proto.nr_params)
		return diag_at(r->diag, -ENOENT, arg->at, "%s has %u parameters, so there is no $arg%u",
			       r->def->place.symbol, r->proto.nr_params, arg->expr->n);
	if (arg->expr->kind == EXPR_ARGS) {
		if (!r->proto.known)
			return refuse_expansion(r, arg);
		for (unsigned i = 0; i < r->proto.nr_params && nr < LANG_MAX_ARGS; i++) {
			def->args[nr] = param_arg(r, arg, i);
			def->args[nr++].type = (struct type){ 0 };
		}
		def->from_tree = true;
	} else if (arg->expr->kind == EXPR_ARG && arg->name_provisional && r->proto.known) {
		def->args[nr++] = param_arg(r, arg, arg->expr->n - 1);
		def->from_tree = true;
	} else {
		def->args[nr] = *arg;
		if (arg->name_provisional)
			def->args[nr].name = arena_printf(r->arena, "arg%u", nr + 1 - def->has_parent);
		/* Behind the caller it would get another number if the text were read again. */
		def->args[nr].name_provisional = arg->name_provisional && !def->has_parent;
		nr++;
	}
	def->nr_args = nr;
	return 0;
}

static int check_names(const struct resolver *r, const struct probe_def *def)
{
	for (unsigned i = 0; i < def->nr_args; i++) {
		for (unsigned j = 0; j < i; j++) {
			if (!strcmp(def->args[i].name, def->args[j].name))
				return diag_at(r->diag, -EINVAL, def->args[i].at, "argument %u is called '%s' already",
					       j + 1, def->args[i].name);
		}
	}
	return 0;
}

/* *ret is the definition with all such words replaced by arguments. */
static int expand(const struct resolver *r, const struct probe_def **ret)
{
	struct probe_def *def = arena_new(r->arena, struct probe_def);

	*def = *r->def;
	def->args = arena_array(r->arena, struct arg, LANG_MAX_ARGS + 1);
	def->nr_args = 0;
	if (r->event && !r->def->nr_args && !r->def->bare) {
		def->nr_args = event_fields(r, def->args, LANG_MAX_ARGS);
		def->from_tree = true;
	}
	for (unsigned i = 0; i < r->def->nr_args; i++) {
		int err = def->nr_args == LANG_MAX_ARGS
			  ? diag_at(r->diag, -E2BIG, r->def->args[i].at, "with the parameters of $arg* these are "
				    "more than %d arguments", LANG_MAX_ARGS)
			  : expand_arg(r, &r->def->args[i], def);

		if (err)
			return err;
	}
	*ret = def;
	return check_names(r, def);
}

/* ---- rv of a void function ---- */

static bool fetches_retval(const struct arg *arg)
{
	const struct expr *e = expr_innermost(arg->expr);

	return e->kind == EXPR_RETVAL;
}

static bool has_no_value(const struct resolver *r, const struct arg *arg)
{
	return dialect_is_untyped(r->def->dialect) && r->proto.has_ret && r->proto.ret.kind == KBTF_VOID &&
	       fetches_retval(arg);
}

static struct expr *copy_with_register(const struct resolver *r, const struct expr *e)
{
	struct expr *copy = arena_new(r->arena, struct expr);

	*copy = *e;
	if (e->inner) {
		copy->inner = copy_with_register(r, e->inner);
	} else {
		copy->kind = EXPR_REG;
		copy->reg = REG_RETURN;
	}
	return copy;
}

/*
 * Languages without types fetch the register that would hold a return value. 6.12 refuses $retval of a void
 * function (kernel/trace/trace_probe.c, parse_probe_vars()), so the listing must have the register.
 */
static void take_register(const struct resolver *r, struct plan *plan)
{
	struct arg *args = plan->def->args;		/* expand() made this copy */

	for (unsigned i = 0; i < plan->def->nr_args; i++) {
		if (!has_no_value(r, &args[i]))
			continue;
		args[i].expr = copy_with_register(r, args[i].expr);
		plan->no_value = true;
	}
}

/* ---- the record ---- */

/*
 * If no name was typed, 2.6.33 used the text of the expression as the name. A variable has its own name, and so have
 * the parameters of $arg*. But $arg1 was a word of 2.6.33, although for the second argument.
 */
static const char *label_of(const struct resolver *r, const struct probe_def *def, const struct arg *arg)
{
	const char *typed = def->text + arg->body_at.off;
	bool is_word = arg->expr->kind != EXPR_VAR || (!strncmp(typed, "$arg", 4) && typed[4] != '*');

	if (def->dialect != DIALECT_KPROBE || arg->name_at.len || !is_word)
		return arg->label;
	return arena_strndup(r->arena, def->text + arg->body_at.off, arg->body_at.len);
}

/* Is it a place in the kernel's code? */
static bool in_code(const struct probe_def *def)
{
	return def->probe == PROBE_KPROBE || def->probe == PROBE_FPROBE;
}

/* Is the typed place the entry? The kernel moves a probe from there behind a landing pad (6.12, arch_adjust_kprobe_addr()). */
static bool is_at_entry(const struct resolver *r, const struct plan *plan)
{
	const struct place *place = &plan->def->place;

	if (!in_code(plan->def))
		return false;
	if (place->symbol)
		return !place->off;
	return r->ks && !ksyms_hidden(r->ks) && plan->target.addr == plan->target.func;
}

/* --enum-names: where an enumeration was found, the listing has the type. It means the same without the option. */
static void list_enums(const struct resolver *r, struct plan *plan)
{
	struct arg *args = plan->def->args;		/* expand() made this copy */
	struct probe_def *def = NULL;

	for (unsigned i = 0; i < plan->def->nr_args; i++) {
		if (args[i].type.kind != TYPE_NONE || plan->layout.fields[i].type.show != SHOW_ENUM)
			continue;
		args[i].type = plan->layout.fields[i].type;
		def = def ? def : arena_new(r->arena, struct probe_def);
	}
	if (!def)
		return;
	*def = *plan->def;
	def->from_tree = true;
	plan->def = def;
}

/* The part of the definition that wants field @i. */
static struct span field_at(const struct resolver *r, const struct probe_def *def, unsigned i)
{
	if (i < def->nr_args)
		return def->args[i].at;
	return i - def->nr_args < r->first_length ? def->filter->at : r->hidden[i - def->nr_args].at;
}

static int place_fields(const struct resolver *r, const struct probe_def *def, struct layout *l)
{
	int big = layout_compute(l);

	if (big >= 0)
		return diag_at(r->diag, -E2BIG, field_at(r, def, (unsigned)big), "the arguments up to this one need more than %d bytes, the most that "
			       "a record holds", LANG_MAX_RECORD);
	big = layout_overflow(l);
	if (big >= 0)
		return diag_at(r->diag, -E2BIG, field_at(r, def, (unsigned)big), "the strings and buffers up to this one may need more than %d bytes, "
			       "the most that a record holds", LAYOUT_MAX_BODY);
	return 0;
}

/* The kernel compares types by their names, so a field that is shown as it is in the event keeps this one, too. */
static const char *own_type(const struct arg *arg, const struct value *value, const struct type *type)
{
	bool is_signed = type->kind == TYPE_SIGNED;

	if (arg->expr->kind != EXPR_EVENT_FIELD || type->count)
		return NULL;
	if (value->is_text)
		return type->kind == TYPE_STRING ? value->own_type : NULL;
	return !type_is_dynamic(type) && type->size == value->fetch.size && is_signed == value->fetch.is_signed ? value->own_type : NULL;
}

static int resolve_args(struct resolver *r, struct plan *plan)
{
	const struct probe_def *def = plan->def;
	struct fetch *fetches = arena_array(r->arena, struct fetch, def->nr_args + r->nr_hidden);
	struct layout *l = &plan->layout;
	int err;

	*l = (struct layout){
		.group = def->group,
		.event = def->event,
		.func = in_code(def) || def->probe == PROBE_TRACEPOINT ? def->place.symbol : plan->target.site_func,
		.typed = r->typed,
		.dialect = def->dialect,
		.has_parent = def->has_parent,
		.probe = def->probe,
		.site = layout_site_of(def->probe),
		.site_name = plan->target.site_name,
		.site_off = plan->target.site_off,
		.at_entry = is_at_entry(r, plan),
		.is_return = def->kind == DEF_RETURN,
		.stacks = def->stacks,
		/* An entry, also behind a landing pad, is an ftrace site, so it needs no breakpoint. */
		.at_breakpoint = in_code(def) && (plan->target.addr - plan->target.func > ENTRY_PAD_SIZE || def->place.off > ENTRY_PAD_SIZE),
		.fields = arena_array(r->arena, struct layout_field, def->nr_args + r->nr_hidden),
		.nr_fields = def->nr_args,
		.nr_hidden = r->nr_hidden,
	};
	for (unsigned i = 0; i < def->nr_args + r->nr_hidden; i++) {
		const struct arg *arg = i < def->nr_args ? &def->args[i] : &r->hidden[i - def->nr_args];
		struct value value;

		err = resolve_value(r, arg, &value);
		if (!err)
			err = resolve_type(r, arg, &value, &l->fields[i]);
		if (err)
			return err;
		l->fields[i].name = arg->name;
		l->fields[i].label = i < def->nr_args ? label_of(r, def, arg) : NULL;
		l->fields[i].typed = arg->type.kind != TYPE_NONE;
		l->fields[i].own_type = own_type(arg, &value, &l->fields[i].type);
		l->fields[i].elapsed = value.fetch.src != FETCH_ELAPSED ? ELAPSED_NOT : plan->paired.ends ? ELAPSED_PAIR : ELAPSED_CALL;
		plan->no_trampoline = value.no_trampoline ? value.no_trampoline : plan->no_trampoline;
		plan->saved.params = plan->saved.params || fetch_has_source(&value.fetch, FETCH_SAVED);
		plan->saved.time = plan->saved.time || (value.fetch.src == FETCH_ELAPSED && !plan->paired.ends);
		plan->path_room = value.fetch.path ? sizeof(struct bp_path) : plan->path_room;
		fetches[i] = value.fetch;
	}
	plan->fetches = fetches;
	plan->saved.any = plan->saved.params || plan->saved.time;
	err = lengths_link(r, def, l);
	return err ? err : place_fields(r, def, l);
}

/* Until 5.15 the unwinder stops at the trampoline of a return probe, which is all that there is of the stack at the return. */
static bool saves_stack(const struct resolver *r, const struct plan *plan)
{
	struct features *features = r->facts->features;

	return plan->layout.stacks & 1u << STACK_KERNEL && plan->layout.is_return && features &&
	       !feature(features, FEATURE_UNWINDS_RETURNS);
}

/* A copy of the definition, with the function that this kernel has instead of the typed name. */
static const struct probe_def *at_function(const struct resolver *r, const char *symbol)
{
	struct probe_def *def = arena_new(r->arena, struct probe_def);

	*def = *r->def;
	def->place.symbol = symbol;
	def->from_tree = true;
	return def;
}

/* A copy of the definition, with the resolved place of SYM-OFFS. */
static const struct probe_def *at_place(const struct resolver *r, const struct target *t)
{
	struct probe_def *def = arena_new(r->arena, struct probe_def);

	*def = *r->def;
	def->place = (struct place){ .symbol = t->symbol, .addr = t->symbol ? 0 : t->addr, .at = r->def->place.at,
				     .off = t->symbol ? t->off : 0 };
	return def;
}

int resolve_place(struct resolver *r, struct target *ret)
{
	int err = resolve_target(r, ret);

	if (!err && r->def->place.before)
		r->def = at_place(r, ret);
	else if (!err && (r->call.wrapper || r->renamed))
		r->def = at_function(r, ret->symbol);
	return err;
}

int plan_resolve(struct arena *arena, const struct probe_def *def, const struct facts *facts,
		 struct plan **ret, struct diag *diag)
{
	struct resolver r = { .arena = arena, .def = def, .typed = def->place.symbol, .ks = facts->ks, .btf = facts->btf,
			      .facts = facts, .diag = diag };
	struct plan *plan = arena_new(arena, struct plan);
	int err;

	plan->arena = arena;
	plan->paired.pair = def->pair;
	plan->paired.ends = def->ends_pair;
	plan->limit = facts->limit;
	diag->text = def->text;
	err = resolve_place(&r, &plan->target);
	if (err)
		return err;
	if (wants_btf(def))
		proto_find(&r, &r.proto);
	err = expand(&r, &plan->def);
	if (!err && r.event && def->filter)
		event_hide_fields(&r, def->filter, def->nr_args && def->filter->text == def->text);
	r.first_length = r.nr_hidden;
	if (!err)
		err = lengths_hide(&r, plan->def);
	if (!err) {
		take_register(&r, plan);
		err = resolve_args(&r, plan);
	}
	if (!err) {
		list_enums(&r, plan);
		plan->saved.stack = saves_stack(&r, plan);
		plan->saved.params = plan->saved.params || plan->saved.stack;
		plan->saved.any = plan->saved.any || plan->saved.stack;
	}
	if (!err)
		err = backend_choose(&r, plan);
	if (!err)
		cold_settle(plan, facts->features);
	if (!err && plan->def->filter)
		err = filter_resolve(&r, plan);
	if (!err) {
		stage_settle(plan);
		err = pair_resolve(&r, plan);
	}
	if (!err)
		*ret = plan;
	return err;
}

int plan_resolve_filter(struct arena *arena, const struct facts *facts, struct plan *plan, struct diag *diag)
{
	struct resolver r = { .arena = arena, .def = plan->def, .ks = facts->ks, .btf = facts->btf,
			      .facts = facts, .diag = diag };

	return filter_resolve(&r, plan);
}
