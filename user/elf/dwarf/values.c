// SPDX-License-Identifier: GPL-2.0-only
/*
 * values.c - what to fetch for a C expression at an address.
 *
 * DWARF says where a variable is at each address: in a register, in memory behind a register, at an address, or that it is a
 * constant. The kernel's probe language can fetch registers, memory behind what was fetched, and constants, and it cannot
 * calculate. So what can be said is BASE + OFFSET, as a value or as the address of the value; a value with an offset can only be an
 * address.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "arch/user.h"
#include "base/buf.h"
#include "base/macros.h"
#include "elf/dwarf/lines_priv.h"

enum where {
	IN_REGISTER,			/* the value is base + off */
	IN_MEMORY,			/* the value is at the address base + off */
	AT_SYMBOL,			/* the value is at the symbol @base + off; without a base: at offset off of the file */
	IS_CONSTANT,			/* the value is off */
};

struct value {
	enum where where;
	const char *base;		/* what is fetched for it, such as %di */
	int64_t off;
	Dwarf_Die type;
	bool has_type;			/* else it is an address */
	unsigned bit_off, bit_size;	/* a bit-field: in the number of @bit_bytes bytes there; bit_size 0: none */
	unsigned bit_bytes;
};

struct look {
	struct debug *d;
	const struct spot *spot;
	const struct lines_query *q;
	Dwarf_Die scope;		/* the innermost one */
	const char *trouble;
};

static bool fails(struct look *l, const char *trouble)
{
	l->trouble = trouble;
	return false;
}

/* ---- types ---- */

static bool type_of(Dwarf_Die *die, Dwarf_Die *ret)
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

static uint64_t size_of(Dwarf_Die *type)
{
	Dwarf_Word size;

	return dwarf_aggregate_size(type, &size) ? 0 : size;
}

static uint64_t encoding_of(Dwarf_Die *type)
{
	Dwarf_Attribute attr;
	Dwarf_Word encoding;

	return dwarf_formudata(dwarf_attr_integrate(type, DW_AT_encoding, &attr), &encoding) ? 0 : encoding;
}

static bool is_char(Dwarf_Die *type)
{
	uint64_t encoding = encoding_of(type);

	return dwarf_tag(type) == DW_TAG_base_type && size_of(type) == 1 &&
	       (encoding == DW_ATE_signed_char || encoding == DW_ATE_unsigned_char);
}

static bool is_size(uint64_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

/* The kernel's type for a number of this C type; "": there is none. */
static const char *number_type(struct look *l, Dwarf_Die *type)
{
	int tag = dwarf_tag(type);
	uint64_t size = size_of(type), encoding = encoding_of(type);
	bool has_sign = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;

	if (is_pointer(tag))
		return "x64";
	if ((tag != DW_TAG_base_type && tag != DW_TAG_enumeration_type) || !is_size(size) || encoding == DW_ATE_float ||
	    encoding == DW_ATE_complex_float)
		return "";
	return arena_printf(l->d->arena, "%c%u", has_sign ? 's' : 'u', (unsigned)size * 8);
}

/* ---- what is fetched ---- */

static const char *fetch(struct look *l, const struct value *v)
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
	}
	return NULL;
}

/* What the pointer @v points to. */
static bool follow(struct look *l, struct value *v)
{
	if (v->where == IS_CONSTANT)
		return fails(l, "it is an address that is a constant");
	if (v->where == IN_REGISTER) {
		v->where = IN_MEMORY;
		return true;
	}
	v->base = fetch(l, v);
	v->off = 0;
	v->where = IN_MEMORY;
	return true;
}

/* ---- locations ---- */

static bool take_ops(struct look *l, Dwarf_Attribute *attr, const Dwarf_Op *ops, size_t nr, struct value *v, unsigned depth);

