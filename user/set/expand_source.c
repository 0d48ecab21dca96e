// SPDX-License-Identifier: GPL-2.0-only
/*
 * expand_source.c - functions that are several places in the kernel's code: inlined copies, which debug information tells, and copies with
 * symbols that the compiler made.
 */
#include "set/expand_priv.h"

#include <errno.h>

/* Adds the places of @p, read as a definition of the source. False: nothing was added, and @diag says why. */
static bool add_source(struct probes *to, const struct probe *p, struct probe_def *def, struct diag *diag)
{
	struct probe source = *p;
	unsigned first = to->nr;

	source.def = def;
	return !expand_each(to, &source, lines_expand, diag) && to->nr > first;
}

bool expand_add_inlined(struct probes *to, const struct probe *p, struct probe_def *def, const char **ret_why)
{
	unsigned first = to->nr;
	struct diag why = { 0 };
	bool ok = add_source(to, p, def, &why);

	*ret_why = ok ? NULL : arena_strdup(&to->s->arena, buf_str(&why.msg));
	diag_fini(&why);
	if (!ok)
		return false;
	if (to->nr > first + 1 || to->probes[first].family.left_out)
		return true;
	to->nr = first;
	return false;
}

bool expand_inlined(struct set *s, unsigned i, struct diag *diag)
{
	struct facts facts = set_facts(s);
	struct probe_def *def = lines_of_function(&s->arena, s->probes[i].def, &facts);
	struct probes to = { .s = s };
	struct diag why = { 0 };

	if (!def)
		return false;
	for (unsigned n = 0; n < i; n++)
		probes_add(&to, &s->probes[n]);
	if (!add_source(&to, &s->probes[i], def, &why)) {
		/* Debug information has the function, but no code or no value for this. */
		if (why.err == -ENXIO || why.err == -EINVAL) {
			if (!why.text) {
				why.text = s->probes[i].def->text;
				why.file = s->probes[i].from.file;
				why.line = s->probes[i].from.line;
			}
			diag_fini(diag);
			*diag = why;
		} else {
			diag_fini(&why);
		}
		return false;
	}
	for (unsigned n = i + 1; n < s->nr_probes; n++)
		probes_add(&to, &s->probes[n]);
	s->probes = to.probes;
	s->nr_probes = to.nr;
	s->size_probes = to.size;
	return true;
}

bool expand_add_copies(struct probes *to, struct probe *p, const struct copies *c)
{
	struct set *s = to->s;
	struct facts facts = set_facts(s);
	struct probe_def *source = c->nr_taken && !c->has_own ? lines_of_function(&s->arena, p->def, &facts) : NULL;
	unsigned first = to->nr;
	struct diag why = { 0 };
	bool ok;

	if (!c->nr_taken)
		return false;
	ok = source && add_source(to, p, source, &why);
	diag_fini(&why);
	if (ok)
		return true;
	to->nr = first;
	ok = !expand_each(to, p, copies_expand, &why) && to->nr > first;
	diag_fini(&why);
	if (ok)
		return true;
	to->nr = first;
	p->family.def = NULL;
	return false;
}

struct copies *expand_find_copies(struct set *s)
{
	struct copies *copies = arena_array(&s->arena, struct copies, s->nr_probes);
	struct facts facts = set_facts(s);

	for (unsigned i = 0; i < s->nr_probes; i++)
		copies_find(&s->arena, s->probes[i].def, &facts, &copies[i]);
	return copies;
}

void expand_prepare_lines(struct set *s, const struct inlined *inlined)
{
	struct facts facts = set_facts(s);
	struct probe_def **defs = arena_array(&s->arena, struct probe_def *, s->nr_probes);
	unsigned nr = 0;

	for (unsigned i = 0; i < s->nr_probes; i++) {
		if (s->probes[i].def->place.in_source)
			defs[nr++] = s->probes[i].def;
		else if (inlined[i].def)
			defs[nr++] = inlined[i].def;
	}
	if (nr > 1)
		lines_prepare(&s->arena, defs, nr, &facts);
}

struct inlined *expand_find_inlined(struct set *s)
{
	struct facts facts = set_facts(s);
	struct probe_def **defs = arena_array(&s->arena, struct probe_def *, s->nr_probes);

	for (unsigned i = 0; i < s->nr_probes; i++)
		defs[i] = s->probes[i].def;
	return lines_of_inlined(&s->arena, defs, s->nr_probes, &facts);
}
