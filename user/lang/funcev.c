// SPDX-License-Identifier: GPL-2.0-only
/*
 * funcev.c - function_events: a function's prototype, and which fields behind its arguments to read.
 *
 * [N] and +N have the meaning of the source where the document differs from it: a +N behind the
 * last [N] of a number is added to the number that was read, without another read.
 */
#include "lang/funcev.h"

#include <errno.h>

#include "lang/arg.h"
#include "lang/filter.h"
#include "lang/funcev_priv.h"
#include "lang/name.h"
#include "lang/type.h"

enum { MAX_PARAMS = 6, STRING_STRIDE = 4 };	/* a string's element was a 32-bit locator */

/* One [N] or +N. */
struct step {
	bool index;
	uint64_t n;
	struct span at;
};

/* ---- what is fetched ---- */

static struct expr *expr_new(const struct cursor *c, enum expr_kind kind, struct expr *inner, int64_t off)
{
	struct expr *e = arena_new(c->p->arena, struct expr);

	e->kind = kind;
	e->inner = inner;
	e->off = off;
	if (inner)
		e->at = inner->at;
	return e;
}

/*
 * The steps behind a name. +N adds bytes to the address; [N] adds elements, and reads. Such a read
 * gives a pointer, but the last [N] of a number reads the number. An array or text is at the address
 * that all steps give.
 */
static struct expr *follow(const struct cursor *c, struct expr *e, const struct step *steps, unsigned nr,
			   const struct type *type)
{
	bool lies_there = type->count || type->kind == TYPE_STRING;
	uint64_t stride = type->kind == TYPE_STRING ? STRING_STRIDE : type->size;
	int64_t off = 0;

	for (unsigned i = 0; i < nr; i++) {
		off += (int64_t)(steps[i].n * (steps[i].index ? stride : 1));
		if (steps[i].index) {
			e = expr_new(c, EXPR_DEREF, e, off);
			off = 0;
		}
	}
	if (lies_there)
		return expr_new(c, EXPR_DEREF, e, off);
	return off ? expr_new(c, EXPR_SUM, e, off) : e;
}

/* Parses all [N] and +N from the token on. */
static int steps_parse(struct cursor *c, struct step **ret, unsigned *ret_nr)
{
	struct step *steps = arena_array(c->p->arena, struct step, c->rest.len / 2 + 2);
	unsigned nr = 0;
	int err = 0;

	while (!err && (cursor_is(c, "[") || cursor_is(c, "+"))) {
		struct step *step = &steps[nr++];

		step->index = cursor_is(c, "[");
		cursor_next(c);
		step->at = c->token;
		err = cursor_number(c, &step->n);
		if (!err && step->n > INT32_MAX)
			err = diag_at(c->p->diag, -ERANGE, step->at, "the offset '%s' is too large",
				      span_quote(c->p, step->at));
		if (!err && step->index && !cursor_take(c, "]"))
			err = cursor_unexpected(c, "']'");
	}
	*ret = steps;
	*ret_nr = nr;
	return err;
}

static int refuse_retval(const struct cursor *c, struct span at)
{
	int err = diag_at(c->p->diag, -EINVAL, at, "there is no $retval at a function's entry");

	diag_note(c->p->diag, "help: write r before the prototype");
	return err;
}

/* Parses 0xADDR, $SYM or $retval. The current token is its first one. */
static int source_parse(struct cursor *c, const struct type *type, struct expr **ret)
{
	struct expr *e = expr_new(c, EXPR_MEM, NULL, 0);
	int err;

	e->at = c->token;
	if (span_starts(c->p, c->token, "0x")) {
		err = cursor_number(c, &e->value);
		if (!err)
			*ret = e;
		return err;
	}
	if (!cursor_take(c, "$"))
		return cursor_unexpected(c, "a name, 0xADDRESS or $SYMBOL");
	if (!cursor_is_name(c))
		return cursor_unexpected(c, "a symbol's name after '$'");
	e->at.len = c->token.off + c->token.len - e->at.off;
	if (cursor_is(c, "retval")) {
		if (c->p->def->kind != DEF_RETURN)
			return refuse_retval(c, e->at);
		e->kind = EXPR_RETVAL;
		*ret = follow(c, e, NULL, 0, type);
	} else {
		e->kind = EXPR_MEMSYM;
		e->name = span_dup(c->p, c->token);
		e->name_at = c->token;
		*ret = e;
	}
	cursor_next(c);
	return 0;
}

/* ---- fields ---- */

static int check_field(struct cursor *c, struct arg *arg)
{
	struct parse *p = c->p;
	unsigned i = p->def->nr_args;
	int err;

	arg->body_at = arg->at;
	arg->expr->at = arg->at;
	if (arg->name_at.len > LANG_MAX_ARG_NAME)
		return diag_at(p->diag, -EINVAL, arg->name_at, "the field's name has %u bytes, at most %d fit",
			       arg->name_at.len, LANG_MAX_ARG_NAME);
	if (i == LANG_MAX_ARGS)
		return diag_at(p->diag, -E2BIG, arg->at, "a definition can have at most %d fields", LANG_MAX_ARGS);
	err = arg_check_name(p, arg, i);
	return err ? err : type_check(p, arg);
}

