// SPDX-License-Identifier: GPL-2.0-only
/*
 * types.c - the types of debug information, for C expressions (cexpr/value.h).
 */
#include <string.h>

#include "base/macros.h"
#include "base/similar.h"
#include "elf/dwarf/values_priv.h"

bool die_type(Dwarf_Die *die, Dwarf_Die *ret)
{
	Dwarf_Attribute attr;

	return dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &attr), ret);
}

/* Without typedef, const and the like. */
static bool peel(Dwarf_Die *type)
{
	Dwarf_Die peeled;

	if (dwarf_peel_type(type, &peeled))
		return false;
	*type = peeled;
	return true;
}

static bool is_structure(int tag)
{
	return tag == DW_TAG_structure_type || tag == DW_TAG_union_type || tag == DW_TAG_class_type;
}

uint64_t die_size(Dwarf_Die *type)
{
	Dwarf_Word size;

	return dwarf_aggregate_size(type, &size) ? 0 : size;
}

static uint64_t encoding_of(Dwarf_Die *type)
{
	Dwarf_Attribute attr;
	Dwarf_Word encoding;
	Dwarf_Die below;

	/* clang says of an enumeration only the type that it is made of. */
	if (!dwarf_hasattr(type, DW_AT_encoding) && dwarf_tag(type) == DW_TAG_enumeration_type && die_type(type, &below) && peel(&below) &&
	    dwarf_tag(&below) == DW_TAG_base_type)
		return encoding_of(&below);
	return dwarf_formudata(dwarf_attr_integrate(type, DW_AT_encoding, &attr), &encoding) ? 0 : encoding;
}

/* DWARF has int m[2][3] as one type: a number of elements for each of its dimensions. */
static unsigned dimensions_of(Dwarf_Die *array)
{
	unsigned nr = 0;
	Dwarf_Die child;
	int err = dwarf_child(array, &child);

	for (; !err; err = dwarf_siblingof(&child, &child))
		nr += dwarf_tag(&child) == DW_TAG_subrange_type;
	return nr;
}

/* How many elements are in what is left when @taken indices were taken. 0: not known. */
static uint64_t elements_behind(Dwarf_Die *array, uint64_t taken)
{
	Dwarf_Attribute attr;
	uint64_t nr = 1;
	Dwarf_Die child;
	int err = dwarf_child(array, &child);

	for (; !err; err = dwarf_siblingof(&child, &child)) {
		Dwarf_Word count = 0, last;

		if (dwarf_tag(&child) != DW_TAG_subrange_type || (taken && taken--))
			continue;
		if (dwarf_formudata(dwarf_attr(&child, DW_AT_count, &attr), &count) &&
		    !dwarf_formudata(dwarf_attr(&child, DW_AT_upper_bound, &attr), &last))
			count = last + 1;
		nr *= count;
	}
	return nr;
}

static Dwarf_Die *die_of(const struct c_type *t)
{
	return (Dwarf_Die *)(uintptr_t)t->own;		/* libdw's functions want one that is not const, and do not change it */
}

/* An array, of which @taken indices were taken. */
static void describe_array(Dwarf_Die *die, uint64_t taken, struct c_type *ret)
{
	Dwarf_Die element;

	ret->kind = C_ARRAY;
	ret->own_id = taken;
	ret->size = taken && die_type(die, &element) && peel(&element) ? elements_behind(die, taken) * die_size(&element) : die_size(die);
}