/* The frame base: usually the address of the caller's frame, which the frame information has for this address. */
static bool take_frame(struct look *l, struct value *v, unsigned depth)
{
	Dwarf_Attribute attr;
	Dwarf_Die function = l->spot->function;
	Dwarf_Op *ops;
	size_t nr;

	if (!dwarf_attr_integrate(&function, DW_AT_frame_base, &attr) || dwarf_getlocation_addr(&attr, l->spot->addr, &ops, &nr, 1) != 1)
		return fails(l, "the debug information does not say where its function's frame is here");
	if (!take_ops(l, &attr, ops, nr, v, depth + 1))
		return false;
	if (v->where == IN_MEMORY)		/* an address was calculated */
		v->where = IN_REGISTER;
	return true;
}

static bool take_cfa(struct look *l, struct value *v, unsigned depth)
{
	Dwarf_Addr bias = 0;
	Dwarf_CFI *cfi = dwfl_module_dwarf_cfi(l->d->module, &bias);
	Dwarf_Frame *frame = NULL;
	Dwarf_Op *ops;
	size_t nr;
	bool ok;

	if (!cfi || dwarf_cfi_addrframe(cfi, l->spot->addr, &frame)) {
		cfi = dwfl_module_eh_cfi(l->d->module, &bias);
		if (!cfi || dwarf_cfi_addrframe(cfi, l->spot->addr + l->d->bias - bias, &frame))
			return fails(l, "there is no frame information for this place");
	}
	ok = !dwarf_frame_cfa(frame, &ops, &nr) && take_ops(l, NULL, ops, nr, v, depth + 1);
	free(frame);
	if (!ok)
		return fails(l, "its place in the frame cannot be written as a register and an offset");
	if (v->where == IN_MEMORY)
		v->where = IN_REGISTER;
	return true;
}

static bool is_register(const struct value *v)
{
	return v->where == IN_REGISTER;
}

static bool set_register(struct look *l, struct value *v, unsigned n, int64_t off, enum where where)
{
	v->base = user_dwarf_register(n);
	v->off = off;
	v->where = where;
	return v->base ? true : fails(l, "it is in a register that cannot be fetched, such as one of floating point");
}

static const char *symbol_of(struct look *l, Dwarf_Addr addr, int64_t *ret_off)
{
	GElf_Off off;
	GElf_Sym sym;
	const char *name = dwfl_module_addrinfo(l->d->module, addr + l->d->bias, &off, &sym, NULL, NULL, NULL);

	*ret_off = (int64_t)off;
	return name ? arena_strdup(l->d->arena, name) : NULL;
}

/*
 * What @+OFFSET means: the kernel adds the distance between the probe's place and its offset in the file (6.12,
 * kernel/trace/trace_uprobe.c, translate_user_vaddr()). So it is the offset as if all of the file was mapped like the code.
 */
static bool file_offset(struct look *l, Dwarf_Addr addr, int64_t *ret)
{
	Dwarf_Addr code = l->spot->addr;

	for (unsigned i = 0; i < l->q->nr_segments; i++) {
		const struct elf_segment *s = &l->q->segments[i];

		if (s->exec && code >= s->addr && code - s->addr < s->size) {
			*ret = (int64_t)(addr - s->addr + s->off);
			return true;
		}
	}
	return false;
}

static bool take_address(struct look *l, Dwarf_Addr addr, struct value *v)
{
	v->where = AT_SYMBOL;
	if (l->q->segments) {
		v->base = NULL;
		return file_offset(l, addr, &v->off) ? true : fails(l, "it is in no part of the file");
	}
	/* Of a linked kernel they are numbered from 0: each CPU has its own. */
	if (!l->d->is_relocatable && addr < 1ull << 63)
		return fails(l, "each CPU has its own: which one is not known here");
	v->base = symbol_of(l, addr, &v->off);
	return v->base ? true : fails(l, "no symbol is at its address");
}

/*
 * DWARF's expression for a place: its value is the value's address, unless a register or DW_OP_stack_value ends it. Those that the
 * compilers write for variables are a base and offsets.
 */
