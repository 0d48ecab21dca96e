// SPDX-License-Identifier: GPL-2.0-only
/*
 * resolve_show.c - what BTF says about types that show more than a number: a row for each way to show a value.
 */
#include <errno.h>

#include "kernel/syms/ksyms.h"
#include "plan/resolver.h"

struct showing {
	struct resolver *r;
	const struct arg *arg;
	struct value *v;
	struct type *type;
	struct layout_field *ret;
};

/* The part of the definition that says the type; without a type the expression. */
static struct span type_at(const struct showing *s)
{
	return s->arg->type.at.len ? s->arg->type.at : s->arg->expr->at;
}

static int no_number(const struct showing *s, const char *what)
{
	return diag_at(s->r->diag, -EINVAL, type_at(s), "BTF says that this is neither a number nor a pointer, so it is no %s", what);
}

static bool is_number(const struct kbtf_type *t)
{
	return (t->kind == KBTF_INT && t->size <= 8) || t->kind == KBTF_ENUM || t->kind == KBTF_PTR;
}

/* ---- names ---- */

/* A function that returns a pointer may return an error in it: then what is no error is an address. */
static int resolve_errno_name(const struct showing *s)
{
	if (s->v->has_btf && !is_number(&s->v->btf))
		return no_number(s, "errno");
	if (s->v->has_btf) {
		s->type->size = (uint8_t)s->v->btf.size;
		s->type->kind = s->v->btf.kind == KBTF_PTR ? TYPE_HEX : TYPE_SIGNED;
	}
	s->ret->names = names_of_errors(s->r->arena, 8u * s->type->size);
	return 0;
}

static int too_many(const struct showing *s)
{
	return diag_at(s->r->diag, -E2BIG, type_at(s), "the enumeration has more than %d names", NAMES_MAX);
}

static int take_names(const struct showing *s, struct kbtf_id id, unsigned bits)
{
	struct names *names = arena_new(s->r->arena, struct names);
	const char *name;
	uint64_t value;
	unsigned nr = 0;

	while (kbtf_enumerator(id, nr, &value))
		nr++;
	if (nr > NAMES_MAX)
		return too_many(s);
	names->all = arena_array(s->r->arena, struct name_of, nr);
	for (unsigned i = 0; (name = kbtf_enumerator(id, i, &value)); i++) {
		if (name_is_ident(name, strlen(name)))
			names->all[names->nr++] = (struct name_of){ names_cut(value, bits), arena_strdup(s->r->arena, name) };
	}
	names_sort(names);
	s->ret->names = names;
	return 0;
}

const char *resolve_own_module(const struct resolver *r)
{
	const struct place *place = &r->def->place;
	const struct ksym *const *syms;

	if (place->module || !place->symbol || !r->ks || ksyms_find(r->ks, place->symbol, NULL, &syms) != 1)
		return place->module;
	return syms[0]->module;
}

/* enum(NAME). The probed function's own module comes first, since two modules may have the same name for different ones. */
static int find_enum(const struct showing *s, struct kbtf_type *ret)
{
	const char *name = s->type->enum_name;
	struct kbtf_id id;
	int err = s->r->btf ? kbtf_find_enum(s->r->btf, name, resolve_own_module(s->r), &id) : -EOPNOTSUPP;

	if (!err)
		kbtf_describe(id, ret);
	else if (err == -ENOENT)
		return diag_at(s->r->diag, err, type_at(s), "neither this kernel nor a loaded module has an enumeration '%s'", name);
	else
		return diag_at(s->r->diag, err, type_at(s), "this needs the kernel's types, and there is no BTF that tells them");
	return 0;
}

/* The value of enum(NAME) may be in a number of another type; then that says how many bytes it has. */
static int resolve_enum(const struct showing *s)
{
	struct kbtf_type type = s->v->btf;
	unsigned bits;
	int err = s->type->enum_name ? find_enum(s, &type) : 0;

	if (err)
		return err;
	if (!s->type->enum_name && (!s->v->has_btf || type.kind != KBTF_ENUM)) {
		err = diag_at(s->r->diag, -EINVAL, type_at(s), "BTF does not say that this is an enumeration");
		diag_note(s->r->diag, "help: name the enumeration: enum(NAME)");
		return err;
	}
	if (s->v->has_btf && !is_number(&s->v->btf) && !s->type->count)
		return no_number(s, "enumeration");
	s->type->size = (uint8_t)(s->v->has_btf && !s->type->count && s->v->btf.kind != KBTF_PTR ? s->v->btf.size : type.size);
	bits = s->v->bit_width ? s->v->bit_width : 8u * s->type->size;
	return take_names(s, type.self, bits);
}

