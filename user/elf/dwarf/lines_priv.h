/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lines_priv.h - what the files of this folder share. It needs libdw.
 */
#ifndef ELF_DWARF_LINES_PRIV_H
#define ELF_DWARF_LINES_PRIV_H

#include <dwarf.h>
#include <elfutils/libdwfl.h>

#include "base/similar.h"
#include "elf/dwarf/lines.h"

/* Code of a function, which may have several such parts. */
struct extent {
	Dwarf_Addr start, end;
	Dwarf_Die function;
};

struct unit_function {
	Dwarf_Die die;
	const char *in;			/* the namespaces and classes around it: "net::Sock"; NULL: none */
	/* named.c: its own name, and its symbol's; NULL: none. They are filled in when the first name of the unit is looked for. */
	const char *name, *symbol;
};

/* A unit of the debug information: what one run of the compiler made. */
struct lines_unit {
	Dwarf_Die die;
	Dwarf_Die skeleton;		/* what the file itself has of it: its addresses and lines; the same as ->die unless that is in a split file */
	uint64_t start;			/* in .debug_info */
	uint64_t line;			/* its lines in .debug_line; UINT64_MAX: it has none */
	bool wanted;
	struct unit_function *functions;	/* in their order, also those inside of namespaces and classes; unit_functions() fills this in */
	unsigned nr_functions;
	bool has_functions, has_names;
	struct extent *extents;		/* of all its functions, by their addresses; made when the first spot of it is looked for */
	unsigned nr_extents;
	bool has_extents;
};

/* What is gathered of one unit before it is known how much it is. An array that grew would leave as much behind in the arena, for each unit. */
struct gathered {
	struct unit_function *functions;
	unsigned nr_functions, size_functions;
	struct extent *extents;
	unsigned nr_extents, size_extents;
};

struct bytes {
	const unsigned char *data;	/* never NULL */
	size_t len;
};

struct code_section {
	Dwarf_Addr start, end;
};

struct debug {
	struct arena *arena;
	int fd;
	bool is_relocatable;		/* a module: addresses begin at 0 */
	Dwfl *dwfl;
	Dwfl_Module *module;
	Dwarf *dwarf;
	Dwarf *alternate;		/* the file with what several files share (dwz); or NULL */
	const char *missing;		/* the name of a file with the rest of it, which cannot be read; or NULL */
	bool is_scattered;		/* a unit's entries may be in other units, or in other files */
	Dwarf_Addr bias;		/* what dwfl adds to the addresses of the debug information */
	int program_fd;			/* the program's own file; -1: there is none, or it was opened */
	Elf *program;			/* that file, once it was needed; or NULL */
	Dwarf_CFI *program_frames;	/* its frame information; or NULL */
	struct symbols *code, *data;	/* by their addresses; NULL: not read yet */
	unsigned char *name_counts;	/* symtab.c: how many symbols of data have a name; NULL: not counted yet */
	struct found_variable *variables;	/* that were looked for; a list */
	struct gathered gathered;
	struct lines_unit *units;	/* in the order of .debug_info */
	unsigned nr_units;
	struct want *names, *files;	/* what units were looked for; lists */
	struct code_section *code_sections;	/* in the arena */
	unsigned nr_code_sections;
	struct bytes forgettable;	/* .debug_info, if it is mapped from the file; else nothing */
};

/* units.c. -EBADMSG with @diag. */
int debug_open(struct debug *d, struct arena *arena, int fd, const char *name, const struct lines_query *queries, unsigned nr, struct diag *diag);
void debug_close(struct debug *d);

/* What is known of the frame at an address, and of those up to *ret_end. The caller frees it with free(). NULL: nothing is known. */
Dwarf_Frame *debug_frame_at(struct debug *d, Dwarf_Addr addr, Dwarf_Addr *ret_end);

/* Lets go of the memory of entries that were read, but not of what was made of them. They can be read again. */
void debug_forget(struct debug *d);

/* For the user: which file with a part of it cannot be read; NULL: all is there. */
const char *debug_missing(struct debug *d);

/*
 * Is the address in a section of code? A linker that drops a function leaves its range at address 0, where other functions of a
 * position-independent program may be.
 */
bool debug_is_code(struct debug *d, Dwarf_Addr addr);

/* A section as libdw has it: uncompressed and relocated. */
struct bytes debug_section(struct debug *d, const char *name);

/*
 * Where these bytes of the section are in the file. False: they are compressed there, or are relocated. Pages that are only searched need
 * not be mapped then: 200 MB of a kernel.
 */
bool debug_section_in_file(struct debug *d, const char *name, struct bytes is, off_t *ret);

/* wants.c: marks the units that may have a function of one of these names, or lines of this file, and no others. */
void debug_want_names(struct debug *d, const char *const *names, unsigned nr);
void debug_want_file(struct debug *d, const char *file);

/* ... the part of a function's name that is behind all its namespaces and classes. */
const char *debug_own_name(const char *name);

