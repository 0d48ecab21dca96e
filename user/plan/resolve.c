// SPDX-License-Identifier: GPL-2.0-only
/*
 * resolve.c - a definition and the kernel's facts, joined.
 *
 * Names become addresses, expressions become a source and a list of reads. What
 * the kernel would only refuse at attach with a bare errno is said here.
 */
#include "plan/plan.h"

#include <errno.h>
#include <inttypes.h>

#include "kernel/kbtf.h"
#include "kernel/ksyms.h"

struct resolver {
	struct arena *arena;
	const struct probe_def *def;
	const struct ksyms *ks;
	struct kbtf *btf;
	struct diag *diag;
};

enum { SIMILAR_SHOWN = 5 };

static int unknown_symbol(const struct resolver *r, const char *name, struct span at)
{
	const struct ksym *near[SIMILAR_SHOWN];
	size_t n = ksyms_similar(r->ks, name, near, SIMILAR_SHOWN);
	int err = diag_at(r->diag, -ENOENT, at, "this kernel has no symbol '%s'", name);

	for (size_t i = 0; i < n; i++)
		diag_note(r->diag, "%s %s", i ? "     " : "help:", near[i]->name);
	return err;
}

static int ambiguous_symbol(const struct resolver *r, const char *name, struct span at,
			    const struct ksym *const *syms, size_t n)
{
	int err = diag_at(r->diag, -ENOTUNIQ, at, "'%s' is the name of %zu functions of this kernel",
			  name, n);

	diag_note(r->diag, "help: write the address of the one that you want:");
	for (size_t i = 0; i < n; i++)
		diag_note(r->diag, "      0x%" PRIx64 "%s%s%s", syms[i]->addr,
			  syms[i]->module ? " [" : "", syms[i]->module ? syms[i]->module : "",
			  syms[i]->module ? "]" : "");
	return err;
}

static bool is_text(const struct ksym *sym)
{
	return sym->type == 't' || sym->type == 'T' || sym->type == 'w' || sym->type == 'W';
}

/* The function that a place names, if its name is not given twice. */
static int resolve_function(const struct resolver *r, const struct place *place,
			    const struct ksym **ret)
{
	const struct ksym *const *syms;
	size_t n = ksyms_find(r->ks, place->symbol, place->module, &syms), functions = 0;

	if (!n)
		return unknown_symbol(r, place->symbol, place->symbol_at);
	*ret = syms[0];
	for (size_t i = 0; i < n; i++) {
		if (is_text(syms[i]) && !functions++)
			*ret = syms[i];
	}
	if (functions > 1)
		return ambiguous_symbol(r, place->symbol, place->symbol_at, syms, n);
	return 0;
}

static int off_the_end(const struct resolver *r, const struct ksym *sym, uint64_t size)
{
	const struct place *place = &r->def->place;
	const struct ksym *real = ksyms_lookup(r->ks, sym->addr + place->off, &(uint64_t){ 0 });
	int err = diag_at(r->diag, -EINVAL, place->at, "%s is %" PRIu64 " bytes long: +%" PRIu64
			  " is not in it", place->symbol, size, place->off);

	if (real)
		diag_note(r->diag, "help: that place is %s+%" PRIu64, real->name,
			  sym->addr + place->off - real->addr);
	return err;
}

static int resolve_target(const struct resolver *r, struct target *ret)
{
	const struct place *place = &r->def->place;
	const struct ksym *sym = NULL;
	struct target t = {
		.is_return = r->def->kind == DEF_RETURN,
		.module = place->module,
		.symbol = place->symbol,
		.off = place->off,
		.addr = place->symbol ? 0 : place->addr,
		.func = place->symbol ? 0 : place->addr,
	};
	uint64_t size;
	int err;

	if (place->module)
		return diag_at(r->diag, -EOPNOTSUPP, place->module_at,
			       "functions named with their module are not supported yet");
	if (place->symbol && r->ks) {
		err = resolve_function(r, place, &sym);
		if (err)
			return err;
	}
	if (sym && !ksyms_hidden(r->ks)) {
		t.func = sym->addr;
		t.addr = sym->addr + place->off;
		ksyms_lookup(r->ks, sym->addr, &size);
		if (size && place->off >= size)
			return off_the_end(r, sym, size);
	}
	*ret = t;
	return 0;
}