bool type_describe(struct look *l, Dwarf_Die die, struct c_type *ret)
{
	Dwarf_Die *own = arena_new(l->d->arena, Dwarf_Die);
	uint64_t encoding;

	if (!peel(&die))
		return look_fails(l, "the debug information does not say its type");
	*own = die;
	*ret = (struct c_type){ .kind = C_OTHER, .size = die_size(&die), .own = own };
	encoding = encoding_of(&die);
	switch (dwarf_tag(&die)) {
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		ret->kind = C_POINTER;
		ret->size = 8;
		break;
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_class_type:
		ret->kind = C_STRUCT;
		break;
	case DW_TAG_array_type:
		describe_array(&die, 0, ret);
		break;
	case DW_TAG_base_type:
	case DW_TAG_enumeration_type:
		if (encoding == DW_ATE_float || encoding == DW_ATE_complex_float)
			break;
		ret->kind = C_NUMBER;
		ret->is_signed = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
		ret->is_bool = encoding == DW_ATE_boolean;
		ret->is_enum = dwarf_tag(&die) == DW_TAG_enumeration_type;
		ret->is_char = !ret->is_enum && ret->size == 1 && (encoding == DW_ATE_signed_char || encoding == DW_ATE_unsigned_char);
		break;
	}
	return true;
}

bool type_is_reference(const struct c_type *t)
{
	int tag = t->kind == C_POINTER && t->own ? dwarf_tag(die_of(t)) : 0;

	return tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type;
}

bool type_target(struct c_look *c, const struct c_type *t, const struct cexpr *e, struct c_type *ret)
{
	struct look *l = c->own;
	Dwarf_Die *die = die_of(t), to;

	if (!die || !die_type(die, &to)) {
		/* void has no entry of its own. */
		if (!die || dwarf_tag(die) != DW_TAG_pointer_type)
			return c_fails(c, e->at, NULL, "it points to a type that is not known");
		*ret = (struct c_type){ .kind = C_VOID };
		return true;
	}
	if (t->kind == C_ARRAY && t->own_id + 1 < dimensions_of(die)) {
		*ret = *t;
		describe_array(die, t->own_id + 1, ret);
		return ret->size || c_fails(c, e->at, NULL, "the size of its inner array is not known");
	}
	return type_describe(l, to, ret) || c_fails(c, e->at, NULL, "%s", l->trouble);
}

uint64_t type_elements(const struct c_type *t)
{
	return elements_behind(die_of(t), t->own_id);
}

/* ---- members ---- */

/* A bit-field in the number that it is in: the number's place in the structure is a multiple of its size. */
static bool take_bits(Dwarf_Die *member, struct c_member *m, uint64_t *at)
{
	Dwarf_Attribute attr;
	Dwarf_Word bits, size;

	if (dwarf_formudata(dwarf_attr_integrate(member, DW_AT_bit_size, &attr), &size))
		return true;
	m->bit_bytes = (unsigned)m->type.size;
	m->bit_size = (unsigned)size;
	if (!dwarf_formudata(dwarf_attr_integrate(member, DW_AT_data_bit_offset, &attr), &bits)) {
		if (!m->bit_bytes)
			return false;
		*at = bits / 8 / m->bit_bytes * m->bit_bytes;
		m->bit_off = (unsigned)(bits - *at * 8);
	} else if (!dwarf_formudata(dwarf_attr_integrate(member, DW_AT_bit_offset, &attr), &bits)) {
		m->bit_off = (unsigned)(m->bit_bytes * 8 - bits - size);	/* DWARF 3 counts from the highest bit */
	}
	return true;
}

/* A member's place in its structure, also inside members without a name. */
static bool find_member(struct look *l, Dwarf_Die *structure, const char *name, struct c_member *m, unsigned depth)
{
	Dwarf_Die member, type;
	Dwarf_Attribute attr;
	int err = depth < 32 ? dwarf_child(structure, &member) : 1;

	for (; !err; err = dwarf_siblingof(&member, &member)) {
		int tag = dwarf_tag(&member);
		const char *is = tag == DW_TAG_member || tag == DW_TAG_inheritance ? dwarf_diename(&member) : NULL;
		Dwarf_Word at = 0;

		if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) || (is && strcmp(is, name)) || !die_type(&member, &type))
			continue;
		if (dwarf_attr_integrate(&member, DW_AT_data_member_location, &attr) && dwarf_formudata(&attr, &at))
			continue;
		if (!is) {
			uint64_t before = m->off;

			m->off += at;
			if (peel(&type) && is_structure(dwarf_tag(&type)) && find_member(l, &type, name, m, depth + 1))
				return true;
			m->off = before;
			continue;
		}
		if (!type_describe(l, type, &m->type))
			return false;
		if (!take_bits(&member, m, &at))
			return look_fails(l, "the size of its bit-field is not known");
		m->off += at;
		return true;
	}
	return false;
}

