// SPDX-License-Identifier: GPL-2.0-only
/*
 * value.c - the rules of C.
 */
#include "cexpr/value_priv.h"

#include <stdarg.h>
#include <string.h>

#include "base/macros.h"

bool c_fails(struct c_look *l, struct span at, const char *help, const char *fmt, ...)
{
	struct buf text = { 0 };
	va_list args;

	if (l->failed)
		return false;
	l->failed = true;
	va_start(args, fmt);
	buf_vaddf(&text, fmt, args);
	va_end(args);
	l->source->fail(l, at, arena_strdup(l->arena, buf_str(&text)), help);
	buf_fini(&text);
	return false;
}

/* ---- types ---- */

struct c_type c_number_type(uint8_t size, bool is_signed)
{
	return (struct c_type){ .kind = C_NUMBER, .size = size, .is_signed = is_signed };
}

struct c_type c_pointer_type(struct c_look *l, const struct c_type *to, bool user)
{
	struct c_type *copy = arena_new(l->arena, struct c_type);

	*copy = *to;
	return (struct c_type){ .kind = C_POINTER, .size = 8, .to = copy, .user = user };
}

bool c_target_of(struct c_look *l, const struct c_type *t, const struct cexpr *e, struct c_type *ret)
{
	if (t->to) {
		*ret = *t->to;
		return true;
	}
	return l->source->target(l, t, e, ret);
}

