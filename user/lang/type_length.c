// SPDX-License-Identifier: GPL-2.0-only
/*
 * type_length.c - the types with a length: bytes(LENGTH) and hex(LENGTH).
 *
 *	LENGTH		a number; NAME of another argument; EXPRESSION or EXPRESSION:TYPE, as an argument without a name is written
 *
 * The text between the parentheses is kept until all arguments have their names.
 */
#include "lang/type_length.h"

#include <errno.h>

#include "base/number.h"
#include "lang/expr.h"
#include "lang/type.h"
#include "lang/type_words.h"

bool length_splits(const struct parse *p, struct span at, struct type *type)
{
	uint32_t open = span_find(p, at, "([");
	const struct type_word *word = type_word_find(span_ptr(p, at), open);

	if (open == at.len || span_ptr(p, at)[open] != '(' || !word || word->kind != TYPE_BUFFER)
		return false;
	type->kind = word->kind;
	type->show = word->show;
	type->count_at = span_tail(at, open);
	return true;
}

int length_missing(struct parse *p, struct span at)
{
	const char *word = span_quote(p, at);
	int err = diag_at(p->diag, -EINVAL, at, "'%s' needs the number of bytes", word);

	diag_note(p->diag, "help: write %s(LENGTH), where LENGTH is a number, the name of another argument, or what an argument can be", word);
	if (span_is(p, at, "hex"))
		diag_note(p->diag, "help: a number in hexadecimal has the type x64");
	return err;
}

static int check_number(struct parse *p, struct span at, uint64_t n, struct type *type)
{
	if (!n || n > LANG_MAX_BYTES)
		return diag_at(p->diag, n ? -E2BIG : -EINVAL, at, "a length of %llu bytes: it is 1 to %d", (unsigned long long)n, LANG_MAX_BYTES);
	type->bytes = (uint16_t)n;
	return 0;
}

static int refuse_rest(struct parse *p, const struct type *type, struct span rest)
{
	int err;

	if (*span_ptr(p, rest) != '[')
		return diag_at(p->diag, -EINVAL, rest, "'%s' after the last ')'", span_quote(p, rest));
	err = diag_at(p->diag, -EINVAL, type->at, "'%s' cannot be an array", type_word_of(type)->name);
	diag_note(p->diag, "help: fetch each of them as an argument of its own");
	return err;
}

int length_parse(struct parse *p, struct type *type)
{
	struct span inside = span_tail(type->count_at, 1), rest;
	uint32_t close = span_find_last(p, inside, ')');
	uint64_t n;

	if (close == inside.len)
		return diag_at(p->diag, -EINVAL, span_end(inside), "the length is not closed with ')'");
	rest = span_tail(inside, close + 1);
	inside = span_head(inside, close);
	if (rest.len)
		return refuse_rest(p, type, rest);
	type->count_at = inside;
	if (!inside.len)
		return length_missing(p, span_head(type->at, inside.off - 1 - type->at.off));
	if (!char_is_digit(*span_ptr(p, inside)))
		return 0;
	if (number_u64(span_ptr(p, inside), inside.len, 0, &n))
		return diag_at(p->diag, -EINVAL, inside, "'%s' is not a number of bytes", span_quote(p, inside));
	return check_number(p, inside, n, type);
}

/* Is it the name of another argument than @arg? */
static bool is_argument(const struct parse *p, struct span at, const struct arg *arg)
{
	for (unsigned i = 0; i < p->def->nr_args; i++) {
		const struct arg *other = &p->def->args[i];

		if (other != arg && other->name && !other->name_provisional && span_is(p, at, other->name))
			return true;
	}
	return false;
}

static int refuse_value(struct parse *p, const struct arg *length)
{
	int err = diag_at(p->diag, -EINVAL, length->body_at, "'%s' is no number, so it cannot be a length", span_quote(p, length->body_at));

	diag_note(p->diag, "help: a length is a number, the name of another argument, or what an argument can be, such as $retval");
	return err;
}

/* Can it be a number, as far as the text shows? */
static bool can_be_number(const struct arg *length)
{
	const struct type *type = &length->type;

	if (length->expr->kind == EXPR_COMM || length->expr->kind == EXPR_IMMSTR || length->expr->kind == EXPR_ELAPSED)
		return false;
	return type->kind == TYPE_NONE || (type_is_number(type) && type->kind != TYPE_SYMBOL && !type->count &&
					   (type->show == SHOW_PLAIN || type->show == SHOW_BIG_ENDIAN));
}

int length_parse_value(struct parse *p, struct arg *arg)
{
	struct span at = arg->type.count_at, text = span_head(at, span_find(p, at, ":"));
	struct arg *length = arena_new(p->arena, struct arg);
	int err = 0;

	if (arg->type.kind != TYPE_BUFFER || arg->type.bytes)
		return 0;
	*length = (struct arg){ .name = arg->name, .at = at, .body_at = at };
	if (is_argument(p, at, arg)) {
		length->expr = arena_new(p->arena, struct expr);
		*length->expr = (struct expr){ .kind = EXPR_VAR, .at = at, .name = span_dup(p, at), .name_at = at };
		length->name_at = at;
		arg->type.length = length;
		return 0;
	}
	if (text.len < at.len)
		err = type_parse(p, span_tail(at, text.len + 1), false, &length->type);
	if (!err)
		err = expr_parse(p, text, &length->expr);
	if (err)
		return err;
	if (length->expr->kind == EXPR_IMM && length->type.kind == TYPE_NONE)
		return check_number(p, at, length->expr->value, &arg->type);
	if (!can_be_number(length))
		return refuse_value(p, length);
	arg->type.length = length;
	return type_check(p, length);
}
