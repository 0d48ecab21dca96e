// SPDX-License-Identifier: GPL-2.0-only
/*
 * bundle.c - which definitions share a link.
 */
#include "plan/bundle.h"

#include <stdlib.h>

#include "arch/kernel.h"
#include "kernel/syms/ksyms.h"
#include "plan/backend.h"

/* Is it at the entry of a function of the kernel itself? */
static bool is_entry(const struct plan *plan)
{
	const struct target *t = &plan->target;

	return !t->is_return && !t->module && t->symbol && !t->addrs && t->func && t->addr >= t->func &&
	       t->addr - t->func <= ENTRY_PAD_SIZE;
}

/* The backend for bundles; NULL: this kernel has none. */
static const struct backend *find_backend(const struct facts *facts)
{
	for (unsigned i = 0; backends[i]; i++) {
		const struct backend *b = backends[i];

		if (b->bundles && facts->features && (!b->missing || !b->missing(facts->features)))
			return b;
	}
	return NULL;
}

static bool is_cheaper(const struct backend *a, const struct backend *b)
{
	unsigned i = 0;

	while (backends[i] != a && backends[i] != b)
		i++;
	return backends[i] == a && a != b;
}

/* The functions of all plans, sorted. */
struct functions {
	uint64_t *at;
	unsigned nr;
};

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static struct functions find_functions(struct arena *arena, struct plan *const *plans, unsigned nr)
{
	struct functions f = { arena_array(arena, uint64_t, nr) };

	for (unsigned i = 0; i < nr; i++) {
		if (plans[i] && plans[i]->target.func)
			f.at[f.nr++] = plans[i]->target.func;
	}
	if (f.nr)
		qsort(f.at, f.nr, sizeof(*f.at), compare);
	return f;
}

/* Is there no other definition for this function? The kernel would serve both by a slower way, which shows in the lines' flags. */
static bool is_alone(const struct functions *f, uint64_t func)
{
	const uint64_t *at = bsearch(&func, f->at, f->nr, sizeof(func), compare);

	return at && (at == f->at || at[-1] != func) && (at + 1 == f->at + f->nr || at[1] != func);
}

static bool fits(const struct plan *plan, const struct backend *b, const struct functions *f, const struct facts *facts)
{
	return plan && !plan->faults_in && b->takes.kinds & 1u << plan->def->probe && !plan->paired.pair && !plan->def->wants_context && is_entry(plan) && is_alone(f, plan->target.func) &&
	       b->bundles(plan, facts->features);
}

static void bundle(struct plan *plan, const struct backend *b)
{
	plan->alone = (struct plan_alone){ plan->layout.backend, plan->own, plan->seen_func, plan->why_dearer };
	if (is_cheaper(plan->alone.backend, b))
		plan->why_dearer = "one link for many definitions attaches faster";
	backend_change(plan, b);
	plan->bundled = true;
}

void plan_bundle(struct plan *const *plans, unsigned nr, const struct facts *facts)
{
	const struct backend *b = NULL;
	struct arena arena = { 0 };
	struct functions functions;
	unsigned found = 0;

	if (facts->attach || facts->single || nr < BUNDLE_MIN || !facts->ks || ksyms_hidden(facts->ks))
		return;
	functions = find_functions(&arena, plans, nr);
	b = find_backend(facts);
	for (unsigned i = 0; b && i < nr; i++)
		found += fits(plans[i], b, &functions, facts);
	for (unsigned i = 0; found >= BUNDLE_MIN && i < nr; i++) {
		if (!fits(plans[i], b, &functions, facts))
			continue;
		bundle(plans[i], b);
	}
	arena_fini(&arena);
}

void plan_unbundle(struct plan *plan)
{
	backend_change(plan, plan->alone.backend);
	plan->own = plan->alone.own;
	plan->seen_func = plan->alone.seen_func;
	plan->why_dearer = plan->alone.why_dearer;
	plan->bundled = false;
}
