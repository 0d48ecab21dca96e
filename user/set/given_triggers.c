// SPDX-License-Identifier: GPL-2.0-only
/*
 * given_triggers.c - the triggers that a command gives its definitions.
 */
#include "set/definitions_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lang/trigger.h"
#include "set/answers.h"

/* Parses the triggers of --trigger. */
int definitions_parse_triggers(struct set *s, const struct word *word, const struct trigger **ret, struct diag *diag)
{
	for (unsigned i = 0; word && i < word->nr_triggers; i++) {
		struct trigger *t;
		int err = trigger_parse(&s->arena, arena_strdup(&s->arena, word->triggers[i]), &t, diag);

		if (err)
			return err;
		t->order = s->nr_triggers++;
		*ret = t;
		ret = &t->next;
	}
	return 0;
}

/*
 * What @def needs for its triggers. The record has a place for the stack, also if only user space or the program will know whether stacktrace
 * acts. -k shows it at all hits.
 */
static void serve_triggers(struct probe_def *def)
{
	bool acts = false, is_key = false;

	for (const struct trigger *t = def->triggers; t; t = t->next) {
		def->wants_context |= trigger_uses_field(t, "common_flags") || trigger_uses_field(t, "common_preempt_count");
		is_key |= trigger_uses_field(t, "common_stacktrace") || trigger_uses_field(t, "stacktrace");
		if (t->kind == TRIGGER_STACKTRACE)
			acts = !t->remove;
	}
	def->stacks &= ~def->trigger_stacks;
	def->trigger_stacks = acts || is_key ? 1u << STACK_KERNEL & ~def->stacks : 0;
	def->stacks |= def->trigger_stacks;
}

int definitions_take_triggers(struct set *s, const struct word *word, struct probe_def *def, struct diag *diag)
{
	if (def->kind == DEF_REMOVE)
		return diag_set(diag, -EINVAL, "--trigger wants a probe's definition before it");
	if (definitions_parse_triggers(s, word, &def->triggers, diag))
		return diag->err;
	serve_triggers(def);
	return 0;
}

/* --count and the like are for all definitions. */
int definitions_take_answer(struct set *s, struct probe_def *def, struct diag *diag)
{
	const char *text = answers_trigger(&s->arena, &s->opts->answers, def, s->nr_words > 1 || s->words[0].is_file);
	struct trigger *t;
	int err = trigger_parse(&s->arena, text, &t, diag);

	if (err)
		return err;
	t->hist->exact = true;
	def->triggers = t;
	serve_triggers(def);
	return 0;
}

static int compare_probes(const void *a, const void *b)
{
	const struct probe *const *x = a, *const *y = b;
	int diff = strcmp((*x)->def->event, (*y)->def->event);

	if (!diff)
		diff = strcmp((*x)->def->group, (*y)->def->group);
	return diff ? diff : *x < *y ? -1 : *x > *y;
}

static int compare_triggers(const void *a, const void *b)
{
	const struct trigger *x = a, *y = b;

	return x->order < y->order ? -1 : x->order > y->order;
}

/* All triggers of these probes in the order in which they were typed. --count and the like have given each the same one. */
static const struct trigger *all_triggers(struct set *s, struct probe *const *probes, unsigned nr)
{
	struct trigger *all;
	unsigned nr_all = 0;

	for (unsigned i = 0; i < nr; i++) {
		for (const struct trigger *t = probes[i]->def->triggers; t; t = t->next)
			nr_all++;
	}
	if (!nr_all || s->opts->answers.wanted)
		return probes[0]->def->triggers;
	all = arena_array(&s->arena, struct trigger, nr_all);
	nr_all = 0;
	for (unsigned i = 0; i < nr; i++) {
		for (const struct trigger *t = probes[i]->def->triggers; t; t = t->next)
			all[nr_all++] = *t;
	}
	qsort(all, nr_all, sizeof(*all), compare_triggers);
	for (unsigned i = 0; i < nr_all; i++)
		all[i].next = i + 1 < nr_all ? &all[i + 1] : NULL;
	return all;
}

void definitions_share_triggers(struct set *s)
{
	struct probe **probes = arena_array(&s->arena, struct probe *, s->nr_probes);
	bool any = false;

	for (unsigned i = 0; i < s->nr_probes; i++) {
		probes[i] = &s->probes[i];
		any |= s->probes[i].def->triggers != NULL;
	}
	if (!any)
		return;
	qsort(probes, s->nr_probes, sizeof(struct probe *), compare_probes);
	for (unsigned i = 0, nr; i < s->nr_probes; i += nr) {
		const struct trigger *shared;

		nr = 1;
		while (i + nr < s->nr_probes && !strcmp(probes[i]->def->event, probes[i + nr]->def->event) &&
		       !strcmp(probes[i]->def->group, probes[i + nr]->def->group))
			nr++;
		if (nr == 1)
			continue;
		shared = all_triggers(s, probes + i, nr);
		for (unsigned k = 0; k < nr; k++) {
			probes[i + k]->def->triggers = shared;
			serve_triggers(probes[i + k]->def);
		}
	}
}
