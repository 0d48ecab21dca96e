// SPDX-License-Identifier: GPL-2.0-only
/*
 * names.c - names of events, where a dialect has no names or other rules for them.
 */
#include "set/definitions.h"

#include <string.h>

#include "lang/parse.h"

static bool name_taken(const struct set *s, const struct probe_def *def, const char *event)
{
	for (unsigned i = 0; i < s->nr_probes; i++) {
		if (!strcmp(s->probes[i].def->event, event) && !strcmp(s->probes[i].def->group, def->group))
			return true;
	}
	return false;
}

bool definitions_is_named(const struct probe_def *def)
{
	return def->dialect == DIALECT_KPROBE || def->event_at.len;
}

void definitions_number(struct arena *arena, struct probe_def *def, unsigned n)
{
	if (!def->unnumbered)
		def->unnumbered = def->event;
	def->event = arena_printf(arena, "%.*s_%u", LANG_MAX_EVENT_NAME - 11, def->unnumbered, n);
}

/* If the user could not name the event, it is not meant to be shared. */
static void make_name_unique(struct set *s, struct probe_def *def)
{
	for (unsigned n = 2; name_taken(s, def, def->event); n++)
		definitions_number(&s->arena, def, n);
}

/*
 * A v13 definition replaces the earlier v13 definition that has its event's name. Returns the replaced one, or NULL. Under
 * the rules of other dialects all probes of the event are meant.
 */
static const struct probe_def *drop_replaced(struct set *s, const struct probe_def *def)
{
	const struct probe_def *replaced = NULL;
	unsigned kept = 0;

	for (unsigned i = 0; i < s->nr_probes; i++) {
		const struct probe_def *before = s->probes[i].def;

		if (before->dialect == DIALECT_V13 && !strcmp(before->event, def->event) &&
		    !strcmp(before->group, def->group))
			replaced = before;
		else
			s->probes[kept++] = s->probes[i];
	}
	s->nr_probes = kept;
	return replaced;
}

static void take_probe(struct set *s, struct probe_def *def)
{
	s->probes = arena_grow(&s->arena, s->probes, s->nr_probes, &s->size_probes);
	s->probes[s->nr_probes++] = (struct probe){
		.def = def, .attached = ATTACHED_NONE, .saver = ATTACHED_NONE,
	};
}

void definitions_add(struct set *s, struct probe_def *def)
{
	const struct probe_def *replaced = NULL;

	if (!definitions_is_named(def))
		make_name_unique(s, def);
	else if (def->dialect == DIALECT_V13)
		replaced = drop_replaced(s, def);
	take_probe(s, def);
	s->probes[s->nr_probes - 1].replaced = replaced;
}
