// SPDX-License-Identifier: GPL-2.0-only
/*
 * trigger_expr.c - keys, values and variables of a histogram.
 *
 * The kernel searches for the last operator (6.12, trace_events_hist.c, contains_operator()), so operators of one precedence
 * are applied from left to right. It knows a parenthesis only behind a minus sign at the beginning: -(a+b). What
 * it refuses is refused here, with the reason.
 */
#include <errno.h>
#include <string.h>

#include "base/number.h"
#include "lang/trigger_parse.h"

struct expr_parse {
	struct parse *p;
	unsigned operators;
};

static const struct { const char *name; enum hist_modifier modifier; } modifiers[] = {
	{ "hex", HIST_HEX }, { "sym", HIST_SYM }, { "sym-offset", HIST_SYM_OFFSET }, { "execname", HIST_EXECNAME },
	{ "syscall", HIST_SYSCALL }, { "stacktrace", HIST_STACKTRACE }, { "log2", HIST_LOG2 }, { "usecs", HIST_USECS },
	{ "percent", HIST_PERCENT }, { "graph", HIST_GRAPH }, { "buckets", HIST_BUCKETS },
	{ "avg", HIST_AVG }, { "min", HIST_MIN }, { "max", HIST_MAX },
};

static struct hist_expr *expr_new(struct parse *p, enum hist_expr_kind kind, struct span at)
{
	struct hist_expr *e = arena_new(p->arena, struct hist_expr);

	*e = (struct hist_expr){ .kind = kind, .at = at };
	return e;
}

/* ---- modifiers ---- */

static int refuse_modifier(struct parse *p, struct span at)
{
	const char *names[ARRAY_SIZE(modifiers)], *word = span_dup(p, at), *near;
	int err = diag_at(p->diag, -EINVAL, at, "unknown modifier '.%s'", span_quote(p, at));

	for (size_t i = 0; i < ARRAY_SIZE(modifiers); i++)
		names[i] = modifiers[i].name;
	near = spell_nearest(word, names, ARRAY_SIZE(names));
	if (near)
		diag_note(p->diag, "help: did you mean '.%s'?", near);
	else
		diag_note(p->diag, "help: modifiers are .hex .sym .sym-offset .execname .syscall .log2 .buckets=N .usecs .stacktrace"
				   ", and of values .percent .graph .avg .min .max");
	return err;
}

/* .buckets=N; the kernel takes .bucket=N, too. */
static int buckets_parse(struct parse *p, struct span at, struct hist_expr *e)
{
	uint32_t equal = span_find(p, at, "=");
	struct span width;

	if (equal == at.len) {
		diag_at(p->diag, -EINVAL, span_end(at), "'.%s' needs the width of a bucket", span_quote(p, at));
		diag_note(p->diag, "help: as in %s.buckets=100", e->name);
		return -EINVAL;
	}
	width = span_tail(at, equal + 1);
	if (number_u64(span_ptr(p, width), width.len, 0, &e->buckets) || !e->buckets)
		return diag_at(p->diag, -EINVAL, width, "'%s' is no width of a bucket: a number from 1 on is expected",
			       span_quote(p, width));
	e->modifier = HIST_BUCKETS;
	return 0;
}

static int modifier_parse(struct parse *p, struct span at, struct hist_expr *e)
{
	struct span word = span_head(at, span_find(p, at, "="));

	e->modifier_at = at;
	if (span_is(p, word, "buckets") || span_is(p, word, "bucket"))
		return buckets_parse(p, at, e);
	for (size_t i = 0; i < ARRAY_SIZE(modifiers); i++) {
		if (span_is(p, at, modifiers[i].name) && modifiers[i].modifier != HIST_BUCKETS) {
			e->modifier = modifiers[i].modifier;
			break;
		}
	}
	if (!e->modifier)
		return refuse_modifier(p, at);
	if (e->modifier == HIST_EXECNAME && strcmp(e->name, "common_pid")) {
		diag_at(p->diag, -EINVAL, at, "'.execname' belongs to common_pid, not to '%s'", e->name);
		diag_note(p->diag, "help: common_pid.execname is the name of the task that hits");
		return -EINVAL;
	}
	return 0;
}

