// SPDX-License-Identifier: GPL-2.0-only
/*
 * entry.c - where a parameter is at the first instruction of its function, by the calling convention.
 *
 * A compiler that keeps a parameter in memory for all of the function (without optimization each one, else one whose address is taken)
 * says of it only this place in the function's frame. At the entry the function has not put it there. Of others it says no place that
 * holds at the entry. But there the calling convention says where it is.
 */
#include <stdlib.h>
#include <string.h>

#include "arch/call.h"
#include "arch/regs.h"
#include "arch/user.h"
#include "base/macros.h"
#include "elf/dwarf/values_priv.h"

enum { WORD = 8, DEEPEST_TYPE = 32 };

/* ---- types ---- */

/* Is it one place for all of the function, and no list, nor a value that is calculated? *ret: its first operation. */
static bool is_single(Dwarf_Attribute *location, Dwarf_Op *ret)
{
	unsigned form = dwarf_whatform(location);
	Dwarf_Op *ops;
	size_t nr;

	if ((form != DW_FORM_exprloc && form != DW_FORM_block && form != DW_FORM_block1 && form != DW_FORM_block2 && form != DW_FORM_block4) ||
	    dwarf_getlocation(location, &ops, &nr) || !nr || ops[nr - 1].atom == DW_OP_stack_value)
		return false;
	*ret = ops[0];
	return true;
}

static uint64_t number_of(Dwarf_Die *die, unsigned name, uint64_t otherwise)
{
	Dwarf_Attribute attr;
	Dwarf_Word n;

	return dwarf_formudata(dwarf_attr_integrate(die, name, &attr), &n) ? otherwise : n;
}

static bool add_type(Dwarf_Die type, uint64_t bits, unsigned depth, struct call_type *ret);

static bool add_member(Dwarf_Die *member, uint64_t bits, unsigned depth, struct call_type *ret)
{
	uint64_t at = number_of(member, DW_AT_data_member_location, 0) * 8, size = number_of(member, DW_AT_bit_size, 0);
	Dwarf_Die type;

	if (!die_type(member, &type))
		return false;
	if (!size)
		return add_type(type, bits + at, depth, ret);
	/* DWARF 3 counts from the highest bit of the number at the member's place. */
	if (dwarf_hasattr(member, DW_AT_data_bit_offset))
		at = number_of(member, DW_AT_data_bit_offset, 0);
	else
		at += number_of(member, DW_AT_byte_size, die_size(&type)) * 8 - size - number_of(member, DW_AT_bit_offset, 0);
	bits += at;
	call_type_add(ret, bits / 8 * 8, (bits % 8 + size + 7) / 8, 1, false);
	return true;
}

/*
 * May C++ pass the class as the address of a copy? It does if the class has a copy constructor or a destructor of its own. clang says so
 * (DW_AT_calling_convention), g++ 12 does not: there each class with a constructor, a destructor or a virtual function may be one.
 */
static bool may_be_reference(Dwarf_Die *type)
{
	const char *class = dwarf_diename(type), *name;
	size_t len = class ? strcspn(class, "<") : 0;
	Dwarf_Die child;
	int err = dwarf_child(type, &child);

	if (dwarf_hasattr(type, DW_AT_calling_convention))
		return number_of(type, DW_AT_calling_convention, 0) == DW_CC_pass_by_reference;
	for (; !err; err = dwarf_siblingof(&child, &child)) {
		if (dwarf_tag(&child) != DW_TAG_subprogram)
			continue;
		name = dwarf_diename(&child);
		if (dwarf_hasattr(&child, DW_AT_virtuality) || (name && (*name == '~' || (class && strlen(name) == len && !strncmp(name, class, len)))))
			return true;
	}
	return false;
}

static bool add_members(Dwarf_Die *type, uint64_t bits, unsigned depth, struct call_type *ret)
{
	Dwarf_Die member;
	int err = dwarf_child(type, &member);

	if (dwarf_hasattr(type, DW_AT_declaration) || may_be_reference(type))
		return false;
	for (; !err; err = dwarf_siblingof(&member, &member)) {
		int tag = dwarf_tag(&member);

		if (tag != DW_TAG_inheritance && (tag != DW_TAG_member || dwarf_hasattr(&member, DW_AT_external)))
			continue;
		if (!add_member(&member, bits, depth + 1, ret))
			return false;
	}
	return true;
}

