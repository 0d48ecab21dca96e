// SPDX-License-Identifier: GPL-2.0-only
/*
 * named.c - the entries of the function that a question names, and of its copies.
 */
#include <string.h>

#include "elf/demangle.h"
#include "elf/dwarf/places_priv.h"

/* The function's own name, or that of what it completes: the declaration of a C++ method, or its description for all copies. */
static void fill_in_names(struct debug *d, struct lines_unit *u)
{
	unit_functions(d, u);
	for (unsigned i = 0; !u->has_names && i < u->nr_functions; i++) {
		struct unit_function *f = &u->functions[i];
		Dwarf_Attribute attr;

		f->name = dwarf_diename(&f->die);
		f->symbol = dwarf_formstring(dwarf_attr_integrate(&f->die, DW_AT_linkage_name, &attr));
	}
	u->has_names = true;
}

static bool names_function(const struct unit_function *f, const char *name)
{
	return (f->name && !strcmp(f->name, name)) || (f->symbol && !strcmp(f->symbol, name));
}

const char *path_without_dot(const char *path)
{
	return path + (strncmp(path, "./", 2) ? 0 : 2);
}

bool file_is_wanted(const struct finder *f, const char *file)
{
	return debug_ends(file, f->wanted_file) || (f->wanted_rest && !strcmp(path_without_dot(file), f->wanted_rest));
}

void named_add(struct finder *f, Dwarf_Die *die)
{
	f->named = arena_grow(f->d->arena, f->named, f->nr_named, &f->size_named);
	f->named[f->nr_named++] = *die;
}

/* What an inlined or an out-of-line copy is a copy of; else itself. */
Dwarf_Die die_origin(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	Dwarf_Die origin;

	return dwarf_formref_die(dwarf_attr(die, DW_AT_abstract_origin, &attr), &origin) ? origin : *die;
}

/* An entry is told by its address in memory: several files may be open. */
static bool is_in_list(const struct finder *f, const Dwarf_Die *die)
{
	for (unsigned i = 0; i < f->nr_named; i++) {
		if (f->named[i].addr == die->addr)
			return true;
	}
	return false;
}

/* Is it the function, or a copy of it? */
bool named_has(const struct finder *f, Dwarf_Die *die)
{
	Dwarf_Die origin = die_origin(die);

	return is_in_list(f, &origin) || is_in_list(f, die);
}

/* As dwarf_decl_file(), which takes file 0 of DWARF 5 for none (elfutils 0.188). */
const char *die_file(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	Dwarf_Half version;
	Dwarf_Word number;
	Dwarf_Files *files;
	Dwarf_Die unit;
	size_t nr;

	if (dwarf_formudata(dwarf_attr_integrate(die, DW_AT_decl_file, &attr), &number) ||
	    !dwarf_cu_die(attr.cu, &unit, &version, NULL, NULL, NULL, NULL, NULL) || (!number && version < 5) ||
	    dwarf_getsrcfiles(&unit, &files, &nr) || number >= nr)
		return NULL;
	return dwarf_filesrc(files, number, NULL, NULL);
}

/* Go says no line of a declaration. Its functions begin with the row of that line. */
static bool find_first_row(Dwarf_Die *die, int *ret)
{
	Dwarf_Addr entry;
	Dwarf_Line *row;
	Dwarf_Die unit;

	if (dwarf_tag(die) != DW_TAG_subprogram || dwarf_entrypc(die, &entry) || !dwarf_diecu(die, &unit, NULL, NULL) ||
	    dwarf_srclang(&unit) != DW_LANG_Go)
		return false;
	row = dwarf_getsrc_die(&unit, entry);
	return row && !dwarf_lineno(row, ret);
}

/* 0: it is not known. */
unsigned die_line(Dwarf_Die *die)
{
	int line;

	return (dwarf_decl_line(die, &line) && !find_first_row(die, &line)) || line < 0 ? 0 : (unsigned)line;
}

static bool in_file(struct finder *f, Dwarf_Die *die)
{
	const char *file = f->wanted_file ? die_file(die) : NULL;

	return !f->wanted_file || (file && file_is_wanted(f, file));
}

/* The namespaces and classes around @die, or around the declaration that it completes. */
static const char *scope_of(const struct lines_unit *u, const struct unit_function *function)
{
	Dwarf_Die die = function->die, of;
	Dwarf_Attribute attr;

	if (function->in)
		return function->in;
	while (dwarf_formref_die(dwarf_attr(&die, DW_AT_specification, &attr), &of) ||
	       dwarf_formref_die(dwarf_attr(&die, DW_AT_abstract_origin, &attr), &of)) {
		for (unsigned i = 0; i < u->nr_functions; i++) {
			if (u->functions[i].die.addr == of.addr && u->functions[i].in)
				return u->functions[i].in;
		}
		die = of;
	}
	return NULL;
}

bool name_ends_with(const char *text, const char *end)
{
	size_t len = strlen(text), end_len = strlen(end);

	return len >= end_len && !strcmp(text + len - end_len, end) && (len == end_len || text[len - end_len - 1] == ':');
}

/*
 * Is it in the namespaces and classes of @name, which may leave out outer ones: Sock::send is net::Sock::send? The symbol's name, demangled,
 * is the one that is listed: DWARF has Box<short int> for Box<short>. A function that is inlined everywhere may have no symbol's name.
 */
static bool is_in_scope(const struct lines_unit *u, const struct unit_function *function, const char *name, const char *own)
{
	const char *linkage = function->symbol, *in = NULL;
	struct buf text = { 0 };
	bool is;

	if (own == name)
		return true;
	if (!linkage || !demangle_may(linkage) || !demangle_short(linkage, &text)) {
		in = scope_of(u, function);
		buf_addf(&text, "%s%s%s", in ? in : "", in ? "::" : "", own);
	}
	is = name_ends_with(buf_str(&text), name);
	buf_fini(&text);
	return is;
}

/* Finds the entries of the function's name in the unit. */
void named_find(struct finder *f)
{
	struct lines_unit *u = f->unit;
	const char *name = f->q->function, *own = debug_own_name(name);

	fill_in_names(f->d, u);
	for (unsigned i = 0; i < u->nr_functions; i++) {
		Dwarf_Die *die = &u->functions[i].die;

		if (names_function(&u->functions[i], own) && !dwarf_hasattr(die, DW_AT_declaration) && is_in_scope(u, &u->functions[i], name, own) &&
		    in_file(f, die))
			named_add(f, die);
	}
}
