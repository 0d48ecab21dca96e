// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_cexpr.c - any bytes as a C expression (see fuzz.h): what is accepted has its parts inside the text. What it means is calculated
 * for types that this file makes up, over memory of chance; then what calc_print() writes is parsed again, and must give the same number.
 * Links only base/ and cexpr/.
 */
#include <ctype.h>

#include "cexpr/value.h"

static const char fuzz_name[] = "fuzz_cexpr";
static const char *const fuzz_seeds[] = {
	"p->a[3].b", "*p", "&p->s.a", "p[i].b+1", "((struct s *)(p->n + p->i))->s.a[i]", "(u8)i<<3|~p->i&-1", "*(s16 *)&p->i", "%0+8*(%1-1)",
	"p->f+p->g*2", "q-p", "(s,s.a)q", "(unsigned long)p>0x100ul==!i", "*(u32 __user *)(%3+i)", "p->a[(p->i)&1]", "'a'!=*(char *)%2",
	"$arg1[2]", "@sym+8", "(struct s *)%1->p->a[0]", "p->p->p->f",
};

static const char *const fuzz_words[] = {
	"p", "q", "i", "%0", "%1", "->", ".", "[", "]", "(", ")", "*", "&", "+", "-", "~", "!", "<<", ">>", "<", "<=", "==", "!=", "|", "^", "a", "b", "f",
	"g", "s", "n", "->p", "->a[", "1", "0xffffffffff", "0x7fffffff", "8ul", "'a'", "(u8)", "(s32)", "(unsigned long)", "(struct s *)", "(s,s.a)",
	"(char *)", "*(u16 *)", " ", "struct", "unsigned", "__user", "+8(", "@s", "$arg1", "this_cpu_ptr(", "&&", "/", "%", "\x80", "\x1b[",
};

#include "fuzz.h"

/* ---- a world of types: struct s { struct s *p; int a[4]; unsigned f:3, g:29; int i; struct { u8 a; s16 b; } s; u64 n; } ---- */

enum { T_S = 1, T_PTR, T_ARRAY, T_INT, T_UNSIGNED, T_INNER, T_U8, T_S16, T_U64 };
static const char any;

static struct c_type type(unsigned id)
{
	static const struct c_type types[] = {
		[T_S] = { .kind = C_STRUCT, .size = 48 }, [T_PTR] = { .kind = C_POINTER, .size = 8 }, [T_ARRAY] = { .kind = C_ARRAY, .size = 16 },
		[T_INT] = { .kind = C_NUMBER, .size = 4, .is_signed = true }, [T_UNSIGNED] = { .kind = C_NUMBER, .size = 4 },
		[T_INNER] = { .kind = C_STRUCT, .size = 4 }, [T_U8] = { .kind = C_NUMBER, .size = 1 },
		[T_S16] = { .kind = C_NUMBER, .size = 2, .is_signed = true }, [T_U64] = { .kind = C_NUMBER, .size = 8 },
	};
	struct c_type t = types[id];

	t.own = &any;
	t.own_id = id;
	return t;
}

static bool target(struct c_look *l, const struct c_type *t, const struct cexpr *e, struct c_type *ret)
{
	*ret = type(t->own_id == T_PTR ? T_S : T_INT);
	return t->own ? true : c_fails(l, e->at, NULL, "no target");
}

static bool member(struct c_look *l, const struct c_type *t, const struct cexpr *e, const char *name, struct span at, struct c_member *ret)
{
	static const struct { unsigned of; const char *name; unsigned type, off, bit_off, bit_size; } members[] = {
		{ T_S, "p", T_PTR, 0, 0, 0 }, { T_S, "a", T_ARRAY, 8, 0, 0 }, { T_S, "f", T_UNSIGNED, 24, 0, 3 }, { T_S, "g", T_INT, 24, 3, 29 },
		{ T_S, "i", T_INT, 28, 0, 0 }, { T_S, "s", T_INNER, 32, 0, 0 }, { T_S, "n", T_U64, 40, 0, 0 }, { T_INNER, "a", T_U8, 0, 0, 0 },
		{ T_INNER, "b", T_S16, 2, 0, 0 },
	};

	(void)e;
	for (size_t i = 0; i < ARRAY_SIZE(members); i++) {
		if (members[i].of != t->own_id || strcmp(members[i].name, name))
			continue;
		*ret = (struct c_member){ .type = type(members[i].type), .off = members[i].off, .bit_off = members[i].bit_off,
					  .bit_size = members[i].bit_size, .bit_bytes = members[i].bit_size ? 4 : 0 };
		return true;
	}
	return c_fails(l, at, NULL, "no member '%s'", name);
}

static bool named(struct c_look *l, const struct cexpr_type *name, struct c_type *ret)
{
	if (name->is_number)
		*ret = c_number_type(name->size, name->is_signed);
	else
		*ret = type(T_S);
	if (name->is_void)
		*ret = (struct c_type){ .kind = C_VOID };
	return name->is_void || name->is_number || !strcmp(name->name, "s") || c_fails(l, name->at, NULL, "no type '%s'", name->name);
}

/* p and q are pointers, i is a number. The words %0 to %9 are numbers of 64 bits. */
static bool operand(struct c_look *l, const struct cexpr *e, struct c_value *ret)
{
	static const char *const names[] = { "p", "q", "i" };
	static const char words[] = "0123456789abc";

	*ret = (struct c_value){ .where = C_RESULT };
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (strcmp(names[i], e->name))
			continue;
		ret->type = type(i < 2 ? T_PTR : T_INT);
		ret->is_known = true;
		ret->base = calc_leaf(l->arena, words + 10 + i, i < 2 ? 8 : 4, i == 2);
		return true;
	}
	if (*e->name != '%' || !strchr(words, e->name[1]) || !e->name[1] || e->name[2])
		return c_fails(l, e->at, NULL, "no operand");
	ret->base = calc_leaf(l->arena, strchr(words, e->name[1]), 8, false);
	return true;
}

