// SPDX-License-Identifier: GPL-2.0-only
/*
 * parse.c - the text of a C expression becomes a tree.
 *
 * The grammar is that of C without calls, assignments, '/', '%', '?', "&&" and "||". Two things are as in the kernel's probe language:
 * words (%REG, $arg1, @SYM, +8(...)) are operands, and a cast to a structure belongs to the operand behind it, not to a field of that:
 * (file)$arg1->f_mode is ((struct file *)$arg1)->f_mode.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "cexpr/cexpr.h"
#include "cexpr/type_name.h"
#include "cexpr/word.h"

enum { DEEPEST = 64 };

struct input {
	struct cexpr_text *t;
	const char *at, *end;
	unsigned depth;
};

static struct cexpr *parse_unary(struct input *r);
static struct cexpr *parse_binary(struct input *r, unsigned least);

static bool is_alpha(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_name_char(char c)
{
	return is_alpha(c) || is_digit(c);
}

static char peek(const struct input *r, size_t n)
{
	return (size_t)(r->end - r->at) > n ? r->at[n] : '\0';
}

static void skip_space(struct input *r)
{
	while (r->at < r->end && strchr(" \t\n\v\f\r", *r->at))
		r->at++;
}

static bool starts(const struct input *r, const char *word)
{
	size_t len = strlen(word);

	return (size_t)(r->end - r->at) >= len && !memcmp(r->at, word, len);
}

static bool take(struct input *r, const char *word)
{
	skip_space(r);
	if (!starts(r, word))
		return false;
	r->at += strlen(word);
	return true;
}

static uint32_t off_of(const struct input *r, const char *at)
{
	return r->t->off + (uint32_t)(at - r->t->text);
}

static struct span span_of(const struct input *r, const char *start)
{
	return (struct span){ off_of(r, start), (uint32_t)(r->at - start) };
}

/* Keeps the first error only. */
static void *fails(struct input *r, struct span at, const char *msg, const char *help)
{
	struct cexpr_text *t = r->t;

	if (!t->msg) {
		t->at = at;
		t->msg = msg;
		t->help = help;
	}
	return NULL;
}

/* What is at the place that is looked at now, for a message. */
static void *fails_here(struct input *r, const char *expected)
{
	struct span at;

	skip_space(r);
	at = (struct span){ off_of(r, r->at), r->at < r->end };
	if (r->at == r->end)
		return fails(r, at, arena_printf(r->t->arena, "the expression ends where %s is expected", expected), NULL);
	return fails(r, at, arena_printf(r->t->arena, "'%.*s' where %s is expected", (int)MIN(r->end - r->at, 16), r->at, expected), NULL);
}

static struct cexpr *new_expr(struct input *r, enum cexpr_kind kind, const char *start, const struct cexpr *inner)
{
	struct cexpr *e = arena_new(r->t->arena, struct cexpr);

	*e = (struct cexpr){ .kind = kind, .inner = inner, .at = span_of(r, start) };
	return e;
}

/* What stands where the expression should go on or end. */
static void *refuse_rest(struct input *r, const char *expected)
{
	static const struct { const char *text, *msg, *help; } known[] = {
		{ "&&", "a probe cannot evaluate '&&'", "a condition belongs into a filter: if A && B" },
		{ "||", "a probe cannot evaluate '||'", "a condition belongs into a filter: if A || B" },
		{ "/", "a probe cannot divide", "fetch both numbers; '>>' divides by a power of two" },
		{ "%", "a probe cannot divide", "'&' gives the rest of a division by a power of two" },
		{ "?", "a probe cannot choose with '?'", NULL },
		{ "=", "a probe cannot assign", "'==' compares" },
		{ "(", "a probe cannot call a function", NULL },
		{ "++", "a probe cannot assign", NULL },
	};

	skip_space(r);
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		if (starts(r, known[i].text)) {
			return fails(r, (struct span){ off_of(r, r->at), (uint32_t)strlen(known[i].text) }, known[i].msg, known[i].help);
		}
	}
	return fails_here(r, expected);
}

