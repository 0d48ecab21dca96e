// SPDX-License-Identifier: GPL-2.0-only
/*
 * arg.c - the arguments of a definition.
 *
 * $arg* and a $argN without a name stand for parameters that only BTF knows. Here
 * they stay as typed, and the names that depend on them are provisional.
 */
#include "lang/arg.h"

#include <errno.h>

#include "lang/expr.h"
#include "lang/kind.h"
#include "lang/name.h"
#include "lang/place.h"
#include "lang/type.h"
#include "lang/type_length.h"
#include "lang/var.h"

/* Can a word that begins with $arg be a parameter? A field of an event may have such a name. */
static bool has_params(const struct parse *p)
{
	return !(kind_of(p->def->probe)->words & KIND_FIELDS);
}

/* Sets *ret_all to the index of $arg*, or to @nr if there is none. It may be used only once. */
static int args_find_all(struct parse *p, const struct span *words, unsigned nr,
			 unsigned *ret_all)
{
	unsigned all = nr;

	for (unsigned i = 0; has_params(p) && i < nr; i++) {
		bool is_all;
		int err;

		if (!span_starts(p, words[i], "$arg"))
			continue;
		err = var_check_args(p, words[i], &is_all);
		if (err)
			return err;
		if (is_all && all < nr)
			return diag_at(p->diag, -EINVAL, words[i], "$arg* can be used only once");
		if (is_all)
			all = i;
	}
	*ret_all = all;
	return 0;
}

static int arg_parse_name(struct parse *p, struct arg *arg, struct span name)
{
	int err;

	if (!name.len) {
		err = diag_at(p->diag, -EINVAL, span_head(arg->at, 1), "no name before '='");
		diag_note(p->diag, "help: write NAME%s, without a space", span_quote(p, arg->at));
		return err;
	}
	if (name.len > LANG_MAX_ARG_NAME)
		return diag_at(p->diag, -EINVAL, name,
			       "the argument's name has %u bytes, at most %d fit", name.len,
			       LANG_MAX_ARG_NAME);
	if (!name_is_ident(span_ptr(p, name), name.len)) {
		err = diag_at(p->diag, -EINVAL, name, "bad argument name '%s'",
			      span_quote(p, name));
		if (span_tail(arg->at, name.len + 1).len && (*span_ptr(p, span_tail(arg->at, name.len + 1)) == '=' || strchr("<>!", span_ptr(p, name)[name.len - 1])))
			diag_note(p->diag, "help: a comparison needs a name in front of it: x=%s", span_quote(p, arg->at));
		else if (span_starts(p, name, "\\\""))
			diag_note(p->diag, "help: a text that has '=' in it needs a name: NAME=%s",
				  span_quote(p, arg->at));
		else
			diag_note(p->diag, "help: a name has letters, digits and '_', and does not begin with a digit");
		return err;
	}
	arg->name = span_dup(p, name);
	arg->name_at = name;
	return 0;
}

static bool type_is_path(const struct parse *p, struct span body)
{
	uint32_t colon = span_find(p, body, ":");
	struct span type = span_tail(body, colon);

	return span_is(p, type, ":%pd") || span_is(p, type, ":%pD");
}

/* Where ":TYPE" begins. In C++ "::" is a part of a name. */
static uint32_t find_type(const struct parse *p, struct span at)
{
	uint32_t colon = span_find(p, at, ":");

	while (place_takes_c(p) && colon + 1 < at.len && span_ptr(p, at)[colon + 1] == ':')
		colon += 2 + span_find(p, span_tail(at, colon + 2), ":");
	return colon;
}

/*
 * Makes a name for an argument without one: the variable's name, else argN. For
 * %pd it is always argN, because the kernel rewrites %pd to a dereference before
 * it looks for a name.
 */
