// SPDX-License-Identifier: GPL-2.0-only
/*
 * expand.c - definitions with a pattern.
 */
#include "trace/definitions.h"

#include <errno.h>

#include "plan/match.h"

/* A growing copy of the session's probes. */
struct probes {
	struct session *s;
	struct probe *probes;
	unsigned nr, size;
};

static struct probe *add(struct probes *to, const struct probe *p)
{
	if (to->nr == to->size) {
		unsigned size = to->size ? to->size * 2 : 64;
		struct probe *more = arena_array(&to->s->arena, struct probe, size);

		if (to->nr)
			memcpy(more, to->probes, to->nr * sizeof(*more));
		to->probes = more;
		to->size = size;
	}
	to->probes[to->nr] = *p;
	return &to->probes[to->nr++];
}

/* Makes the same definition for one function. */
static struct probe_def *for_function(struct session *s, const struct probe_def *def, const char *name)
{
	struct probe_def *one = arena_new(&s->arena, struct probe_def);

	*one = *def;
	one->place.symbol = arena_strdup(&s->arena, name);	/* a copy: symbols are read again when modules are loaded */
	one->place.pattern = false;
	one->place.calls = false;
	one->from_tree = true;
	return one;
}

/* All functions of a pattern are one event: do these two plans have the same fields? */
static bool shares_event(const struct plan *a, const struct plan *b)
{
	unsigned field;

	return layout_compare(&a->layout, &b->layout, &field) <= LAYOUT_OTHER_DETAIL;
}

/* Adds a probe for each function that has what the definition asks for. */
static int add_each(struct probes *to, const struct probe *p, const struct match_set *set, struct diag *diag)
{
	struct session *s = to->s;
	unsigned first = to->nr, left_out = set->nr_refused;

	for (unsigned i = 0; i < set->nr; i++) {
		struct facts facts = session_facts(s);
		struct probe one = *p;
		struct diag why = { 0 };

		one.def = for_function(s, p->def, set->names[i]);
		if (plan_resolve(&s->arena, one.def, &facts, &one.plan, &why) ||
		    (to->nr > first && !shares_event(to->probes[first].plan, one.plan))) {
			left_out++;
			if (!diag->err && why.err) {	/* reported if no function can be probed */
				*diag = why;
				continue;
			}
		} else {
			add(to, &one);
		}
		diag_fini(&why);
	}
	if (to->nr == first)
		return diag->err;
	diag_fini(diag);
	to->probes[first].left_out = left_out;
	to->probes[first].nr_family = to->nr - first;
	return 0;
}

static void add_multi(struct probes *to, const struct probe *p, const struct match_set *set)
{
	struct probe *one = add(to, p);
	uint64_t *addrs = arena_array(&to->s->arena, uint64_t, set->nr);

	for (unsigned i = 0; i < set->nr; i++)
		addrs[i] = set->syms[i]->addr;
	/* All these functions are system calls: their parameters are at the same places in what the functions receive. */
	if (set->nr_calls == set->nr) {
		struct probe_def *def = arena_new(&to->s->arena, struct probe_def);

		*def = *p->def;
		def->place.calls = true;
		one->def = def;
	}
	one->addrs = addrs;
	one->nr_addrs = set->nr;
	one->left_out = set->nr_refused;
}

static int expand_one(struct probes *to, struct probe *p, struct diag *diag)
{
	struct session *s = to->s;
	struct facts facts = session_facts(s);
	const struct backend *multi = backend_for_patterns(), *attach = s->opts->attach;
	const char *trouble;
	struct match_set set;
	int err = match_functions(&s->arena, p->def, &facts, &set, diag);

	p->pattern = p->def;
	if (err)
		return err;
	p->nr_calls = set.nr_calls;
	trouble = ksyms_hidden(s->machine.ks) ? "the kernel hides its addresses (kernel.kptr_restrict)" :
		  multi->pattern_trouble(p->def, set.nr_calls && set.nr_calls < set.nr, &s->machine.features);
	if (trouble && attach == multi)
		return diag_at(diag, -EOPNOTSUPP, p->def->head_at, "--attach=%s cannot do this: %s", multi->name, trouble);
	if (trouble || (attach && attach != multi))
		return add_each(to, p, &set, diag);
	add_multi(to, p, &set);
	return 0;
}

int expand_patterns(struct session *s, struct diag *diag)
{
	struct probes to = { .s = s };
	bool any = false;

	for (unsigned i = 0; i < s->nr_probes; i++)
		any = any || s->probes[i].def->place.pattern;
	for (unsigned i = 0; any && i < s->nr_probes; i++) {
		struct probe *p = &s->probes[i];
		int err = 0;

		if (p->def->place.pattern)
			err = expand_one(&to, p, diag);
		else
			add(&to, p);
		if (err) {
			diag->text = p->def->text;
			diag->file = p->file;
			diag->line = p->line;
			return err;
		}
	}
	if (any) {
		s->probes = to.probes;
		s->nr_probes = to.nr;
		s->size_probes = to.size;
	}
	return 0;
}
