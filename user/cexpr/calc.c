// SPDX-License-Identifier: GPL-2.0-only
/*
 * calc.c - trees of what is fetched and calculated.
 */
#include "cexpr/calc.h"

#include "base/macros.h"

static struct calc *new_calc(struct arena *arena, enum calc_kind kind, uint8_t size, bool is_signed)
{
	struct calc *c = arena_new(arena, struct calc);

	*c = (struct calc){ .kind = kind, .size = size, .is_signed = is_signed };
	return c;
}

const struct calc *calc_leaf(struct arena *arena, const void *leaf, uint8_t size, bool is_signed)
{
	struct calc *c = new_calc(arena, CALC_LEAF, size, is_signed);

	c->leaf = leaf;
	return c;
}

/* @n as a number of @size bytes has it, extended to 64 bits. */
static uint64_t extend(uint64_t n, uint8_t size, bool is_signed)
{
	unsigned unused = 64 - 8u * size;

	if (!unused)
		return n;
	return is_signed ? (uint64_t)((int64_t)(n << unused) >> unused) : n << unused >> unused;
}

const struct calc *calc_number(struct arena *arena, uint64_t n, uint8_t size, bool is_signed)
{
	struct calc *c = new_calc(arena, CALC_NUMBER, size, is_signed);

	c->number = extend(n, size, is_signed);
	return c;
}

const struct calc *calc_read(struct arena *arena, const struct calc *at, int64_t off, uint8_t size, bool is_signed, bool user)
{
	struct calc *c = new_calc(arena, CALC_READ, size, is_signed);

	c->a = at;
	c->off = off;
	c->user = user;
	return c;
}

/* ---- operators ---- */

static uint64_t compare(enum c_op op, uint64_t a, uint64_t b, bool is_signed)
{
	bool less = is_signed ? (int64_t)a < (int64_t)b : a < b;

	switch (op) {
	case C_LT:
		return less;
	case C_LE:
		return less || a == b;
	case C_GT:
		return !less && a != b;
	case C_GE:
		return !less;
	case C_EQ:
		return a == b;
	default:
		return a != b;
	}
}

/* BPF takes the lower bits of a count for shifts: five of a shift of 32 bits, six of others. So do CPUs. */
static unsigned shift_count(uint64_t n, uint8_t size)
{
	return (unsigned)(n & (size == 8 ? 63 : 31));
}

static uint64_t apply(enum c_op op, const struct calc *a, const struct calc *b, uint8_t size)
{
	uint64_t x = a->number, y = b ? b->number : 0;

	if (c_op_compares(op))
		return compare(op, x, y, a->is_signed);
	switch (op) {
	case C_ADD:
		return x + y;
	case C_SUB:
		return x - y;
	case C_MUL:
		return x * y;
	case C_AND:
		return x & y;
	case C_OR:
		return x | y;
	case C_XOR:
		return x ^ y;
	case C_SHL:
		return x << shift_count(y, size);
	case C_SHR:
		return a->is_signed ? (uint64_t)((int64_t)x >> shift_count(y, size)) : x >> shift_count(y, size);
	case C_NEG:
		return 0 - x;
	case C_NOT:
		return ~x;
	case C_IS_ZERO:
		return !x;
	default:
		return x;
	}
}

const struct calc *calc_op(struct arena *arena, enum c_op op, const struct calc *a, const struct calc *b, uint8_t size, bool is_signed)
{
	struct calc *c;

	if (a->kind == CALC_NUMBER && (!b || b->kind == CALC_NUMBER))
		return calc_number(arena, apply(op, a, b, size), size, is_signed);
	/* A constant stands behind, and a constant that is taken away is added: so calc_split() finds it. */
	if (a->kind == CALC_NUMBER && (op == C_ADD || op == C_MUL)) {
		const struct calc *swap = a;

		a = b;
		b = swap;
	}
	if (op == C_SUB && b->kind == CALC_NUMBER) {
		op = C_ADD;
		b = calc_number(arena, 0 - b->number, 8, true);
	}
	if (op == C_MUL && b->kind == CALC_NUMBER && b->number == 1)
		return calc_convert(arena, a, size, is_signed);
	if (op == C_ADD && b->kind == CALC_NUMBER && !b->number)
		return calc_convert(arena, a, size, is_signed);
	c = new_calc(arena, CALC_OP, size, is_signed);
	c->op = op;
	c->a = a;
	c->b = b;
	return c;
}

/* Has each number of type @c the same 64 bits as one of @size bytes? */
static bool is_within(const struct calc *c, uint8_t size, bool is_signed)
{
	if (size == 8)
		return true;
	if (c->size == size)
		return c->is_signed == is_signed;
	return c->size < size && (!c->is_signed || is_signed);
}

const struct calc *calc_convert(struct arena *arena, const struct calc *c, uint8_t size, bool is_signed)
{
	struct calc *same;

	if (c->size == size && c->is_signed == is_signed)
		return c;
	if (c->kind == CALC_NUMBER)
		return calc_number(arena, c->number, size, is_signed);
	/* A longer number of the same 64 bits: what is calculated stays, and only its type is another one. */
	if (!is_within(c, size, is_signed) || c->kind != CALC_OP || c->size != 8) {
		same = new_calc(arena, CALC_OP, size, is_signed);
		same->op = C_CONVERT;
		same->a = c;
		return same;
	}
	same = new_calc(arena, CALC_OP, size, is_signed);
	*same = *c;
	same->is_signed = is_signed;
	return same;
}

