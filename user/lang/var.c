// SPDX-License-Identifier: GPL-2.0-only
/*
 * var.c - variables: $NAME, and the function's own variables with their fields.
 *
 * This file handles only the syntax. BTF knows which parameters and fields exist.
 */
#include "lang/var.h"

#include <errno.h>

#include "arch/regs.h"
#include "base/number.h"
#include "lang/expr.h"
#include "lang/kind.h"
#include "lang/name.h"
#include "lang/place.h"

static bool is_list_word(const struct parse *p, struct span at)
{
	return span_is(p, at, "$vars") || span_is(p, at, "$params");
}

static int refuse_lists(struct parse *p, struct span at)
{
	diag_at(p->diag, -EINVAL, at, p->def->kind == DEF_RETURN ? "'%s' is not known at a return" :
		"'%s' works only in a p at a function's name or a source line", span_quote(p, at));
	if (p->def->place.symbol)
		diag_note(p->diag, "help: $arg* has the parameters of any function that BTF knows");
	return -EINVAL;
}

static int refuse_var(struct parse *p, struct span at)
{
	static const char *const names[] = {
		"$stack", "$stack0", "$retval", "$comm", "$arg1", "$arg*", "$elapsed", "$current",
	};
	const char *word = span_quote(p, at), *near = spell_nearest(word, names, ARRAY_SIZE(names));
	int err = diag_at(p->diag, -EINVAL, at, "unknown variable '%s'", word);

	if (span_starts(p, at, "$ret"))
		near = "$retval";
	if (near)
		diag_note(p->diag, "help: did you mean %s?", near);
	else
		diag_note(p->diag, "help: the variables are $retval, $elapsed, $stack, $stackN, $comm, $current, $argN and $arg*");
	return err;
}

static int refuse_name(struct parse *p, struct span at, struct span name)
{
	uint32_t open = span_find(p, name, "(");
	int err = diag_at(p->diag, -EINVAL, name.len ? name : at,
			  "'%s' is not a name of a parameter or field", span_quote(p, name));

	if (name.len > 1 && *span_ptr(p, name) == 'u' && char_is_digit(span_ptr(p, name)[1]) &&
	    open < name.len)
		diag_note(p->diag, "help: a dereference starts with its sign: write +%s",
			  span_quote(p, name));
	else if (span_find(p, name, "[") < name.len)
		diag_note(p->diag, "help: bprobe cannot select an element of an array; fetch it by its address");
	else if (span_find(p, name, ",;") < name.len)
		diag_note(p->diag, "help: arguments are separated by spaces");
	return err;
}

/* Refuses a '-' that is not part of '->'. */
static int refuse_hyphen(struct parse *p, struct span at)
{
	int err = diag_at(p->diag, -EINVAL, at, "a single '-' cannot be part of a name");

	diag_note(p->diag, "help: a field is written POINTER->FIELD; a definition cannot subtract");
	return err;
}

/* Parses one '->NAME' or '.NAME' at the start of @*rest. The new node goes around *expr. */
static int parse_field(struct parse *p, struct span *rest, struct expr **expr)
{
	struct expr *field = arena_new(p->arena, struct expr);
	bool arrow = *span_ptr(p, *rest) == '-';
	struct span name;
	int err;

	if (arrow && (rest->len < 2 || span_ptr(p, *rest)[1] != '>'))
		return refuse_hyphen(p, span_head(*rest, 1));
	name = span_tail(*rest, arrow ? 2 : 1);
	/* A parameter, or what a function returns, may be a structure. */
	if (!arrow && (*expr)->kind != EXPR_FIELD && (*expr)->kind != EXPR_VAR && (*expr)->kind != EXPR_RETVAL) {
		err = diag_at(p->diag, -EOPNOTSUPP, name.len ? name : *rest,
			      "'%s' is not a structure, so it has no fields",
			      span_quote(p, (*expr)->at));
		diag_note(p->diag, "help: write %s->%s if it points to one",
			  span_quote(p, (*expr)->at), span_quote(p, name));
		return err;
	}
	*rest = span_tail(name, span_find(p, name, ".-"));
	name = span_head(name, name.len - rest->len);
	if (!name.len)
		return diag_at(p->diag, -EINVAL, name, "no field after '%s'", arrow ? "->" : ".");
	if (!name_is_ident(span_ptr(p, name), name.len))
		return refuse_name(p, name, name);
	*field = (struct expr){
		.kind = EXPR_FIELD,
		.at = { (*expr)->at.off, name.off + name.len - (*expr)->at.off },
		.inner = *expr,
		.name = span_dup(p, name),
		.name_at = name,
		.arrow = arrow,
	};
	*expr = field;
	return 0;
}