static void arg_make_name(struct parse *p, struct arg *arg, unsigned i, bool behind_all)
{
	struct span word = span_head(arg->at, find_type(p, arg->at));
	bool is_path = type_is_path(p, arg->at);

	if (!is_path && name_is_ident(span_ptr(p, word), word.len)) {
		arg->name = span_dup(p, word);
		return;
	}
	if (span_is(p, word, "$elapsed")) {
		arg->name = "elapsed";
		return;
	}
	arg->name = arena_printf(p->arena, "arg%u", i + 1);
	arg->name_provisional = behind_all ||
				(!is_path && has_params(p) && span_starts(p, arg->at, "$arg"));
}

int arg_check_name(struct parse *p, const struct arg *arg, unsigned i)
{
	struct span at = arg->name_at.len ? arg->name_at : arg->at;
	int err;

	if (arg->name_provisional)
		return 0;
	if (name_is_reserved(arg->name)) {
		err = diag_at(p->diag, -EINVAL, at, "every event has a field '%s' already",
			      arg->name);
		diag_note(p->diag, "help: give the argument another name");
		return err;
	}
	for (unsigned j = 0; j < i; j++) {
		const struct arg *other = &p->def->args[j];

		if (other->name_provisional || strcmp(other->name, arg->name))
			continue;
		err = diag_at(p->diag, -EINVAL, at, "argument %u is called '%s' already", j + 1,
			      arg->name);
		if (!arg->name_at.len)
			diag_note(p->diag, "help: without a name this argument gets the name '%s': write NAME=%s", arg->name,
				  span_quote(p, arg->at));
		return err;
	}
	return 0;
}

/* $comm may be a field of an event, of any type. */
static bool body_is_text(const struct parse *p, struct span body)
{
	if (kind_of(p->def->probe)->words & KIND_FIELDS)
		return span_starts(p, body, "\\\"");
	return span_is(p, body, "$comm") || span_is(p, body, "$COMM") ||
	       span_starts(p, body, "\\\"");
}

/* Is it "@NAME:NAME", where the second part cannot be a type? */
static bool body_is_module_symbol(const struct parse *p, struct span body)
{
	struct span rest = span_tail(body, 1), word;

	word = span_head(rest, span_find(p, rest, ":"));
	if (*span_ptr(p, body) != '@' || !name_is_ident(span_ptr(p, word), word.len))
		return false;
	rest = span_tail(rest, word.len + 1);
	word = span_head(rest, span_find(p, rest, "+-:"));
	return name_is_ident(span_ptr(p, word), word.len);
}

static int refuse_module(struct parse *p, struct span body)
{
	struct span type = span_tail(body, span_find(p, body, ":") + 1);
	int err = diag_at(p->diag, -EINVAL, type, "unknown type '%s'", span_quote(p, type));

	diag_note(p->diag, "help: if it is a module's symbol, write @%s without the module",
		  span_quote(p, type));
	return err;
}

/* EXPRESSION[:TYPE]. The first ':' separates the two, no matter where it is. */
static int arg_parse_body(struct parse *p, struct arg *arg)
{
	struct span body = arg->body_at;
	uint32_t colon = find_type(p, body);
	struct span expr_at = span_head(body, colon);
	int err;

	if (!body.len)
		return diag_at(p->diag, -EINVAL, body, "nothing to fetch after '='");
	if (body.len > LANG_MAX_ARG_TEXT)
		return diag_at(p->diag, -E2BIG, body,
			       "the argument has %u bytes, at most %d fit", body.len,
			       LANG_MAX_ARG_TEXT);
	if (colon < body.len) {
		bool is_text = body_is_text(p, expr_at) && !type_is_path(p, body);

		err = type_parse(p, span_tail(body, colon + 1), is_text, &arg->type);
		if (err)
			return body_is_module_symbol(p, body) ? refuse_module(p, body) : err;
	}
	p->c_tries = 0;
	return expr_parse(p, expr_at, &arg->expr);
}

/*
 * The smallest size of the argument in the record. Without a type, a parameter
 * may have only one byte: BTF decides.
 */
