// SPDX-License-Identifier: GPL-2.0-only
/*
 * weak.c - code that nobody calls, because another function has taken its place.
 *
 * The linker leaves the code of an overridden weak function where it is. Its entry has no symbol: the name's symbol is at the other one.
 */
#include <stdlib.h>

#include "elf/dwarf/lines_priv.h"

static const char *linked_name(Dwarf_Die *function)
{
	Dwarf_Attribute attr;
	const char *name = dwarf_formstring(dwarf_attr_integrate(function, DW_AT_linkage_name, &attr));

	return name ? name : dwarf_diename(function);
}

static int by_address(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void read_starts(struct debug *d)
{
	int nr = dwfl_module_getsymtab(d->module);

	d->starts = arena_array(d->arena, uint64_t, nr > 0 ? (size_t)nr : 1);
	for (int i = 1; i < nr; i++) {
		GElf_Sym sym;
		GElf_Addr addr;

		if (dwfl_module_getsym_info(d->module, i, &sym, &addr, NULL, NULL, NULL) && sym.st_shndx != SHN_UNDEF &&
		    GELF_ST_TYPE(sym.st_info) != STT_SECTION && GELF_ST_TYPE(sym.st_info) != STT_TLS)
			d->starts[d->nr_starts++] = addr;
	}
	qsort(d->starts, d->nr_starts, sizeof(*d->starts), by_address);
}

/* There can be many functions, and dwfl looks at all symbols for each address. */
static bool is_start(struct debug *d, uint64_t addr)
{
	if (!d->starts)
		read_starts(d);
	return bsearch(&addr, d->starts, d->nr_starts, sizeof(*d->starts), by_address);
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
	name = is_start(d, entry + d->bias) ? NULL : linked_name(&function);
	return name && debug_has_symbol(d, name, entry, true) ? name : NULL;
}
