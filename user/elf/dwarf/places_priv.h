/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * places_priv.h - shared by places.c, named.c and places_none.c.
 */
#ifndef ELF_DWARF_PLACES_PRIV_H
#define ELF_DWARF_PLACES_PRIV_H

#include "elf/dwarf/lines_priv.h"

struct finder {
	struct debug *d;
	const struct lines_query *q;
	struct lines_unit *unit;	/* the one that is looked at */
	struct spot *spots;
	unsigned nr, size;
	struct spot *outside;		/* lines of the unit that no scope of the function has */
	unsigned nr_outside, size_outside;
	Dwarf_Die *named;		/* the entries of the unit with the function's name */
	unsigned nr_named, size_named;
	const char *wanted_file;	/* what the question says, without "./"; NULL: nothing */
	const char *wanted_rest;	/* the same as the unit has it, if it begins with the unit's directory; else NULL */
	const char *noted_file;		/* the last one of the unit that is in @files */
	/* The line that is looked for: of files whose names end with @file. */
	const char *file;
	unsigned line;
	const char **files;		/* the whole paths of such files that have a spot */
	unsigned nr_files, size_files;
	unsigned other_base;		/* the line where another function of the name is declared; 0: there is none */
	bool any_line;			/* ... all lines that have code: @line is the one that is looked at */
	bool only_named;		/* ... in these functions */
	unsigned base;			/* the line of the function's declaration, */
	unsigned next;			/* ... and of the next one behind it in the file; UINT_MAX: it is the last */
	bool undeclared;		/* a function of the name is there, but not the line of its declaration */
	bool known;			/* the file, or the function, is there */
	bool has_code;			/* ... but for the return that is asked for */
	bool notes;			/* nothing was found, and the lines of the function that have code are looked for */
	unsigned below, above;		/* the nearest lines that have code, counted as the wanted one is; 0: none */
	const char *overridden;		/* a function whose code is not used, and so has no places; NULL: none */
};

/* The file and the line where something is declared. NULL, 0: it is not known. */
const char *die_file(Dwarf_Die *die);
unsigned die_line(Dwarf_Die *die);

/* places.c: the line of the next function of @file that is declared behind @line in @u; UINT_MAX: none is. */
unsigned unit_next_function(struct debug *d, struct lines_unit *u, const char *file, unsigned line);

/* What an inlined or an out-of-line copy is a copy of; else itself. */
Dwarf_Die die_origin(Dwarf_Die *die);

/* The path without "./" in front. */
const char *path_without_dot(const char *path);

/* Is it f->wanted_file? @file is as the unit has it. */
bool file_is_wanted(const struct finder *f, const char *file);

/* named.c: finds the entries of the function's name in the unit. */
void named_find(struct finder *f);

/* ... adds one. */
void named_add(struct finder *f, Dwarf_Die *die);

/* ... is it one of these functions, or a copy of one? */
bool named_has(const struct finder *f, Dwarf_Die *die);

/* places_none.c: why there are no spots. *ret_known: the function, or the file, is known. All is in the arena. */
void spots_explain(struct finder *f, const char **ret_trouble, const char **ret_help, bool *ret_known);

/* ... the function and the file, as the question has them. */
const char *spots_name(const struct finder *f);

#endif