int var_parse_fields(struct parse *p, struct span rest, struct expr *base, struct expr **ret)
{
	struct expr *expr = base;
	int err;

	while (rest.len) {
		err = parse_field(p, &rest, &expr);
		if (err)
			return err;
		if (expr_steps(expr) >= LANG_MAX_OPS)
			return diag_at(p->diag, -EINVAL, expr->name_at, "nested too deeply");
	}
	*ret = expr;
	return 0;
}

static int refuse_retval(struct parse *p, struct span at)
{
	int err = diag_at(p->diag, -EINVAL, at, "there is no %s at this place", span_quote(p, at));

	if (p->def->probe == PROBE_TRACEPOINT)
		diag_note(p->diag, "help: a tracepoint returns nothing; its arguments are $argN");
	else if (p->def->kind == DEF_RETURN)
		diag_note(p->diag, "help: write the function's name instead of its address; where several have it, NAME@ADDRESS");
	else
		diag_note(p->diag, "help: it exists only when the function returns: write r instead of p");
	return err;
}

/* Parses "$retval" and the fields behind it. Like 6.12, it treats other text behind it as a part of the name. */
static int parse_retval(struct parse *p, struct expr **expr)
{
	struct span at = (*expr)->at;
	uint32_t end = span_find(p, at, ".-");
	struct expr base = { .kind = EXPR_RETVAL, .at = span_head(at, end) };
	struct expr *copy;

	if (p->def->kind != DEF_RETURN || (!p->def->place.symbol && p->def->probe != PROBE_UPROBE))
		return refuse_retval(p, at);
	if (!span_is(p, base.at, "$retval"))
		return refuse_var(p, base.at);
	copy = arena_new(p->arena, struct expr);
	*copy = base;
	return var_parse_fields(p, span_tail(at, end), copy, expr);
}

/* Parses "$current" and the fields behind it. A '.' behind it is refused, as behind other pointers. */
static int parse_task(struct parse *p, struct expr **expr)
{
	struct span at = (*expr)->at;
	uint32_t end = span_find(p, at, ".-");
	struct expr *task = arena_new(p->arena, struct expr);

	*task = (struct expr){ .kind = EXPR_TASK, .at = span_head(at, end) };
	if (!span_is(p, task->at, "$current"))
		return refuse_var(p, task->at);
	return var_parse_fields(p, span_tail(at, end), task, expr);
}

/* In a p definition it is the time of a pair (--pair), which only plan/ knows. */
static int parse_elapsed(struct parse *p, struct expr *expr)
{
	uint32_t end = span_find(p, expr->at, ".-");
	struct span name = span_head(expr->at, end);
	int err;

	if (!span_is(p, name, "$elapsed"))
		return refuse_var(p, name);
	if (end < expr->at.len)
		return diag_at(p->diag, -EINVAL, span_tail(expr->at, end), "$elapsed is a number, so it has no fields");
	if (p->def->kind != DEF_RETURN || p->def->place.symbol || p->def->probe == PROBE_UPROBE) {
		expr->kind = EXPR_ELAPSED;
		return 0;
	}
	err = diag_at(p->diag, -EINVAL, expr->at, "there is no %s at this place", span_quote(p, expr->at));
	diag_note(p->diag, "help: write the function's name instead of its address; where several have it, NAME@ADDRESS");
	return err;
}

static int parse_stack(struct parse *p, struct expr *expr)
{
	struct span number = span_tail(expr->at, sizeof("$stack") - 1);
	uint64_t n;
	int err;

	if (!number.len) {
		expr->kind = EXPR_STACK;
		return 0;
	}
	if (!char_is_digit(*span_ptr(p, number)) ||
	    number_u64(span_ptr(p, number), number.len, 10, &n)) {
		err = refuse_var(p, expr->at);
		diag_note(p->diag, "help: N of $stackN is a plain decimal number; "
				   "for memory there write +8($stack)");
		return err;
	}
	if (n > LANG_MAX_STACK && !(kind_of(p->def->probe)->words & KIND_ANY_STACK))
		return diag_at(p->diag, -EINVAL, expr->at, "the highest stack entry is $stack%d",
			       LANG_MAX_STACK);
	expr->kind = EXPR_STACKN;
	expr->n = (unsigned)n;
	return 0;
}