bool resolve_knows_calls(const struct resolver *r)
{
	if (!r->facts)
		return false;
	if (r->facts->calls)
		ksyscall_names_read(r->facts->calls, r->ks, r->facts->mem);
	return r->facts->explains || (r->facts->calls && r->facts->calls->nr);
}

/* Without the prefix that the kernel's metadata has, as ftrace's events of system calls are called: "openat" for "sys_openat". */
static struct names *names_of_calls(const struct resolver *r, unsigned bits)
{
	const struct ksyscall_names *calls = r->facts->calls;
	struct names *names = arena_new(r->arena, struct names);

	if (!calls || !calls->nr)
		return names;
	names->all = arena_array(r->arena, struct name_of, calls->nr);
	for (unsigned i = 0; i < calls->nr; i++) {
		const char *name = calls->names[i] ? ksyscall_bare_name(calls->names[i]) : NULL;

		if (name && names_cut(i, bits) == i)
			names->all[names->nr++] = (struct name_of){ i, arena_strdup(r->arena, name) };
	}
	return names;
}

static int resolve_syscall(const struct showing *s)
{
	bool is_field = s->v->fetch.src == FETCH_FIELD && s->v->fetch.form == FIELD_NUMBER && !s->v->fetch.nr_derefs;
	int err;

	if (s->v->has_btf && !is_number(&s->v->btf))
		return no_number(s, "number of a system call");
	if (s->v->has_btf || is_field)
		s->type->size = (uint8_t)(is_field ? s->v->fetch.size : s->v->btf.size);
	if (resolve_knows_calls(s->r)) {
		s->ret->names = names_of_calls(s->r, s->v->bit_width ? s->v->bit_width : 8u * s->type->size);
		return 0;
	}
	err = diag_at(s->r->diag, -EOPNOTSUPP, type_at(s), "the names of this kernel's system calls are not known");
	diag_note(s->r->diag, "help: they are in its memory, if it has CONFIG_FTRACE_SYSCALLS and kernel.kptr_restrict does not hide it");
	return err;
}

/* ---- the network ---- */

/* If BTF says that it is a pointer, what it points to is meant. */
static void follow(const struct showing *s)
{
	bool unknown = !s->v->has_btf && s->r->proto.is_syscall && s->arg->expr->kind == EXPR_ARG;

	if ((s->v->has_btf && s->v->btf.kind == KBTF_PTR) || unknown)
		value_follow(s->r, s->v, 0, false);
}

static int resolve_big_endian(const struct showing *s)
{
	if (s->v->has_btf && !(s->v->btf.kind == KBTF_INT && s->v->btf.size <= 8) && !s->v->is_memory)
		return diag_at(s->r->diag, -EINVAL, type_at(s), "BTF says that this is no number");
	return 0;
}

static int resolve_pointer(const struct showing *s)
{
	follow(s);
	return 0;
}

static int resolve_memory(const struct showing *s)
{
	int err;

	follow(s);
	if (s->v->is_memory)
		return 0;
	err = diag_at(s->r->diag, -EINVAL, type_at(s), "this is a number, and the type is read from memory");
	diag_note(s->r->diag, "help: if it is a pointer, write +0(...) around it");
	return err;
}

/* Is it $argN, and a pointer as far as is known? Nothing is known of a program's parameters. With a name of its own, $argN has no type. */
static bool is_pointer_param(const struct showing *s)
{
	const struct proto *proto = &s->r->proto;
	unsigned n = s->arg->expr->n;

	if (s->arg->expr->kind != EXPR_ARG || s->v->has_btf)
		return false;
	return s->r->def->probe == PROBE_UPROBE || (proto->known && n <= proto->nr_params && proto->types[n - 1].kind == KBTF_PTR);
}

/* What $NAME of an event points to, or where its text or array is; or what a parameter points to; else as other memory. */
static int resolve_buffer(const struct showing *s)
{
	const struct fetch *f = &s->v->fetch;
	bool is_field = f->src == FETCH_FIELD && !f->nr_derefs && (f->form != FIELD_NUMBER || f->size == 8);

	if (!is_field && !is_pointer_param(s))
		return resolve_memory(s);
	value_follow(s->r, s->v, 0, s->r->def->probe == PROBE_UPROBE);
	return 0;
}

static int (*const rows[SHOW_COUNT])(const struct showing *s) = {
#define ROW(id, kept, names, btf, ...)	[SHOW_##id] = resolve_##btf,
	SHOWN_TYPES(ROW)
#undef ROW
};

int resolve_show(struct resolver *r, const struct arg *arg, struct value *v, struct type *type, struct layout_field *ret)
{
	struct showing s = { .r = r, .arg = arg, .v = v, .type = type, .ret = ret };

	return rows[type->show] ? rows[type->show](&s) : 0;
}
