// SPDX-License-Identifier: GPL-2.0-only
/*
 * values.c - what to fetch for a C expression at an address.
 *
 * What the kernel's probe language has is written in it: a register, memory behind registers and memory, a constant. All else is written
 * as C over registers, which bprobe knows at every place.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "elf/dwarf/values_priv.h"

bool look_fails(struct look *l, const char *trouble)
{
	l->trouble = trouble;
	return false;
}

enum { REGISTER_SIZE = 8 };

/* ---- where variables are ---- */

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

/* What a leaf is: a text that fetches 64 bits, or the address of a symbol or of a place in the program's file. */
struct leaf {
	const char *text;
	bool is_symbol;			/* @text may be NULL: the file */
};

static const struct calc *text_leaf(struct look *l, const char *text, bool is_symbol)
{
	struct leaf *leaf = arena_new(l->d->arena, struct leaf);

	*leaf = (struct leaf){ text, is_symbol };
	return calc_leaf(l->d->arena, leaf, REGISTER_SIZE, false);
}

static const void *copy_of(struct look *l, const struct value *v)
{
	struct value *copy = arena_new(l->d->arena, struct value);

	*copy = *v;
	return copy;
}

/* Some bytes of a register. */
static const struct calc *register_part(struct look *l, const struct value *v, const struct c_value *of)
{
	struct calc *c = arena_new(l->d->arena, struct calc);
	unsigned size = of->bit_size ? of->bit_bytes : (unsigned)MIN(of->type.size, (uint64_t)REGISTER_SIZE);

	*c = *text_leaf(l, v->base, false);
	c->bit_off = (uint8_t)(v->skip * 8 + (of->bit_size ? of->bit_off : 0));
	c->bit_size = (uint8_t)(of->bit_size ? of->bit_size : v->skip ? size * 8 : 0);
	if (of->type.kind == C_NUMBER && size && !(size & (size - 1))) {
		c->size = (uint8_t)size;
		c->is_signed = of->type.is_signed;
	}
	return c;
}

/* A number of 64 bits as the variable's type has it. */
static const struct calc *as_type(struct look *l, const struct calc *c, const struct c_value *of)
{
	uint64_t size = of->type.size;
	bool fits = of->is_known && of->type.kind == C_NUMBER && (size == 1 || size == 2 || size == 4);

	return fits ? calc_convert(l->d->arena, c, (uint8_t)size, of->type.is_signed) : c;
}

/* @v, where a variable or a part of one is, as what C calculates with. Keeps the type of @ret. */
static void take_located(struct look *l, const struct value *v, struct c_value *ret)
{
	ret->where = C_RESULT;
	ret->off = 0;
	switch (v->where) {
	case IN_REGISTER:
		ret->base = register_part(l, v, ret);
		if (v->off)
			ret->base = as_type(l, calc_op(l->d->arena, C_ADD, ret->base, calc_number(l->d->arena, (uint64_t)v->off, 8, true), 8, false), ret);
		ret->bit_size = 0;
		break;
	case IN_MEMORY:
		ret->where = C_MEMORY;
		ret->base = text_leaf(l, v->base, false);
		ret->off = v->off;
		break;
	case AT_SYMBOL:
		ret->where = C_MEMORY;
		ret->base = text_leaf(l, v->base, true);
		ret->off = v->off;
		break;
	case IS_CONSTANT:
		ret->base = as_type(l, calc_number(l->d->arena, (uint64_t)v->off, 8, true), ret);
		break;
	case IN_PIECES:
		ret->where = C_PARTS;
		ret->parts = copy_of(l, v);
		break;
	}
}

static bool part(struct c_look *c, const struct cexpr *e, uint64_t size, struct c_value *v)
{
	struct look *l = c->own;
	struct value at = *(const struct value *)v->parts;

	if (at.where == IN_REGISTER) {
		at.skip += (unsigned)v->off;
	} else {
		at.off = value_off(at.off, v->off);
		if (!locate_piece(l, &at, size))
			return c_fails(c, e->at, NULL, "%s", l->trouble);
	}
	take_located(l, &at, v);
	return true;
}

