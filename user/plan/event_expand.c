// SPDX-License-Identifier: GPL-2.0-only
/*
 * event_expand.c - the tracepoints and events that a pattern names.
 *
 * Each is an event of its own, with its own name: they have different arguments and fields. If the user has named the event, all of them
 * are one, as far as their fields are the same.
 */
#include <errno.h>
#include <stdlib.h>

#include "kernel/events/kevents.h"
#include "kernel/events/ktracepoints.h"
#include "plan/expand.h"
#include "plan/patterns.h"

struct found {
	struct arena *arena;
	const struct probe_def *def;
	const char **groups, **names;
	struct probe_def **defs;
	unsigned nr, size;
};

static void add(struct found *f, const char *group, const char *name)
{
	struct probe_def *one = arena_new(f->arena, struct probe_def);

	f->defs = arena_grow(f->arena, f->defs, f->nr, &f->size);
	*one = *f->def;
	one->place.symbol = arena_strdup(f->arena, name);
	one->place.system = group ? arena_strdup(f->arena, group) : NULL;
	one->place.pattern = false;
	one->from_tree = true;
	if (!f->def->event_at.len)
		one->event = arena_printf(f->arena, "%s%.*s", *name >= '0' && *name <= '9' ? "_" : "", LANG_MAX_EVENT_NAME - 1, name);
	f->defs[f->nr++] = one;
}

static bool take_tracepoint(void *ctx, const char *name, const char *module)
{
	struct found *f = ctx;

	(void)module;
	if (patterns_match(f->names, name))
		add(f, NULL, name);
	return true;
}

static bool take_event(void *ctx, const char *group, const char *name)
{
	struct found *f = ctx;

	if (patterns_match(f->groups, group) && patterns_match(f->names, name))
		add(f, group, name);
	return true;
}

static int compare(const void *a, const void *b)
{
	const struct probe_def *const *x = a, *const *y = b;
	int diff = (*x)->place.system ? strcmp((*x)->place.system, (*y)->place.system) : 0;

	return diff ? diff : strcmp((*x)->place.symbol, (*y)->place.symbol);
}

int event_expand(struct arena *arena, const struct probe_def *def, const struct facts *facts, struct expanded *ret,
		 struct diag *diag)
{
	bool is_event = def->probe == PROBE_EVENT;
	struct found f = { .arena = arena, .def = def, .names = patterns_split(arena, def->place.symbol),
			   .groups = is_event ? patterns_split(arena, def->place.system) : NULL };
	int err = is_event ? facts->events ? kevents_each(facts->events, take_event, &f) : -EOPNOTSUPP
			   : facts->tracepoints ? ktracepoints_each(facts->tracepoints, take_tracepoint, &f) : -EOPNOTSUPP;

	diag->text = def->text;
	if (err)
		return diag_at(diag, err, def->place.at, "the kernel's %s cannot be read", is_event ? "events" : "tracepoints");
	if (!f.nr)
		return diag_at(diag, -ENOENT, def->place.at, "this kernel has no %s that matches '%s%s%s'", is_event ? "event" : "tracepoint",
			       is_event ? def->place.system : "", is_event ? "." : "", def->place.symbol);
	qsort(f.defs, f.nr, sizeof(*f.defs), compare);
	*ret = (struct expanded){ .defs = f.defs, .nr = f.nr };
	return 0;
}