/* ---- fields, variables and numbers ---- */

static bool is_name(const struct parse *p, struct span at)
{
	return at.len && name_is_ident(span_ptr(p, at), at.len);
}

static int name_parse(struct parse *p, struct span at, struct hist_expr *e)
{
	if (at.len > HIST_MAX_NAME)
		return diag_at(p->diag, -E2BIG, at, "a name of %u bytes, at most %d fit", at.len, HIST_MAX_NAME);
	e->name = span_dup(p, at);
	e->name_at = at;
	return 0;
}

/* SYSTEM.EVENT.NAME: *ret is the name. False: it is no such thing. */
static bool event_split(struct parse *p, struct span at, struct hist_expr *e, struct span *ret)
{
	uint32_t dot = span_find(p, at, "."), second = dot < at.len ? span_find(p, span_tail(at, dot + 1), ".") : 0;
	struct span event = dot < at.len ? span_head(span_tail(at, dot + 1), second) : at;

	if (dot == at.len || dot + 1 + second >= at.len || !is_name(p, span_head(at, dot)) || !is_name(p, event))
		return false;
	e->system = span_dup(p, span_head(at, dot));
	e->event = span_dup(p, event);
	*ret = span_tail(at, dot + 1 + second + 1);
	return true;
}

int trigger_param_parse(struct parse *p, struct span at, struct hist_expr **ret)
{
	struct hist_expr *e = expr_new(p, HIST_FIELD, at);
	struct span name;

	if (!event_split(p, at, e, &name) || !is_name(p, name))
		return trigger_expr_parse(p, at, ret);
	*ret = e;
	return name_parse(p, name, e);
}

int trigger_var_parse(struct parse *p, struct span at, struct hist_expr **ret)
{
	struct hist_expr *e = expr_new(p, HIST_VAR, at);
	struct span name = at;

	if (!span_starts(p, at, "$") && !event_split(p, at, e, &name))
		return diag_at(p->diag, -EINVAL, at, "'%s' is no variable: $NAME or SYSTEM.EVENT.$NAME is expected", span_quote(p, at));
	if (!span_starts(p, name, "$") || !is_name(p, span_tail(name, 1)))
		return diag_at(p->diag, -EINVAL, name, "'%s' is no variable: '$' and a name are expected", span_quote(p, name));
	*ret = e;
	return name_parse(p, span_tail(name, 1), e);
}

static int number_parse(struct parse *p, struct span at, struct hist_expr **ret)
{
	struct hist_expr *e = expr_new(p, HIST_NUMBER, at);
	int err = number_u64(span_ptr(p, at), at.len, 0, &e->number);

	*ret = e;
	if (err == -ERANGE)
		return diag_at(p->diag, err, at, "'%s' does not fit in 64 bits", span_quote(p, at));
	return err ? diag_at(p->diag, err, at, "'%s' is no number", span_quote(p, at)) : 0;
}

static int field_parse(struct parse *p, struct span at, struct hist_expr **ret)
{
	struct hist_expr *e = expr_new(p, HIST_FIELD, at);
	uint32_t dot = span_find(p, at, ".");
	struct span name = span_head(at, dot);
	int err;

	if (!is_name(p, name)) {
		diag_at(p->diag, -EINVAL, name, "'%s' is no name of a field", span_quote(p, name));
		if (span_find(p, name, "()") < name.len)
			diag_note(p->diag, "help: a parenthesis may only follow a minus sign: -(a+b)");
		return -EINVAL;
	}
	err = name_parse(p, name, e);
	*ret = e;
	return err || dot == at.len ? err : modifier_parse(p, span_tail(at, dot + 1), e);
}

