// SPDX-License-Identifier: GPL-2.0-only
/*
 * cast.c - casts: (STRUCT)ARG->FIELD and (STRUCT,MEMBER)ARG->FIELD.
 *
 * The grammar is that of 7.3 (doc/grammar.md has the source). A cast belongs to the argument behind it, and a field must
 * follow. C has another order, so C's own spelling ((struct STRUCT *)ARG)->FIELD is read, too. A definition is always
 * printed in the kernel's spelling. BTF knows which structures and members exist.
 */
#include "lang/cast.h"

#include <errno.h>

#include "base/macros.h"
#include "lang/cparse.h"
#include "lang/expr.h"
#include "lang/var.h"

static bool is_name_char(char c)
{
	return char_is_alpha(c) || char_is_digit(c) || c == '_';
}

/* The bytes up to the ')' that closes the first '(' of @at, which is included; at.len + 1: there is none. */
static uint32_t up_to_close(const struct parse *p, struct span at)
{
	unsigned depth = 0;

	for (uint32_t i = 0; i < at.len; i++) {
		if (span_ptr(p, at)[i] == '(')
			depth++;
		else if (span_ptr(p, at)[i] == ')' && !--depth)
			return i + 1;
	}
	return at.len + 1;
}

static uint32_t up_to_arrow(const struct parse *p, struct span at)
{
	uint32_t i = 0;

	while (i + 1 < at.len && memcmp(span_ptr(p, at) + i, "->", 2))
		i++;
	return i + 1 < at.len ? i : at.len;
}

/* ---- what is in the parentheses ---- */

/* The number of bytes of a word of C that says what kind of type follows, with the spaces behind it; 0: there is none. */
static size_t skip_keyword(const char *text, size_t len)
{
	static const char *const keywords[] = { "struct", "union", "const", "volatile" };

	for (size_t i = 0; i < ARRAY_SIZE(keywords); i++) {
		size_t n = strlen(keywords[i]), spaces = 0;

		if (len <= n || memcmp(text, keywords[i], n))
			continue;
		while (n + spaces < len && text[n + spaces] && strchr(PARSE_SPACE, text[n + spaces]))
			spaces++;
		if (spaces)
			return n + spaces;
	}
	return 0;
}

size_t cast_with_spaces(const char *text)
{
	const char *s = text + 1, *name;
	size_t skip;

	s += strspn(s, PARSE_SPACE);
	while ((skip = skip_keyword(s, strnlen(s, LANG_MAX_ARG_TEXT))))	/* the text may be very long, and have many '(' */
		s += skip;
	for (name = s; is_name_char(*s);)
		s++;
	if (s == name)
		return 0;
	s += strspn(s, PARSE_SPACE "*");
	if (*s == ',') {
		s += 1 + strspn(s + 1, PARSE_SPACE);
		while (is_name_char(*s) || *s == '.')
			s++;
		s += strspn(s, PARSE_SPACE);
	}
	if (*s != ')')
		return 0;
	skip = (size_t)(s - text);
	return strcspn(text, PARSE_SPACE) < skip ? skip + 1 : 0;
}

static struct span trim(const struct parse *p, struct span at)
{
	at = span_tail(at, span_skip_space(p, at));
	while (at.len && strchr(PARSE_SPACE, span_ptr(p, at)[at.len - 1]))
		at.len--;
	return at;
}

static int refuse_type(struct parse *p, struct span at, struct span name)
{
	int err;

	if (!name.len) {
		err = diag_at(p->diag, -EINVAL, at, "no structure between '(' and ')'");
	} else if (span_ptr(p, name)[name.len - 1] == '*') {
		err = diag_at(p->diag, -EINVAL, trim(p, at), "'%s' is a pointer to a pointer, which has no fields",
			      span_quote(p, trim(p, at)));
	} else {
		err = diag_at(p->diag, -EINVAL, name, "'%s' is not the name of a structure", span_quote(p, name));
	}
	diag_note(p->diag, "help: a cast is written (STRUCT)ARG->FIELD, as in (file)$arg1->f_mode");
	return err;
}