static void add_field(struct cursor *c, const struct arg *arg)
{
	struct probe_def *def = c->p->def;

	def->args = arena_grow(c->p->arena, def->args, def->nr_args, &c->room);
	def->args[def->nr_args++] = *arg;
}

/* TYPE 0xADDR, TYPE $SYM: the text of what is read becomes the name, if it can be a name. */
static int unnamed_parse(struct cursor *c, struct arg *arg)
{
	int err = source_parse(c, &arg->type, &arg->expr);

	if (err)
		return err;
	arg->name = arg->expr->name;
	arg->name_at = arg->expr->name_at;
	if (arg->expr->kind == EXPR_MEMSYM)
		return 0;
	arg->name = arena_printf(c->p->arena, "arg%u", c->p->def->nr_args + 1);
	if (arg->expr->kind == EXPR_MEM)
		arg->label = span_dup(c->p, arg->expr->at);
	else
		arg->name = "retval";
	return 0;
}

static int too_many(const struct cursor *c, struct span at)
{
	return diag_at(c->p->diag, -EINVAL, at, "too many arguments: %d are passed in registers", MAX_PARAMS);
}

/* NAME and its steps, or NAME=SOURCE. *ret_from_param: the value comes from the function's argument. */
static int named_parse(struct cursor *c, struct arg *arg, bool *ret_from_param)
{
	struct step *steps;
	struct expr *e;
	unsigned nr;
	int err;

	arg->name = span_dup(c->p, c->token);
	arg->name_at = c->token;
	cursor_next(c);
	if (cursor_take(c, "="))
		return source_parse(c, &arg->type, &arg->expr);
	if (c->param == MAX_PARAMS)
		return too_many(c, arg->name_at);
	*ret_from_param = true;
	err = steps_parse(c, &steps, &nr);
	if (err)
		return err;
	e = expr_new(c, EXPR_ARG, NULL, 0);
	e->at = arg->name_at;
	e->n = c->param + 1;
	arg->expr = follow(c, e, steps, nr, &arg->type);
	return 0;
}

static int one_parse(struct cursor *c, bool *ret_from_param)
{
	struct arg arg = { .at = c->token };
	int err = 0;

	*ret_from_param = false;
	if (!cursor_is(c, "$"))		/* $retval needs no type: the function's return type is used */
		err = cursor_type(c, &arg.type);
	if (err)
		return err;
	if (cursor_is_name(c))
		err = named_parse(c, &arg, ret_from_param);
	else if (cursor_is(c, "$") || cursor_is_number(c))
		err = unnamed_parse(c, &arg);
	else
		err = cursor_unexpected(c, "a name");
	if (err)
		return err;
	arg.at = cursor_since(c, arg.at.off);
	if (arg.type.kind == TYPE_NONE && arg.expr->kind != EXPR_RETVAL)
		return diag_at(c->p->diag, -EINVAL, arg.at, "no type before '%s'", span_quote(c->p, arg.at));
	err = check_field(c, &arg);
	if (!err)
		add_field(c, &arg);
	return err;
}

/* One argument of the function, or memory, which does not count as an argument. */
static int arg_parse(struct cursor *c)
{
	struct span at = c->token;
	bool from_param, first = true, counts = false;
	int err;

	if (cursor_take(c, "NULL")) {
		if (!cursor_is(c, ",") && !cursor_is(c, ")"))
			return cursor_unexpected(c, "',' or ')' after NULL");
		if (c->param++ == MAX_PARAMS)
			return too_many(c, at);
		return 0;
	}
	do {
		err = one_parse(c, &from_param);
		counts = counts || (first && from_param);
		first = false;
	} while (!err && cursor_take(c, "|"));
	if (!err && counts)
		c->param++;
	return err;
}

/* ---- the complete definition ---- */

static const char parent_name[] = "__parent";

/* The caller of the function, with which a line begins. */
static struct arg parent_arg(struct arena *arena, const struct probe_def *def)
{
	struct expr *e = arena_new(arena, struct expr);

	e->kind = EXPR_STACKN;
	e->at = def->place.at;
	return (struct arg){ .name = parent_name, .type = { .kind = TYPE_SYMBOL, .size = 8 }, .expr = e,
			     .at = def->place.at, .body_at = def->place.at };
}

static void add_parent(struct cursor *c)
{
	struct arg arg = parent_arg(c->p->arena, c->p->def);

	add_field(c, &arg);
	c->p->def->has_parent = true;
}

