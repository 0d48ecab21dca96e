// SPDX-License-Identifier: GPL-2.0-only
/*
 * links.c - finds definitions whose triggers have variables for other events, or read theirs.
 */
#include "set/links.h"

#include <string.h>

#include "lang/trigger.h"

static bool has_var(const struct hist *h, const char *name)
{
	for (unsigned i = 0; i < h->nr_vars; i++) {
		if (!strcmp(h->vars[i].name, name))
			return true;
	}
	return false;
}

/* Does @e, or a part of it, read a variable that @h does not set? */
static bool reads_others(const struct hist *h, const struct hist_expr *e)
{
	if (!e || e->local)
		return false;
	if (e->kind == HIST_VAR)
		return e->system || !has_var(h, e->name);
	return reads_others(h, e->left) || reads_others(h, e->right);
}

/* Does @e, or a part of it, read @name? */
static bool reads(const struct hist_expr *e, const char *name)
{
	if (!e)
		return false;
	return (e->kind == HIST_VAR && !strcmp(e->name, name)) || reads(e->left, name) || reads(e->right, name);
}

static bool hist_reads(const struct hist *h, const char *name)
{
	bool any = false;

	for (unsigned i = 0; i < h->nr_actions; i++) {
		any |= reads(h->actions[i].var, name);
		for (unsigned k = 0; k < h->actions[i].nr_params; k++)
			any |= reads(h->actions[i].params[k], name);
	}
	for (unsigned i = 0; i < h->nr_values; i++)
		any |= reads(h->values[i], name);
	for (unsigned i = 0; i < h->nr_vars; i++)
		any |= reads(h->vars[i].expr, name);
	return any;
}

static bool any_reads(const struct trigger *t, const struct hist *but, const char *name)
{
	for (; t; t = t->next) {
		if (t->hist && t->hist != but && hist_reads(t->hist, name))
			return true;
	}
	return false;
}

/* Is it there for other triggers? Those of kept events may come later. What nothing reads, also no action of its own, is meant for others. */
static bool is_for_others(const struct set *s, const struct hist *h, const struct hist_var *var)
{
	if (s->host->stays || !hist_reads(h, var->name))
		return true;
	for (unsigned i = 0; i < s->nr_probes; i++) {
		if (any_reads(s->probes[i].def->triggers, h, var->name))
			return true;
	}
	for (unsigned i = 0; i < s->nr_synthetics; i++) {
		if (any_reads(s->synthetics[i]->triggers, h, var->name))
			return true;
	}
	return false;
}

static bool is_linked(const struct set *s, const struct hist *h)
{
	bool linked = false;

	for (unsigned i = 0; i < h->nr_actions; i++) {
		linked |= h->actions[i].handler == HIST_ONMATCH || reads_others(h, h->actions[i].var);
		for (unsigned k = 0; k < h->actions[i].nr_params; k++)
			linked |= reads_others(h, h->actions[i].params[k]);
	}
	for (unsigned i = 0; i < h->nr_values; i++)
		linked |= reads_others(h, h->values[i]);
	for (unsigned i = 0; i < h->nr_vars; i++)
		linked |= reads_others(h, h->vars[i].expr) || is_for_others(s, h, &h->vars[i]);
	return linked;
}

static void mark(struct probe_def *def)
{
	def->is_linked = true;
	for (unsigned i = 0; def->readings && i < DIALECT_COUNT; i++) {
		if (def->readings[i])
			def->readings[i]->is_linked = true;
	}
}

void links_settle(struct set *s)
{
	for (unsigned i = 0; i < s->nr_probes; i++) {
		bool linked = false;

		for (const struct trigger *t = s->probes[i].def->triggers; t; t = t->next)
			linked |= t->hist && is_linked(s, t->hist);
		if (linked)
			mark(s->probes[i].def);
	}
}

bool links_any(const struct set *s)
{
	for (unsigned i = 0; i < s->nr_probes; i++) {
		if (s->probes[i].def->is_linked)
			return true;
	}
	return false;
}