/* Parses STRUCT, as C writes it too: [const] [struct|union] STRUCT [*]. */
static int parse_type(struct parse *p, struct span at, struct expr *cast)
{
	struct span name = trim(p, at);
	uint32_t skip;

	while ((skip = (uint32_t)skip_keyword(span_ptr(p, name), name.len)))
		name = span_tail(name, skip);
	if (name.len && span_ptr(p, name)[name.len - 1] == '*')
		name = trim(p, span_head(name, name.len - 1));
	if (!name_is_ident(span_ptr(p, name), name.len))
		return refuse_type(p, at, name);
	cast->like_c = cast->like_c || name.len != at.len;
	cast->name = span_dup(p, name);
	cast->name_at = name;
	return 0;
}

static int refuse_arrow(struct parse *p, struct span arrow)
{
	int err = diag_at(p->diag, -EINVAL, arrow, "the member must be in the structure itself, not behind a pointer");

	diag_note(p->diag, "help: members of members are separated by '.', as in (task_struct,se.group_node)");
	return err;
}

/* Parses MEMBER[.MEMBER]... */
static int parse_member(struct parse *p, struct span typed, struct expr *cast)
{
	struct span at = trim(p, typed), rest = at;
	uint32_t arrow = up_to_arrow(p, at);

	if (arrow && arrow < at.len)
		return refuse_arrow(p, (struct span){ at.off + arrow, 2 });
	for (;;) {
		struct span name = span_head(rest, span_find(p, rest, "."));

		if (!name.len)
			return diag_at(p->diag, -EINVAL, span_head(rest, MIN(rest.len, 1u)), "no name of a member here");
		if (!name_is_ident(span_ptr(p, name), name.len))
			return diag_at(p->diag, -EINVAL, name, "'%s' is not the name of a member", span_quote(p, name));
		if (name.len == rest.len)
			break;
		rest = span_tail(rest, name.len + 1);
	}
	cast->like_c = cast->like_c || at.len != typed.len;
	cast->member = span_dup(p, at);
	cast->member_at = at;
	return 0;
}

/* Parses (STRUCT) or (STRUCT,MEMBER) at the start of @*rest, and sets @*rest to the text behind it. */
static int parse_head(struct parse *p, struct span *rest, struct expr *cast)
{
	uint32_t close = span_find(p, *rest, ")"), comma;
	struct span inside;
	int err;

	if (close == rest->len)
		return diag_at(p->diag, -EINVAL, span_end(*rest), "'%s' is not closed with ')'", span_quote(p, span_head(*rest, 1)));
	inside = span_tail(span_head(*rest, close), 1);
	*rest = span_tail(*rest, close + 1);
	comma = span_find(p, inside, ",");
	err = parse_type(p, span_head(inside, comma), cast);
	if (!err && comma < inside.len)
		err = parse_member(p, span_tail(inside, comma + 1), cast);
	return err;
}

/* ---- what is cast ---- */

static int refuse_open(struct parse *p, struct span at)
{
	return diag_at(p->diag, -EINVAL, span_end(at), "'%s' is not closed with ')'",
		       span_quote(p, span_head(at, span_find(p, at, "(") + 1)));
}

/* Sets *ret to the argument at the start of @at, with its parentheses. It ends at the '->' that belongs to the cast. */
static int find_operand(struct parse *p, struct span at, struct span *ret)
{
	char first = at.len ? *span_ptr(p, at) : '\0';
	uint32_t len;
	int err;

	if (first == '(' || percpu_begins(p, at) || ((first == '+' || first == '-') && span_find(p, at, "(") < up_to_arrow(p, at)))
		len = up_to_close(p, at);
	else
		len = up_to_arrow(p, at);
	if (len > at.len)
		return refuse_open(p, at);
	*ret = span_head(at, len);
	if (!len)
		return diag_at(p->diag, -EINVAL, at, "nothing to cast after ')'");
	if (first != '@' || span_find(p, *ret, "+-") == len)
		return 0;
	err = diag_at(p->diag, -EINVAL, *ret, "the kernel reads '%s' behind a cast only in parentheses", span_quote(p, *ret));
	diag_note(p->diag, "help: write (%s)", span_quote(p, *ret));
	return err;
}

