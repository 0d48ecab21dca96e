// SPDX-License-Identifier: GPL-2.0-only
/*
 * backend.c - decides which backend a probe gets.
 */
#include "plan/backend.h"

#include <errno.h>
#include <string.h>

#include "plan/resolver.h"

bool backend_uses_no_ftrace(const struct plan *plan)
{
	(void)plan;
	return false;
}

struct context_word backend_register_word(const struct plan *plan, const struct fetch *f)
{
	(void)plan;
	return (struct context_word){ .n = f->reg };
}

const struct backend *backend_find(const char *name)
{
	for (unsigned i = 0; backends[i]; i++) {
		if (!strcmp(backends[i]->name, name))
			return backends[i];
	}
	return NULL;
}

const struct backend *backend_fallback(const struct plan *plan)
{
	const struct backend *now = plan->layout.backend, *last = NULL;

	if (!plan->target.addrs)
		return backend_last_resort(plan->def->probe);
	for (unsigned i = 0; backends[i]; i++) {
		if (backends[i]->takes.kinds & 1u << plan->def->probe && backends[i]->takes.for_patterns && !backends[i]->hit.shows_one)
			last = backends[i];
	}
	/* One program by kprobe.multi has no parameters at returns. */
	return last == now || plan->saved.any ? NULL : last;
}

void backend_change(struct plan *plan, const struct backend *backend)
{
	plan->faults_in = plan->faults_in && plan->layout.backend->waits == backend->waits;
	plan->layout.backend = backend;
	plan->seen_func = plan->target.func;
	plan->own = NULL;
	stage_settle(plan);
}

const struct backend backend_none = { .name = "none" };

const struct backend *backend_last_resort(enum probe_kind kind)
{
	const struct backend *last = NULL;

	for (unsigned i = 0; backends[i]; i++) {
		if (backends[i]->takes.kinds & 1u << kind)
			last = backends[i];
	}
	return last;
}

static int refuse(const struct resolver *r, const struct backend *wanted, const char *why)
{
	diag_at(r->diag, -EOPNOTSUPP, r->def->head_at, "--attach=%s cannot do this: %s", wanted->name, why);
	diag_note(r->diag, "help: without --attach=%s it gets a %s", wanted->name, backend_last_resort(r->def->probe)->name);
	return -EOPNOTSUPP;
}

const char *backend_stack_trouble(const struct backend *b, unsigned stacks)
{
	return stacks && !b->hit.gives_stacks ? "a trampoline could record another task's stack" : NULL;
}

const char *backend_unpaired(const struct backend *b, const struct probe_def *def)
{
	bool knows = b->program.models[def->kind == DEF_RETURN ? MODEL_PAIR_RETURN : MODEL_PAIR_ENTRY];

	if (!knows && def->pair)
		return "the hits that a trampoline misses are not known, so pairs would not be certain";
	return !knows && def->is_linked ? "the hits that a trampoline misses are not known, so variables of other events would not be certain" : NULL;
}

int backend_choose(const struct resolver *r, struct plan *plan)
{
	const struct backend *wanted = r->facts->attach;
	bool pattern = r->def->place.pattern;

	if (wanted && wanted->takes.for_patterns && !wanted->takes.also_for_one && !pattern)
		return diag_at(r->diag, -EOPNOTSUPP, r->def->head_at, "--attach=%s is for definitions of many functions "
			       "(p:vfs vfs_*)", wanted->name);
	for (unsigned i = 0; backends[i]; i++) {
		const struct backend *b = backends[i];
		const char *why = NULL;

		if (!(b->takes.kinds & 1u << r->def->probe))
			continue;
		if (pattern ? !b->takes.for_patterns || (wanted && wanted != b) : b->takes.for_patterns && !b->takes.also_for_one)
			continue;
		backend_change(plan, b);
		if (wanted && wanted != b && !pattern)
			why = "asked for by --attach";
		else if (r->def->wants_context && !pattern && !b->hit.knows_context)
			why = "a trigger uses common_flags or common_preempt_count, and only a kprobe's program knows both at each hit";
		else
			why = backend_stack_trouble(b, plan->layout.stacks);
		if (!why)
			why = backend_unpaired(b, r->def);
		if (!why && b->trouble)
			why = b->trouble(r, plan);
		if (!why)
			break;
		if (wanted == b)
			return refuse(r, b, why);
		if (!plan->why_dearer)
			plan->why_dearer = why;
	}
	return 0;
}

bool plan_has_saver(const struct plan *plan)
{
	return plan->saved.any && !plan->layout.backend->hit.shows_params;
}

void backend_fall_back(struct plan *plan, const char *why)
{
	backend_change(plan, backend_fallback(plan));
	plan->why_dearer = why;
	plan->fell_back = true;
}

const char *backend_crowded(struct arena *arena, const struct backend *b, unsigned nr)
{
	if (!b->takes.crowd_max || nr < b->takes.crowd_max)
		return NULL;
	return arena_printf(arena, "more than %u probes of one function by %s could all miss its calls", b->takes.crowd_max, b->hooks[1]);
}

const char *backend_hook(const struct plan *plan)
{
	return plan->layout.backend->hooks[plan->target.is_return];
}
