/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * values_priv.h - what is fetched for a C expression: shared by entry.c, locations.c, types.c, values.c and variables.c.
 */
#ifndef ELF_DWARF_VALUES_PRIV_H
#define ELF_DWARF_VALUES_PRIV_H

#include "cexpr/value.h"
#include "elf/dwarf/lines_priv.h"

enum where {
	IN_REGISTER,			/* the value is base + off */
	IN_MEMORY,			/* the value is at the address base + off */
	AT_SYMBOL,			/* the value is at the symbol @base + off; without a base: at offset off of the file */
	IS_CONSTANT,			/* the value is off */
	IN_PIECES,			/* the value is in @pieces, from byte off on */
};

struct value {
	enum where where;
	const char *base;		/* what is fetched for it, such as %REG */
	int64_t off;
	unsigned skip;			/* IN_REGISTER: the value begins at this byte of the register: a member of a structure */
	Dwarf_Attribute attr;		/* IN_PIECES: what the operations are of */
	const Dwarf_Op *pieces;		/* ... all of them: those of a piece, then DW_OP_piece, and so on */
	size_t nr_pieces;
	Dwarf_Die type;
	bool has_type;			/* else it is an address */
};

/* @off and @more bytes. A damaged file may have any numbers; like addresses, their sum begins again at its end. */
static inline int64_t value_off(int64_t off, int64_t more)
{
	return (int64_t)((uint64_t)off + (uint64_t)more);
}

struct look {
	struct debug *d;
	const struct spot *spot;
	const struct lines_query *q;
	const char *trouble;
	bool is_unknown;		/* no variable has the name */
	const char *similar;		/* a name that exists, and is like the one that does not; NULL: none */
};

/* Sets the reason; false. */
bool look_fails(struct look *l, const char *trouble);

/* types.c: the type that @die says; false: none. */
bool die_type(Dwarf_Die *die, Dwarf_Die *ret);

/* ... the bytes of a type without typedef and the like; 0: unknown. */
uint64_t die_size(Dwarf_Die *type);

/* ... a type as C knows it. False with l->trouble. */
bool type_describe(struct look *l, Dwarf_Die die, struct c_type *ret);

/* ... is it a reference of C++? */
bool type_is_reference(const struct c_type *t);

/* ... the number of elements of an array; of an array of arrays, of all of them. 0: not known. */
uint64_t type_elements(const struct c_type *t);

/* ... what struct c_source (cexpr/value.h) asks. */
bool type_target(struct c_look *c, const struct c_type *t, const struct cexpr *e, struct c_type *ret);
bool type_member(struct c_look *c, const struct c_type *t, const struct cexpr *e, const char *name, struct span at, struct c_member *ret);
bool type_named(struct c_look *c, const struct cexpr_type *name, struct c_type *ret);

/* The text that fetches @v, in the arena; NULL: it cannot be fetched as a value. */
const char *value_fetch(struct look *l, const struct value *v);

/* locations.c: where the variable is at the spot. False with l->trouble. */
bool locate(struct look *l, Dwarf_Die *variable, struct value *v);

/* Of a value in pieces: the @size bytes that are wanted, if one piece has them all. */
bool locate_piece(struct look *l, struct value *v, uint64_t size);

/* entry.c: is the spot the first instruction of the function that has this parameter? */
bool entry_has(struct look *l, Dwarf_Die *variable);

/* ... and is @location a place in the function's frame, where it will be only later? */
bool entry_hides(struct look *l, Dwarf_Die *variable, Dwarf_Attribute *location);

/* ... where it is at the entry, by the calling convention: of v->type. False with l->trouble: that cannot be told. */
bool locate_at_entry(struct look *l, Dwarf_Die *variable, Dwarf_Attribute *location, struct value *v);

/* ... if it is only declared in this file, as @name. */
bool locate_elsewhere(struct look *l, Dwarf_Die *declaration, const char *name, struct value *v);

/* variables.c: the variable that @name means at the spot. */
bool variable_find(struct debug *d, const struct spot *s, const char *name, Dwarf_Die *ret);

/* ... was none found because several could be meant, and nothing says which? */
bool variable_is_unclear(struct debug *d, const struct spot *s, const char *name);

/* ... what it is called that is most like @name, among what is visible there, in the arena; NULL: nothing is. */
const char *variable_similar(struct debug *d, const struct spot *s, const char *name);

/* ... or only its declaration: it is defined elsewhere. */
bool variable_find_declared(const struct spot *s, const char *name, Dwarf_Die *ret);

/* ... or parameter @n of the innermost function there, from 1 on. */
bool variable_find_parameter(struct debug *d, const struct spot *s, unsigned n, Dwarf_Die *ret);

#endif