static bool add_array(Dwarf_Die *type, uint64_t bits, unsigned depth, struct call_type *ret)
{
	uint64_t all = die_size(type), size;
	Dwarf_Die element;

	if (dwarf_hasattr(type, DW_AT_GNU_vector) || !die_type(type, &element))
		return false;
	size = die_size(&element);
	/* Elements behind the words that registers pass change nothing. */
	for (uint64_t at = 0; size && at < MIN(all, (uint64_t)CALL_WORDS * WORD); at += size) {
		if (!add_type(element, bits + 8 * at, depth + 1, ret))
			return false;
	}
	return true;
}

/* Adds what is in @type, which is @bits from the start of @ret. False: its place cannot be told. */
static bool add_type(Dwarf_Die type, uint64_t bits, unsigned depth, struct call_type *ret)
{
	uint64_t encoding, size;
	const char *name;

	if (depth > DEEPEST_TYPE || dwarf_peel_type(&type, &type))
		return false;
	size = die_size(&type);
	switch (dwarf_tag(&type)) {
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_class_type:
		return add_members(&type, bits, depth, ret);
	case DW_TAG_array_type:
		return add_array(&type, bits, depth, ret);
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
	case DW_TAG_base_type:
	case DW_TAG_enumeration_type:
		break;
	default:
		return false;
	}
	encoding = number_of(&type, DW_AT_encoding, 0);
	name = dwarf_diename(&type);
	/* The convention passes _Float128 and _Complex otherwise than numbers of their size. */
	if (!size || encoding == DW_ATE_complex_float || (encoding == DW_ATE_float && size == 16 && name && strstr(name, "128")))
		return false;
	call_type_add(ret, bits, size, 0, encoding == DW_ATE_float);
	return true;
}

static bool call_type(Dwarf_Die *of, struct call_type *ret)
{
	Dwarf_Die type;

	if (!die_type(of, &type) || dwarf_peel_type(&type, &type))
		return false;
	call_type_start(ret, die_size(&type));
	return ret->size && add_type(type, 0, 0, ret);
}

/* ---- places ---- */

/*
 * May the compiler have changed how the function is called? gcc then makes a copy with a name of its own (NAME.isra.0). clang changes a
 * function that only its own file can call, if it optimizes: only then it describes calls.
 */
static bool may_be_changed(struct look *l, Dwarf_Die *function)
{
	uint64_t off;
	const char *symbol = debug_symbol_at(l->d, l->spot->addr, &off), *producer;
	Dwarf_Attribute attr;

	if (symbol && (strstr(symbol, ".isra.") || strstr(symbol, ".constprop.") || strstr(symbol, ".part.")))
		return true;
	producer = dwarf_formstring(dwarf_attr(&l->spot->unit->die, DW_AT_producer, &attr));
	return !dwarf_hasattr_integrate(function, DW_AT_external) && !(producer && !strncmp(producer, "GNU ", 4)) &&
	       (dwarf_hasattr(function, DW_AT_call_all_calls) || dwarf_hasattr(function, DW_AT_GNU_all_call_sites));
}

/* The place of the function's parameter @wanted: it depends on all parameters before it. */
static bool find_place(struct look *l, Dwarf_Die *function, Dwarf_Die *wanted, struct call_place *ret)
{
	struct call_type result = { 0 }, *types = NULL;
	struct call_place *places;
	bool found = false;
	unsigned nr = 0;
	Dwarf_Die child, type;
	bool returns = die_type(function, &type);

	for (int pass = 0; pass < 2; pass++) {
		int err = dwarf_child(function, &child);

		for (nr = 0; !err; err = dwarf_siblingof(&child, &child)) {
			if (dwarf_tag(&child) != DW_TAG_formal_parameter)
				continue;
			if (pass && !call_type(&child, &types[nr]))
				return false;
			nr++;
			if (child.addr == wanted->addr) {
				found = true;
				break;
			}
		}
		if (!found)
			return false;
		if (!pass)
			types = arena_array(l->d->arena, struct call_type, nr);
	}
	if (returns && !call_type(function, &result)) {
		if (dwarf_peel_type(&type, &type) || number_of(&type, DW_AT_calling_convention, 0) != DW_CC_pass_by_reference)
			return false;
		result.in_memory = true;
	}
	places = arena_array(l->d->arena, struct call_place, nr);
	call_places(types, nr, returns ? &result : NULL, places);
	*ret = places[nr - 1];
	return true;
}

