// SPDX-License-Identifier: GPL-2.0-only
/*
 * reg.c - register names, and what people write instead of them.
 */
#include "lang/reg.h"

#include <errno.h>

static bool reg_find(const char *name, enum reg *ret)
{
	for (unsigned i = 0; i < X86_COUNT; i++) {
		if (!strcmp(reg_name(i), name)) {
			*ret = i;
			return true;
		}
	}
	return false;
}

/* Names of parts of a register; how the part is fetched. */
static const struct {
	const char *name, *fetch;
} reg_parts[] = {
	{ "al", "%ax:u8" }, { "bl", "%bx:u8" }, { "cl", "%cx:u8" }, { "dl", "%dx:u8" },
	{ "sil", "%si:u8" }, { "dil", "%di:u8" }, { "bpl", "%bp:u8" }, { "spl", "%sp:u8" },
	{ "ah", "%ax:b8@8/16" }, { "bh", "%bx:b8@8/16" }, { "ch", "%cx:b8@8/16" },
	{ "dh", "%dx:b8@8/16" }, { "pc", "%ip" },
};

/* r8d, r8w and r8b: the register's number, or 0. */
static unsigned reg_numbered_part(const char *name, char *ret_suffix)
{
	unsigned n = 0;

	if (*name++ != 'r')
		return 0;
	while (char_is_digit(*name) && n < 100)
		n = n * 10 + (unsigned)(*name++ - '0');
	*ret_suffix = *name;
	if (n < 8 || n > 15 || !*name || !strchr("dwb", *name) || name[1])
		return 0;
	return n;
}

static bool suggest_other_spelling(struct parse *p, const char *name)
{
	enum reg reg;
	unsigned n;
	char suffix;

	if ((*name == 'r' || *name == 'e') && reg_find(name + 1, &reg)) {
		diag_note(p->diag, "help: the kernel's names have no 'r' or 'e' in front: "
				   "write %%%s%s", name + 1, *name == 'e' ? ":u32" : "");
		return true;
	}
	if (!strncmp(name, "orig_r", 6) && !strcmp(name + 6, "ax")) {
		diag_note(p->diag, "help: write %%orig_ax");
		return true;
	}
	n = reg_numbered_part(name, &suffix);
	if (n) {
		diag_note(p->diag, "help: the type takes the part: write %%r%u:u%d", n,
			  suffix == 'd' ? 32 : suffix == 'w' ? 16 : 8);
		return true;
	}
	for (size_t i = 0; i < ARRAY_SIZE(reg_parts); i++) {
		if (!strcmp(reg_parts[i].name, name)) {
			diag_note(p->diag, "help: write %s", reg_parts[i].fetch);
			return true;
		}
	}
	return false;
}

static void suggest_near_name(struct parse *p, const char *name)
{
	const char *names[X86_COUNT];
	struct buf list = { 0 };
	const char *near;

	for (unsigned i = 0; i < X86_COUNT; i++) {
		names[i] = reg_name(i);
		buf_addf(&list, "%s%%%s", i ? " " : "", names[i]);
	}
	near = spell_nearest(name, names, X86_COUNT);
	if (near)
		diag_note(p->diag, "help: did you mean %%%s?", near);
	diag_note(p->diag, "help: the registers are %s", buf_str(&list));
	buf_fini(&list);
}

/* A register's name with something behind it that cannot stand there. */
static bool suggest_about_rest(struct parse *p, const char *name)
{
	size_t len = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");
	const char *word = arena_strndup(p->arena, name, len), *rest = name + len;
	enum reg reg;

	if (!*rest || !reg_find(word, &reg))
		return false;
	if (*rest == ',' || *rest == ';')
		diag_note(p->diag, "help: arguments are separated by spaces");
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