static bool is_size(uint64_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

/* ---- values ---- */

struct c_value c_result(const struct calc *c, struct c_type type, bool user)
{
	return (struct c_value){ .where = C_RESULT, .base = c, .type = type, .is_known = true, .user = user };
}

/* The address of memory as a number. */
static const struct calc *address_of(struct c_look *l, const struct c_value *v)
{
	if (!v->base)
		return calc_number(l->arena, (uint64_t)v->off, 8, false);
	return calc_op(l->arena, C_ADD, v->base, calc_number(l->arena, (uint64_t)v->off, 8, true), 8, false);
}

/* C makes an address of an array wherever it calculates with it. */
static bool decay(struct c_look *l, const struct cexpr *e, struct c_value *v)
{
	struct c_type element;

	if (v->where != C_MEMORY)
		return c_fails(l, e->at, NULL, "the array is in a register here");
	if (!c_target_of(l, &v->type, e, &element))
		return false;
	*v = c_result(address_of(l, v), c_pointer_type(l, &element, v->user), v->user);
	return true;
}

/* The bits of a bit-field. C calculates with them as int, if they fit. */
static bool take_bits(struct c_look *l, const struct cexpr *e, struct c_value *v)
{
	unsigned first = v->bit_off / 8, bytes = (v->bit_off % 8 + v->bit_size + 7) / 8, size = 1;
	struct calc *c;

	while (size < bytes)
		size *= 2;
	if (size > 8)
		return c_fails(l, e->at, NULL, "the bit-field has bits in more than eight bytes");
	/* The bytes that it is in, if they can be read alone; else those of its number. */
	if (first + size > v->bit_bytes && v->bit_bytes) {
		first = 0;
		size = v->bit_bytes;
	}
	c = arena_new(l->arena, struct calc);
	*c = (struct calc){ .kind = CALC_READ, .a = v->base, .off = v->off + first, .user = v->user, .size = (uint8_t)size,
			    .is_signed = v->type.is_signed, .bit_off = (uint8_t)(v->bit_off - 8 * first), .bit_size = (uint8_t)v->bit_size };
	*v = c_result(c, v->bit_size < 32 ? c_number_type(4, true) : c_number_type(v->bit_size > 32 ? 8 : 4, v->type.is_signed), v->user);
	v->base = calc_convert(l->arena, c, (uint8_t)v->type.size, v->type.is_signed);
	return true;
}

static bool load(struct c_look *l, const struct cexpr *e, struct c_value *v)
{
	if (v->bit_size)
		return take_bits(l, e, v);
	if (!v->is_known)
		v->type = c_number_type(8, false);
	v->is_known = true;
	if (v->type.kind == C_STRUCT)
		return c_fails(l, e->at, "name one of its members", "this is a structure, and no number");
	if (v->type.kind != C_POINTER && (v->type.kind != C_NUMBER || !is_size(v->type.size)))
		return c_fails(l, e->at, NULL, "this is no number that can be calculated with");
	v->base = calc_read(l->arena, v->base, v->off, (uint8_t)v->type.size, v->type.is_signed, v->user);
	v->user = v->user || v->to_user;
	v->where = C_RESULT;
	v->off = 0;
	return true;
}

bool c_calculate(struct c_look *l, const struct cexpr *e, struct c_value *v)
{
	if (v->where == C_PARTS) {
		uint64_t size = v->bit_size ? v->bit_bytes : v->type.size;

		if (v->type.kind == C_STRUCT)
			return c_fails(l, e->at, "name one of its members", "this is a structure, and no number");
		if (v->type.kind == C_ARRAY)
			return c_fails(l, e->at, NULL, "the array is in a register here");
		if (!l->source->part(l, e, size, v))
			return false;
	}
	if (v->where == C_MEMORY && v->is_known && v->type.kind == C_ARRAY)
		return decay(l, e, v);
	if (v->where == C_MEMORY)
		return load(l, e, v);
	if (!v->is_known) {
		v->type = c_number_type(8, false);
		v->is_known = true;
	}
	if (v->type.kind == C_POINTER || (v->type.kind == C_NUMBER && is_size(v->type.size)))
		return true;
	return c_fails(l, e->at, NULL, "this is no number that can be calculated with");
}

bool c_follow(struct c_look *l, const struct cexpr *e, struct c_value *v)
{
	struct c_type to;

	if (v->is_known && v->type.kind == C_ARRAY) {
		if (!c_target_of(l, &v->type, e, &to))
			return false;
		v->type = to;
		return v->where == C_MEMORY || c_fails(l, e->at, NULL, "the array is in a register here");
	}
	if (v->is_known && v->type.kind != C_POINTER)
		return c_fails(l, e->at, NULL, "this is neither a pointer nor an array");
	if (!v->is_known)
		return c_fails(l, e->at, "a cast says it, as in *(u32 *)X", "what this points to is not known");
	if (!c_target_of(l, &v->type, e, &to) || !c_calculate(l, e, v))
		return false;
	*v = (struct c_value){ .where = C_MEMORY, .base = v->base, .type = to, .is_known = true, .user = v->user || v->type.user };
	calc_split(&v->base, &v->off);
	return true;
}

static bool settle(struct c_look *l, const struct cexpr *e, struct c_value *v)
{
	return !l->source->settle || l->source->settle(l, e, v);
}

/* ---- members and elements ---- */

static bool take_bit_field(struct c_value *v, const struct c_member *m)
{
	v->bit_off = m->bit_off;
	v->bit_size = m->bit_size;
	v->bit_bytes = m->bit_bytes;
	return true;
}

static bool add_member(struct c_look *l, const struct cexpr *e, const char *name, struct span at, struct c_value *v)
{
	struct c_member m = { 0 };

	if (!l->source->member(l, &v->type, e, name, at, &m))
		return false;
	v->off += (int64_t)m.off;
	v->type = m.type;
	return take_bit_field(v, &m);
}

static bool take_member(struct c_look *l, const struct cexpr *e, struct c_value *v)
{
	bool arrow = e->kind == CEXPR_ARROW;

	if (!c_evaluate(l, e->inner, v))
		return false;
	if (!v->is_known)
		return c_fails(l, e->inner->at, arena_printf(l->arena, "a cast says it: ((struct NAME *)X)->%s", e->name),
			       "what this points to is not known");
	if (v->type.kind == C_POINTER && !arrow && !l->source->dot_follows)
		return c_fails(l, e->inner->at, arena_printf(l->arena, "write ->%s", e->name), "this is a pointer, which has no members itself");
	if (v->type.kind == C_STRUCT && arrow)
		return c_fails(l, e->inner->at, arena_printf(l->arena, "write .%s", e->name), "'->' wants a pointer, and this is a structure");
	if ((v->type.kind == C_POINTER || (v->type.kind == C_ARRAY && arrow)) && !c_follow(l, e->inner, v))
		return false;
	if (v->type.kind != C_STRUCT)
		return c_fails(l, e->name_at, NULL, "'%s' is asked of something that is no structure", e->name);
	return add_member(l, e, e->name, e->name_at, v) && settle(l, e, v);
}

/* What @e is as a number of 64 bits. */
static bool index_of(struct c_look *l, const struct cexpr *e, const struct calc **ret)
{
	struct c_value n = { 0 };

	if (!c_evaluate(l, e, &n) || !c_calculate(l, e, &n))
		return false;
	if (n.type.kind != C_NUMBER)
		return c_fails(l, e->at, NULL, "an index is a number, and this is a pointer");
	*ret = n.base;
	return true;
}

static bool take_element(struct c_look *l, const struct cexpr *e, struct c_value *v)
{
	const struct calc *n = NULL, *step;

	if (!c_evaluate(l, e->inner, v) || (e->kind == CEXPR_INDEX && !index_of(l, e->right, &n)))
		return false;
	if (!c_follow(l, e->inner, v))
		return false;
	if (v->type.kind == C_VOID)
		return c_fails(l, e->at, "a cast says its type, as in *(u32 *)X", "this is a pointer to void");
	if (e->kind == CEXPR_DEREF)
		return settle(l, e, v);
	if (!v->type.size)
		return c_fails(l, e->at, NULL, "the size of an element is not known");
	step = calc_number(l->arena, v->type.size, 8, true);
	n = calc_op(l->arena, C_MUL, calc_convert(l->arena, n, 8, n->is_signed), step, 8, true);
	if (n->kind == CALC_NUMBER)
		v->off = (int64_t)((uint64_t)v->off + n->number);
	else
		v->base = v->base ? calc_op(l->arena, C_ADD, v->base, n, 8, false) : n;
	calc_split(&v->base, &v->off);
	return settle(l, e, v);
}

static bool take_address(struct c_look *l, const struct cexpr *e, struct c_value *v)
{
	if (!c_evaluate(l, e->inner, v))
		return false;
	if (v->bit_size)
		return c_fails(l, e->at, NULL, "this is a bit-field: no address points to it");
	if (v->where != C_MEMORY)
		return c_fails(l, e->at, NULL, "it has no address that a probe can fetch");
	if (!v->is_known)
		v->type = c_number_type(8, false);
	*v = c_result(address_of(l, v), c_pointer_type(l, &v->type, v->user), v->user);
	return true;
}

/* ---- casts ---- */

static bool cast_type(struct c_look *l, const struct cexpr *e, struct c_type *ret)
{
	const struct cexpr_type *name = e->type;
	unsigned pointers = name->pointers;

	/* (STRUCT)ARG of the kernel's language means (struct STRUCT *)ARG. */
	if (!l->source->type(l, name, ret))
		return false;
	if (ret->kind == C_STRUCT && !pointers)
		pointers = 1;
	for (; pointers; pointers--)
		*ret = c_pointer_type(l, ret, name->user);
	return true;
}

/* (STRUCT,MEMBER.MEMBER)ARG: ARG points to the member. */
static bool take_container(struct c_look *l, const struct cexpr *e, struct c_value *v)
{
	struct c_value in = { .type = *v->type.to };
	const char *rest = e->name;
	struct span at = e->name_at;

	if (in.type.kind != C_STRUCT)
		return c_fails(l, e->type->at, NULL, "this is no structure, so it has no members");
	while (*rest) {
		size_t len = strcspn(rest, ".");

		at.len = (uint32_t)len;
		if (in.type.kind != C_STRUCT)
			return c_fails(l, at, NULL, "'.' needs a structure before it");
		if (!add_member(l, e, arena_strndup(l->arena, rest, len), at, &in))
			return false;
		if (in.bit_size)
			return c_fails(l, at, NULL, "'%.*s' is a bit-field: no address points to it", (int)len, rest);
		len += rest[len] == '.';
		rest += len;
		at.off += (uint32_t)len;
	}
	v->base = calc_op(l->arena, C_ADD, v->base, calc_number(l->arena, 0 - (uint64_t)in.off, 8, true), 8, false);
	return true;
}

static bool take_cast(struct c_look *l, const struct cexpr *e, struct c_value *v)
{
	struct c_type type;
	bool user;

	if (!c_evaluate(l, e->inner, v) || !cast_type(l, e, &type) || !c_calculate(l, e->inner, v))
		return false;
	if (type.kind != C_POINTER && type.kind != C_NUMBER)
		return c_fails(l, e->type->at, NULL, "C has no cast to this type");
	if (e->name && (type.kind != C_POINTER || !type.to || e->type->pointers > 1))
		return c_fails(l, e->type->at, NULL, "this is no structure, so it has no members");
	if (type.kind == C_NUMBER && !is_size(type.size))
		return c_fails(l, e->type->at, NULL, "a probe cannot calculate with numbers of this size");
	user = v->user || type.user;
	if (type.is_bool)
		v->base = calc_op(l->arena, C_NE, v->base, calc_number(l->arena, 0, 8, false), 4, true);
	*v = c_result(calc_convert(l->arena, v->base, (uint8_t)type.size, type.kind == C_NUMBER && type.is_signed), type, user);
	return !e->name || take_container(l, e, v);
}

/* ---- casts in front of members ---- */

static bool is_postfix(const struct cexpr *e)
{
	return e->kind == CEXPR_FIELD || e->kind == CEXPR_ARROW || e->kind == CEXPR_INDEX;
}

/* May the cast be one to a structure, as far as its text says? */
static bool may_be_structure(const struct cexpr *e)
{
	const struct cexpr_type *t = e->type;

	return e->kind == CEXPR_CAST && !e->name && t->tag == C_TAG_NONE && !t->is_number && !t->is_void && t->pointers <= 1;
}

static struct cexpr *copy_of(struct c_look *l, const struct cexpr *e, const struct cexpr *inner)
{
	struct cexpr *copy = arena_new(l->arena, struct cexpr);

	*copy = *e;
	copy->inner = inner;
	return copy;
}

/* @e without the cast that it begins with. */
static const struct cexpr *without_cast(struct c_look *l, const struct cexpr *e)
{
	return is_postfix(e) ? copy_of(l, e, without_cast(l, e->inner)) : e->inner;
}

/*
 * The parser takes (NAME)p->m for the member of a structure NAME. If NAME is another type (ktime_t), the cast belongs to the member, as in C:
 * *ret is that then, else NULL.
 */
static bool reassociate(struct c_look *l, const struct cexpr *e, const struct cexpr **ret)
{
	const struct cexpr *base = e;
	struct c_type type;

	*ret = NULL;
	while (is_postfix(base))
		base = base->inner;
	if (!may_be_structure(base))
		return true;
	if (!l->source->type(l, base->type, &type))
		return false;
	if (type.kind != C_STRUCT)
		*ret = copy_of(l, base, without_cast(l, e));
	return true;
}

static bool take_postfix(struct c_look *l, const struct cexpr *e, struct c_value *v)
{
	const struct cexpr *cast;

	if (!reassociate(l, e, &cast))
		return false;
	if (cast)
		return c_evaluate(l, cast, v);
	return e->kind == CEXPR_INDEX ? take_element(l, e, v) : take_member(l, e, v);
}

/* ---- all of them ---- */

bool c_evaluate(struct c_look *l, const struct cexpr *e, struct c_value *v)
{
	switch (e->kind) {
	case CEXPR_NUMBER:
		*v = c_result(calc_number(l->arena, e->n, e->size, e->is_signed), c_number_type(e->size, e->is_signed), false);
		return true;
	case CEXPR_NAME:
	case CEXPR_WORD:
		return l->source->operand(l, e, v) && settle(l, e, v);
	case CEXPR_FIELD:
	case CEXPR_ARROW:
	case CEXPR_INDEX:
		return take_postfix(l, e, v);
	case CEXPR_DEREF:
		return take_element(l, e, v);
	case CEXPR_ADDRESS:
		return take_address(l, e, v);
	case CEXPR_CAST:
		return take_cast(l, e, v);
	case CEXPR_UNARY:
		return c_take_unary(l, e, v);
	case CEXPR_BINARY:
		return c_take_binary(l, e, v);
	}
	return false;
}
