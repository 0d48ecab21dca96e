// SPDX-License-Identifier: GPL-2.0-only
/*
 * symtab.c - the symbols of a file with debug information, by their addresses.
 *
 * dwfl looks at all of a kernel's 190,000 symbols for each address. An answer may have thousands of places.
 */
#include <string.h>

#include "base/macros.h"
#include "elf/dwarf/lines_priv.h"

struct debug_symbol {
	uint64_t start, end;		/* with d->bias; of a label, which has no size, they are equal */
	int number;			/* of the table */
	int rank;			/* of several symbols with the address, the one of the highest rank names it */
};

struct symbols {
	struct debug_symbol *all;	/* by their addresses */
	uint64_t *reaches;		/* for each of them, the highest end of those up to it */
	size_t nr;
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

/* Does it name a place in the file? @code: one of code. */
static bool is_place(const GElf_Sym *sym, bool code)
{
	switch (GELF_ST_TYPE(sym->st_info)) {
	case STT_SECTION:
	case STT_FILE:
	case STT_TLS:
		return false;
	case STT_OBJECT:
		return !code && sym->st_shndx != SHN_UNDEF;
	default:
		return sym->st_shndx != SHN_UNDEF;
	}
}

/*
 * Sorts by the start; those with one start keep their order. By digits: comparing a kernel's 190,000 symbols would cost more than the rest
 * of a question with one place.
 */
static void sort_symbols(struct debug *d, struct symbols *s)
{
	enum { BITS = 11, DIGITS = 1 << BITS };
	struct debug_symbol *from = s->all, *to = arena_array(d->arena, struct debug_symbol, s->nr + 1), *swap;

	for (unsigned shift = 0; shift < 64; shift += BITS) {
		size_t at[DIGITS] = { 0 }, sum = 0;

		for (size_t i = 0; i < s->nr; i++)
			at[from[i].start >> shift & (DIGITS - 1)]++;
		if (s->nr && at[from[0].start >> shift & (DIGITS - 1)] == s->nr)
			continue;	/* all have the same digit */
		for (size_t i = 0; i < DIGITS; i++) {
			size_t nr = at[i];

			at[i] = sum;
			sum += nr;
		}
		for (size_t i = 0; i < s->nr; i++)
			to[at[from[i].start >> shift & (DIGITS - 1)]++] = from[i];
		swap = from;
		from = to;
		to = swap;
	}
	s->all = from;
}

static struct symbols *read_symbols(struct debug *d, bool code)
{
	int nr = dwfl_module_getsymtab(d->module);
	struct symbols *s = arena_new(d->arena, struct symbols);
	uint64_t reach = 0;

