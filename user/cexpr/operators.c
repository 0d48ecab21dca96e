// SPDX-License-Identifier: GPL-2.0-only
/*
 * operators.c - the operators of C, and the types of their results.
 */
#include "cexpr/value_priv.h"

/* The step of a pointer. As in GNU C, void and functions have one of a byte. */
static bool step_of(struct c_look *l, const struct c_type *t, const struct cexpr *e, uint64_t *ret)
{
	struct c_type to;

	if (!c_target_of(l, t, e, &to))
		return false;
	*ret = to.kind == C_VOID || to.kind == C_OTHER ? 1 : to.size;
	return *ret || c_fails(l, e->at, NULL, "the size of what this points to is not known");
}

/* A number that is shorter than int becomes one. */
static struct c_type promoted(const struct c_type *t)
{
	if (t->kind == C_POINTER)
		return c_number_type(8, false);
	return t->size < 4 ? c_number_type(4, true) : c_number_type((uint8_t)t->size, t->is_signed);
}

/* The type in which C calculates with both. */
static struct c_type common(const struct c_type *a, const struct c_type *b)
{
	struct c_type x = promoted(a), y = promoted(b);

	if (x.size != y.size)
		return x.size > y.size ? x : y;
	return x.is_signed ? y : x;
}

bool c_take_unary(struct c_look *l, const struct cexpr *e, struct c_value *v)
{
	struct c_type type;

	if (!c_evaluate(l, e->inner, v) || !c_calculate(l, e->inner, v))
		return false;
	if (v->type.kind == C_POINTER && e->op != C_IS_ZERO)
		return c_fails(l, e->at, NULL, "'%s' wants a number, and this is a pointer", c_op_text(e->op));
	type = e->op == C_IS_ZERO ? c_number_type(4, true) : promoted(&v->type);
	*v = c_result(calc_op(l->arena, e->op, v->base, NULL, (uint8_t)type.size, type.is_signed), type, v->user);
	return true;
}

/* The factor by which an exact quotient by an odd number is found: its inverse, modulo 2^64. */
static uint64_t inverse(uint64_t odd)
{
	uint64_t x = odd;

	for (unsigned bits = 3; bits < 64; bits *= 2)
		x *= 2 - odd * x;
	return x;
}

/* The number of elements between two pointers. The difference is a multiple of their size, so the quotient is exact. */
static bool subtract_pointers(struct c_look *l, const struct cexpr *e, const struct c_value *a, const struct c_value *b, struct c_value *v)
{
	const struct calc *c = calc_op(l->arena, C_SUB, a->base, b->base, 8, true);
	uint64_t size, other;
	unsigned shift;

	if (!step_of(l, &a->type, e->inner, &size) || !step_of(l, &b->type, e->right, &other))
		return false;
	if (size != other)
		return c_fails(l, e->at, NULL, "the two pointers point to things of different sizes");
	shift = (unsigned)__builtin_ctzll(size);
	size >>= shift;
	if (shift)
		c = calc_op(l->arena, C_SHR, c, calc_number(l->arena, shift, 4, true), 8, true);
	if (size > 1)
		c = calc_op(l->arena, C_MUL, c, calc_number(l->arena, inverse(size), 8, true), 8, true);
	*v = c_result(c, c_number_type(8, true), false);
	return true;
}

/* @p + @n or @p - @n, with a pointer and a number. */
static bool move_pointer(struct c_look *l, const struct cexpr *e, const struct cexpr *of, struct c_value *p, struct c_value *n, struct c_value *v)
{
	const struct calc *c = calc_convert(l->arena, n->base, 8, n->type.is_signed);
	uint64_t step;

	if (!step_of(l, &p->type, of, &step))
		return false;
	c = calc_op(l->arena, C_MUL, c, calc_number(l->arena, step, 8, true), 8, true);
	*v = c_result(calc_op(l->arena, e->op, p->base, c, 8, false), p->type, p->user);
	return true;
}

static bool take_sum(struct c_look *l, const struct cexpr *e, struct c_value *a, struct c_value *b, struct c_value *v, bool *ret_done)
{
	bool first = a->type.kind == C_POINTER, second = b->type.kind == C_POINTER;

	*ret_done = true;
	if (first && second && e->op == C_SUB)
		return subtract_pointers(l, e, a, b, v);
	if (first && second)
		return c_fails(l, e->at, NULL, "C does not add two pointers");
	if (second && e->op == C_SUB)
		return c_fails(l, e->at, NULL, "C does not take a pointer from a number");
	if (first)
		return move_pointer(l, e, e->inner, a, b, v);
	if (second)
		return move_pointer(l, e, e->right, b, a, v);
	*ret_done = false;
	return true;
}

bool c_take_binary(struct c_look *l, const struct cexpr *e, struct c_value *v)
{
	struct c_value a = { 0 }, b = { 0 };
	struct c_type type;
	bool done = false;

	if (!c_evaluate(l, e->inner, &a) || !c_calculate(l, e->inner, &a) || !c_evaluate(l, e->right, &b) || !c_calculate(l, e->right, &b))
		return false;
	if ((e->op == C_ADD || e->op == C_SUB) && (!take_sum(l, e, &a, &b, v, &done) || done))
		return done && !l->failed;
	if (!c_op_compares(e->op) && (a.type.kind == C_POINTER || b.type.kind == C_POINTER))
		return c_fails(l, e->at, "(unsigned long)X makes a number of a pointer", "'%s' wants numbers, and this is a pointer", c_op_text(e->op));
	type = e->op == C_SHL || e->op == C_SHR ? promoted(&a.type) : common(&a.type, &b.type);
	/* The lower bits of other results do not depend on upper bits that are not there. */
	if (c_op_compares(e->op)) {
		a.base = calc_convert(l->arena, a.base, (uint8_t)type.size, type.is_signed);
		b.base = calc_convert(l->arena, b.base, (uint8_t)type.size, type.is_signed);
		type = c_number_type(4, true);
	} else {
		a.base = calc_convert(l->arena, a.base, (uint8_t)type.size, type.is_signed);
		if (e->op != C_SHL && e->op != C_SHR)
			b.base = calc_convert(l->arena, b.base, (uint8_t)type.size, type.is_signed);
	}
	*v = c_result(calc_op(l->arena, e->op, a.base, b.base, (uint8_t)type.size, type.is_signed), type, a.user || b.user);
	return true;
}