static bool take_ops(struct look *l, Dwarf_Attribute *attr, const Dwarf_Op *ops, size_t nr, struct value *v, unsigned depth)
{
	static const char no_piece[] = "it is in several pieces here", no_way[] = "its value is calculated here, which a probe cannot do";
	bool empty = true;

	if (depth > 4)
		return fails(l, no_way);
	for (size_t i = 0; i < nr; i++) {
		unsigned op = ops[i].atom;
		int64_t n = (int64_t)ops[i].number, n2 = (int64_t)ops[i].number2;

		if (op == DW_OP_piece || op == DW_OP_bit_piece)
			return fails(l, no_piece);
		if (op >= DW_OP_reg0 && op <= DW_OP_reg31) {
			if (!set_register(l, v, op - DW_OP_reg0, 0, IN_REGISTER))
				return false;
		} else if (op == DW_OP_regx) {
			if (!set_register(l, v, (unsigned)n, 0, IN_REGISTER))
				return false;
		} else if (op >= DW_OP_breg0 && op <= DW_OP_breg31 && empty) {
			if (!set_register(l, v, op - DW_OP_breg0, n, IN_MEMORY))
				return false;
		} else if (op == DW_OP_bregx && empty) {
			if (!set_register(l, v, (unsigned)n, n2, IN_MEMORY))
				return false;
		} else if (op == DW_OP_fbreg && empty) {
			if (!take_frame(l, v, depth))
				return false;
			if (!is_register(v))
				return fails(l, no_way);
			v->off += n;
			v->where = IN_MEMORY;
		} else if (op == DW_OP_call_frame_cfa && empty) {
			if (!take_cfa(l, v, depth))
				return false;
			v->where = IN_MEMORY;
		} else if (op == DW_OP_addr && empty) {
			if (!take_address(l, (Dwarf_Addr)n, v))
				return false;
		} else if ((op == DW_OP_addrx || op == DW_OP_GNU_addr_index) && empty && attr) {
			Dwarf_Attribute address;
			Dwarf_Addr addr;

			if (dwarf_getlocation_attr(attr, &ops[i], &address) || dwarf_formaddr(&address, &addr))
				return fails(l, no_way);
			if (!take_address(l, addr, v))
				return false;
		} else if (op == DW_OP_plus_uconst && !empty) {
			v->off += n;
		} else if (op == DW_OP_deref && !empty && v->where != IS_CONSTANT) {
			v->base = fetch(l, v);
			v->off = 0;
			v->where = IN_MEMORY;
		} else if (op >= DW_OP_lit0 && op <= DW_OP_lit31 && empty) {
			v->where = IS_CONSTANT;
			v->off = op - DW_OP_lit0;
		} else if (op >= DW_OP_const1u && op <= DW_OP_consts && empty) {
			v->where = IS_CONSTANT;
			v->off = n;
		} else if (op == DW_OP_stack_value && !empty) {
			if (v->where == AT_SYMBOL)
				return fails(l, "it is an address that is a constant");
			v->where = v->where == IN_MEMORY ? IN_REGISTER : v->where;
		} else if ((op == DW_OP_entry_value || op == DW_OP_GNU_entry_value) && empty) {
			return fails(l, "it is optimized out here; only its value at the function's entry is known");
		} else if (op == DW_OP_implicit_pointer || op == DW_OP_GNU_implicit_pointer) {
			return fails(l, "it is optimized out here: it points to something that is in no memory");
		} else if (op == DW_OP_form_tls_address || op == DW_OP_GNU_push_tls_address) {
			return fails(l, "it is in memory of the thread, whose address a probe does not know");
		} else {
			return fails(l, no_way);
		}
		empty = false;
	}
	return empty ? fails(l, "it is optimized out here") : true;
}

static bool take_implicit(struct look *l, Dwarf_Attribute *attr, const Dwarf_Op *op, struct value *v)
{
	Dwarf_Block block;

	if (dwarf_getlocation_implicit_value(attr, op, &block) || block.length > 8)
		return fails(l, "its value is a constant that is no number");
	v->where = IS_CONSTANT;
	v->off = 0;
	memcpy(&v->off, block.data, block.length);
	return true;
}