static int resolve_data(const struct resolver *r, const struct expr *e, uint64_t *ret)
{
	const struct ksym *const *syms;

	if (!r->ks || ksyms_hidden(r->ks)) {
		*ret = 0;
		return 0;
	}
	if (!ksyms_find(r->ks, e->name, NULL, &syms))
		return unknown_symbol(r, e->name, e->name_at);
	*ret = syms[0]->addr + (uint64_t)e->off;
	return 0;
}

static unsigned count_derefs(const struct expr *e)
{
	unsigned n = 0;

	for (; e; e = e->inner)
		n += e->kind == EXPR_DEREF || e->kind == EXPR_MEM || e->kind == EXPR_MEMSYM;
	return n;
}

static int not_yet(const struct resolver *r, struct span at, const char *what)
{
	return diag_at(r->diag, -EOPNOTSUPP, at, "%s are not supported yet", what);
}

static int resolve_source(const struct resolver *r, const struct expr *e, struct fetch *f)
{
	switch (e->kind) {
	case EXPR_REG:
		f->src = FETCH_REG;
		f->reg = e->reg;
		return 0;
	case EXPR_STACK:
		f->src = FETCH_REG;
		f->reg = X86_SP;
		return 0;
	case EXPR_RETVAL:
		f->src = FETCH_REG;
		f->reg = X86_AX;
		return 0;
	case EXPR_STACKN:
		f->src = FETCH_STACKN;
		f->n = e->n;
		return 0;
	case EXPR_COMM:
		f->src = FETCH_COMM;
		return 0;
	case EXPR_MEM:
		f->src = FETCH_VALUE;
		f->value = e->value;
		return 0;
	case EXPR_MEMSYM:
		f->src = FETCH_VALUE;
		return resolve_data(r, e, &f->value);
	case EXPR_ARG:
	case EXPR_ARGS:
		return not_yet(r, e->at, "function arguments by number");
	case EXPR_VAR:
	case EXPR_FIELD:
		return not_yet(r, e->at, "function arguments by name");
	default:
		return not_yet(r, e->at, "immediate values");
	}
}

/* The expression inside out: the innermost node is the source, the others read. */
static int resolve_fetch(const struct resolver *r, const struct expr *e, struct fetch *ret)
{
	unsigned at = count_derefs(e);
	struct deref *derefs = arena_array(r->arena, struct deref, at);
	struct fetch f = { .derefs = derefs, .nr_derefs = at };
	int err;

	for (; e->kind == EXPR_DEREF; e = e->inner)
		derefs[--at] = (struct deref){ .off = e->off, .user = e->user };
	err = resolve_source(r, e, &f);
	if (err)
		return err;
	*ret = f;			/* @ADDR: derefs[0] stays all zeroes, a read at +0 */
	return 0;
}

/*
 * What the function returns, by BTF. 6.12 does it so for every $retval without a
 * type (kernel/trace/trace_probe.c, parse_btf_type); functions that BTF does not
 * know are taken to return 64 bits.
 */
static int retval_type(const struct resolver *r, const struct expr *e, struct type *ret)
{
	const char *name = r->def->place.symbol;
	struct kbtf_func func;
	struct kbtf_type t;

	if (!r->btf || !name || kbtf_find_func(r->btf, name, &func))
		return 0;
	kbtf_describe(r->btf, func.ret, &t);
	if (t.kind == KBTF_VOID)
		return diag_at(r->diag, -ENOENT, e->at, "%s returns nothing (void), so it has no $retval",
			       name);
	if (t.kind == KBTF_INT && t.size <= 8) {
		ret->kind = t.is_signed ? TYPE_SIGNED : TYPE_UNSIGNED;
		ret->size = (uint8_t)t.size;
	} else if (t.kind == KBTF_ENUM) {
		ret->kind = TYPE_SIGNED;
		ret->size = (uint8_t)t.size;
	}
	return 0;
}