/* A structure in a register is there with all its members. */
static bool take_variable(struct c_look *c, const struct cexpr *e, const struct value *v, struct c_value *ret)
{
	struct look *l = c->own;

	*ret = (struct c_value){ .is_known = v->has_type };
	if (v->has_type && !type_describe(l, v->type, &ret->type))
		return c_fails(c, e->at, NULL, "%s", l->trouble);
	/*
	 * In a loop clang says of a number that has changed already how it follows from a register. At the entry of an inlined function that
	 * is not what the caller has passed (inlined.sh, checksum()), so it is not taken.
	 */
	if (v->where == IN_REGISTER && v->off && ret->type.kind == C_NUMBER)
		return c_fails(c, e->at, NULL, "its value is a register with an offset here, which need not be what it was");
	if ((v->where == IN_REGISTER || v->where == IS_CONSTANT) && (ret->type.kind == C_STRUCT || ret->type.kind == C_ARRAY)) {
		if (v->where == IS_CONSTANT || v->off)
			return c_fails(c, e->at, NULL, "the structure is a value that is calculated here");
		ret->where = C_PARTS;
		ret->parts = copy_of(l, v);
		return true;
	}
	take_located(l, v, ret);
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

static bool find_name(struct look *l, const char *name, struct value *v)
{
	Dwarf_Die variable;

	if (variable_find(l->d, l->spot, name, &variable))
		return locate(l, &variable, v);
	if (variable_is_unclear(l->d, l->spot, name))
		return look_fails(l, arena_printf(l->d->arena, "several variables have the name '%s', and the debug information does not say which is visible here",
						  name));
	if (variable_find_declared(l->spot, name, &variable))
		return locate_elsewhere(l, &variable, name, v);
	l->is_unknown = true;
	if (l->d->missing)
		return look_fails(l, arena_printf(l->d->arena, "a part of the debug information is in %s, which cannot be read without privileges",
						  l->d->missing));
	l->similar = variable_similar(l->d, l->spot, name);
	return look_fails(l, arena_printf(l->d->arena, "no variable '%s' is visible here", name));
}

static bool operand(struct c_look *c, const struct cexpr *e, struct c_value *ret)
{
	struct look *l = c->own;
	bool is_word = e->kind == CEXPR_WORD, is_param = is_word && !strncmp(e->name, "$arg", 4);
	struct value v = { 0 };

	/* Other words mean the same at each place. */
	if (is_word && !is_param) {
		*ret = (struct c_value){ .where = C_RESULT, .base = text_leaf(l, e->name, false) };
		return true;
	}
	if (!(is_param ? take_parameter(l, e->name + strlen("$arg"), &v) : find_name(l, e->name, &v)))
		return c_fails(c, e->at, NULL, "%s", l->trouble);
	return take_variable(c, e, &v, ret);
}

/* A reference of C++ means what it refers to. */
static bool settle(struct c_look *c, const struct cexpr *e, struct c_value *v)
{
	return !v->is_known || !type_is_reference(&v->type) || c_follow(c, e, v);
}

static void fail(struct c_look *c, struct span at, const char *msg, const char *help)
{
	struct look *l = c->own;

	(void)at;
	(void)help;
	l->trouble = msg;
}

static const struct c_source debug_source = {
	.operand = operand, .target = type_target, .member = type_member, .type = type_named, .part = part, .settle = settle, .fail = fail,
	.dot_follows = true,
};

/* ---- the text ---- */

static void print_leaf(void *ctx, const void *of, struct buf *out)
{
	const struct leaf *leaf = of;

	(void)ctx;
	buf_addf(out, leaf->is_symbol ? "((u64)&@%s)" : "%s", leaf->text ? leaf->text : "+0x0");
}

static bool print_chain(const struct calc *base, int64_t off, struct buf *out);

/* The number that is an address, in the kernel's language. */
static bool print_address(const struct calc *c, struct buf *out)
{
	if (c->size != REGISTER_SIZE || c->bit_size)
		return false;
	if (c->kind == CALC_READ)
		return print_chain(c->a, c->off, out);
	if (c->kind != CALC_LEAF || ((const struct leaf *)c->leaf)->is_symbol)
		return false;
	print_leaf(NULL, c->leaf, out);
	return true;
}

/* The memory at @base + @off, in the kernel's language. False: it has nothing for it. */
static bool print_chain(const struct calc *base, int64_t off, struct buf *out)
{
	const struct leaf *leaf = base && base->kind == CALC_LEAF ? base->leaf : NULL;

	if (!base) {
		buf_addf(out, "@0x%" PRIx64, (uint64_t)off);
		return true;
	}
	if (leaf && leaf->is_symbol && !leaf->text) {
		buf_addf(out, "@+0x%" PRIx64, (uint64_t)off);
		return true;
	}
	if (leaf && leaf->is_symbol) {
		buf_addf(out, off ? "@%s%+" PRId64 : "@%s", leaf->text, off);
		return true;
	}
	buf_addf(out, "%+" PRId64 "(", off);
	if (!print_address(base, out))
		return false;
	buf_addc(out, ')');
	return true;
}

static const char *taken(struct look *l, struct buf *text)
{
	const char *ret = arena_strdup(l->d->arena, buf_str(text));

	buf_fini(text);
	return ret;
}

static bool is_size(uint64_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

/* Memory of a value. What has no size of a number is read as its first eight bytes. */
static const char *memory_text(struct look *l, const struct c_value *v)
{
	uint64_t size = v->bit_size ? v->bit_bytes : v->is_known && is_size(v->type.size) ? v->type.size : REGISTER_SIZE;
	const struct calc *base = v->base;
	int64_t off = v->off;
	struct buf text = { 0 };

	calc_split(&base, &off);
	if (print_chain(base, off, &text))
		return taken(l, &text);
	buf_reset(&text);
	calc_print_memory(base, off, is_size(size) ? (uint8_t)size : REGISTER_SIZE, v->is_known && v->type.is_signed, false, print_leaf, NULL, &text);
	return taken(l, &text);
}

/* A text behind an address. */
static const char *string_text(struct look *l, const struct calc *base, int64_t off)
{
	struct buf text = { 0 };

	calc_split(&base, &off);
	if (print_chain(base, off, &text))
		return taken(l, &text);
	buf_reset(&text);
	buf_adds(&text, "(char *)(");
	if (base)
		calc_print(base, print_leaf, NULL, &text);
	buf_addf(&text, base ? "%+" PRId64 ")" : "%" PRId64 ")", off);
	return taken(l, &text);
}

static const char *result_text(struct look *l, const struct c_value *v)
{
	struct buf text = { 0 };

	if (v->base->kind == CALC_NUMBER)
		buf_addf(&text, "\\%" PRId64, (int64_t)v->base->number);
	else if (v->base->kind == CALC_LEAF && !((const struct leaf *)v->base->leaf)->is_symbol)
		print_leaf(NULL, v->base->leaf, &text);
	else
		calc_print(v->base, print_leaf, NULL, &text);
	return taken(l, &text);
}

/* ---- the answer ---- */

/* The kernel's type for a number of this C type; "": there is none. */
static const char *number_type(struct look *l, const struct c_value *v)
{
	if (!v->is_known || v->type.kind == C_POINTER)
		return "x64";
	if (v->type.kind != C_NUMBER || !is_size(v->type.size))
		return "";
	return arena_printf(l->d->arena, "%c%u", v->type.is_signed ? 's' : 'u', (unsigned)v->type.size * 8);
}

static struct lines_value refuse(const char *trouble)
{
	return (struct lines_value){ .type = "", .trouble = trouble ? trouble : "it cannot be fetched" };
}

static struct lines_value take_array(struct c_look *c, const struct cexpr *e, const struct c_value *v, bool as_text)
{
	struct look *l = c->own;
	struct c_value element = { .where = C_MEMORY, .base = v->base, .off = v->off, .is_known = true };
	struct lines_value ret = { .type = "" };
	const char *number;
	struct c_type t;
	uint64_t nr;

	if (v->where != C_MEMORY || !type_target(c, &v->type, e, &t))
		return refuse("the array is in a register here");
	for (element.type = t; element.type.kind == C_ARRAY; element.type = t) {
		if (!type_target(c, &element.type, e, &t))
			return refuse(l->trouble);
	}
	nr = type_elements(&v->type);
	number = number_type(l, &element);
	ret.fetch = element.type.is_char ? string_text(l, v->base, v->off) : memory_text(l, &element);
	if (element.type.is_char)
		ret.type = "string";
	else if (!as_text && *number && nr && nr <= 64)
		ret.type = arena_printf(l->d->arena, "%s[%u]", number, (unsigned)nr);
	return ret;
}

static const char *bits_type(struct look *l, bool is_signed, unsigned size, unsigned off, unsigned of)
{
	return arena_printf(l->d->arena, "%sb%u@%u/%u", is_signed ? "s" : "", size, off, of * 8);
}

static struct lines_value take_number(struct look *l, struct c_value *v)
{
	struct lines_value ret = { .type = number_type(l, v) };
	const struct calc *c = v->base;

	if (v->where == C_MEMORY) {
		ret.fetch = memory_text(l, v);
		if (v->bit_size)
			ret.type = bits_type(l, v->type.is_signed, v->bit_size, v->bit_off, v->bit_bytes);
		return ret;
	}
	ret.fetch = result_text(l, v);
	if (c->kind == CALC_LEAF && c->bit_size && *ret.type)
		ret.type = bits_type(l, v->type.is_signed, c->bit_size, c->bit_off, REGISTER_SIZE);
	return ret;
}

/* The tree of an expression. NULL: it is none. */
static const struct cexpr *parse(struct arena *arena, const struct lines_expr *expr, const char **ret_trouble)
{
	struct cexpr_text t = { .arena = arena, .text = expr->text, .len = strlen(expr->text) };
	const struct cexpr *e = cexpr_parse(&t);

	*ret_trouble = t.msg;
	return e;
}

const void *value_variable(struct debug *d, const struct spot *s, const struct lines_expr *expr)
{
	const char *trouble;
	const struct cexpr *e = parse(d->arena, expr, &trouble);
	Dwarf_Attribute attr;
	Dwarf_Die die, origin;

	if (e)
		e = cexpr_innermost(e);
	if (!e || e->kind != CEXPR_NAME || !variable_find(d, s, e->name, &die))
		return NULL;
	return dwarf_formref_die(dwarf_attr(&die, DW_AT_abstract_origin, &attr), &origin) ? origin.addr : die.addr;
}

static struct lines_value take_value(struct c_look *c, const struct cexpr *e, const struct lines_expr *expr)
{
	struct look *l = c->own;
	struct c_value v = { 0 };
	uint64_t size;

	if (!c_evaluate(c, e, &v))
		return refuse(l->trouble);
	if (e->kind == CEXPR_NAME && v.where == C_RESULT && v.base->kind == CALC_OP)
		return refuse("its value is an address with an offset, which a probe can only follow");
	if (v.where == C_PARTS) {
		/* Of a number of 16 bytes the lower half can be fetched, with a type of the user's. */
		size = v.bit_size ? v.bit_bytes : v.type.kind == C_NUMBER || v.type.kind == C_OTHER ? MIN(v.type.size, (uint64_t)REGISTER_SIZE) : v.type.size;
		if (!part(c, e, size, &v))
			return refuse(l->trouble);
	}
	if (v.is_known && v.type.kind == C_ARRAY)
		return take_array(c, e, &v, expr->as_text);
	if (expr->as_text && v.is_known && v.type.kind == C_POINTER) {
		if (!c_calculate(c, e, &v))
			return refuse(l->trouble);
		return (struct lines_value){ .fetch = string_text(l, v.base, 0), .type = "string" };
	}
	return take_number(l, &v);
}

struct lines_value value_find(struct debug *d, const struct spot *s, const struct lines_query *q, const struct lines_expr *expr)
{
	struct look l = { .d = d, .spot = s, .q = q };
	struct c_look c = { .source = &debug_source, .arena = d->arena, .own = &l };
	struct lines_value ret;
	const char *trouble;
	const struct cexpr *e = parse(d->arena, expr, &trouble);

	if (!e)
		return refuse(trouble);
	ret = take_value(&c, e, expr);
	if (!ret.fetch) {
		ret.is_unknown = l.is_unknown;
		ret.similar = l.similar;
	}
	return ret;
}