static bool take_constant(struct look *l, Dwarf_Attribute *attr, struct value *v)
{
	unsigned form = dwarf_whatform(attr);
	Dwarf_Sword number;
	Dwarf_Word positive;

	v->where = IS_CONSTANT;
	/* Of a given size: compilers write positive numbers so, and libdw would take the highest bit for a sign. */
	if (form == DW_FORM_data1 || form == DW_FORM_data2 || form == DW_FORM_data4 || form == DW_FORM_data8) {
		if (dwarf_formudata(attr, &positive))
			return fails(l, "its value is a constant that is no number");
		v->off = (int64_t)positive;
		return true;
	}
	if (!dwarf_formsdata(attr, &number)) {
		v->off = number;
		return true;
	}
	if (dwarf_formudata(attr, &positive))
		return fails(l, "its value is a constant that is no number");
	v->off = (int64_t)positive;
	return true;
}

static bool locate(struct look *l, Dwarf_Die *variable, struct value *v)
{
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	size_t nr;

	if (!type_of(variable, &v->type))
		return fails(l, "the debug information does not say its type");
	v->has_type = true;
	if (dwarf_attr_integrate(variable, DW_AT_const_value, &attr))
		return take_constant(l, &attr, v);
	if (!dwarf_attr_integrate(variable, DW_AT_location, &attr))
		return fails(l, "it is optimized out");
	if (dwarf_getlocation_addr(&attr, l->spot->addr, &ops, &nr, 1) != 1)
		return fails(l, "it is optimized out here");
	if (nr == 1 && ops[0].atom == DW_OP_implicit_value)
		return take_implicit(l, &attr, ops, v);
	return take_ops(l, &attr, ops, nr, v, 0);
}

/* The variable is in another file, and only its declaration in this one. The kernel's symbols know where. */
static bool locate_elsewhere(struct look *l, Dwarf_Die *declaration, const char *name, struct value *v)
{
	if (l->q->segments)
		return fails(l, "it is defined in another file of the program");
	if (!type_of(declaration, &v->type))
		return fails(l, "the debug information does not say its type");
	v->has_type = true;
	v->where = AT_SYMBOL;
	v->base = name;
	v->off = 0;
	return true;
}

/* ---- names ---- */

static bool is_variable(int tag)
{
	return tag == DW_TAG_variable || tag == DW_TAG_formal_parameter;
}

/* @declared: a declaration of a variable that is defined elsewhere, and not the variable itself. */
static bool find_in(Dwarf_Die *scope, const char *name, bool declared, Dwarf_Die *ret)
{
	int err = dwarf_child(scope, ret);

	for (; !err; err = dwarf_siblingof(ret, ret)) {
		const char *is = is_variable(dwarf_tag(ret)) ? dwarf_diename(ret) : NULL;

		if (is && !strcmp(is, name) && dwarf_hasattr(ret, DW_AT_declaration) == declared)
			return true;
	}
	return false;
}