	s->all = arena_array(d->arena, struct debug_symbol, nr > 0 ? (size_t)nr : 1);
	for (int i = 1; i < nr; i++) {
		GElf_Sym sym;
		GElf_Addr addr;
		const char *name = dwfl_module_getsym_info(d->module, i, &sym, &addr, NULL, NULL, NULL);

		if (name && *name && is_place(&sym, code))
			s->all[s->nr++] = (struct debug_symbol){ addr, addr + sym.st_size, i, rank_of(&sym) };
	}
	sort_symbols(d, s);
	s->reaches = arena_array(d->arena, uint64_t, s->nr + 1);
	for (size_t i = 0; i < s->nr; i++) {
		reach = MAX(reach, s->all[i].end);
		s->reaches[i] = reach;
	}
	return s;
}

static const struct symbols *code_of(struct debug *d)
{
	d->code = d->code ? d->code : read_symbols(d, true);
	return d->code;
}

/* The number of symbols that start at @addr, which has the bias, or before it. */
static size_t up_to(const struct symbols *s, uint64_t addr)
{
	size_t low = 0, high = s->nr;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (s->all[mid].start <= addr)
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
static const struct debug_symbol *find(struct debug *d, const struct symbols *s, uint64_t addr)
{
	const struct debug_symbol *best = NULL;
	size_t nr = up_to(s, addr);

	for (size_t i = nr; i-- > 0 && s->reaches[i] > addr;) {
		if (s->all[i].end > addr && is_better(&s->all[i], best))
			best = &s->all[i];
	}
	if (best || !nr)
		return best;
	for (size_t i = nr; i-- > 0 && s->all[i].start == s->reaches[nr - 1];) {
		if (is_better(&s->all[i], best))
			best = &s->all[i];
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
	const struct debug_symbol *s = find(d, code_of(d), addr + d->bias);
	const char *name = s ? name_of(d, s) : NULL;

	*ret_off = s ? addr + d->bias - s->start : 0;
	/* A library's symbol may end with its version: malloc@@GLIBC_2.2.5. */
	return name ? arena_strndup(d->arena, name, strcspn(name, "@")) : NULL;
}

static bool has_name(struct debug *d, const struct debug_symbol *s, const char *name)
{
	const char *its = name_of(d, s);
	size_t len = strlen(name);

	return its && !strncmp(its, name, len) && (!its[len] || its[len] == '@');
}

/* How many symbols have a name of this hash: 0, 1, or 2 for more. Two names may have one hash: then none of them is taken for the only one. */
enum { NAME_SLOTS = 1 << 22 };

static size_t slot_of(const char *name)
{
	uint32_t hash = 0x811c9dc5;

	for (; *name && *name != '@'; name++)
		hash = (hash ^ (unsigned char)*name) * 0x01000193;
	return (hash ^ hash >> 15) & (NAME_SLOTS - 1);
}

static unsigned char *count_hashes(struct debug *d, const struct symbols *s)
{
	unsigned char *counts = arena_alloc(d->arena, NAME_SLOTS);

	for (size_t i = 0; i < s->nr; i++) {
		const char *name = name_of(d, &s->all[i]);
		unsigned char *count = name ? &counts[slot_of(name)] : NULL;

		if (count && *count < 2)
			++*count;
	}
	return counts;
}

static size_t count_names(struct debug *d, const struct symbols *s, const char *name)
{
	size_t nr = 0;

	for (size_t i = 0; i < s->nr; i++)
		nr += has_name(d, &s->all[i], name);
	return nr;
}

static const char *find_variable(struct debug *d, Dwarf_Addr addr, int64_t *ret_off)
{
	const struct debug_symbol *s;
	GElf_Addr value;
	GElf_Sym sym;
	GElf_Word section = 0, first = 0;

	d->data = d->data ? d->data : read_symbols(d, false);
	s = find(d, d->data, addr + d->bias);
	for (unsigned i = 0; s; i++) {
		const char *name = dwfl_module_getsym_info(d->module, s->number, &sym, &value, &section, NULL, NULL);

		/* The sections of a module may be loaded anywhere. */
		first = i ? first : section;
		if (d->is_relocatable && section != first)
			return NULL;
		/* Most are found at once; the table costs more than one search. */
		if (i == 1 && !d->name_counts)
			d->name_counts = count_hashes(d, d->data);
		if (name && (i ? d->name_counts[slot_of(name)] == 1 : count_names(d, d->data, name) == 1)) {
			*ret_off = (int64_t)(addr + d->bias - s->start);
			return arena_strdup(d->arena, name);
		}
		s = s > d->data->all ? s - 1 : NULL;
	}
	return NULL;
}

/* What was found for an address: a definition may have thousands of places, and few variables. */
struct found_variable {
	struct found_variable *next;
	Dwarf_Addr addr;
	const char *name;		/* NULL: none */
	int64_t off;
};

const char *debug_variable_at(struct debug *d, Dwarf_Addr addr, int64_t *ret_off)
{
	struct found_variable *v = d->variables;

	while (v && v->addr != addr)
		v = v->next;
	if (!v) {
		v = arena_new(d->arena, struct found_variable);
		*v = (struct found_variable){ .next = d->variables, .addr = addr };
		v->name = find_variable(d, addr, &v->off);
		d->variables = v;
	}
	*ret_off = v->off;
	return v->name;
}

bool debug_starts_symbol(struct debug *d, Dwarf_Addr addr)
{
	const struct symbols *s = code_of(d);
	size_t nr = up_to(s, addr + d->bias);

	return nr && s->all[nr - 1].start == addr + d->bias;
}

bool debug_has_symbol(struct debug *d, const char *name, Dwarf_Addr addr)
{
	const struct symbols *s = code_of(d);

	for (size_t i = up_to(s, addr + d->bias); i-- > 0 && s->all[i].start == addr + d->bias;) {
		if (has_name(d, &s->all[i], name))
			return true;
	}
	return false;
}

void debug_offer_symbols(struct debug *d, struct similar *similar)
{
	const struct symbols *s = code_of(d);

	for (size_t i = 0; i < s->nr; i++)
		similar_offer(similar, name_of(d, &s->all[i]), NULL);
}

bool debug_knows_symbol(struct debug *d, const char *name)
{
	return count_names(d, code_of(d), name);
}

bool debug_symbol(struct debug *d, const char *name, Dwarf_Addr *ret)
{
	const struct symbols *s = code_of(d);
	bool found = false;

	for (size_t i = 0; i < s->nr; i++) {
		if (!has_name(d, &s->all[i], name))
			continue;
		if (found && *ret != s->all[i].start - d->bias)	/* aliases have one address */
			return false;
		*ret = s->all[i].start - d->bias;
		found = true;
	}
	return found;
}