/* A value of @size bytes in the registers of @place, as DWARF says it: a piece in each. */
static void put_pieces(struct look *l, const struct call_place *place, uint64_t size, Dwarf_Attribute *location, struct value *v)
{
	unsigned nr = (unsigned)((size + WORD - 1) / WORD);
	Dwarf_Op *ops = arena_array(l->d->arena, Dwarf_Op, 2 * nr);

	for (unsigned i = 0; i < nr; i++) {
		/* Of a vector register it is enough to say that it is one. */
		ops[2 * i].atom = (uint8_t)(DW_OP_reg0 + (place->reg[i] == CALL_NO_REG ? USER_DWARF_VECTOR : user_dwarf_parameter((unsigned)place->reg[i])));
		ops[2 * i + 1].atom = DW_OP_piece;
		ops[2 * i + 1].number = MIN(size - i * WORD, (uint64_t)WORD);
	}
	*v = (struct value){ .where = IN_PIECES, .attr = *location, .pieces = ops, .nr_pieces = 2 * nr, .type = v->type, .has_type = true };
}

/* Does the function leave the stack pointer where it is at its entry? Then what is relative to it is there, too. */
static bool keeps_stack(struct debug *d, Dwarf_Die *function)
{
	Dwarf_Addr base, start, end, at, next = 0;
	ptrdiff_t n = 0;

	while ((n = dwarf_ranges(function, n, &base, &start, &end)) > 0) {
		for (at = start; at < end; at = next) {
			Dwarf_Frame *frame = debug_frame_at(d, at, &next);
			Dwarf_Op *ops;
			size_t nr;
			bool same = frame && !dwarf_frame_cfa(frame, &ops, &nr) && nr == 1 && ops[0].atom == DW_OP_bregx &&
				    ops[0].number == USER_DWARF_STACK && ops[0].number2 == STACK_PARAMS * WORD;

			free(frame);
			if (!same || next <= at)
				return false;
		}
	}
	return next;
}

static bool is_frame_of_caller(struct debug *d, Dwarf_Die *function, const Dwarf_Op *op)
{
	Dwarf_Attribute base;
	Dwarf_Op first;

	if (op->atom != DW_OP_fbreg || (int64_t)op->number < 0 || !dwarf_attr_integrate(function, DW_AT_frame_base, &base) ||
	    !is_single(&base, &first))
		return false;
	if (first.atom == DW_OP_call_frame_cfa)
		return true;
	/* clang says the stack pointer if it omits the frame pointer. What a function's parameters on the stack begin with, and what is above it, is the caller's. */
	return first.atom == DW_OP_reg0 + USER_DWARF_STACK && (int64_t)op->number >= STACK_PARAMS * WORD && keeps_stack(d, function);
}

bool entry_has(struct look *l, Dwarf_Die *variable)
{
	Dwarf_Die function = l->spot->function, child;
	Dwarf_Addr entry;
	int err;

	if (dwarf_tag(variable) != DW_TAG_formal_parameter || dwarf_entrypc(&function, &entry) || l->spot->addr != entry)
		return false;
	for (err = dwarf_child(&function, &child); !err; err = dwarf_siblingof(&child, &child)) {
		if (child.addr == variable->addr)
			return true;
	}
	return false;			/* it is one of a function that is inlined here */
}

bool entry_hides(struct look *l, Dwarf_Die *variable, Dwarf_Attribute *location)
{
	Dwarf_Die function = l->spot->function;
	Dwarf_Op op;

	/* From 16 on they are no general registers. */
	return entry_has(l, variable) && is_single(location, &op) &&
	       (op.atom == DW_OP_fbreg || (op.atom >= DW_OP_breg0 && op.atom <= DW_OP_breg15)) && !is_frame_of_caller(l->d, &function, &op);
}

bool locate_at_entry(struct look *l, Dwarf_Die *variable, Dwarf_Attribute *location, struct value *v)
{
	static const char unknown[] = "the function has not put it in its place yet";
	Dwarf_Die function = l->spot->function, origin, type;
	struct call_place place;
	Dwarf_Attribute attr;

	/* A copy of a function need not have all parameters. */
	if (dwarf_formref_die(dwarf_attr(&function, DW_AT_abstract_origin, &attr), &origin) || may_be_changed(l, &function) ||
	    number_of(&function, DW_AT_calling_convention, DW_CC_normal) != DW_CC_normal ||
	    !find_place(l, &function, variable, &place) || dwarf_peel_type(&v->type, &type))
		return look_fails(l, unknown);
	if (place.on_stack) {
		v->where = IN_MEMORY;
		v->base = user_dwarf_register(USER_DWARF_STACK);
		v->off = (int64_t)place.word * WORD;
		return true;
	}
	put_pieces(l, &place, die_size(&type), location, v);
	return true;
}