/* ... offers the last parts of the paths of all files, as far as they have a section of their own (DWARF 5). */
void debug_offer_files(struct debug *d, struct similar *similar);

/* ... looks for what these questions ask for, all at once: debug_want_names() and debug_want_file() need not look for it then. */
void debug_prepare(struct debug *d, const struct lines_query *queries, unsigned nr);

/* Does the path @path end with @end, which begins behind a '/' or at its beginning? */
bool debug_ends(const char *path, const char *end);

/* named.c: is @text the name @end, or does it end with "::" and @end? */
bool name_ends_with(const char *text, const char *end);

/* A place that was found. */
struct spot {
	struct lines_unit *unit;
	Dwarf_Addr addr;
	Dwarf_Die function;		/* the function with code of its own that @addr is in */
	/* The blocks and inlined functions around @addr, outermost first, inside @function. Without one that the place only calls. */
	Dwarf_Die *path;
	unsigned nr;
	/*
	 * Of an entry: at one address the compiler may have several places of the source, one after the other, of which this is the one
	 * with this number. A variable may change from one to the next, although no instruction is between them.
	 */
	bool has_view;
	uint64_t view;
	bool is_start;			/* the entry of a function that is not inlined */
	/* Of an entry: where the function is declared. Of a line: its number in the file. */
	const char *file;
	unsigned line;
	/* Of a line outside of the function's ranges: */
	bool is_taken;			/* a copy of the function has it at an end of its ranges, */
	bool is_behind;			/* ... behind the last instruction of one; ->path ends with the copy */
	bool is_moved;			/* none has it: the path is that of other functions */
};

/* scopes.c: fills in unit->functions, also with those of the partial units that it imports (dwz). These have no code. */
void unit_functions(struct debug *d, struct lines_unit *u);

/* ... fills in spot->function and path for its unit and address. False: no function has this address. */
bool spot_find(struct debug *d, struct spot *s);

/* ... the innermost function at the spot, which may be inlined there: a copy of it is an entry of its own. */
Dwarf_Die spot_function(const struct spot *s);

/* places.c: the spots of @q, in d->arena, sorted by their addresses, each once. Fills in @a's files, or its trouble and help. */
unsigned spots_find(struct debug *d, const struct lines_query *q, struct spot **ret, struct lines_answer *a);

/* ... the lines of @q that have code: ret->path, base and lines, or ret->trouble and help. */
void spots_list(struct debug *d, const struct lines_query *q, struct lines_answer *ret);

/* ... all spots of the lines of the function that @s is in. */
unsigned spots_around(struct debug *d, const struct spot *s, struct spot **ret);

/* ... where a function begins: its entry, or else its first byte. False: it has no code. */
bool die_begin(Dwarf_Die *die, Dwarf_Addr *ret);

/* symtab.c: the symbol at an address, without its version, in the arena; NULL: none. *ret_off: bytes behind its start. */
const char *debug_symbol_at(struct debug *d, Dwarf_Addr addr, uint64_t *ret_off);

/*
 * ... the symbol of a variable, also of one in the code's sections. Several may have the name (static variables of functions): then it is the
 * nearest one in front of it whose name no other symbol has, which may be far.
 */
const char *debug_variable_at(struct debug *d, Dwarf_Addr addr, int64_t *ret_off);

/* ... does a symbol start there? One of this name? Is there one of this name anywhere? */
bool debug_starts_symbol(struct debug *d, Dwarf_Addr addr);
bool debug_has_symbol(struct debug *d, const char *name, Dwarf_Addr addr);
bool debug_knows_symbol(struct debug *d, const char *name);

/* ... where the one symbol of this name starts. False: there is none, or there are several. */
bool debug_symbol(struct debug *d, const char *name, Dwarf_Addr *ret);

/* ... offers the names of all symbols of code. */
void debug_offer_symbols(struct debug *d, struct similar *similar);

/* weak.c: the name of the spot's function, if its code is not used: another function of this name has taken its place. Else NULL. */
const char *debug_overridden(struct debug *d, const struct spot *s);

/* inlined.c: fills in ret->inlined. */
void inlined_find(struct debug *d, const struct lines_query *q, struct lines_answer *ret);

/* addresses.c: fills in ret->frames. */
void addresses_find(struct debug *d, const struct lines_query *q, struct lines_answer *ret);

/* values.c: what to fetch for @expr at @s. */
struct lines_value value_find(struct debug *d, const struct spot *s, const struct lines_query *q, const struct lines_expr *expr);

/* ... which variable @expr begins with: the same pointer for the same one, in all copies of its function. NULL: none. */
const void *value_variable(struct debug *d, const struct spot *s, const struct lines_expr *expr);

/* variables.c: those that can be fetched there, or all if they are described, in the order of their declarations. */
void variables_list(struct debug *d, const struct spot *s, const struct lines_query *q, struct lines_place *p);

#endif
