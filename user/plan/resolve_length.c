// SPDX-License-Identifier: GPL-2.0-only
/*
 * resolve_length.c - what says how many bytes bytes(LENGTH) and hex(LENGTH) read: another argument, or a field that nobody sees.
 */
#include <errno.h>

#include "lang/parse.h"
#include "plan/resolver.h"

/* The index of the argument whose name is @length, the length of @arg; def->nr_args: it is none's. */
static unsigned named_argument(const struct probe_def *def, const struct arg *arg, const struct arg *length)
{
	unsigned i = 0;

	if (length->expr->kind != EXPR_VAR || length->type.kind != TYPE_NONE)
		return def->nr_args;
	while (i < def->nr_args && (&def->args[i] == arg || strcmp(def->args[i].name, length->expr->name)))
		i++;
	return i;
}

/* $argN has the parameter's type, and with it its size and its sign. */
static const struct expr *with_type(const struct resolver *r, const struct expr *e)
{
	const struct proto *proto = &r->proto;
	struct expr *var;

	if (e->kind != EXPR_ARG || !proto->known || e->n > proto->nr_params || !*proto->names[e->n - 1])
		return e;
	var = arena_new(r->arena, struct expr);
	*var = (struct expr){ .kind = EXPR_VAR, .at = e->at, .name = proto->names[e->n - 1], .name_at = e->at };
	return var;
}

static int hide(struct resolver *r, const struct arg *arg)
{
	struct arg length = *arg->type.length;

	if (r->nr_hidden == LANG_MAX_ARGS)
		return diag_at(r->diag, -E2BIG, length.at, "a definition can have at most %d lengths and fields of its condition", LANG_MAX_ARGS);
	if (!r->hidden)
		r->hidden = arena_array(r->arena, struct arg, LANG_MAX_ARGS);
	length.name = arena_printf(r->arena, "__length_of_%s", arg->name);
	if (length.type.kind == TYPE_NONE)
		length.expr = (struct expr *)(uintptr_t)with_type(r, length.expr);
	r->hidden[r->nr_hidden++] = length;
	return 0;
}

int lengths_hide(struct resolver *r, const struct probe_def *def)
{
	int err = 0;

	for (unsigned i = 0; !err && i < def->nr_args; i++) {
		const struct arg *arg = &def->args[i];

		if (arg->type.length && named_argument(def, arg, arg->type.length) == def->nr_args)
			err = hide(r, arg);
	}
	return err;
}

static int check(const struct resolver *r, const struct arg *length, const struct layout_field *f)
{
	const struct type *type = &f->type;
	int err;

	if (type_is_number(type) && !type->count && type->kind != TYPE_SYMBOL && (type->show == SHOW_PLAIN || type->show == SHOW_BIG_ENDIAN))
		return 0;
	err = diag_at(r->diag, -EINVAL, length->at, "this is no number, so it cannot be a length");
	diag_note(r->diag, "help: a length is a number, the name of another argument, or what an argument can be, such as $retval");
	return err;
}

int lengths_link(const struct resolver *r, const struct probe_def *def, struct layout *l)
{
	unsigned hidden = l->nr_fields + r->first_length;
	int err = 0;

	for (unsigned i = 0; !err && i < def->nr_args; i++) {
		const struct arg *arg = &def->args[i];
		unsigned field;

		if (!arg->type.length)
			continue;
		field = named_argument(def, arg, arg->type.length);
		if (field == def->nr_args)
			field = hidden++;
		l->fields[i].length = field + 1;
		l->fields[field].is_length = true;
		err = check(r, arg->type.length, &l->fields[field]);
	}
	return err;
}
