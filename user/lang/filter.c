// SPDX-License-Identifier: GPL-2.0-only
/*
 * filter.c - the structure of a filter: predicates joined by &&, || and !.
 *
 * The parser does not recurse: open parentheses are on a stack of their own, so that no text is too deep.
 */
#include "lang/filter.h"

#include <errno.h>

#include "lang/filter_pred.h"

struct list {
	struct filter_node *first, *last;
};

/* The text between two parentheses, or the whole text. */
struct level {
	struct level *outer;
	struct span open_at;		/* the parenthesis */
	bool negated;			/* a '!' in front of it */
	struct list any;		/* the operands of ||, except the last */
	struct list all;		/* the operands of && in the last one */
};

struct filter_parse {
	struct parse p;
	struct span rest;		/* not read yet */
	struct level *level;
	bool negated;			/* an odd number of '!' stands in front of the next operand */
	const char *before;		/* the operator or parenthesis in front of that; NULL: none */
};

static struct filter_node *node_new(struct filter_parse *f, enum filter_kind kind)
{
	struct filter_node *node = arena_new(f->p.arena, struct filter_node);

	node->kind = kind;
	return node;
}

static void list_add(struct list *list, struct filter_node *node)
{
	if (list->last)
		list->last->next = node;
	else
		list->first = node;
	list->last = node;
}

/* Adds @node, or its children if its kind is @kind: (a && b) && c is a && b && c. */
static void list_join(struct list *list, struct filter_node *node, enum filter_kind kind)
{
	if (node->kind != kind) {
		list_add(list, node);
		return;
	}
	for (struct filter_node *child = node->child, *next; child; child = next) {
		next = child->next;
		child->next = NULL;
		list_add(list, child);
	}
}

/* Makes one node from everything in @list, which is not empty. */
static struct filter_node *list_close(struct filter_parse *f, struct list *list, enum filter_kind kind)
{
	struct filter_node *node = list->first;

	if (node->next) {
		node = node_new(f, kind);
		node->child = list->first;
	}
	*list = (struct list){ 0 };
	return node;
}

static void operand_add(struct filter_parse *f, struct filter_node *node, bool negated)
{
	if (negated && node->kind == FILTER_NOT) {
		node = node->child;
	} else if (negated) {
		struct filter_node *inverse = node_new(f, FILTER_NOT);

		inverse->child = node;
		node = inverse;
	}
	list_join(&f->level->all, node, FILTER_ALL);
}

static struct filter_node *level_close(struct filter_parse *f)
{
	struct level *level = f->level;

	list_join(&level->any, list_close(f, &level->all, FILTER_ALL), FILTER_ANY);
	return list_close(f, &level->any, FILTER_ANY);
}

static void level_open(struct filter_parse *f, struct span at)
{
	struct level *level = arena_new(f->p.arena, struct level);

	*level = (struct level){ .outer = f->level, .open_at = at, .negated = f->negated };
	f->level = level;
	f->negated = false;
}

/* ---- words ---- */

static bool starts(const struct filter_parse *f, const char *text)
{
	return span_starts(&f->p, f->rest, text);
}

static void skip_space(struct filter_parse *f)
{
	f->rest = span_tail(f->rest, span_skip_space(&f->p, f->rest));
}

static struct span take(struct filter_parse *f, uint32_t len)
{
	struct span taken = span_head(f->rest, len);

	f->rest = span_tail(f->rest, len);
	return taken;
}

static int refuse_missing(struct filter_parse *f)
{
	struct span next = span_head(f->rest, span_find(&f->p, f->rest, PARSE_SPACE "()"));
	int err;

	if (!f->rest.len && !f->before)
		return diag_at(f->p.diag, -EINVAL, f->rest, "the filter is empty");
	if (!f->rest.len)
		return diag_at(f->p.diag, -EINVAL, f->rest, "nothing follows '%s'", f->before);
	if (!next.len)
		next = span_head(f->rest, 1);
	err = diag_at(f->p.diag, -EINVAL, next, "a field is expected here, not '%s'", span_quote(&f->p, next));
	diag_note(f->p.diag, "help: a filter compares fields, as in dfd == -100 && name ~ \"/etc/*\"");
	return err;
}

/* Parses a predicate and everything in front of it. */
static int operand_parse(struct filter_parse *f)
{
	struct filter_node *node;
	int err;

	for (;;) {
		skip_space(f);
		if (starts(f, "!")) {
			take(f, 1);
			f->negated = !f->negated;
			f->before = "!";
		} else if (starts(f, "(")) {
			level_open(f, take(f, 1));
			f->before = "(";
		} else {
			break;
		}
	}
	if (!f->rest.len || !filter_pred_begins(&f->p, f->rest))
		return refuse_missing(f);
	node = node_new(f, FILTER_PRED);
	err = filter_pred_parse(&f->p, &f->rest, &node->pred);
	if (!err)
		operand_add(f, node, f->negated);
	f->negated = false;
	return err;
}

static int refuse_junk(struct filter_parse *f)
{
	struct span next = span_head(f->rest, MAX(span_find(&f->p, f->rest, PARSE_SPACE ")"), 1u));
	const char *word = span_quote(&f->p, next);
	int err = diag_at(f->p.diag, -EINVAL, next, "'%s' after a complete comparison", word);

	if (*word == '&' || !strcmp(word, "and"))
		diag_note(f->p.diag, "help: join two comparisons with && or ||; the result of & cannot be compared");
	else if (*word == '#')
		diag_note(f->p.diag, "help: a filter can have a comment only after 'if' in a definition's line");
	else
		diag_note(f->p.diag, "help: join two comparisons with && or ||");
	return err;
}

