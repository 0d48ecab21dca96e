// SPDX-License-Identifier: GPL-2.0-only
/*
 * reg.c - register names, and what users write instead of them.
 */
#include "lang/reg.h"

#include <errno.h>

static bool suggest_other_spelling(struct parse *p, const char *name)
{
	struct buf advice = { 0 };
	bool known = reg_advise(name, &advice);

	if (known)
		diag_note(p->diag, "help: %s", buf_str(&advice));
	buf_fini(&advice);
	return known;
}

static void suggest_near_name(struct parse *p, const char *name)
{
	const char *names[REG_COUNT];
	struct buf list = { 0 };
	const char *near;

	for (unsigned i = 0; i < REG_COUNT; i++) {
		names[i] = reg_name(i);
		buf_addf(&list, "%s%%%s", i ? " " : "", names[i]);
	}
	near = spell_nearest(name, names, REG_COUNT);
	if (near)
		diag_note(p->diag, "help: did you mean %%%s?", near);
	diag_note(p->diag, "help: the registers are %s", buf_str(&list));
	buf_fini(&list);
}

/* Advice for a register's name with text behind it that is not allowed there. */
static bool suggest_about_rest(struct parse *p, const char *name)
{
	size_t len = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");
	const char *word = arena_strndup(p->arena, name, len), *rest = name + len;
	enum reg reg;

	if (!*rest || !reg_find(word, &reg))
		return false;
	if (*rest == ',' || *rest == ';')
		diag_note(p->diag, "help: arguments are separated by spaces");
	else if (!strncmp(rest, "->", 2))
		diag_note(p->diag, "help: a register does not say what it points to; a cast does: (STRUCT)%%%s%s", word, rest);
	else if (*rest == '+' || *rest == '-')
		diag_note(p->diag, "help: for the memory there write %c%s(%%%s)", *rest,
			  rest[1] ? rest + 1 : "OFFSET", word);
	else
		diag_note(p->diag, "help: only ':TYPE' can follow %%%s", word);
	return true;
}

static void reg_suggest(struct parse *p, struct span name_at)
{
	char *name = arena_strdup(p->arena, span_quote(p, name_at));

	for (char *c = name; *c; c++) {
		if (*c >= 'A' && *c <= 'Z')
			*c = (char)(*c - 'A' + 'a');
	}
	if (suggest_about_rest(p, name) || suggest_other_spelling(p, name))
		return;
	suggest_near_name(p, name);
}

int reg_parse(struct parse *p, struct span at, enum reg *ret)
{
	struct span name_at = span_tail(at, 1);
	int err;

	if (reg_find(span_dup(p, name_at), ret))
		return 0;
	err = diag_at(p->diag, -EINVAL, at, "unknown register '%s'", span_quote(p, at));
	reg_suggest(p, name_at);
	return err;
}