/* ---- operands ---- */

/* A name; in C++ a variable may have namespaces and classes in front of it. */
static const char *take_name(struct input *r, struct span *ret_at)
{
	const char *start;

	skip_space(r);
	start = r->at;
	if (!is_alpha(peek(r, 0)))
		return NULL;
	while (is_name_char(peek(r, 0)) || (peek(r, 0) == ':' && peek(r, 1) == ':'))
		r->at += 1 + (*r->at == ':');
	*ret_at = span_of(r, start);
	return arena_strndup(r->t->arena, start, (size_t)(r->at - start));
}

/* The type of a number is the first that can hold it: int, (unsigned, if it is not decimal), long, unsigned long. */
static void number_type(struct cexpr *e, bool is_decimal, bool is_unsigned, bool is_long)
{
	e->size = e->n > UINT32_MAX || is_long || (is_decimal && !is_unsigned && e->n > INT32_MAX) ? 8 : 4;
	e->is_signed = !is_unsigned && e->n <= (e->size == 4 ? (uint64_t)INT32_MAX : (uint64_t)INT64_MAX);
}

static struct cexpr *parse_number(struct input *r)
{
	const char *start = r->at;
	char *text, *end;
	bool is_unsigned = false, is_long = false;
	struct cexpr *e;
	uint64_t n;

	while (is_name_char(peek(r, 0)))
		r->at++;
	text = arena_strndup(r->t->arena, start, (size_t)(r->at - start));
	errno = 0;
	n = strtoull(text, &end, 0);
	if (errno || end == text)
		return fails(r, span_of(r, start), arena_printf(r->t->arena, "'%s' does not fit in 64 bits", text), NULL);
	for (; *end && strchr("uUlL", *end); end++) {
		is_unsigned |= *end == 'u' || *end == 'U';
		is_long |= *end == 'l' || *end == 'L';
	}
	if (*end)
		return fails(r, span_of(r, start), arena_printf(r->t->arena, "'%s' is not a number", text), NULL);
	e = new_expr(r, CEXPR_NUMBER, start, NULL);
	e->n = n;
	number_type(e, *text != '0', is_unsigned, is_long);
	return e;
}

/* 'a'. C has it as an int. */
static struct cexpr *parse_char(struct input *r)
{
	const char *start = r->at;
	struct cexpr *e;

	if (peek(r, 2) != '\'' || peek(r, 1) == '\\' || peek(r, 1) == '\'')
		return fails(r, (struct span){ off_of(r, start), 1 }, "a character is written 'a'", "write its number for any other");
	r->at += 3;
	e = new_expr(r, CEXPR_NUMBER, start, NULL);
	e->n = (unsigned char)start[1];
	e->size = 4;
	e->is_signed = true;
	return e;
}

static struct cexpr *parse_word(struct input *r, size_t len)
{
	const char *start = r->at;
	struct cexpr *e;

	r->at += len;
	e = new_expr(r, CEXPR_WORD, start, NULL);
	e->name = arena_strndup(r->t->arena, start, len);
	e->name_at = e->at;
	return r->t->word && r->t->word(r->t->ctx, e) ? NULL : e;
}

/* ---- casts ---- */

/* Can what stands here begin an operand, and not only go on with an expression? */
static bool begins_operand(const struct input *r)
{
	char c = peek(r, 0);

	return is_name_char(c) || (c && strchr("$%@(~!'", c)) || word_is_deref(r->at, (size_t)(r->end - r->at));
}

/* MEMBER.MEMBER of (STRUCT,MEMBER). */
static bool take_members(struct input *r, struct cexpr *cast)
{
	const char *start;
	struct span at;

	skip_space(r);
	start = r->at;
	do {
		if (!take_name(r, &at))
			return false;
	} while (take(r, "."));
	cast->name_at = span_of(r, start);
	cast->name = arena_strndup(r->t->arena, start, cast->name_at.len);
	return true;
}

