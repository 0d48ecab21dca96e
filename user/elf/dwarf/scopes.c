// SPDX-License-Identifier: GPL-2.0-only
/*
 * scopes.c - the function, the blocks and the inlined functions that an address is in.
 */
#include <stdlib.h>
#include <string.h>

#include "elf/dwarf/lines_priv.h"

enum { DEEPEST = 256 };

static bool is_scope(int tag)
{
	return tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine || tag == DW_TAG_subprogram || tag == DW_TAG_try_block ||
	       tag == DW_TAG_catch_block || tag == DW_TAG_with_stmt;
}

/* Functions are also in these. */
static bool holds_functions(int tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_class_type || tag == DW_TAG_structure_type || tag == DW_TAG_union_type ||
	       tag == DW_TAG_module;
}

/* The child of @die that has this address. */
static bool find_child(Dwarf_Die *die, Dwarf_Addr addr, Dwarf_Die *ret)
{
	int err = dwarf_child(die, ret);

	for (; !err; err = dwarf_siblingof(ret, ret)) {
		if (is_scope(dwarf_tag(ret)) && dwarf_haspc(ret, addr) > 0)
			return true;
	}
	return false;
}

static void add_extent(struct debug *d, const struct extent *e)
{
	struct gathered *g = &d->gathered;

	g->extents = arena_grow(d->arena, g->extents, g->nr_extents, &g->size_extents);
	g->extents[g->nr_extents++] = *e;
}

static void add_function(struct debug *d, const Dwarf_Die *die, const char *in)
{
	struct gathered *g = &d->gathered;

	g->functions = arena_grow(d->arena, g->functions, g->nr_functions, &g->size_functions);
	g->functions[g->nr_functions++] = (struct unit_function){ .die = *die, .in = in };
}

/* As the demangler writes it. */
static const char *inside(struct debug *d, const char *in, Dwarf_Die *scope)
{
	const char *name = dwarf_diename(scope);

	name = name ? name : "(anonymous namespace)";
	return in ? arena_printf(d->arena, "%s::%s", in, name) : name;
}

static void add_functions(struct debug *d, Dwarf_Die *die, const char *in, unsigned depth)
{
	Dwarf_Die child, imported;
	Dwarf_Attribute attr;
	int err = depth < DEEPEST ? dwarf_child(die, &child) : 1;

	for (; !err; err = dwarf_siblingof(&child, &child)) {
		int tag = dwarf_tag(&child);

		if (tag == DW_TAG_subprogram)
			add_function(d, &child, in);
		else if (holds_functions(tag))
			add_functions(d, &child, inside(d, in, &child), depth + 1);
		else if (tag == DW_TAG_imported_unit && dwarf_formref_die(dwarf_attr(&child, DW_AT_import, &attr), &imported))
			add_functions(d, &imported, in, depth + 1);
	}
}

/* A unit has a hundred times more entries than functions: they are gone through once. */
void unit_functions(struct debug *d, struct lines_unit *u)
{
	if (u->has_functions)
		return;
	u->has_functions = true;
	d->gathered.nr_functions = 0;
	add_functions(d, &u->die, NULL, 0);
	u->nr_functions = d->gathered.nr_functions;
	u->functions = arena_array(d->arena, struct unit_function, u->nr_functions);
	if (u->nr_functions)
		memcpy(u->functions, d->gathered.functions, u->nr_functions * sizeof(*u->functions));
}

static void add_extents(struct debug *d, struct lines_unit *u)
{
	unit_functions(d, u);
	d->gathered.nr_extents = 0;
	for (unsigned i = 0; i < u->nr_functions; i++) {
		struct extent e = { .function = u->functions[i].die };
		Dwarf_Addr base;
		ptrdiff_t n = 0;

		while ((n = dwarf_ranges(&u->functions[i].die, n, &base, &e.start, &e.end)) > 0)
			if (debug_is_code(d, e.start))
				add_extent(d, &e);
	}
	u->nr_extents = d->gathered.nr_extents;
	u->extents = arena_array(d->arena, struct extent, u->nr_extents);
	if (u->nr_extents)
		memcpy(u->extents, d->gathered.extents, u->nr_extents * sizeof(*u->extents));
}

static int by_start(const void *a, const void *b)
{
	const struct extent *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* A file has thousands of lines, and each is asked for its function: a search through all entries would take seconds. */
static bool find_function(struct debug *d, struct lines_unit *u, Dwarf_Addr addr, Dwarf_Die *ret)
{
	unsigned low = 0, high;

	if (!u->has_extents) {
		u->has_extents = true;
		add_extents(d, u);
		if (u->nr_extents)
			qsort(u->extents, u->nr_extents, sizeof(*u->extents), by_start);
	}
	high = u->nr_extents;
	while (low < high) {
		unsigned mid = (low + high) / 2;

		if (u->extents[mid].start <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low || addr >= u->extents[low - 1].end)
		return false;
	*ret = u->extents[low - 1].function;
	return true;
}

Dwarf_Die spot_function(const struct spot *s)
{
	unsigned i = s->nr;

	while (i > 0 && dwarf_tag(&s->path[i - 1]) != DW_TAG_inlined_subroutine)
		i--;
	return i ? s->path[i - 1] : s->function;
}

bool spot_find(struct debug *d, struct spot *s)
{
	Dwarf_Die path[DEEPEST], at;

	s->nr = 0;
	if (!find_function(d, s->unit, s->addr, &s->function))
		return false;
	at = s->function;
	while (s->nr < DEEPEST && find_child(&at, s->addr, &path[s->nr]))
		at = path[s->nr++];
	s->path = arena_array(d->arena, Dwarf_Die, s->nr);
	if (s->nr)
		memcpy(s->path, path, s->nr * sizeof(*path));
	return true;
}