static int atom_parse(struct parse *p, struct span at, struct hist_expr **ret)
{
	uint32_t dot = span_find(p, at, ".");

	if (char_is_digit(*span_ptr(p, at)))
		return number_parse(p, at, ret);
	if (span_starts(p, at, "$") || (dot < at.len && span_find(p, span_tail(at, dot + 1), ".") < at.len - dot - 1))
		return trigger_var_parse(p, at, ret);
	return field_parse(p, at, ret);
}

/* ---- operators ---- */

/* The '-' in .sym-offset is no operator. */
static bool is_operator(const struct parse *p, struct span at, uint32_t i)
{
	static const char before[] = ".sym", behind[] = "offset";
	const char *text = span_ptr(p, at);

	if (!strchr("+-*/", text[i]))
		return false;
	return text[i] != '-' || i < sizeof(before) - 1 || memcmp(text + i - (sizeof(before) - 1), before, sizeof(before) - 1) ||
	       at.len - i - 1 < sizeof(behind) - 1 || memcmp(text + i + 1, behind, sizeof(behind) - 1) != 0;
}

/* The last operator among @set; at.len: none. */
static uint32_t find_operator(const struct parse *p, struct span at, const char *set)
{
	for (uint32_t i = at.len; i--;) {
		if (strchr(set, span_ptr(p, at)[i]) && is_operator(p, at, i))
			return i;
	}
	return at.len;
}

static int refuse_deep(struct expr_parse *x, struct span at)
{
	int err = diag_at(x->p->diag, -E2BIG, at, "more than %d operators in one expression", HIST_MAX_OPERATORS);

	diag_note(x->p->diag, "help: give a part of it to a variable of another trigger of this event");
	return err;
}

static int expr_parse(struct expr_parse *x, struct span at, struct hist_expr **ret);

/* -(...) */
static int negate_parse(struct expr_parse *x, struct span at, struct hist_expr **ret)
{
	struct span inner = span_tail(at, 1);
	struct hist_expr *e = expr_new(x->p, HIST_NEGATE, at);
	uint32_t close = span_find_last(x->p, inner, ')');
	int err = 0;

	if (!span_starts(x->p, inner, "("))
		err = diag_at(x->p->diag, -EINVAL, at, "a minus sign at the beginning needs a parenthesis");
	else if (close == inner.len)
		err = diag_at(x->p->diag, -EINVAL, span_head(inner, 1), "this '(' is not closed");
	else if (close + 1 < inner.len)
		err = diag_at(x->p->diag, -EINVAL, span_tail(inner, close + 1), "nothing may follow -(...)");
	if (err) {
		diag_note(x->p->diag, "help: as in -(a+b), or 0-a");
		return err;
	}
	*ret = e;
	return expr_parse(x, span_tail(span_head(inner, close), 1), &e->left);
}

/* Two numbers are one, as in the kernel (6.12, parse_expr()), which prints it. A division by zero is left for who reports it. */
static void fold(struct hist_expr *e)
{
	uint64_t left = e->left->number, right = e->right->number;

	if (e->left->kind != HIST_NUMBER || e->right->kind != HIST_NUMBER || (e->kind == HIST_DIV && !right))
		return;
	switch (e->kind) {
	case HIST_ADD:
		e->number = left + right;
		break;
	case HIST_SUB:
		e->number = left - right;
		break;
	case HIST_MUL:
		e->number = left * right;
		break;
	default:
		e->number = left / right;
		break;
	}
	e->kind = HIST_NUMBER;
}

