// SPDX-License-Identifier: GPL-2.0-only
/*
 * elsewhere.c - kept events beside those that are loaded.
 */
#include "keep/elsewhere.h"

#include <errno.h>
#include <string.h>

#include "keep/kept_triggers.h"

static bool is_there(const struct elsewhere *e, const struct kept *k)
{
	for (unsigned i = 0; i < e->nr; i++) {
		if (name_same_event(e->events[i]->kept.group, e->events[i]->kept.event, k->group, k->event))
			return true;
	}
	return false;
}

/* All its parts have the same triggers and tables. */
static bool add(struct arena *arena, const struct stored *ev, struct triggers_probe *ret)
{
	const struct kept *k = &ev->kept;
	struct probe_def *def = arena_new(arena, struct probe_def);
	struct plan *plan = arena_new(arena, struct plan);
	struct diag ignored = { 0 };
	int err;

	*def = (struct probe_def){ .text = k->lines[0], .group = k->group, .event = k->event };
	*plan = k->probes[0].plan;
	plan->def = def;
	*ret = (struct triggers_probe){ .plan = plan, .group = k->group, .event = k->event, .elsewhere = true };
	if (kept_is_synthetic(k)) {
		struct synthetic_def *made = NULL;

		err = synthetic_parse(arena, k->lines[0], &made, &ignored);
		if (err) {
			diag_fini(&ignored);
			return false;
		}
		ret->synthetic = made;
	}
	err = kept_triggers_parse(arena, k->triggers, k->nr_triggers, &ret->first, &ignored);
	diag_fini(&ignored);
	return !err;
}

void elsewhere_find(struct arena *arena, const struct stored *list, unsigned nr,
		    bool (*leaves_out)(void *ctx, const struct stored *ev), void *ctx, struct elsewhere *ret)
{
	struct triggers_probe *probes = arena_array(arena, struct triggers_probe, nr);
	struct elsewhere e = { .probes = probes, .events = arena_array(arena, const struct stored *, nr) };

	for (unsigned i = 0; i < nr; i++) {
		const struct kept *k = &list[i].kept;

		if (list[i].trouble || !k->nr_probes || (!k->nr_triggers && !kept_is_synthetic(k)) || !kept_is_current(k) || is_there(&e, k) || leaves_out(ctx, &list[i]))
			continue;
		if (add(arena, &list[i], &probes[e.nr]))
			e.events[e.nr++] = &list[i];
	}
	*ret = e;
}

bool elsewhere_open_table(const struct elsewhere *e, const struct trigger *t, struct count_table *table, int *ret_err)
{
	for (unsigned i = 0; i < e->nr; i++) {
		const struct kept_trigger *kept = e->events[i]->kept.triggers;

		for (const struct trigger *at = e->probes[i].first; at; at = at->next, kept++) {
			if (at != t)
				continue;
			*ret_err = store_open_table(e->events[i], kept->number, table);
			return true;
		}
	}
	return false;
}

/* ---- who needs what ---- */

static bool sets(const struct trigger *t, const char *name)
{
	for (unsigned i = 0; t->hist && i < t->hist->nr_vars; i++) {
		if (!strcmp(t->hist->vars[i].name, name))
			return true;
	}
	return false;
}

/* What @ev has: its triggers, or one of them. */
struct owner {
	const struct stored *ev;
	const struct trigger *first, *only;
};

/* Is @name a variable of the owner that @reader does not set itself? */
static bool is_of(const struct owner *o, const struct trigger *reader, const struct hist_expr *e)
{
	if (e->system && !name_same_event(e->system, e->event, o->ev->kept.group, o->ev->kept.event))
		return false;
	if (!e->system && sets(reader, e->name))
		return false;
	for (const struct trigger *t = o->first; t; t = t->next) {
		if ((!o->only || t == o->only) && sets(t, e->name))
			return true;
	}
	return false;
}

static bool reads(const struct owner *o, const struct trigger *reader, const struct hist_expr *e)
{
	if (!e)
		return false;
	if (e->kind == HIST_VAR && is_of(o, reader, e))
		return true;
	return reads(o, reader, e->left) || reads(o, reader, e->right);
}

/* A field of another event, as a parameter, is a variable there. */
static bool reads_field(const struct owner *o, const struct hist_action *a, const struct hist_expr *e)
{
	const char *system = e->system ? e->system : a->system, *event = e->system ? e->event : a->event;

	if (e->kind != HIST_FIELD || !system || !name_same_event(system, event, o->ev->kept.group, o->ev->kept.event))
		return false;
	for (const struct trigger *t = o->first; t; t = t->next) {
		if ((!o->only || t == o->only) && trigger_is_for_field(t, e->name))
			return true;
	}
	return false;
}

/* Without o->only the event goes, so onmatch() has nothing to match, and nobody can make it. */
static bool needs(const struct owner *o, const struct trigger *t)
{
	const struct hist *h = t->hist;
	bool needed = false;

	for (unsigned i = 0; h && i < h->nr_actions; i++) {
		const struct hist_action *a = &h->actions[i];

		needed |= !o->only && a->handler == HIST_ONMATCH && name_same_event(a->system, a->event, o->ev->kept.group, o->ev->kept.event);
		needed |= !o->only && a->synthetic && kept_is_synthetic(&o->ev->kept) && !strcmp(a->synthetic, o->ev->kept.event);
		needed |= reads(o, t, a->var);
		for (unsigned k = 0; k < a->nr_params; k++)
			needed |= reads(o, t, a->params[k]) || reads_field(o, a, a->params[k]);
	}
	for (unsigned i = 0; h && i < h->nr_vars; i++)
		needed |= reads(o, t, h->vars[i].expr);
	for (unsigned i = 0; h && i < h->nr_values; i++)
		needed |= reads(o, t, h->values[i]);
	return needed;
}

static int refuse(const struct owner *o, const struct kept *by, struct diag *diag)
{
	diag_set(diag, -EBUSY, "%s/%s cannot be %s: a trigger of %s/%s needs it", o->ev->kept.group, o->ev->kept.event,
		 o->only ? "changed" : "removed", by->group, by->event);
	diag_note(diag, "help: remove %s, or that trigger first: bprobe --set-trigger %s/%s '!TRIGGER' ('bprobe --triggers' lists them)",
		  o->only ? "that event" : "both", by->group, by->event);
	return -EBUSY;
}

int elsewhere_check_unused(const struct stored *list, unsigned nr, const struct stored *ev, const struct trigger *only,
			   bool (*goes)(void *ctx, const struct stored *ev), void *ctx, struct diag *diag)
{
	struct arena arena = { 0 };
	struct diag ignored = { 0 };
	struct owner o = { .ev = ev };
	int err = kept_triggers_parse(&arena, ev->kept.triggers, ev->kept.nr_triggers, &o.first, &ignored);

	for (const struct trigger *t = err ? NULL : o.first; only && t; t = t->next) {
		if (!strcmp(t->text, only->text))
			o.only = t;
	}
	for (unsigned i = 0; i < nr && !err && (o.only || !only); i++) {
		const struct kept *k = &list[i].kept;
		const struct trigger *t;

		if (list[i].trouble || name_same_event(k->group, k->event, ev->kept.group, ev->kept.event) || (goes && goes(ctx, &list[i])))
			continue;
		if (kept_triggers_parse(&arena, k->triggers, k->nr_triggers, &t, &ignored))
			t = NULL;
		for (; t && !diag->err; t = t->next) {
			if (needs(&o, t))
				refuse(&o, k, diag);
		}
	}
	diag_fini(&ignored);
	arena_fini(&arena);
	return diag->err;
}
