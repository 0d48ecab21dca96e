// SPDX-License-Identifier: GPL-2.0-only
/*
 * funcev_type.c - function_events' tokens, and its types.
 */
#include <errno.h>

#include "base/number.h"
#include "lang/funcev_priv.h"
#include "lang/name.h"

/* ---- tokens: words, and single other characters ---- */

void cursor_next(struct cursor *c)
{
	const char *s = span_ptr(c->p, c->rest);
	uint32_t skip = (uint32_t)strspn(s, PARSE_SPACE), len = 0;

	skip = MIN(skip, c->rest.len);
	c->rest = span_tail(c->rest, skip);
	s += skip;
	while (len < c->rest.len && cursor_is_word(s[len]))
		len++;
	if (!len && c->rest.len)
		len = 1;
	c->token = span_head(c->rest, len);
	c->rest = span_tail(c->rest, len);
}

bool cursor_is(const struct cursor *c, const char *text)
{
	return span_is(c->p, c->token, text);
}

bool cursor_take(struct cursor *c, const char *text)
{
	if (!cursor_is(c, text))
		return false;
	cursor_next(c);
	return true;
}

bool cursor_is_name(const struct cursor *c)
{
	return name_is_ident(span_ptr(c->p, c->token), c->token.len);
}

bool cursor_is_number(const struct cursor *c)
{
	return c->token.len && char_is_digit(*span_ptr(c->p, c->token));
}

struct span cursor_since(const struct cursor *c, uint32_t start)
{
	struct span at = { start, c->token.off - start };

	while (at.len && strchr(PARSE_SPACE, span_ptr(c->p, at)[at.len - 1]))
		at.len--;
	return at;
}

int cursor_unexpected(const struct cursor *c, const char *wanted)
{
	struct diag *d = c->p->diag;

	if (!c->token.len)
		return diag_at(d, -EINVAL, c->token, "the definition ends where %s is expected", wanted);
	return diag_at(d, -EINVAL, c->token, "'%s' where %s is expected", span_quote(c->p, c->token), wanted);
}

int cursor_number(struct cursor *c, uint64_t *ret)
{
	int err;

	if (!cursor_is_number(c))
		return cursor_unexpected(c, "a number");
	err = number_u64(span_ptr(c->p, c->token), c->token.len, 0, ret);
	if (err)
		return diag_at(c->p->diag, err, c->token, err == -ERANGE ? "'%s' does not fit in 64 bits" :
			       "'%s' is not a number", span_quote(c->p, c->token));
	cursor_next(c);
	return 0;
}

/* ---- types ---- */

static const struct {
	const char *name;
	enum type_kind kind;
	uint8_t size;
} atoms[] = {
	{ "u8", TYPE_UNSIGNED, 1 }, { "u16", TYPE_UNSIGNED, 2 },
	{ "u32", TYPE_UNSIGNED, 4 }, { "u64", TYPE_UNSIGNED, 8 },
	{ "s8", TYPE_SIGNED, 1 }, { "s16", TYPE_SIGNED, 2 },
	{ "s32", TYPE_SIGNED, 4 }, { "s64", TYPE_SIGNED, 8 },
	{ "x8", TYPE_HEX, 1 }, { "x16", TYPE_HEX, 2 },
	{ "x32", TYPE_HEX, 4 }, { "x64", TYPE_HEX, 8 },
	{ "char", TYPE_CHAR, 1 }, { "short", TYPE_SIGNED, 2 }, { "int", TYPE_SIGNED, 4 },
	{ "long", TYPE_SIGNED, 8 }, { "size_t", TYPE_UNSIGNED, 8 },
	{ "symbol", TYPE_SYMBOL, 8 }, { "string", TYPE_STRING, 0 },
};

static int refuse_atom(const struct cursor *c)
{
	const char *word = span_quote(c->p, c->token), *near;
	const char *names[ARRAY_SIZE(atoms)];
	int err;

	if (!cursor_is_name(c))
		return cursor_unexpected(c, "a type");
	for (size_t i = 0; i < ARRAY_SIZE(atoms); i++)
		names[i] = atoms[i].name;
	near = spell_nearest(word, names, ARRAY_SIZE(names));
	err = diag_at(c->p->diag, -EINVAL, c->token, "unknown type '%s'", word);
	if (near)
		diag_note(c->p->diag, "help: did you mean %s?", near);
	diag_note(c->p->diag, "help: the types are u8 to u64, s8 to s64, x8 to x64, char, short, int, long, "
			      "size_t, symbol and string");
	return err;
}

static int array_parse(struct cursor *c, struct type *type)
{
	struct span at = c->token;
	uint64_t n;
	int err = cursor_number(c, &n);

	if (err)
		return err;
	if (type->kind == TYPE_STRING)
		return diag_at(c->p->diag, -EINVAL, at, "strings cannot be an array");
	if (!n || n > LANG_MAX_ARRAY)
		return diag_at(c->p->diag, -EINVAL, at, "an array has 1 to %d elements", LANG_MAX_ARRAY);
	type->count = (uint8_t)n;
	type->count_at = at;
	return cursor_take(c, "]") ? 0 : cursor_unexpected(c, "']'");
}

static int atom_parse(struct cursor *c, struct type *type)
{
	size_t i = 0;

	while (i < ARRAY_SIZE(atoms) && !cursor_is(c, atoms[i].name))
		i++;
	if (i == ARRAY_SIZE(atoms))
		return refuse_atom(c);
	type->kind = atoms[i].kind;
	type->size = atoms[i].size;
	cursor_next(c);
	return cursor_take(c, "[") ? array_parse(c, type) : 0;
}

int cursor_type(struct cursor *c, struct type *ret)
{
	uint32_t start = c->token.off;
	struct type type = { 0 };
	bool is_unsigned = false;
	int err;

	while (cursor_take(c, "unsigned"))
		is_unsigned = true;
	err = atom_parse(c, &type);
	/* An array of char is a text, signed or unsigned. */
	if (is_unsigned && (type.kind == TYPE_SIGNED || (type.kind == TYPE_CHAR && !type.count)))
		type.kind = TYPE_UNSIGNED;
	type.at = cursor_since(c, start);
	if (!err)
		*ret = type;
	return err;
}