static int refuse_operand(struct parse *p, const struct expr *inner)
{
	int err;

	if (inner->kind == EXPR_ELAPSED)
		return diag_at(p->diag, -EINVAL, inner->at, "$elapsed is a time, not an address: it cannot be cast");
	err = diag_at(p->diag, -EINVAL, inner->at, "'%s' is a text, not an address: it cannot be cast", span_quote(p, inner->at));
	if (inner->kind == EXPR_COMM)
		diag_note(p->diag, "help: the task is $current, as in $current->pid");
	return err;
}

static int parse_operand(struct parse *p, struct span at, struct expr *cast)
{
	struct expr *inner;
	int err;

	if (at.len && *span_ptr(p, at) == '(' && up_to_close(p, at) == at.len)
		at = span_tail(span_head(at, at.len - 1), 1);
	err = expr_parse(p, at, &inner);
	if (err)
		return err;
	if (inner->kind == EXPR_COMM || inner->kind == EXPR_IMMSTR || inner->kind == EXPR_ELAPSED)
		return refuse_operand(p, inner);
	cast->inner = inner;
	return 0;
}

/* ---- all of it ---- */

static int refuse_no_field(struct parse *p, struct span at, const struct expr *cast)
{
	int err = diag_at(p->diag, -EINVAL, at, "a cast needs a field behind it");
	struct buf text = { 0 };

	expr_print(cast, &text);
	diag_note(p->diag, "help: write %s->FIELD", buf_str(&text));
	buf_fini(&text);
	return err;
}

/* Parses (STRUCT)ARG at the start of @*rest, and sets @*rest to the text behind it: the fields. */
static int parse_cast(struct parse *p, struct span *rest, struct expr *cast)
{
	struct span at = *rest, operand;
	int err = parse_head(p, rest, cast);

	if (!err)
		err = find_operand(p, *rest, &operand);
	if (!err)
		err = parse_operand(p, operand, cast);
	if (err)
		return err;
	*rest = span_tail(*rest, operand.len);
	cast->at = span_head(at, at.len - rest->len);
	return 0;
}

/* C's ((STRUCT)ARG)->FIELD. In C the cast belongs to all that is inside the outer parentheses, fields of ARG included. */
static int parse_like_c(struct parse *p, struct span *rest, struct expr *cast)
{
	struct span at = *rest, inside;
	uint32_t len = up_to_close(p, at);
	int err;

	if (len > at.len)
		return refuse_open(p, at);
	inside = span_tail(span_head(at, len - 1), 1);
	*rest = span_tail(at, len);
	err = parse_head(p, &inside, cast);
	if (!err)
		err = parse_operand(p, inside, cast);
	cast->like_c = true;
	cast->at = span_head(at, len);
	return err;
}

/* 7.3 allows three, each in the argument of another (kernel/trace/trace_probe.h, TRACEPROBE_MAX_NESTED_LEVEL). */
static int check_depth(struct parse *p, const struct expr *expr)
{
	const struct expr *innermost = NULL;
	unsigned nr = 0;

	for (; expr; expr = expr->inner) {
		if (expr->kind == EXPR_CAST) {
			innermost = expr;
			nr++;
		}
	}
	if (nr <= LANG_MAX_CASTS)
		return 0;
	return diag_at(p->diag, -E2BIG, innermost->at, "%u casts inside each other, at most %d fit", nr, LANG_MAX_CASTS);
}

int cast_parse(struct parse *p, struct expr **expr)
{
	struct expr *cast = arena_new(p->arena, struct expr), *whole;
	struct span rest = (*expr)->at;
	int err;

	*cast = (struct expr){ .kind = EXPR_CAST };
	err = rest.len > 1 && span_ptr(p, rest)[1] == '(' ? parse_like_c(p, &rest, cast) : parse_cast(p, &rest, cast);
	if (!err && (rest.len < 2 || memcmp(span_ptr(p, rest), "->", 2)))
		err = refuse_no_field(p, rest, cast);
	if (!err)
		err = var_parse_fields(p, rest, cast, &whole);
	if (!err)
		err = check_depth(p, whole);
	if (!err)
		*expr = whole;
	return err;
}
