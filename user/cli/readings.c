// SPDX-License-Identifier: GPL-2.0-only
/*
 * readings.c - definitions that could be of several dialects.
 */
#include "cli/readings.h"

#include "cli/definitions.h"
#include "lang/funcev.h"

static int choose(struct session *s, struct probe *p, struct diag *diag)
{
	struct facts facts = session_facts(s);
	int err = plan_choose(&s->arena, p->def, &facts, &p->def, diag);

	if (err) {
		diag->file = p->file;
		diag->line = p->line;
	}
	return err;
}

/* Dialects have rules of their own for names of events: all are added anew. */
static void add_again(struct session *s, const struct probe *probes, unsigned nr)
{
	s->nr_probes = 0;
	for (unsigned i = 0; i < nr; i++) {
		definitions_add(s, probes[i].def);
		if (!s->probes[s->nr_probes - 1].replaced)
			s->probes[s->nr_probes - 1].replaced = probes[i].replaced;
		s->probes[s->nr_probes - 1].file = probes[i].file;
		s->probes[s->nr_probes - 1].line = probes[i].line;
	}
}

/*
 * Lines of function_events begin with who called, whatever language their definition is of. What is kept
 * is read in any style, and has the fields of its definition.
 */
static void give_parents(struct session *s)
{
	if (s->opts->style != STYLE_FUNCTION || s->opts->verb == VERB_KEEP)
		return;
	for (unsigned i = 0; i < s->nr_probes; i++)
		funcev_give_parent(&s->arena, s->probes[i].def);
}

int readings_settle(struct session *s, struct diag *diag)
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