static unsigned arg_least_size(const struct arg *arg)
{
	unsigned count = arg->type.count ? arg->type.count : 1;

	switch (arg->expr->kind) {
	case EXPR_ARGS:
		return 0;
	case EXPR_VAR:
	case EXPR_FIELD:
	case EXPR_RETVAL:
	case EXPR_ARG:
	case EXPR_C:
		return arg->type.kind == TYPE_NONE ? 1 : type_slot_size(&arg->type) * count;
	default:
		return type_slot_size(&arg->type) * count;
	}
}

static int arg_check_size(struct parse *p, const struct arg *arg, unsigned *size)
{
	*size += arg_least_size(arg);
	if (*size <= LANG_MAX_RECORD)
		return 0;
	return diag_at(p->diag, -E2BIG, arg->body_at,
		       "the arguments up to here take %u bytes, at most %d fit", *size,
		       LANG_MAX_RECORD);
}

static int arg_parse(struct parse *p, struct arg *arg, unsigned i, bool behind_all)
{
	uint32_t equal = span_find(p, arg->at, "=");
	int err = 0;

	/* NAME==... */
	if (equal + 1 < arg->at.len && span_ptr(p, arg->at)[equal + 1] == '=' && name_is_ident(span_ptr(p, arg->at), equal)) {
		err = diag_at(p->diag, -EINVAL, arg->at, "a comparison needs a name in front of it");
		diag_note(p->diag, "help: write x=%s", span_quote(p, arg->at));
		return err;
	}
	if (equal < arg->at.len) {
		err = arg_parse_name(p, arg, span_head(arg->at, equal));
		arg->body_at = span_tail(arg->at, equal + 1);
	} else {
		arg_make_name(p, arg, i, behind_all);
		arg->body_at = arg->at;
	}
	if (!err)
		err = arg_check_name(p, arg, i);
	return err ? err : arg_parse_body(p, arg);
}

/* The kernel ignores what follows the '*', also a type: BTF has the types. */
static void arg_make_all(struct parse *p, struct arg *arg, unsigned i)
{
	arg->expr = arena_new(p->arena, struct expr);
	arg->expr->kind = EXPR_ARGS;
	arg->expr->at = span_head(arg->at, sizeof("$arg*") - 1);
	arg->body_at = arg->at;
	arg->name = arena_printf(p->arena, "arg%u", i + 1);
	arg->name_provisional = true;
}

static int args_check_count(struct parse *p, const struct span *words, unsigned nr)
{
	if (nr <= LANG_MAX_ARGS)
		return 0;
	return diag_at(p->diag, -E2BIG, words[LANG_MAX_ARGS],
		       "%u arguments: a definition can have at most %d", nr, LANG_MAX_ARGS);
}

/* With a name or without one. */
static bool is_list(const struct parse *p, struct span word)
{
	uint32_t equals = span_find(p, word, "=");

	return var_is_list(p, equals < word.len ? span_tail(word, equals + 1) : word);
}

int args_parse(struct parse *p, const struct span *words, unsigned nr)
{
	struct probe_def *def = p->def;
	unsigned all = nr, size = 0;
	int err = args_find_all(p, words, nr, &all);

	if (!err)
		err = args_check_count(p, words, nr);
	if (err)
		return err;
	def->args = arena_array(p->arena, struct arg, nr);
	def->nr_args = nr;
	for (unsigned i = 0; i < nr; i++)
		def->place.in_source |= is_list(p, words[i]);
	for (unsigned i = 0; i < nr; i++) {
		struct arg *arg = &def->args[i];

		arg->at = words[i];
		if (i == all) {
			arg_make_all(p, arg, i);
			continue;
		}
		err = arg_parse(p, arg, i, i > all);
		if (!err)
			err = arg_check_size(p, arg, &size);
		if (!err)
			err = type_check(p, arg);
		if (err)
			return err;
	}
	for (unsigned i = 0; !err && i < nr; i++)
		err = length_parse_value(p, &def->args[i]);
	return err;
}
