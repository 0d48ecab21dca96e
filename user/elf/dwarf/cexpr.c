// SPDX-License-Identifier: GPL-2.0-only
/*
 * cexpr.c - C expressions over variables: p->a.b[3].c, *p, &x, (*p).a
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "elf/dwarf/lines_priv.h"

enum { DEEPEST = 64 };			/* parentheses and '*' in each other */

struct input {
	struct arena *arena;
	const char *at;
	unsigned depth;
};

static const struct cexpr *parse_unary(struct input *r);

static void skip_space(struct input *r)
{
	r->at += strspn(r->at, " \t");
}

static bool take(struct input *r, const char *word)
{
	skip_space(r);
	if (strncmp(r->at, word, strlen(word)))
		return false;
	r->at += strlen(word);
	return true;
}

static const char *take_name(struct input *r)
{
	const char *start;

	skip_space(r);
	start = r->at;
	/* Only bprobe itself asks for $argN. */
	if (!strncmp(start, "$arg", 4) && isdigit((unsigned char)start[4]))
		r->at++;
	if (isalpha((unsigned char)*r->at) || *r->at == '_') {
		/* A variable of C++ may have namespaces and classes in front of it. */
		while (isalnum((unsigned char)*r->at) || *r->at == '_' || (r->at[0] == ':' && r->at[1] == ':'))
			r->at += 1 + (*r->at == ':');
	}
	return r->at > start ? arena_strndup(r->arena, start, (size_t)(r->at - start)) : NULL;
}

static struct cexpr *new_expr(struct input *r, enum cexpr_kind kind, const struct cexpr *inner)
{
	struct cexpr *e = arena_new(r->arena, struct cexpr);

	*e = (struct cexpr){ .kind = kind, .inner = inner };
	return e;
}

static const struct cexpr *parse_primary(struct input *r)
{
	const struct cexpr *inner;
	struct cexpr *e;

	if (take(r, "(")) {
		inner = parse_unary(r);
		return inner && take(r, ")") ? inner : NULL;
	}
	e = new_expr(r, CEXPR_NAME, NULL);
	e->name = take_name(r);
	return e->name ? e : NULL;
}

static bool take_index(struct input *r, int64_t *ret)
{
	char *end;

	skip_space(r);
	errno = 0;
	*ret = strtoll(r->at, &end, 0);
	if (end == r->at || errno || *ret > INT32_MAX || *ret < INT32_MIN)
		return false;
	r->at = end;
	return take(r, "]");
}

static const struct cexpr *parse_postfix(struct input *r)
{
	const struct cexpr *inner = parse_primary(r);

	while (inner) {
		struct cexpr *e;

		if (take(r, "[")) {
			e = new_expr(r, CEXPR_INDEX, inner);
			if (!take_index(r, &e->n))
				return NULL;
		} else if (take(r, "->") || take(r, ".")) {
			e = new_expr(r, r->at[-1] == '>' ? CEXPR_ARROW : CEXPR_FIELD, inner);
			e->name = take_name(r);
			if (!e->name)
				return NULL;
		} else {
			return inner;
		}
		inner = e;
	}
	return NULL;
}

static const struct cexpr *parse_unary(struct input *r)
{
	const struct cexpr *inner;
	enum cexpr_kind kind;

	if (r->depth++ > DEEPEST)
		return NULL;
	if (take(r, "*"))
		kind = CEXPR_DEREF;
	else if (take(r, "&"))
		kind = CEXPR_ADDRESS;
	else
		return parse_postfix(r);
	inner = parse_unary(r);
	return inner ? new_expr(r, kind, inner) : NULL;
}

const struct cexpr *cexpr_parse(struct arena *arena, const char *text)
{
	struct input r = { .arena = arena, .at = text };
	const struct cexpr *e = parse_unary(&r);

	skip_space(&r);
	return e && !*r.at ? e : NULL;
}
