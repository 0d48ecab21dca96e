// SPDX-License-Identifier: GPL-2.0-only
/*
 * synthetics.c - the synthetic events of a set.
 */
#include "set/definitions_priv.h"

#include <errno.h>
#include <string.h>

#include "lang/trigger.h"

static int add_synthetic(struct set *s, struct synthetic_def *def, struct diag *diag)
{
	struct synthetic_def **more = arena_array(&s->arena, struct synthetic_def *, s->nr_synthetics + 1);

	for (unsigned i = 0; i < s->nr_synthetics; i++) {
		if (!strcmp(s->synthetics[i]->name, def->name)) {
			diag->text = def->text;
			return diag_at(diag, -EEXIST, def->name_at, "there is a synthetic event '%s' already", def->name);
		}
		more[i] = s->synthetics[i];
	}
	more[s->nr_synthetics++] = def;
	s->synthetics = more;
	return 0;
}

int definitions_take_synthetic(struct set *s, const char *text, const struct word *word, struct diag *diag)
{
	struct synthetic_def *def;
	int err;

	text = arena_strdup(&s->arena, text);		/* a line of a file ends with the file */
	err = synthetic_parse(&s->arena, text, &def, diag);
	if (!err && word && word->filter)
		err = definitions_take_filter(s, word->filter, def->text, &def->filter, diag);
	if (!err && word && word->stacks)
		err = diag_set(diag, -EINVAL, "-k and -u are for probes, and '%s' has none", def->name);
	if (!err)
		err = definitions_parse_triggers(s, word, &def->triggers, diag);
	return err ? err : add_synthetic(s, def, diag);
}

static bool has_synthetic(const struct set *s, const char *name)
{
	for (unsigned i = 0; i < s->nr_synthetics; i++) {
		if (!strcmp(s->synthetics[i]->name, name))
			return true;
	}
	return false;
}

/* Adds the kept synthetic events that these triggers make and that no definition of this run describes. */
static int add_kept_synthetics(struct set *s, const struct trigger *t, struct diag *diag)
{
	for (; t; t = t->next) {
		for (unsigned i = 0; t->hist && i < t->hist->nr_actions; i++) {
			const char *name = t->hist->actions[i].synthetic, *text;
			const struct trigger *first = NULL;
			struct synthetic_def *def;

			text = name && !has_synthetic(s, name) && s->host->find_synthetic ?
			       s->host->find_synthetic(s->host_ctx, &s->arena, name, &first) : NULL;
			if (text && (synthetic_parse(&s->arena, text, &def, diag) || add_synthetic(s, def, diag)))
				return diag->err;
			if (text)
				def->triggers = first;
		}
	}
	return 0;
}

int definitions_find_synthetics(struct set *s, struct diag *diag)
{
	int err = 0;

	for (unsigned i = 0; !err && i < s->nr_probes; i++)
		err = add_kept_synthetics(s, s->probes[i].def->triggers, diag);
	for (unsigned i = 0; !err && i < s->nr_synthetics; i++)		/* a kept one may make others */
		err = add_kept_synthetics(s, s->synthetics[i]->triggers, diag);
	return err;
}