/*
 * Tries to read "(TYPE)" or "(TYPE,MEMBER)". Without a sign of a type (a keyword, a '*', a number's name) the parentheses may also be
 * around a variable: then what follows tells.
 */
static struct cexpr *take_cast(struct input *r)
{
	const char *start = r->at;
	struct cexpr *cast = arena_new(r->t->arena, struct cexpr);
	struct cexpr_type *type = arena_new(r->t->arena, struct cexpr_type);
	bool is_sure, is_cast;
	size_t len;

	*cast = (struct cexpr){ .kind = CEXPR_CAST, .type = type };
	r->at++;
	skip_space(r);
	*type = (struct cexpr_type){ .at = { off_of(r, r->at), 0 } };
	len = type_name_parse(r->t->arena, r->at, (size_t)(r->end - r->at), type, &is_sure);
	type->at.len = (uint32_t)len;
	r->at += len;
	is_cast = len && (!take(r, ",") || take_members(r, cast)) && take(r, ")");
	skip_space(r);
	if (is_cast && (is_sure || cast->name || begins_operand(r)))
		return cast;
	r->at = start;
	return NULL;
}

/* Does the cast name a structure to which the operand points? Then it belongs to the operand alone. */
static bool is_structure_cast(const struct cexpr *cast)
{
	const struct cexpr_type *t = cast->type;

	return !t->is_number && !t->is_void && t->tag != C_TAG_ENUM && t->pointers <= 1;
}

static struct cexpr *parse_primary(struct input *r);

static struct cexpr *parse_cast(struct input *r, struct cexpr *cast, const char *start)
{
	if (++r->depth > DEEPEST)
		return fails_here(r, "a simpler expression");
	cast->inner = is_structure_cast(cast) ? parse_primary(r) : parse_unary(r);
	r->depth--;
	if (cast->inner && is_structure_cast(cast) && cast->inner->kind == CEXPR_WORD && *cast->inner->name == '@' && strpbrk(cast->inner->name, "+-") &&
	    r->at[-1] != ')')
		return fails(r, cast->inner->at, arena_printf(r->t->arena, "the kernel reads '%s' behind a cast only in parentheses", cast->inner->name),
			     arena_printf(r->t->arena, "write (%s)", cast->inner->name));
	cast->at = span_of(r, start);
	return cast->inner ? cast : NULL;
}

/* ---- the grammar ---- */

static struct cexpr *parse_primary(struct input *r)
{
	const char *start;
	struct cexpr *e;
	size_t len;

	skip_space(r);
	start = r->at;
	len = word_length(r->at, (size_t)(r->end - r->at));
	if (len)
		return parse_word(r, len);
	if (is_digit(peek(r, 0)))
		return parse_number(r);
	if (peek(r, 0) == '\'')
		return parse_char(r);
	if (peek(r, 0) == '(') {
		struct cexpr *cast = take_cast(r);

		if (cast)
			return parse_cast(r, cast, start);
		r->at++;
		e = parse_binary(r, 0);
		if (e && !take(r, ")"))
			return refuse_rest(r, "')'");
		return e;
	}
	e = new_expr(r, CEXPR_NAME, start, NULL);
	e->name = take_name(r, &e->name_at);
	e->at = e->name_at;
	return e->name ? e : fails_here(r, "a name, a number or '('");
}

static struct cexpr *parse_index(struct input *r, const char *start, const struct cexpr *inner)
{
	struct cexpr *e = new_expr(r, CEXPR_INDEX, start, inner);

	e->right = parse_binary(r, 0);
	if (!e->right)
		return NULL;
	if (!take(r, "]"))
		return refuse_rest(r, "']'");
	e->at = span_of(r, start);
	return e;
}

static struct cexpr *parse_postfix(struct input *r)
{
	const char *start;
	struct cexpr *inner, *e;

