// SPDX-License-Identifier: GPL-2.0-only
/*
 * choose_dialect.c - finds a definition's dialect if its text alone does not show it.
 */
#include "lang/dialect.h"
#include "plan/resolver.h"

static bool is_parameter(const struct proto *proto, const char *name)
{
	for (unsigned i = 0; i < proto->nr_params; i++) {
		if (!strcmp(proto->names[i], name))
			return true;
	}
	return false;
}

/*
 * Why the words of @r->def cannot be names of parameters; NULL: they can. With a pattern they can, because
 * some of its functions may have such parameters.
 */
static const char *no_names(const struct resolver *r)
{
	const struct place *place = &r->def->place;

	if (place->pattern)
		return NULL;
	if (!r->proto.known)
		return arena_printf(r->arena, "BTF does not tell the parameters of %s", place->symbol);
	for (unsigned i = 0; i < r->def->nr_args; i++) {
		const struct expr *e = expr_innermost(r->def->args[i].expr);

		if (e->kind == EXPR_VAR && !is_parameter(&r->proto, e->name))
			return arena_printf(r->arena, "%s has no parameter called %s", place->symbol, e->name);
	}
	return NULL;
}

int plan_choose(struct arena *arena, struct probe_def *def, const struct facts *facts, struct probe_def **ret,
		struct diag *diag)
{
	struct resolver r = { .arena = arena, .typed = def->place.symbol, .ks = facts->ks, .btf = facts->btf,
			      .facts = facts, .diag = diag };
	struct probe_def *only = NULL;
	struct target target;
	const char *why;
	unsigned nr = 0;
	int err;

	*ret = def;
	if (!def->readings)
		return 0;
	r.def = def->readings[DIALECT_KPROBE];
	diag->text = def->text;
	err = resolve_place(&r, &target);
	if (err)
		return err;
	proto_find(&r, &r.proto);
	why = no_names(&r);
	for (unsigned i = DIALECT_KPROBE + 1; i < DIALECT_COUNT; i++) {
		if (def->readings[i]) {
			only = def->readings[i];
			nr++;
		}
	}
	if (!why || nr > 1 || dialect_is_vague(only))
		return dialect_refuse(def, why, diag);
	*ret = dialect_take(only);
	/* Each reading has the filter that is typed in the text. Only the first one was given what options say. */
	if (!only->filter)
		only->filter = def->filter;
	only->stacks = def->stacks;
	only->trigger_stacks = def->trigger_stacks;
	only->triggers = def->triggers;
	only->wants_context = def->wants_context;
	return 0;
}
