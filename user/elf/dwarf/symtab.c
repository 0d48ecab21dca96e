// SPDX-License-Identifier: GPL-2.0-only
/*
 * symtab.c - the symbols of a file with debug information, by their addresses.
 *
 * dwfl looks at all of a kernel's 190,000 symbols for each address. An answer may have thousands of places.
 */
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "elf/dwarf/lines_priv.h"

struct debug_symbol {
	uint64_t start, end;		/* with d->bias; of a label, which has no size, they are equal */
	int number;			/* of the table */
	int rank;			/* of several symbols with the address, the one of the highest rank names it */
};

/* A symbol that other files see is better than a local one; 0: none of both (libdwfl, dwfl_module_addrsym.c). */
static int rank_of(const GElf_Sym *sym)
{
	switch (GELF_ST_BIND(sym->st_info)) {
	case STB_GLOBAL:
		return 3;
	case STB_WEAK:
		return 2;
	case STB_LOCAL:
		return 1;
	default:
		return 0;
	}
}

/* May it be code? */
static bool may_be_code(const GElf_Sym *sym)
{
	switch (GELF_ST_TYPE(sym->st_info)) {
	case STT_SECTION:
	case STT_FILE:
	case STT_TLS:
	case STT_OBJECT:
		return false;
	default:
		return sym->st_shndx != SHN_UNDEF;
	}
}

static int by_start(const void *a, const void *b)
{
	const struct debug_symbol *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->number - y->number;
}

static void read_symbols(struct debug *d)
{
	int nr = dwfl_module_getsymtab(d->module);
	struct debug_symbol *all = arena_array(d->arena, struct debug_symbol, nr > 0 ? (size_t)nr : 1);
	uint64_t reach = 0;

	d->symbols = all;
	for (int i = 1; i < nr; i++) {
		GElf_Sym sym;
		GElf_Addr addr;
		const char *name = dwfl_module_getsym_info(d->module, i, &sym, &addr, NULL, NULL, NULL);

		if (name && *name && may_be_code(&sym))
			all[d->nr_symbols++] = (struct debug_symbol){ addr, addr + sym.st_size, i, rank_of(&sym) };
	}
	if (d->nr_symbols)
		qsort(all, d->nr_symbols, sizeof(*all), by_start);
	d->reaches = arena_array(d->arena, uint64_t, d->nr_symbols + 1);
	for (size_t i = 0; i < d->nr_symbols; i++) {
		reach = MAX(reach, all[i].end);
		d->reaches[i] = reach;
	}
}

/* The number of symbols that start at @addr, which has the bias, or before it. */
static size_t up_to(struct debug *d, uint64_t addr)
{
	size_t low = 0, high;

	if (!d->symbols)
		read_symbols(d);
	high = d->nr_symbols;
	while (low < high) {
		size_t mid = (low + high) / 2;

		if (d->symbols[mid].start <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static bool is_better(const struct debug_symbol *a, const struct debug_symbol *than)
{
	return !than || a->rank > than->rank || (a->rank == than->rank && a->start == than->start);
}

/* A label names what follows it, up to the end of its section. */
static bool is_in_section(struct debug *d, const struct debug_symbol *label, uint64_t addr)
{
	GElf_Shdr mem, *section;
	GElf_Addr value, base;
	GElf_Sym sym;
	GElf_Word number;
	Elf *elf;

	if (!dwfl_module_getsym_info(d->module, label->number, &sym, &value, &number, &elf, NULL))
		return false;
	section = gelf_getshdr(elf_getscn(elf, number), &mem);
	base = value - sym.st_value + (section && !d->is_relocatable ? section->sh_addr : 0);
	return section && addr - base < section->sh_size;
}

/* The symbol around the address; else the last label in front of it, unless a symbol with a size is between them (libdwfl's rules). */
static const struct debug_symbol *find(struct debug *d, uint64_t addr)
{
	const struct debug_symbol *best = NULL;
	size_t nr = up_to(d, addr);

	for (size_t i = nr; i-- > 0 && d->reaches[i] > addr;) {
		if (d->symbols[i].end > addr && is_better(&d->symbols[i], best))
			best = &d->symbols[i];
	}
	if (best || !nr)
		return best;
	for (size_t i = nr; i-- > 0 && d->symbols[i].start == d->reaches[nr - 1];) {
		if (is_better(&d->symbols[i], best))
			best = &d->symbols[i];
	}
	return best && is_in_section(d, best, addr) ? best : NULL;
}

static const char *name_of(struct debug *d, const struct debug_symbol *s)
{
	GElf_Sym sym;
	GElf_Addr addr;

	return dwfl_module_getsym_info(d->module, s->number, &sym, &addr, NULL, NULL, NULL);
}

const char *debug_symbol_at(struct debug *d, Dwarf_Addr addr, uint64_t *ret_off)
{
	const struct debug_symbol *s = find(d, addr + d->bias);
	const char *name = s ? name_of(d, s) : NULL;

	*ret_off = s ? addr + d->bias - s->start : 0;
	/* A library's symbol may end with its version: malloc@@GLIBC_2.2.5. */
	return name ? arena_strndup(d->arena, name, strcspn(name, "@")) : NULL;
}

bool debug_starts_symbol(struct debug *d, Dwarf_Addr addr)
{
	size_t nr = up_to(d, addr + d->bias);

	return nr && d->symbols[nr - 1].start == addr + d->bias;
}

static bool has_name(struct debug *d, const struct debug_symbol *s, const char *name)
{
	const char *its = name_of(d, s);
	size_t len = strlen(name);

	return its && !strncmp(its, name, len) && (!its[len] || its[len] == '@');
}

bool debug_has_symbol(struct debug *d, const char *name, Dwarf_Addr addr)
{
	for (size_t i = up_to(d, addr + d->bias); i-- > 0 && d->symbols[i].start == addr + d->bias;) {
		if (has_name(d, &d->symbols[i], name))
			return true;
	}
	return false;
}

void debug_offer_symbols(struct debug *d, struct similar *similar)
{
	up_to(d, 0);
	for (size_t i = 0; i < d->nr_symbols; i++)
		similar_offer(similar, name_of(d, &d->symbols[i]), NULL);
}

bool debug_knows_symbol(struct debug *d, const char *name)
{
	up_to(d, 0);
	for (size_t i = 0; i < d->nr_symbols; i++) {
		if (has_name(d, &d->symbols[i], name))
			return true;
	}
	return false;
}