/* Members of a member without a name are the structure's own. */
static void offer_members(struct similar *similar, Dwarf_Die *structure, unsigned depth)
{
	Dwarf_Die member, type;
	int err = depth < 32 ? dwarf_child(structure, &member) : 1;

	for (; !err; err = dwarf_siblingof(&member, &member)) {
		const char *name = dwarf_tag(&member) == DW_TAG_member ? dwarf_diename(&member) : NULL;

		if (name)
			similar_offer(similar, name, NULL);
		else if (dwarf_tag(&member) == DW_TAG_member && die_type(&member, &type) && peel(&type))
			offer_members(similar, &type, depth + 1);
	}
}

static const char *member_similar(struct look *l, Dwarf_Die *structure, const char *name)
{
	struct similar *similar = similar_new(l->d->arena, name, 1);
	const struct similar_name *best;

	offer_members(similar, structure, 0);
	return similar_best(similar, &best) ? best->name : NULL;
}

static const char *type_name(struct look *l, Dwarf_Die *type)
{
	const char *name = dwarf_diename(type);

	return arena_printf(l->d->arena, "%s%s", is_structure(dwarf_tag(type)) ? "a structure " : "", name ? name : "without a name");
}

bool type_member(struct c_look *c, const struct c_type *t, const struct cexpr *e, const char *name, struct span at, struct c_member *ret)
{
	struct look *l = c->own;
	Dwarf_Die *die = die_of(t);

	(void)e;
	if (dwarf_hasattr(die, DW_AT_declaration))
		return c_fails(c, at, NULL, "only the name of %s is known in this file", type_name(l, die));
	if (find_member(l, die, name, ret, 0))
		return true;
	if (l->trouble)
		return c_fails(c, at, NULL, "%s", l->trouble);
	l->similar = member_similar(l, die, name);
	return c_fails(c, at, NULL, "%s has no member '%s'", type_name(l, die), name);
}

/* ---- casts ---- */

static bool has_tag(Dwarf_Die *die, enum c_tag tag)
{
	switch (dwarf_tag(die)) {
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
		return tag == C_TAG_STRUCT || tag == C_TAG_NONE;
	case DW_TAG_union_type:
		return tag == C_TAG_UNION || tag == C_TAG_NONE;
	case DW_TAG_enumeration_type:
		return tag == C_TAG_ENUM;
	case DW_TAG_typedef:
		return tag == C_TAG_NONE;
	default:
		return false;
	}
}

/* A type that the unit of the spot has: what the source of a place can name. */
bool type_named(struct c_look *c, const struct cexpr_type *name, struct c_type *ret)
{
	struct look *l = c->own;
	Dwarf_Die unit = l->spot->unit->die, die;
	int err = dwarf_child(&unit, &die);

	if (name->is_void) {
		*ret = (struct c_type){ .kind = C_VOID };
		return true;
	}
	for (; !err; err = dwarf_siblingof(&die, &die)) {
		const char *own = has_tag(&die, name->tag) && !dwarf_hasattr(&die, DW_AT_declaration) ? dwarf_diename(&die) : NULL;

		if (own && !strcmp(own, name->name))
			return type_describe(l, die, ret) || c_fails(c, name->at, NULL, "%s", l->trouble);
	}
	/* The kernel's names of numbers, unless the program has another type of this name. */
	if (name->is_number) {
		*ret = c_number_type(name->size, name->is_signed);
		ret->is_char = !strcmp(name->name, "char");
		ret->is_bool = name->is_bool;
		return true;
	}
	return c_fails(c, name->at, NULL, "the source of this place knows no type '%s'", name->name);
}
