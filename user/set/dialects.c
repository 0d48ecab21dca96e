// SPDX-License-Identifier: GPL-2.0-only
/*
 * dialects.c - decides between several dialects for a definition.
 */
#include "set/definitions.h"

#include <stdlib.h>
#include <string.h>

#include "lang/funcev.h"

static int choose(struct set *s, struct probe *p, struct diag *diag)
{
	struct facts facts = set_facts(s);
	int err = plan_choose(&s->arena, p->def, &facts, &p->def, diag);

	if (err) {
		diag->file = p->from.file;
		diag->line = p->from.line;
	}
	return err;
}

/* Dialects have their own rules for event names, so all definitions are added again. */
static void add_again(struct set *s, const struct probe *probes, unsigned nr)
{
	s->nr_probes = 0;
	for (unsigned i = 0; i < nr; i++) {
		definitions_add(s, probes[i].def);
		if (!s->probes[s->nr_probes - 1].replaced)
			s->probes[s->nr_probes - 1].replaced = probes[i].replaced;
		s->probes[s->nr_probes - 1].from = probes[i].from;
	}
}

static int compare_events(const void *a, const void *b)
{
	const struct probe_def *const *x = a, *const *y = b;
	int diff = strcmp((*x)->event, (*y)->event);

	return diff ? diff : strcmp((*x)->group, (*y)->group);
}

/* All probes of an event have the same fields: either each gets its caller, or none does. */
static void give_event(struct set *s, struct probe_def **defs, unsigned nr)
{
	for (unsigned i = 0; i < nr; i++) {
		if (!funcev_lacks_parent(defs[i]))
			return;
	}
	for (unsigned i = 0; i < nr; i++)
		funcev_give_parent(&s->arena, defs[i]);
}

/*
 * Lines of function_events begin with the caller, in whatever dialect the definition is written. Kept events can be read in
 * any style, so they have only the fields of their definition.
 */
static void give_parents(struct set *s)
{
	struct probe_def **defs;

	if (!s->opts->callers || s->host->stays)
		return;
	defs = arena_array(&s->arena, struct probe_def *, s->nr_probes);
	for (unsigned i = 0; i < s->nr_probes; i++)
		defs[i] = s->probes[i].def;
	qsort(defs, s->nr_probes, sizeof(struct probe_def *), compare_events);
	for (unsigned i = 0, nr; i < s->nr_probes; i += nr) {
		for (nr = 1; i + nr < s->nr_probes && !compare_events(&defs[i], &defs[i + nr]); nr++)
			;
		give_event(s, defs + i, nr);
	}
}

int dialects_settle(struct set *s, struct diag *diag)
{
	struct probe *probes = arena_array(&s->arena, struct probe, s->nr_probes);
	unsigned nr = s->nr_probes;
	bool any = false;
	int err = 0;

	for (unsigned i = 0; !err && i < nr; i++) {
		any = any || s->probes[i].def->readings;
		err = choose(s, &s->probes[i], diag);
		probes[i] = s->probes[i];
	}
	if (!err && any)
		add_again(s, probes, nr);
	if (!err)
		give_parents(s);
	return err;
}