static int binary_parse(struct expr_parse *x, struct span at, uint32_t operator, struct hist_expr **ret)
{
	static const struct { char c; enum hist_expr_kind kind; } kinds[] = {
		{ '+', HIST_ADD }, { '-', HIST_SUB }, { '*', HIST_MUL }, { '/', HIST_DIV },
	};
	struct span sign = span_head(span_tail(at, operator), 1), left = span_head(at, operator), right = span_tail(at, operator + 1);
	struct hist_expr *e = expr_new(x->p, HIST_ADD, at);
	int err;

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (*span_ptr(x->p, sign) == kinds[i].c)
			e->kind = kinds[i].kind;
	}
	if (!left.len || !right.len)
		return diag_at(x->p->diag, -EINVAL, sign, "'%s' needs something on both sides", span_quote(x->p, sign));
	err = expr_parse(x, left, &e->left);
	if (!err)
		err = expr_parse(x, right, &e->right);
	if (!err)
		fold(e);
	*ret = e;
	return err;
}

static int expr_parse(struct expr_parse *x, struct span at, struct hist_expr **ret)
{
	uint32_t operator = find_operator(x->p, at, "+-");

	if (!at.len)
		return diag_at(x->p->diag, -EINVAL, at, "a field, a variable or a number is expected here");
	if (operator == at.len)
		operator = find_operator(x->p, at, "*/");
	if (operator == at.len)
		return atom_parse(x->p, at, ret);
	if (++x->operators > HIST_MAX_OPERATORS)
		return refuse_deep(x, at);
	/* The kernel looks for the last '-' first (6.12, contains_operator()). */
	if (!find_operator(x->p, at, "-"))
		return negate_parse(x, at, ret);
	/* The last sign is inside -(...). */
	if (span_starts(x->p, at, "-(") && span_find_last(x->p, at, ')') == at.len - 1)
		return negate_parse(x, at, ret);
	return binary_parse(x, at, operator, ret);
}

int trigger_expr_parse(struct parse *p, struct span at, struct hist_expr **ret)
{
	struct expr_parse x = { .p = p };

	return expr_parse(&x, at, ret);
}

/* ---- printing ---- */

static const char *modifier_name(enum hist_modifier modifier)
{
	for (size_t i = 0; i < ARRAY_SIZE(modifiers); i++) {
		if (modifiers[i].modifier == modifier)
			return modifiers[i].name;
	}
	return "";
}

static void field_print(const struct hist_expr *e, struct buf *out)
{
	/* Old names, which the kernel still knows (6.12, trace_events_hist.c, parse_field()). */
	static const char *const renamed[][2] = {
		{ "cpu", "common_cpu" }, { "CPU", "common_cpu" },
		{ "stacktrace", "common_stacktrace" }, { "STACKTRACE", "common_stacktrace" },
	};
	const char *name = e->name;

	for (size_t i = 0; i < ARRAY_SIZE(renamed); i++) {
		if (!strcmp(name, renamed[i][0]))
			name = renamed[i][1];
	}
	if (e->system)
		buf_addf(out, "%s.%s.", e->system, e->event);
	buf_adds(out, name);
	if (e->modifier)
		buf_addf(out, ".%s", modifier_name(e->modifier));
	if (e->modifier == HIST_BUCKETS)
		buf_addf(out, "=%llu", (unsigned long long)e->buckets);
}

/* The tree is at most HIST_MAX_OPERATORS deep. */
void hist_expr_print(const struct hist_expr *e, struct buf *out)
{
	switch (e->kind) {
	case HIST_FIELD:
		field_print(e, out);
		break;
	case HIST_VAR:
		if (e->local)
			hist_expr_print(e->local, out);
		else if (e->system)
			buf_addf(out, "%s.%s.$%s", e->system, e->event, e->name);
		else
			buf_addf(out, "$%s", e->name);
		break;
	case HIST_NUMBER:
		buf_addf(out, "%llu", (unsigned long long)e->number);
		break;
	case HIST_NEGATE:
		buf_adds(out, "-(");
		hist_expr_print(e->left, out);
		buf_addc(out, ')');
		break;
	default:
		hist_expr_print(e->left, out);
		buf_addc(out, "+-*/"[e->kind - HIST_ADD]);
		hist_expr_print(e->right, out);
		break;
	}
}