	skip_space(r);
	start = r->at;
	inner = parse_primary(r);
	while (inner) {
		if (take(r, "[")) {
			e = parse_index(r, start, inner);
			if (!e)
				return NULL;
		} else if (take(r, "->") || take(r, ".")) {
			e = new_expr(r, r->at[-1] == '>' ? CEXPR_ARROW : CEXPR_FIELD, start, inner);
			e->name = take_name(r, &e->name_at);
			if (!e->name)
				return fails_here(r, "the name of a member");
			e->at = span_of(r, start);
		} else {
			return inner;
		}
		inner = e;
	}
	return NULL;
}

/* A cast to a number or to a pointer that is none of a structure stands in front of a whole operand. */
static struct cexpr *parse_unary(struct input *r)
{
	static const struct { char sign; enum cexpr_kind kind; enum c_op op; } signs[] = {
		{ '*', CEXPR_DEREF, 0 }, { '&', CEXPR_ADDRESS, 0 }, { '-', CEXPR_UNARY, C_NEG }, { '~', CEXPR_UNARY, C_NOT },
		{ '!', CEXPR_UNARY, C_IS_ZERO },
	};
	const char *start;
	struct cexpr *e;

	skip_space(r);
	start = r->at;
	for (size_t i = 0; !word_is_deref(r->at, (size_t)(r->end - r->at)) && i < ARRAY_SIZE(signs); i++) {
		if (peek(r, 0) != signs[i].sign)
			continue;
		if (++r->depth > DEEPEST)
			return fails_here(r, "a simpler expression");
		r->at++;
		e = new_expr(r, signs[i].kind, start, NULL);
		e->op = signs[i].op;
		e->inner = parse_unary(r);
		r->depth--;
		e->at = span_of(r, start);
		return e->inner ? e : NULL;
	}
	return parse_postfix(r);
}

struct binary {
	const char *text;
	enum c_op op;
	unsigned level;			/* what binds stronger has a higher one */
};

static const struct binary binaries[] = {
	{ "<<", C_SHL, 6 }, { ">>", C_SHR, 6 }, { "<=", C_LE, 5 }, { ">=", C_GE, 5 }, { "==", C_EQ, 4 }, { "!=", C_NE, 4 },
	{ "<", C_LT, 5 }, { ">", C_GT, 5 }, { "+", C_ADD, 7 }, { "-", C_SUB, 7 }, { "*", C_MUL, 8 }, { "&", C_AND, 3 }, { "^", C_XOR, 2 },
	{ "|", C_OR, 1 },
};

static const struct binary *binary_here(struct input *r)
{
	skip_space(r);
	if (starts(r, "&&") || starts(r, "||"))
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(binaries); i++) {
		if (starts(r, binaries[i].text))
			return &binaries[i];
	}
	return NULL;
}

const char *c_op_text(enum c_op op)
{
	for (size_t i = 0; i < ARRAY_SIZE(binaries); i++) {
		if (binaries[i].op == op)
			return binaries[i].text;
	}
	return op == C_NEG ? "-" : op == C_NOT ? "~" : op == C_IS_ZERO ? "!" : "";
}

/* An operand, and all operators behind it that are of level @least or higher. */
static struct cexpr *parse_binary(struct input *r, unsigned least)
{
	const struct binary *b;
	const char *start;
	struct cexpr *left;

	skip_space(r);
	start = r->at;
	if (++r->depth > DEEPEST)
		return fails_here(r, "a simpler expression");
	left = parse_unary(r);
	while (left && (b = binary_here(r)) && b->level >= least) {
		struct cexpr *e;

		r->at += strlen(b->text);
		e = new_expr(r, CEXPR_BINARY, start, left);
		e->op = b->op;
		e->right = parse_binary(r, b->level + 1);
		e->at = span_of(r, start);
		left = e->right ? e : NULL;
	}
	r->depth--;
	return left;
}

const struct cexpr *cexpr_parse(struct cexpr_text *t)
{
	struct input r = { .t = t, .at = t->text, .end = t->text + t->len };
	struct cexpr *e;

	t->msg = t->help = NULL;
	e = parse_binary(&r, 0);
	if (!e)
		return NULL;
	skip_space(&r);
	if (r.at == r.end)
		return e;
	refuse_rest(&r, "an operator");
	return NULL;
}
