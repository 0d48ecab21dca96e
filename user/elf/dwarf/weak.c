// SPDX-License-Identifier: GPL-2.0-only
/*
 * weak.c - code that nobody calls, because another function has taken its place.
 *
 * The linker leaves the code of an overridden weak function where it is. Its entry has no symbol: the name's symbol is at the other one.
 */
#include "elf/dwarf/lines_priv.h"

static const char *linked_name(Dwarf_Die *function)
{
	Dwarf_Attribute attr;
	const char *name = dwarf_formstring(dwarf_attr_integrate(function, DW_AT_linkage_name, &attr));

	return name ? name : dwarf_diename(function);
}

const char *debug_overridden(struct debug *d, const struct spot *s)
{
	Dwarf_Die function = s->function;
	Dwarf_Attribute attr;
	Dwarf_Addr entry;
	const char *name;

	/* A copy that the compiler has made of a function (FUNCTION.constprop.0) may have lost its symbol to strip. No weak function has copies. */
	if (dwarf_hasattr(&function, DW_AT_abstract_origin) || !die_begin(&function, &entry) ||
	    !dwarf_attr_integrate(&function, DW_AT_external, &attr))
		return NULL;
	name = debug_starts_symbol(d, entry) ? NULL : linked_name(&function);
	return name && debug_knows_symbol(d, name) ? name : NULL;
}