/* From the innermost block out to the function that the place is in, which may be inlined; then the variables outside of functions. */
static bool find_variable(struct look *l, const char *name, Dwarf_Die *ret)
{
	const struct spot *s = l->spot;
	Dwarf_Die unit = s->unit->die, function = s->function;

	for (unsigned i = s->nr; i-- > 0;) {
		if (find_in(&s->path[i], name, false, ret))
			return true;
		if (dwarf_tag(&s->path[i]) == DW_TAG_inlined_subroutine)
			return find_in(&unit, name, false, ret);
	}
	return find_in(&function, name, false, ret) || find_in(&unit, name, false, ret);
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

		if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) || (is && strcmp(is, name)) || !type_of(&member, &type))
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
			v->bit_bytes = (unsigned)size_of(&type);
			v->bit_size = (unsigned)size;
			if (!dwarf_formudata(dwarf_attr_integrate(&member, DW_AT_data_bit_offset, &attr), &bits)) {
				if (!v->bit_bytes)
					return fails(l, "the size of its bit-field is not known");
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

static const char *type_name(struct look *l, Dwarf_Die *type)
{
	const char *name = dwarf_diename(type);

	return arena_printf(l->d->arena, "%s%s", is_structure(dwarf_tag(type)) ? "a structure " : "", name ? name : "without a name");
}

static bool evaluate(struct look *l, const struct cexpr *e, struct value *v);

/* A structure in a register is there with all its members. */
static bool take_member(struct look *l, const struct cexpr *e, struct value *v)
{
	if (!evaluate(l, e->inner, v))
		return false;
	if (!v->has_type || !peel(&v->type))
		return fails(l, "it is no structure");
	if (is_pointer(dwarf_tag(&v->type))) {		/* '.' is taken for '->', as perf probe does */
		Dwarf_Die to;

		if (!type_of(&v->type, &to) || !follow(l, v))
			return l->trouble ? false : fails(l, "it points to a type that is not known");
		v->type = to;
		peel(&v->type);
	} else if (e->kind == CEXPR_ARROW) {
		return fails(l, arena_printf(l->d->arena, "'->' wants a pointer, and that is %s", type_name(l, &v->type)));
	}
	if (!is_structure(dwarf_tag(&v->type)))
		return fails(l, arena_printf(l->d->arena, "'%s' is asked of something that is no structure", e->name));
	if (v->where == IN_REGISTER || v->where == IS_CONSTANT)
		return fails(l, "the structure is in a register here");
	if (dwarf_hasattr(&v->type, DW_AT_declaration))
		return fails(l, arena_printf(l->d->arena, "only the name of %s is known in this file", type_name(l, &v->type)));
	if (!find_member(l, &v->type, e->name, v, 0))
		return l->trouble ? false : fails(l, arena_printf(l->d->arena, "%s has no member '%s'", type_name(l, &v->type), e->name));
	return true;
}

/* More than one: DWARF has int m[2][3] as one type. */
static bool has_dimensions(Dwarf_Die *array)
{
	unsigned nr = 0;
	Dwarf_Die child;
	int err = dwarf_child(array, &child);

	for (; !err; err = dwarf_siblingof(&child, &child))
		nr += dwarf_tag(&child) == DW_TAG_subrange_type;
	return nr > 1;
}

static bool take_element(struct look *l, const struct cexpr *e, struct value *v)
{
	int64_t n = e->kind == CEXPR_INDEX ? e->n : 0;
	Dwarf_Die element;
	int tag;

	if (!evaluate(l, e->inner, v))
		return false;
	if (!v->has_type || !peel(&v->type))
		return fails(l, "it is neither a pointer nor an array");
	tag = dwarf_tag(&v->type);
	if (!is_pointer(tag) && tag != DW_TAG_array_type)
		return fails(l, "it is neither a pointer nor an array");
	if (!type_of(&v->type, &element))
		return fails(l, "it points to a type that is not known");
	if (is_pointer(tag) && !follow(l, v))
		return false;
	if (v->where == IN_REGISTER || v->where == IS_CONSTANT)
		return fails(l, "the array is in a register here");
	if (tag == DW_TAG_array_type && has_dimensions(&v->type))
		return fails(l, "an array of arrays is not known here: its elements have no names");
	v->type = element;
	v->off += n * (int64_t)size_of(&element);
	return true;
}

static bool evaluate(struct look *l, const struct cexpr *e, struct value *v)
{
	Dwarf_Die variable, unit = l->spot->unit->die;

	switch (e->kind) {
	case CEXPR_NAME:
		if (find_variable(l, e->name, &variable))
			return locate(l, &variable, v);
		if (find_in(&unit, e->name, true, &variable))
			return locate_elsewhere(l, &variable, e->name, v);
		return fails(l, arena_printf(l->d->arena, "no variable '%s' is visible here", e->name));
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
			return fails(l, "it has no address that a probe can fetch");
		v->where = IN_REGISTER;
		v->has_type = false;
		return true;
	}
	return false;
}

/* ---- the answer ---- */

static uint64_t count_of(Dwarf_Die *array, uint64_t element)
{
	return element ? size_of(array) / element : 0;
}

static struct lines_value refuse(const char *trouble)
{
	return (struct lines_value){ .type = "", .trouble = trouble ? trouble : "it cannot be fetched" };
}

static struct lines_value take_array(struct look *l, struct value *v, bool as_text)
{
	struct lines_value ret = { .fetch = fetch(l, v), .type = "" };
	Dwarf_Die element;
	const char *number;
	uint64_t nr;

	if (v->where == IN_REGISTER || v->where == IS_CONSTANT || !type_of(&v->type, &element) || !peel(&element))
		return refuse("the array is in a register here");
	number = number_type(l, &element);
	nr = count_of(&v->type, size_of(&element));
	if (is_char(&element))
		ret.type = "string";
	else if (!as_text && *number && nr && nr <= 64)
		ret.type = arena_printf(l->d->arena, "%s[%u]", number, (unsigned)nr);
	return ret;
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
	if (!evaluate(&l, e, &v))
		return refuse(l.trouble);
	if (v.has_type && !peel(&v.type))
		return refuse("the debug information does not say its type");
	tag = v.has_type ? dwarf_tag(&v.type) : DW_TAG_pointer_type;
	if (tag == DW_TAG_array_type)
		return take_array(&l, &v, expr->as_text);
	if (expr->as_text && v.has_type && is_pointer(tag)) {
		if (!follow(&l, &v))
			return refuse(l.trouble);
		ret = (struct lines_value){ .fetch = fetch(&l, &v), .type = "string" };
		return ret;
	}
	ret.fetch = fetch(&l, &v);
	if (!ret.fetch)
		return refuse("its value is an address with an offset, which a probe can only follow");
	ret.type = v.has_type ? number_type(&l, &v.type) : "x64";
	if (v.bit_size)
		ret.type = arena_printf(d->arena, "b%u@%u/%u", v.bit_size, v.bit_off, v.bit_bytes * 8);
	return ret;
}

/* ---- lists ---- */

static bool is_listed(const struct lines_place *p, const char *name)
{
	for (unsigned i = 0; i < p->nr_variables; i++) {
		if (!strcmp(p->variables[i].name, name))
			return true;
	}
	return false;
}

static void add_variable(struct debug *d, struct lines_place *p, const char *name, bool is_parameter)
{
	unsigned nr = p->nr_variables;

	if (!(nr & (nr - 1))) {		/* full at each power of two */
		struct lines_variable *more = arena_array(d->arena, struct lines_variable, nr ? 2 * nr : 1);

		if (nr)
			memcpy(more, p->variables, nr * sizeof(*more));
		p->variables = more;
	}
	p->variables[p->nr_variables++] = (struct lines_variable){ arena_strdup(d->arena, name), is_parameter };
}

/* A name means the innermost variable that has it, so its value is asked for as a user's would be. */
static void list_scope(struct debug *d, const struct spot *s, const struct lines_query *q, Dwarf_Die *scope, int tag, struct lines_place *p)
{
	Dwarf_Die die;
	int err = dwarf_child(scope, &die);

	for (; !err; err = dwarf_siblingof(&die, &die)) {
		const char *name = dwarf_tag(&die) == tag ? dwarf_diename(&die) : NULL;
		struct lines_expr expr = { .text = name };
		struct lines_value v;

		if (!name || is_listed(p, name))
			continue;
		v = value_find(d, s, q, &expr);
		if (v.fetch && *v.type)
			add_variable(d, p, name, tag == DW_TAG_formal_parameter);
	}
}

static void list_tag(struct debug *d, const struct spot *s, const struct lines_query *q, int tag, struct lines_place *p)
{
	Dwarf_Die function = s->function;

	for (unsigned i = s->nr; i-- > 0;) {
		list_scope(d, s, q, &s->path[i], tag, p);
		if (dwarf_tag(&s->path[i]) == DW_TAG_inlined_subroutine)
			return;
	}
	list_scope(d, s, q, &function, tag, p);
}

void variables_list(struct debug *d, const struct spot *s, const struct lines_query *q, struct lines_place *p)
{
	list_tag(d, s, q, DW_TAG_formal_parameter, p);
	list_tag(d, s, q, DW_TAG_variable, p);
}