bool funcev_lacks_parent(const struct probe_def *def)
{
	const struct place *place = &def->place;

	if (def->kind != DEF_ENTRY || def->has_parent || !place->symbol || place->off || place->pattern || place->in_source ||
	    def->nr_args == LANG_MAX_ARGS)
		return false;
	for (unsigned i = 0; i < def->nr_args; i++) {
		if (!strcmp(def->args[i].name, parent_name))
			return false;
	}
	return true;
}

void funcev_give_parent(struct arena *arena, struct probe_def *def)
{
	struct arg *args;

	if (!funcev_lacks_parent(def))
		return;
	args = arena_array(arena, struct arg, def->nr_args + 1);
	args[0] = parent_arg(arena, def);
	if (def->nr_args)
		memcpy(args + 1, def->args, def->nr_args * sizeof(*args));
	def->args = args;
	def->nr_args++;
	def->has_parent = true;
	def->from_tree = true;
}

/* Parses [r] FUNC and the '(' behind it. A function's name may have dots (f.isra.0). */
static int function_parse(struct cursor *c)
{
	struct probe_def *def = c->p->def;
	struct span at;

	def->head_at = c->token;
	if (cursor_is(c, "r")) {
		struct cursor ahead = *c;

		cursor_next(&ahead);
		if (cursor_is_name(&ahead)) {
			*c = ahead;
			def->kind = DEF_RETURN;
		}
	}
	if (!cursor_is_name(c))
		return cursor_unexpected(c, "a function's name");
	at = c->token;
	for (cursor_next(c); c->token.off == at.off + at.len &&
	     (cursor_is(c, ".") || (c->token.len && cursor_is_word(*span_ptr(c->p, c->token)))); cursor_next(c))
		at.len = c->token.off + c->token.len - at.off;
	def->place = (struct place){ .symbol = span_dup(c->p, at), .at = at, .symbol_at = at };
	return cursor_take(c, "(") ? 0 : cursor_unexpected(c, "'('");
}

static void name_event(struct parse *p)
{
	char *name = span_dup(p, span_head(p->def->place.at, MIN(p->def->place.at.len, (uint32_t)LANG_MAX_EVENT_NAME)));

	for (char *s = name; *s; s++) {
		if (*s == '.')
			*s = '_';
	}
	p->def->group = "functions";
	p->def->event = name;
}

/* Parses the filter behind 'if', which is the current token. */
static int take_filter(struct cursor *c)
{
	struct parse *p = c->p;
	uint32_t off = c->token.off + c->token.len;
	struct span at = { off, filter_length(p->text + off, (uint32_t)strlen(p->text + off)) };

	return filter_parse(p->arena, p->text, at, &p->def->filter, p->diag);
}

static int event_parse(struct cursor *c)
{
	int err = function_parse(c);

	if (err)
		return err;
	name_event(c->p);
	if (c->p->def->kind == DEF_ENTRY)
		add_parent(c);
	if (!cursor_is(c, ")")) {
		do
			err = arg_parse(c);
		while (!err && cursor_take(c, ","));
	}
	if (!err && !cursor_take(c, ")"))
		err = cursor_unexpected(c, "',' or ')'");
	if (!err && cursor_is(c, "if"))
		return take_filter(c);
	if (!err && c->token.len)
		err = cursor_unexpected(c, "the end");
	return err;
}

/* The length of the text in front of its filter. An 'if' begins a filter only directly behind the parenthesis. */
static size_t definition_length(const struct parse *p)
{
	size_t all = strlen(p->text), close = strcspn(p->text, ")#");
	const char *s = p->text + close + 1;

	if (p->text[close] != ')')
		return all;
	s += strspn(s, PARSE_SPACE);
	return strncmp(s, "if", 2) || cursor_is_word(s[2]) ? all : (size_t)(s - p->text);
}

bool funcev_looks_like(const char *text)
{
	size_t open = strcspn(text, "(#"), len;

	if (text[open] != '(')
		return false;
	text += strspn(text, PARSE_SPACE);
	if (*text == 'r' && text[1] && strchr(PARSE_SPACE, text[1]))
		text += 1 + strspn(text + 1, PARSE_SPACE);
	len = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.");
	return len && !char_is_digit(*text) && text[len + strspn(text + len, PARSE_SPACE)] == '(';
}

int funcev_parse(struct arena *arena, const char *text, struct probe_def **ret_def, struct diag *diag)
{
	struct parse p = { .arena = arena, .diag = diag };
	size_t len = strcspn(text, "\n");
	struct cursor c = { .p = &p };
	int err;

	p.text = arena_strndup(arena, text, len);
	err = text_check(text, definition_length(&p), diag);
	if (err)
		return err;
	c.rest.len = (uint32_t)strcspn(p.text, "#");
	cursor_next(&c);
	if (!c.token.len) {
		*ret_def = NULL;
		return 0;
	}
	p.def = arena_new(arena, struct probe_def);
	p.def->text = p.text;
	p.def->dialect = DIALECT_FUNCTION;
	p.def->from_tree = true;
	err = event_parse(&c);
	if (err)
		diag->text = p.text;
	else
		*ret_def = p.def;
	return err;
}
