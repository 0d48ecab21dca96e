// SPDX-License-Identifier: GPL-2.0-only
/*
 * values.c - what to fetch for a C expression at an address.
 *
 * The kernel's probe language can fetch registers, memory behind what was fetched, and constants, and it cannot calculate. So what can
 * be said is BASE + OFFSET, as a value or as the address of the value; a value with an offset can only be an address.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "base/similar.h"
#include "elf/dwarf/values_priv.h"

bool look_fails(struct look *l, const char *trouble)
{
	l->trouble = trouble;
	return false;
}

/* ---- types ---- */

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

static bool is_pointer(int tag)
{
	return tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type;
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

static bool is_char(Dwarf_Die *type)
{
	uint64_t encoding = encoding_of(type);

	return dwarf_tag(type) == DW_TAG_base_type && die_size(type) == 1 &&
	       (encoding == DW_ATE_signed_char || encoding == DW_ATE_unsigned_char);
}

enum { REGISTER_SIZE = 8 };

static bool is_size(uint64_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static bool has_sign(Dwarf_Die *type)
{
	uint64_t encoding = encoding_of(type);

	return encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
}

/* The kernel's type for a number of this C type; "": there is none. */
static const char *number_type(struct look *l, Dwarf_Die *type)
{
	int tag = dwarf_tag(type);
	uint64_t size = die_size(type), encoding = encoding_of(type);

	if (is_pointer(tag))
		return "x64";
	if ((tag != DW_TAG_base_type && tag != DW_TAG_enumeration_type) || !is_size(size) || encoding == DW_ATE_float ||
	    encoding == DW_ATE_complex_float)
		return "";
	return arena_printf(l->d->arena, "%c%u", has_sign(type) ? 's' : 'u', (unsigned)size * 8);
}

/* ---- what is fetched ---- */

const char *value_fetch(struct look *l, const struct value *v)
{
	switch (v->where) {
	case IN_REGISTER:
		return v->off ? NULL : v->base;
	case IN_MEMORY:
		return arena_printf(l->d->arena, "%+" PRId64 "(%s)", v->off, v->base);
	case AT_SYMBOL:
		if (!v->base)
			return arena_printf(l->d->arena, "@+0x%" PRIx64, (uint64_t)v->off);
		return v->off ? arena_printf(l->d->arena, "@%s%+" PRId64, v->base, v->off) : arena_printf(l->d->arena, "@%s", v->base);
	case IS_CONSTANT:
		return arena_printf(l->d->arena, "\\%" PRId64, v->off);
	case IN_PIECES:
		break;
	}
	return NULL;
}

/* What the pointer @v points to. */
static bool follow(struct look *l, struct value *v)
{
	if (v->where == IN_PIECES && !locate_piece(l, v, sizeof(uint64_t)))
		return false;
	if (v->where == IS_CONSTANT)
		return look_fails(l, "it is an address that is a constant");
	if (v->where == IN_REGISTER && v->skip)
		return look_fails(l, "it is in the upper part of a register here");
	if (v->where == IN_REGISTER) {
		v->where = IN_MEMORY;
		return true;
	}
	v->base = value_fetch(l, v);
	v->off = 0;
	v->where = IN_MEMORY;
	return true;
}

/* ---- C expressions ---- */

/* A member's place in its structure, also inside members without a name. */
static bool find_member(struct look *l, Dwarf_Die *structure, const char *name, struct value *v, unsigned depth)
{
	Dwarf_Die member, type;
	Dwarf_Attribute attr;
	int err = depth < 32 ? dwarf_child(structure, &member) : 1;

	for (; !err; err = dwarf_siblingof(&member, &member)) {
		int tag = dwarf_tag(&member);
		const char *is = tag == DW_TAG_member || tag == DW_TAG_inheritance ? dwarf_diename(&member) : NULL;
		Dwarf_Word at = 0, bits, size;
		int64_t before = v->off;

		if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) || (is && strcmp(is, name)) || !die_type(&member, &type))
			continue;
		if (dwarf_attr_integrate(&member, DW_AT_data_member_location, &attr) && dwarf_formudata(&attr, &at))
			continue;
		if (!is) {
			peel(&type);
			v->off += (int64_t)at;
			if (is_structure(dwarf_tag(&type)) && find_member(l, &type, name, v, depth + 1))
				return true;
			v->off = before;
			continue;
		}
		v->type = type;
		if (!dwarf_formudata(dwarf_attr_integrate(&member, DW_AT_bit_size, &attr), &size)) {
			peel(&type);
			v->bit_bytes = (unsigned)die_size(&type);
			v->bit_size = (unsigned)size;
			if (!dwarf_formudata(dwarf_attr_integrate(&member, DW_AT_data_bit_offset, &attr), &bits)) {
				if (!v->bit_bytes)
					return look_fails(l, "the size of its bit-field is not known");
				at = bits / 8 / v->bit_bytes * v->bit_bytes;
				v->bit_off = (unsigned)(bits - at * 8);
			} else if (!dwarf_formudata(dwarf_attr_integrate(&member, DW_AT_bit_offset, &attr), &bits)) {
				v->bit_off = (unsigned)(v->bit_bytes * 8 - bits - size);	/* DWARF 3 counts from the highest bit */
			}
		}
		v->off += (int64_t)at;
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

static bool evaluate(struct look *l, const struct cexpr *e, struct value *v);
static bool evaluate_one(struct look *l, const struct cexpr *e, struct value *v);

/* A structure in a register is there with all its members. */
static bool take_member(struct look *l, const struct cexpr *e, struct value *v)
{
	if (!evaluate(l, e->inner, v))
		return false;
	if (!v->has_type || !peel(&v->type))
		return look_fails(l, "it is no structure");
	if (is_pointer(dwarf_tag(&v->type))) {		/* '.' is taken for '->', as perf probe does */
		Dwarf_Die to;

		if (!die_type(&v->type, &to) || !follow(l, v))
			return l->trouble ? false : look_fails(l, "it points to a type that is not known");
		v->type = to;
		peel(&v->type);
	} else if (e->kind == CEXPR_ARROW) {
		return look_fails(l, arena_printf(l->d->arena, "'->' wants a pointer, and that is %s", type_name(l, &v->type)));
	}
	if (!is_structure(dwarf_tag(&v->type)))
		return look_fails(l, arena_printf(l->d->arena, "'%s' is asked of something that is no structure", e->name));
	if (v->where == IS_CONSTANT || (v->where == IN_REGISTER && v->off))
		return look_fails(l, "the structure is a value that is calculated here");
	if (dwarf_hasattr(&v->type, DW_AT_declaration))
		return look_fails(l, arena_printf(l->d->arena, "only the name of %s is known in this file", type_name(l, &v->type)));
	if (!find_member(l, &v->type, e->name, v, 0)) {
		if (l->trouble)
			return false;
		l->similar = member_similar(l, &v->type, e->name);
		return look_fails(l, arena_printf(l->d->arena, "%s has no member '%s'", type_name(l, &v->type), e->name));
	}
	if (v->where == IN_REGISTER) {
		v->skip += (unsigned)v->off;
		v->off = 0;
	}
	return true;
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
static uint64_t elements_behind(Dwarf_Die *array, unsigned taken)
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

static bool take_element(struct look *l, const struct cexpr *e, struct value *v)
{
	int64_t n = e->kind == CEXPR_INDEX ? e->n : 0;
	uint64_t stride = 1;
	Dwarf_Die element;
	int tag;

	if (!evaluate(l, e->inner, v))
		return false;
	if (!v->has_type || !peel(&v->type))
		return look_fails(l, "it is neither a pointer nor an array");
	tag = dwarf_tag(&v->type);
	if (!is_pointer(tag) && tag != DW_TAG_array_type)
		return look_fails(l, "it is neither a pointer nor an array");
	if (!die_type(&v->type, &element))
		return look_fails(l, "it points to a type that is not known");
	if (is_pointer(tag) && !follow(l, v))
		return false;
	if (v->where == IN_PIECES)
		return look_fails(l, "it is in several pieces here");
	if (v->where == IN_REGISTER || v->where == IS_CONSTANT)
		return look_fails(l, "the array is in a register here");
	if (tag == DW_TAG_array_type && ++v->dimensions < dimensions_of(&v->type)) {
		stride = elements_behind(&v->type, v->dimensions);
		if (!stride)
			return look_fails(l, "the size of its inner array is not known");
	} else {
		v->type = element;
		v->dimensions = 0;
	}
	v->off += n * (int64_t)(stride * die_size(&element));
	return true;
}

static bool take_parameter(struct look *l, const char *number, struct value *v)
{
	Dwarf_Die parameter;
	unsigned long n = strtoul(number, NULL, 10);

	if (!n || n > UINT32_MAX || !variable_find_parameter(l->d, l->spot, (unsigned)n, &parameter))
		return look_fails(l, arena_printf(l->d->arena, "its function has no parameter %lu", n));
	return locate(l, &parameter, v);
}

/* A reference of C++ means what it refers to. */
static bool read_reference(struct look *l, struct value *v)
{
	Dwarf_Die type = v->type, to;
	int tag = v->has_type && peel(&type) ? dwarf_tag(&type) : 0;

	if (tag != DW_TAG_reference_type && tag != DW_TAG_rvalue_reference_type)
		return true;
	if (!die_type(&type, &to))
		return look_fails(l, "it refers to a type that is not known");
	v->type = to;
	return follow(l, v);
}

static bool evaluate(struct look *l, const struct cexpr *e, struct value *v)
{
	return evaluate_one(l, e, v) && read_reference(l, v);
}

static bool evaluate_one(struct look *l, const struct cexpr *e, struct value *v)
{
	Dwarf_Die variable;

	switch (e->kind) {
	case CEXPR_NAME:
		if (*e->name == '$')
			return take_parameter(l, e->name + strlen("$arg"), v);
		if (variable_find(l->d, l->spot, e->name, &variable))
			return locate(l, &variable, v);
		if (variable_find_declared(l->spot, e->name, &variable))
			return locate_elsewhere(l, &variable, e->name, v);
		l->is_unknown = true;
		if (l->d->missing)
			return look_fails(l, arena_printf(l->d->arena, "a part of the debug information is in %s, which cannot be read without privileges",
							  l->d->missing));
		l->similar = variable_similar(l->d, l->spot, e->name);
		return look_fails(l, arena_printf(l->d->arena, "no variable '%s' is visible here", e->name));
	case CEXPR_FIELD:
	case CEXPR_ARROW:
		return take_member(l, e, v);
	case CEXPR_INDEX:
	case CEXPR_DEREF:
		return take_element(l, e, v);
	case CEXPR_ADDRESS:
		if (!evaluate(l, e->inner, v))
			return false;
		if (v->where != IN_MEMORY)
			return look_fails(l, "it has no address that a probe can fetch");
		v->where = IN_REGISTER;
		v->has_type = false;
		return true;
	}
	return false;
}

/* ---- the answer ---- */

static uint64_t count_of(Dwarf_Die *array, uint64_t element)
{
	return element ? die_size(array) / element : 0;
}

static struct lines_value refuse(const char *trouble)
{
	return (struct lines_value){ .type = "", .trouble = trouble ? trouble : "it cannot be fetched" };
}

static struct lines_value take_array(struct look *l, struct value *v, bool as_text)
{
	struct lines_value ret = { .fetch = value_fetch(l, v), .type = "" };
	Dwarf_Die element;
	const char *number;
	uint64_t nr;

	if (v->where == IN_REGISTER || v->where == IS_CONSTANT || !die_type(&v->type, &element) || !peel(&element))
		return refuse("the array is in a register here");
	number = number_type(l, &element);
	nr = v->dimensions ? elements_behind(&v->type, v->dimensions) : count_of(&v->type, die_size(&element));
	if (is_char(&element))
		ret.type = "string";
	else if (!as_text && *number && nr && nr <= 64)
		ret.type = arena_printf(l->d->arena, "%s[%u]", number, (unsigned)nr);
	return ret;
}

const void *value_variable(struct debug *d, const struct spot *s, const struct lines_expr *expr)
{
	const struct cexpr *e = cexpr_parse(d->arena, expr->text);
	Dwarf_Attribute attr;
	Dwarf_Die die, origin;

	while (e && e->inner)
		e = e->inner;
	if (!e || !variable_find(d, s, e->name, &die))
		return NULL;
	return dwarf_formref_die(dwarf_attr(&die, DW_AT_abstract_origin, &attr), &origin) ? origin.addr : die.addr;
}

struct lines_value value_find(struct debug *d, const struct spot *s, const struct lines_query *q, const struct lines_expr *expr)
{
	struct look l = { .d = d, .spot = s, .q = q };
	const struct cexpr *e = cexpr_parse(d->arena, expr->text);
	struct value v = { 0 };
	struct lines_value ret = { 0 };
	int tag;

	if (!e)
		return refuse("it is no C expression that a probe can have, such as p->a.b[3]");
	if (!evaluate(&l, e, &v)) {
		ret = refuse(l.trouble);
		ret.is_unknown = l.is_unknown;
		ret.similar = l.similar;
		return ret;
	}
	if (v.has_type && !peel(&v.type))
		return refuse("the debug information does not say its type");
	/* Of a number of 16 bytes the lower half can be fetched, with a type of the user's. */
	if (v.where == IN_PIECES && !locate_piece(&l, &v, v.bit_size ? v.bit_bytes :
						  dwarf_tag(&v.type) == DW_TAG_base_type ? MIN(die_size(&v.type), REGISTER_SIZE) : die_size(&v.type)))
		return refuse(l.trouble);
	tag = v.has_type ? dwarf_tag(&v.type) : DW_TAG_pointer_type;
	if (tag == DW_TAG_array_type)
		return take_array(&l, &v, expr->as_text);
	if (expr->as_text && v.has_type && is_pointer(tag)) {
		if (!follow(&l, &v))
			return refuse(l.trouble);
		ret = (struct lines_value){ .fetch = value_fetch(&l, &v), .type = "string" };
		return ret;
	}
	ret.fetch = value_fetch(&l, &v);
	if (!ret.fetch)
		return refuse("its value is an address with an offset, which a probe can only follow");
	ret.type = v.has_type ? number_type(&l, &v.type) : "x64";
	if (v.where == IN_REGISTER && v.skip && *ret.type && !v.bit_size)
		v.bit_size = (unsigned)die_size(&v.type) * 8;
	if (v.where == IN_REGISTER && v.bit_size) {
		v.bit_off += v.skip * 8;
		v.bit_bytes = REGISTER_SIZE;
	}
	if (v.bit_size)
		ret.type = arena_printf(d->arena, "%sb%u@%u/%u", has_sign(&v.type) ? "s" : "", v.bit_size, v.bit_off, v.bit_bytes * 8);
	return ret;
}