static bool part(struct c_look *l, const struct cexpr *e, uint64_t size, struct c_value *v)
{
	(void)size;
	(void)v;
	return c_fails(l, e->at, NULL, "no parts");
}

static void refuse(struct c_look *l, struct span at, const char *msg, const char *help)
{
	(void)help;
	require(*msg != 0, "refused without a reason", l->own);
	check_span(at, l->own);
}

static const struct c_source source = { .operand = operand, .target = target, .member = member, .type = named, .part = part, .fail = refuse };

/* ---- what is calculated ---- */

static uint64_t mix(uint64_t n)
{
	n = (n ^ n >> 31) * 0x9e3779b97f4a7c15ull;
	return n ^ n >> 29;
}

static uint64_t extended(uint64_t n, unsigned size, bool is_signed)
{
	unsigned up = 64 - 8 * size;

	return is_signed ? (uint64_t)((int64_t)(n << up) >> up) : n << up >> up;
}

/* A byte of memory depends on its address alone, and on whose it is. */
static uint64_t load(uint64_t at, unsigned size, bool user)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < size; i++)
		n |= (mix(at + i + user * 7) & 0xff) << 8 * i;
	return n;
}

static uint64_t run(const struct calc *c)
{
	uint64_t n, a = c->a ? run(c->a) : 0, b = c->b ? run(c->b) : 0;

	switch (c->kind) {
	case CALC_NUMBER:
		return c->number;
	case CALC_LEAF:
	case CALC_READ:
		n = c->kind == CALC_LEAF ? mix(*(const char *)c->leaf) : load(a + (uint64_t)c->off, c->size, c->user);
		if (!c->bit_size)
			return extended(n, c->size, c->is_signed);
		n <<= 64 - c->bit_off - c->bit_size;
		return c->is_signed ? (uint64_t)((int64_t)n >> (64 - c->bit_size)) : n >> (64 - c->bit_size);
	default:
		break;
	}
	switch (c->op) {
	case C_ADD: n = a + b; break;
	case C_SUB: n = a - b; break;
	case C_MUL: n = a * b; break;
	case C_AND: n = a & b; break;
	case C_OR: n = a | b; break;
	case C_XOR: n = a ^ b; break;
	case C_SHL: n = a << (b & (c->size == 8 ? 63 : 31)); break;
	case C_SHR: b &= c->size == 8 ? 63 : 31; n = c->a->is_signed ? (uint64_t)((int64_t)a >> b) : a >> b; break;
	case C_LT: return c->a->is_signed ? (int64_t)a < (int64_t)b : a < b;
	case C_LE: return c->a->is_signed ? (int64_t)a <= (int64_t)b : a <= b;
	case C_GT: return c->a->is_signed ? (int64_t)a > (int64_t)b : a > b;
	case C_GE: return c->a->is_signed ? (int64_t)a >= (int64_t)b : a >= b;
	case C_EQ: return a == b;
	case C_NE: return a != b;
	case C_NEG: n = 0 - a; break;
	case C_NOT: n = ~a; break;
	case C_IS_ZERO: return !a;
	default: n = a; break;
	}
	return extended(n, c->size, c->is_signed);
}

static void print_leaf(void *ctx, const void *leaf, struct buf *out)
{
	(void)ctx;
	buf_addf(out, "%%%c", *(const char *)leaf);
}

/* ---- the checks ---- */

static void check_spans_of(const struct cexpr *e, const char *text)
{
	check_span(e->at, text);
	check_span(e->name_at, text);
	if (e->inner)
		check_spans_of(e->inner, text);
	if (e->right)
		check_spans_of(e->right, text);
}

static bool evaluate(struct arena *arena, const char *text, struct c_value *v)
{
	struct cexpr_text t = { .arena = arena, .text = text, .len = strlen(text) };
	struct c_look l = { .source = &source, .arena = arena, .own = (void *)(uintptr_t)text };
	const struct cexpr *e = cexpr_parse(&t);

	if (!e) {
		require(t.msg && *t.msg, "refused without a reason", text);
		check_span(t.at, text);
		return false;
	}
	check_spans_of(e, text);
	return c_evaluate(&l, e, v) && c_calculate(&l, e, v);
}

static unsigned depth_of(const struct calc *c)
{
	unsigned a = c ? depth_of(c->a) : 0, b = c ? depth_of(c->b) : 0;

	return c ? 1 + MAX(a, b) : 0;
}

static void check_text(const char *text)
{
	struct arena arena = { 0 };
	struct buf again = { 0 };
	struct c_value v, w;

	cexpr_looks_like_c(text, strlen(text));
	/* What is printed has up to five parentheses and casts for each step, and a text may have 64 inside each other. */
	if (strlen(text) < 4096 && evaluate(&arena, text, &v) && depth_of(v.base) <= 12) {
		calc_print(v.base, print_leaf, NULL, &again);
		require(evaluate(&arena, buf_str(&again), &w), "what is printed is refused", buf_str(&again));
		require(run(v.base) == run(w.base), "what is printed is another number", text);
		require(v.base->size == w.base->size, "... or one of another size", buf_str(&again));
	}
	buf_fini(&again);
	arena_fini(&arena);
}