void calc_split(const struct calc **c, int64_t *off)
{
	while (*c && (*c)->size == 8) {
		const struct calc *at = *c;

		if (at->kind == CALC_NUMBER) {
			*off = (int64_t)((uint64_t)*off + at->number);
			*c = NULL;
		} else if (at->kind == CALC_OP && at->op == C_ADD && at->b->kind == CALC_NUMBER && at->a->size == 8) {
			*off = (int64_t)((uint64_t)*off + at->b->number);
			*c = at->a;
		} else if (at->kind == CALC_OP && at->op == C_CONVERT && at->a->size == 8) {
			*c = at->a;
		} else {
			break;
		}
	}
}

unsigned calc_words(const struct calc *c)
{
	unsigned a = c->a ? calc_words(c->a) : 0, b;

	if (c->kind != CALC_OP || !c->b || c->b->kind == CALC_NUMBER)
		return a;
	b = calc_words(c->b);
	/* The part that comes second is calculated while the result of the first one is put aside. */
	return MAX(MAX(a, b), MIN(a, b) + 1);
}

bool calc_any_leaf(const struct calc *c, bool (*each)(void *ctx, const struct calc *leaf), void *ctx)
{
	if (!c)
		return false;
	if (c->kind == CALC_LEAF)
		return each(ctx, c);
	return calc_any_leaf(c->a, each, ctx) || calc_any_leaf(c->b, each, ctx);
}

bool calc_reads(const struct calc *c)
{
	return c && (c->kind == CALC_READ || calc_reads(c->a) || calc_reads(c->b));
}

/* ---- text ---- */

static void print_type(uint8_t size, bool is_signed, struct buf *out)
{
	buf_addf(out, "%c%u", is_signed ? 's' : 'u', size * 8u);
}

/* In C the least number is the negative of one that has another type. */
static bool has_cast(const struct calc *c)
{
	bool is_least = c->number == (c->size == 8 ? (uint64_t)INT64_MIN : (uint64_t)(int64_t)INT32_MIN);

	return !c->is_signed || c->size < 4 || is_least;
}

/* Does its text begin with '-'? */
static bool prints_minus(const struct calc *c)
{
	return c->kind == CALC_NUMBER && !has_cast(c) && (int64_t)c->number < 0;
}

static void print_number(const struct calc *c, struct buf *out)
{
	if (has_cast(c)) {
		buf_addc(out, '(');
		print_type(c->size, c->is_signed, out);
		buf_addc(out, ')');
	}
	if (c->is_signed && (int64_t)c->number < 0)
		buf_addf(out, "%lld", (long long)c->number);
	else
		buf_addf(out, c->number < 4096 ? "%llu" : "0x%llx", (unsigned long long)c->number);
	if (c->size == 8 && c->is_signed)
		buf_addc(out, 'l');
}

void calc_print_memory(const struct calc *at, int64_t off, uint8_t size, bool is_signed, bool user,
		       calc_leaf_fn *leaf, void *ctx, struct buf *out)
{
	buf_adds(out, "*(");
	print_type(size, is_signed, out);
	buf_adds(out, user ? " __user *)" : " *)");
	if (!at) {
		buf_addf(out, "0x%llx", (unsigned long long)off);
		return;
	}
	if (off)
		buf_addc(out, '(');
	calc_print(at, leaf, ctx, out);
	if (off)
		buf_addf(out, "%+lld)", (long long)off);
}

static void print_bits(const struct calc *c, calc_leaf_fn *leaf, void *ctx, struct buf *out)
{
	struct calc whole = *c;
	unsigned up = 64u - c->bit_off - c->bit_size, down = 64u - c->bit_size;

	whole.bit_off = whole.bit_size = 0;
	whole.size = c->kind == CALC_LEAF ? 8 : c->size;
	whole.is_signed = false;
	buf_adds(out, "((");
	print_type(c->size, c->is_signed, out);
	buf_adds(out, c->is_signed ? ")((s64)((u64)" : ")(((u64)");
	calc_print(&whole, leaf, ctx, out);
	buf_addf(out, "<<%u)>>%u))", up, down);
}

void calc_print(const struct calc *c, calc_leaf_fn *leaf, void *ctx, struct buf *out)
{
	if ((c->kind == CALC_LEAF || c->kind == CALC_READ) && c->bit_size) {
		print_bits(c, leaf, ctx, out);
		return;
	}
	switch (c->kind) {
	case CALC_LEAF:
		if (c->size != 8 || c->is_signed) {
			buf_addc(out, '(');
			print_type(c->size, c->is_signed, out);
			buf_addc(out, ')');
		}
		leaf(ctx, c->leaf, out);
		break;
	case CALC_NUMBER:
		print_number(c, out);
		break;
	case CALC_READ:
		calc_print_memory(c->a, c->off, c->size, c->is_signed, c->user, leaf, ctx, out);
		break;
	case CALC_OP:
		buf_adds(out, "((");
		print_type(c->size, c->is_signed, out);
		buf_adds(out, c->b ? ")(" : ")");
		if (!c->b)
			buf_adds(out, c_op_text(c->op));
		calc_print(c->a, leaf, ctx, out);
		if (c->b) {
			if (c->op != C_ADD || !prints_minus(c->b))
				buf_adds(out, c_op_text(c->op));
			calc_print(c->b, leaf, ctx, out);
			buf_addc(out, ')');
		}
		buf_addc(out, ')');
		break;
	}
}