static int parse_arg(struct parse *p, struct expr *expr)
{
	struct span number = span_tail(expr->at, sizeof("$arg") - 1);
	uint64_t n;
	int err;

	if (number_u64(span_ptr(p, number), number.len, 10, &n)) {
		if (!span_is(p, number, "*")) {
			err = refuse_var(p, expr->at);
			if (span_find(p, number, "-.") == number.len)
				return err;
			diag_note(p->diag, "help: fields need the parameter's name, not its number");
			diag_note(p->diag, "help: or a cast: (STRUCT)%s", span_quote(p, expr->at));
			return err;
		}
		err = diag_at(p->diag, -EINVAL, expr->at,
			      "$arg* means whole arguments, not a part of one");
		diag_note(p->diag, "help: write it alone, without a name and without parentheses");
		return err;
	}
	if (!n || n > LANG_MAX_STACK)
		return diag_at(p->diag, -EINVAL, expr->at, "the arguments are $arg1 to $arg%d",
			       LANG_MAX_STACK);
	err = expr_require_args(p, expr->at);
	if (err)
		return err;
	expr->kind = EXPR_ARG;
	expr->n = (unsigned)n;
	return 0;
}

/* A field of the event, or the task's name if the event has no field of this name: plan/ knows which. */
static int parse_event_field(struct parse *p, struct expr *expr)
{
	struct span name = span_tail(expr->at, 1);

	if (!name_is_ident(span_ptr(p, name), name.len)) {
		int err = diag_at(p->diag, -EINVAL, expr->at, "'%s' is not the name of a field", span_quote(p, name));

		diag_note(p->diag, "help: an argument is $FIELD, $comm, @SYM, @ADDR, \\NUMBER or +OFFSET(...)");
		return err;
	}
	expr->kind = EXPR_EVENT_FIELD;
	expr->name = span_dup(p, name);
	expr->name_at = name;
	return 0;
}

/* Events have fields whose names begin so ($current_temp). */
static bool is_task(const struct parse *p, struct span at)
{
	return span_is(p, span_head(at, span_find(p, at, ".-")), "$current");
}

bool var_is_list(const struct parse *p, struct span at)
{
	const struct place *place = &p->def->place;

	if (!is_list_word(p, at))
		return false;
	return place_takes_c(p) || (p->def->probe == PROBE_KPROBE && p->def->kind != DEF_RETURN && place->symbol && !place->pattern && !place->addr);
}

int var_parse(struct parse *p, struct expr **expr)
{
	struct span at = (*expr)->at;

	if (kind_of(p->def->probe)->words & KIND_FIELDS && !is_task(p, at) && !span_is(p, at, "$elapsed"))
		return parse_event_field(p, *expr);
	if (span_starts(p, at, "$retval"))
		return parse_retval(p, expr);
	if (span_starts(p, at, "$elapsed"))
		return parse_elapsed(p, *expr);
	if (span_starts(p, at, "$current"))
		return parse_task(p, expr);
	if (span_starts(p, at, "$stack"))
		return parse_stack(p, *expr);
	if (span_is(p, at, "$comm") || span_is(p, at, "$COMM")) {
		(*expr)->kind = EXPR_COMM;
		return 0;
	}
	if (span_starts(p, at, "$arg"))
		return parse_arg(p, *expr);
	if (var_is_list(p, at)) {
		p->def->place.in_source = true;
		(*expr)->kind = EXPR_C;
		(*expr)->name = span_dup(p, at);
		(*expr)->name_at = at;
		return 0;
	}
	if (is_list_word(p, at))
		return refuse_lists(p, at);
	return refuse_var(p, at);
}

int var_parse_named(struct parse *p, struct expr **expr)
{
	struct span at = (*expr)->at;
	uint32_t end = span_find(p, at, ".-");
	struct span name = span_head(at, end);
	struct expr *var;
	int err = expr_require_args(p, at);

	if (err)
		return err;
	if (!(kind_of(p->def->probe)->words & KIND_TYPES)) {
		err = diag_at(p->diag, -EINVAL, at, "the names of a program's parameters are not known, so '%s' cannot be fetched",
			      span_quote(p, at));
		diag_note(p->diag, "help: write $arg1 for the first parameter, or a register, as in %s", REG_NAME_FIRST);
		return err;
	}
	if (!name_is_ident(span_ptr(p, name), name.len))
		return refuse_name(p, at, name);
	var = arena_new(p->arena, struct expr);
	*var = (struct expr){ .kind = EXPR_VAR, .at = name, .name = span_dup(p, name),
			      .name_at = name };
	return var_parse_fields(p, span_tail(at, end), var, expr);
}

int var_check_args(struct parse *p, struct span at, bool *ret_is_all)
{
	char next = at.len > 4 ? span_ptr(p, at)[4] : '\0';
	int err = expr_require_args(p, at);

	if (err)
		return err;
	if (next != '*' && !char_is_digit(next))
		return refuse_var(p, span_head(at, span_find(p, at, ":")));
	*ret_is_all = next == '*';
	return 0;
}
