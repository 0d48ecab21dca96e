// SPDX-License-Identifier: GPL-2.0-only
/*
 * scopes.c - the function, the blocks and the inlined functions that an address is in.
 */
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

static bool find_function(Dwarf_Die *die, Dwarf_Addr addr, unsigned depth, Dwarf_Die *ret)
{
	Dwarf_Die child;
	int err = depth < DEEPEST ? dwarf_child(die, &child) : 1;

	for (; !err; err = dwarf_siblingof(&child, &child)) {
		int tag = dwarf_tag(&child);

		if (tag == DW_TAG_subprogram && dwarf_haspc(&child, addr) > 0) {
			*ret = child;
			return true;
		}
		if (holds_functions(tag) && find_function(&child, addr, depth + 1, ret))
			return true;
	}
	return false;
}

bool spot_find(struct debug *d, struct spot *s)
{
	Dwarf_Die path[DEEPEST], at;

	s->nr = 0;
	if (!find_function(&s->unit->die, s->addr, 0, &s->function))
		return false;
	at = s->function;
	while (s->nr < DEEPEST && find_child(&at, s->addr, &path[s->nr]))
		at = path[s->nr++];
	s->path = arena_array(d->arena, Dwarf_Die, s->nr);
	if (s->nr)
		memcpy(s->path, path, s->nr * sizeof(*path));
	return true;
}