/* A type for an argument that was given none. */
static int default_type(const struct resolver *r, const struct arg *arg, struct type *ret)
{
	*ret = (struct type){ .kind = TYPE_HEX, .size = 8 };
	if (arg->expr->kind == EXPR_COMM)
		ret->kind = TYPE_STRING;
	if (arg->expr->kind == EXPR_RETVAL)
		return retval_type(r, arg->expr, ret);
	return 0;
}

static int resolve_type(const struct resolver *r, const struct arg *arg, struct type *ret)
{
	struct type type = arg->type;
	struct type by_btf;
	int err;

	/* 6.12 refuses the $retval of a void function whatever type it is given. */
	err = default_type(r, arg, &by_btf);
	if (err)
		return err;
	if (type.kind == TYPE_NONE)
		type = by_btf;
	if (type.count)
		return not_yet(r, type.at, "arrays");
	switch (type.kind) {
	case TYPE_UNSIGNED:
	case TYPE_SIGNED:
	case TYPE_HEX:
	case TYPE_STRING:
	case TYPE_USTRING:
		*ret = type;
		return 0;
	default:
		return not_yet(r, type.at, "arguments of this type");
	}
}

static int resolve_arg(const struct resolver *r, const struct arg *arg, struct fetch *fetch,
		       struct layout_field *field)
{
	int err = resolve_fetch(r, arg->expr, fetch);

	if (!err)
		err = resolve_type(r, arg, &field->type);
	if (err)
		return err;
	field->name = arg->name;
	field->count = field->type.count ? field->type.count : 1;
	field->mark = fetch->nr_derefs ? 0 : LAYOUT_NO_MARK;
	field->room = fetch->src == FETCH_COMM ? LAYOUT_COMM_STRING : LAYOUT_SHORT_STRING;
	return 0;
}

static int resolve_args(const struct resolver *r, struct plan *plan)
{
	const struct probe_def *def = r->def;
	struct fetch *fetches = arena_array(r->arena, struct fetch, def->nr_args);
	struct layout *l = &plan->layout;
	int big;

	*l = (struct layout){
		.group = def->group,
		.event = def->event,
		.is_return = def->kind == DEF_RETURN,
		.at_int3 = def->place.symbol ? def->place.off > 4 : true,
		.fields = arena_array(r->arena, struct layout_field, def->nr_args),
		.nr_fields = def->nr_args,
	};
	for (unsigned i = 0; i < def->nr_args; i++) {
		int err = resolve_arg(r, &def->args[i], &fetches[i], &l->fields[i]);

		if (err)
			return err;
	}
	plan->fetches = fetches;
	big = layout_compute(l);
	if (big >= 0)
		return diag_at(r->diag, -E2BIG, def->args[big].at,
			       "the arguments up to this one need more than %d bytes, the most that "
			       "a record holds", LAYOUT_MAX_FIXED);
	return 0;
}

int plan_resolve(struct arena *arena, const struct probe_def *def, const struct facts *facts,
		 struct plan **ret, struct diag *diag)
{
	struct resolver r = { .arena = arena, .def = def, .ks = facts->ks, .btf = facts->btf,
			      .diag = diag };
	struct plan *plan = arena_new(arena, struct plan);
	int err;

	diag->text = def->text;
	plan->def = def;
	err = resolve_target(&r, &plan->target);
	if (!err)
		err = resolve_args(&r, plan);
	if (err)
		return err;
	*ret = plan;
	return 0;
}
