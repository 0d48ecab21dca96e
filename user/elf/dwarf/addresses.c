// SPDX-License-Identifier: GPL-2.0-only
/*
 * addresses.c - the lines that addresses of code belong to, as those of a stack's frames.
 *
 * A unit says which addresses it has. For few addresses few units are read further: their lines, their functions, and what is inlined
 * there.
 */
#include <stdlib.h>
#include <string.h>

#include "elf/dwarf/lines_priv.h"

/* Code of a unit. */
struct stretch {
	Dwarf_Addr start, end;
	struct lines_unit *unit;
};

struct stretches {
	struct stretch *all;		/* by their addresses */
	unsigned nr, size;
};

static int by_start(const void *a, const void *b)
{
	const struct stretch *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static void add_ranges(struct debug *d, struct stretches *s, struct lines_unit *u, Dwarf_Die *die)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t n = 0;

	while ((n = dwarf_ranges(die, n, &base, &start, &end)) > 0) {
		if (!debug_is_code(d, start))
			continue;
		s->all = arena_grow(d->arena, s->all, s->nr, &s->size);
		s->all[s->nr++] = (struct stretch){ start, end, u };
	}
}

/* Some compilers give a unit no ranges. Its functions have them. */
static struct stretches read_units(struct debug *d)
{
	struct stretches s = { 0 };

	for (unsigned i = 0; i < d->nr_units; i++) {
		struct lines_unit *u = &d->units[i];
		unsigned nr = s.nr;

		add_ranges(d, &s, u, &u->skeleton);
		if (s.nr != nr)
			continue;
		unit_functions(d, u);
		for (unsigned n = 0; n < u->nr_functions; n++)
			add_ranges(d, &s, u, &u->functions[n].die);
	}
	if (s.nr)
		qsort(s.all, s.nr, sizeof(*s.all), by_start);
	return s;
}

/* Stretches may begin at the same address, or lie inside another one. */
static struct lines_unit *unit_of(const struct stretches *s, Dwarf_Addr addr, unsigned *from)
{
	unsigned low = 0, high = s->nr;

	while (low < high) {
		unsigned mid = (low + high) / 2;

		if (s->all[mid].start <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	low = low < *from ? low : *from;
	while (low && s->all[low - 1].end <= addr)
		low--;
	*from = low ? low - 1 : 0;
	return low ? s->all[low - 1].unit : NULL;
}

/* The directory of the compiler, and "./", are in the name in one build and not in the other. */
static const char *short_file(struct lines_unit *u, const char *file)
{
	Dwarf_Attribute attr;
	const char *dir = dwarf_formstring(dwarf_attr(&u->skeleton, DW_AT_comp_dir, &attr));
	size_t len = dir ? strlen(dir) : 0;

	if (len && !strncmp(file, dir, len) && file[len] == '/')
		file += len + 1;
	while (file[0] == '.' && file[1] == '/')
		file += 2;
	return file;
}

static const char *function_name(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	const char *symbol = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attr)), *name = dwarf_diename(die);

	if (!symbol)
		symbol = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attr));
	return symbol ? symbol : name ? name : "??";
}

static unsigned number_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attr;
	Dwarf_Word n;

	return dwarf_formudata(dwarf_attr(die, name, &attr), &n) || n > UINT32_MAX ? 0 : (unsigned)n;
}

/* The file that @die was called in; NULL: not known. */
static const char *call_file(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	Dwarf_Word number;
	Dwarf_Files *files;
	Dwarf_Die unit;
	size_t nr;

	if (dwarf_formudata(dwarf_attr(die, DW_AT_call_file, &attr), &number) || !dwarf_diecu(die, &unit, NULL, NULL) ||
	    dwarf_getsrcfiles(&unit, &files, &nr) || number >= nr)
		return NULL;
	return dwarf_filesrc(files, number, NULL, NULL);
}

static void add_frame(struct debug *d, struct lines_unit *u, struct lines_frames *ret, Dwarf_Die *function, const char *file, unsigned line)
{
	file = file ? short_file(u, file) : "??";
	ret->all[ret->nr++] = (struct lines_frame){ function_name(function), arena_strdup(d->arena, file), line };
}

/* Of code in assembler, debug information has the lines, but not all functions. */
static bool is_assembler(struct lines_unit *u)
{
	return dwarf_srclang(&u->die) == DW_LANG_Mips_Assembler;
}

static void take_symbol(struct debug *d, struct spot *s, struct lines_frames *ret, const char *file, unsigned line)
{
	uint64_t off;
	const char *symbol = debug_symbol_at(d, s->addr, &off);

	ret->all = arena_new(d->arena, struct lines_frame);
	ret->all[ret->nr++] = (struct lines_frame){ symbol ? symbol : "??", arena_strdup(d->arena, short_file(s->unit, file)), line };
}

/* Each inlined function says where it was called: that is the line of the function around it. */
static void take_frames(struct debug *d, struct spot *s, struct lines_frames *ret)
{
	Dwarf_Line *row = dwarf_getsrc_die(&s->unit->skeleton, s->addr);
	const char *file = row ? dwarf_linesrc(row, NULL, NULL) : NULL;
	int number;
	unsigned line = row && !dwarf_lineno(row, &number) && number > 0 ? (unsigned)number : 0;

	if (!file)
		return;
	if (!spot_find(d, s)) {
		if (is_assembler(s->unit))
			take_symbol(d, s, ret, file, line);
		return;
	}
	ret->all = arena_array(d->arena, struct lines_frame, s->nr + 1);
	for (unsigned i = s->nr; i-- > 0;) {
		if (dwarf_tag(&s->path[i]) != DW_TAG_inlined_subroutine)
			continue;
		add_frame(d, s->unit, ret, &s->path[i], file, line);
		file = call_file(&s->path[i]);
		line = number_of(&s->path[i], DW_AT_call_line);
	}
	add_frame(d, s->unit, ret, &s->function, file, line);
}

struct base {
	struct base *next;
	const char *name;
	bool is_known;
	Dwarf_Addr addr;
};

/* Many addresses have the same base. */
static bool find_base(struct debug *d, struct base **all, const char *name, Dwarf_Addr *ret)
{
	struct base *b = *all;

	while (b && strcmp(b->name, name))
		b = b->next;
	if (!b) {
		b = arena_new(d->arena, struct base);
		*b = (struct base){ .next = *all, .name = name };
		b->is_known = debug_symbol(d, name, &b->addr);
		*all = b;
	}
	*ret = b->addr;
	return b->is_known;
}

static void find_frames(struct debug *d, const struct stretches *s, Dwarf_Addr addr, struct lines_frames *ret)
{
	unsigned from = s->nr;
	struct lines_unit *u;

	while (!ret->nr && (u = unit_of(s, addr, &from))) {
		struct spot spot = { .unit = u, .addr = addr };

		take_frames(d, &spot, ret);
	}
}

void addresses_find(struct debug *d, const struct lines_query *q, struct lines_answer *ret)
{
	const struct stretches s = read_units(d);
	struct base *bases = NULL;

	ret->help = debug_missing(d);
	ret->frames = arena_array(d->arena, struct lines_frames, q->nr_addresses);
	for (unsigned i = 0; i < q->nr_addresses; i++) {
		const struct lines_address *a = &q->addresses[i];
		Dwarf_Addr addr = 0;

		if (a->base && !find_base(d, &bases, a->base, &addr))
			continue;
		addr += a->distance;
		if (!a->symbol || debug_has_symbol(d, a->symbol, addr - a->off))
			find_frames(d, &s, addr - a->is_return, &ret->frames[i]);
	}
}