static int close_parenthesis(struct filter_parse *f)
{
	struct span at = take(f, 1);
	struct filter_node *node;
	bool negated = f->level->negated;

	if (!f->level->outer)
		return diag_at(f->p.diag, -EINVAL, at, "no '(' belongs to this ')'");
	node = level_close(f);
	f->level = f->level->outer;
	operand_add(f, node, negated);
	return 0;
}

/* Parses what follows an operand, up to the next operand. *ret_end: there is no next operand. */
static int operator_parse(struct filter_parse *f, bool *ret_end)
{
	for (;;) {
		int err;

		skip_space(f);
		*ret_end = !f->rest.len;
		if (*ret_end)
			return 0;
		if (starts(f, "&&")) {
			take(f, 2);
			f->before = "&&";
			return 0;
		}
		if (starts(f, "||")) {
			take(f, 2);
			f->before = "||";
			list_join(&f->level->any, list_close(f, &f->level->all, FILTER_ALL), FILTER_ANY);
			return 0;
		}
		if (!starts(f, ")"))
			return refuse_junk(f);
		err = close_parenthesis(f);
		if (err)
			return err;
	}
}

static int parse_all(struct filter_parse *f, const struct filter_node **ret)
{
	bool end = false;
	int err = 0;

	while (!err && !end) {
		err = operand_parse(f);
		if (!err)
			err = operator_parse(f, &end);
	}
	if (err)
		return err;
	if (f->level->outer)
		return diag_at(f->p.diag, -EINVAL, f->level->open_at, "this '(' is not closed");
	*ret = level_close(f);
	return 0;
}

int filter_parse(struct arena *arena, const char *text, struct span at, const struct filter_expr **ret,
		 struct diag *diag)
{
	struct filter_parse f = { .p = { .arena = arena, .diag = diag, .text = text } };
	struct filter_expr *filter = arena_new(arena, struct filter_expr);
	struct level whole = { 0 };
	int err;

	diag->text = text;
	at = span_tail(at, span_skip_space(&f.p, at));
	while (at.len && strchr(PARSE_SPACE, text[at.off + at.len - 1]))
		at.len--;
	if (memchr(text + at.off, '\n', at.len)) {
		diag->text = NULL;
		return diag_set(diag, -EINVAL, "a filter must be one line, and this text has several");
	}
	if (at.len > FILTER_MAX_TEXT) {
		diag->text = NULL;
		return diag_set(diag, -E2BIG, "the filter has %u bytes, at most %d fit", at.len, FILTER_MAX_TEXT);
	}
	f.rest = at;
	f.level = &whole;
	*filter = (struct filter_expr){ .text = text, .at = at };
	err = parse_all(&f, &filter->root);
	if (err)
		return err;
	diag->text = NULL;
	*ret = filter;
	return 0;
}

uint32_t filter_length(const char *text, uint32_t len)
{
	char quote = 0;

	for (uint32_t i = 0; i < len; i++) {
		char c = text[i];

		if (quote)
			quote = c == quote ? 0 : quote;
		else if (c == '\'' || c == '"')
			quote = c;
		else if (c == '#')
			return i;
	}
	return len;
}

/* ---- the tree as text ---- */

void filter_pred_print(const struct filter_expr *filter, const struct filter_pred *pred, struct buf *out)
{
	static const char *const ops[] = {
		[FILTER_EQ] = "==", [FILTER_NE] = "!=", [FILTER_LT] = "<", [FILTER_LE] = "<=",
		[FILTER_GT] = ">", [FILTER_GE] = ">=", [FILTER_AND] = "&", [FILTER_GLOB] = "~",
	};

	buf_adds(out, pred->field);
	buf_add(out, filter->text + pred->suffix_at.off, pred->suffix_at.len);
	buf_addf(out, " %s ", ops[pred->op]);
	buf_add(out, filter->text + pred->value_at.off, pred->value_at.len);
}

static const char *joint(const struct filter_node *node)
{
	return node->kind == FILTER_ALL ? " && " : " || ";
}

static bool is_joint(const struct filter_node *node)
{
	return node->kind == FILTER_ALL || node->kind == FILTER_ANY;
}

/* @inside: the node's parent, or NULL. The recursion is as deep as the tree, and each level needs seven bytes of text. */
static void node_print(const struct filter_expr *filter, const struct filter_node *node,
		       const struct filter_node *inside, struct buf *out)
{
	bool wrapped = inside && is_joint(node) && (inside->kind == FILTER_NOT || inside->kind == FILTER_ALL);

	if (wrapped)
		buf_addc(out, '(');
	switch (node->kind) {
	case FILTER_PRED:
		filter_pred_print(filter, node->pred, out);
		break;
	case FILTER_NOT:
		buf_addc(out, '!');
		node_print(filter, node->child, node, out);
		break;
	default:
		for (const struct filter_node *child = node->child; child; child = child->next) {
			node_print(filter, child, node, out);
			if (child->next)
				buf_adds(out, joint(node));
		}
		break;
	}
	if (wrapped)
		buf_addc(out, ')');
}

void filter_print(const struct filter_expr *filter, struct buf *out)
{
	node_print(filter, filter->root, NULL, out);
}
