// SPDX-License-Identifier: GPL-2.0-only
/*
 * layout_text.c - a record's layout as text.
 */
#include "plan/layout_text.h"

#include <errno.h>

#include "base/words.h"
#include "plan/backend.h"

/* The text has names instead of numbers, so that a new kind in the middle of the enumeration changes nothing. */
static const char *const kinds[] = {
	[TYPE_NONE] = "none", [TYPE_UNSIGNED] = "u", [TYPE_SIGNED] = "s", [TYPE_HEX] = "x", [TYPE_CHAR] = "char",
	[TYPE_SYMBOL] = "symbol", [TYPE_SYMSTR] = "symstr", [TYPE_STRING] = "string", [TYPE_USTRING] = "ustring",
	[TYPE_BITFIELD] = "b", [TYPE_DENTRY] = "pd", [TYPE_FILE] = "pD",
};

static const char *const dialects[DIALECT_COUNT] = {
	[DIALECT_KPROBE] = "kprobe", [DIALECT_RFC_V2] = "rfc-v2", [DIALECT_V13] = "v13", [DIALECT_FUNCTION] = "function",
};

static const char *const stacks[STACK_KINDS] = {
	[STACK_KERNEL] = "kernel", [STACK_USER] = "user", [STACK_USER_IDS] = "user-ids", [STACK_USER_TEXT] = "user-text",
};

void layout_print(const struct layout *l, struct buf *out)
{
	buf_addf(out, "layout %s %s %s %s %s %s %s\n", l->is_return ? "r" : "p", l->backend->name,
		 l->at_int3 ? "int3" : "-", dialects[l->dialect], l->has_parent ? "parent" : "-",
		 l->at_entry ? "entry" : "-", l->func ? l->func : "");
	if (l->typed)
		buf_addf(out, "typed %s\n", l->typed);
	for (unsigned i = 0; i < STACK_KINDS; i++) {
		if (l->stacks & 1u << i)
			buf_addf(out, "stack %s\n", stacks[i]);
	}
	for (unsigned i = 0; i < l->nr_fields; i++) {
		const struct layout_field *f = &l->fields[i];

		buf_addf(out, "field %s %u %u %u %u %u %s %u %s %u %u %s %s\n", kinds[f->type.kind], f->type.size,
			 f->type.bit_width, f->type.bit_off, f->type.count, f->count,
			 f->mark != LAYOUT_NO_MARK ? "mark" : "-", f->room, f->grows ? "grows" : "-",
			 f->bit_off, f->bit_width, f->typed ? "typed" : "-", f->name);
		if (f->label)
			buf_addf(out, "label %s\n", f->label);
	}
}

static int parse_kind(struct words *w, enum type_kind *ret)
{
	int which = words_choice(w, kinds, ARRAY_SIZE(kinds));

	if (which < 0)
		return which;
	*ret = (enum type_kind)which;
	return 0;
}

/* Can a definition have this type? The code that prints values does not check the type again. */
static bool type_is_whole(const struct type *t, uint32_t count)
{
	bool is_number = t->size == 1 || t->size == 2 || t->size == 4 || t->size == 8;

	if (t->count ? t->count != count : count != 1)
		return false;
	switch (t->kind) {
	case TYPE_NONE:
		return false;
	case TYPE_BITFIELD:
		return is_number && t->bit_width && t->bit_width + t->bit_off <= 8 * t->size;
	case TYPE_CHAR:
		return t->size == 1;
	case TYPE_SYMBOL:
		return t->size == 8;
	default:
		return type_is_dynamic(t) ? !t->size : is_number;
	}
}

/* Is it a symbol's name without characters that must be escaped in a line or in JSON? */
static bool is_symbol(const char *s)
{
	for (; s && *s; s++) {
		if (*s <= ' ' || *s > '~' || *s == '"' || *s == '\\')
			return false;
	}
	return true;
}

static bool is_printable(const char *s)
{
	for (; s && *s; s++) {
		if ((unsigned char)*s < ' ' || *s == 0x7f)
			return false;
	}
	return true;
}

static int parse_field(struct arena *arena, struct words *w, struct layout_field *f)
{
	f->mark = LAYOUT_NO_MARK;
	if (parse_kind(w, &f->type.kind))
		return -EBADMSG;
	f->type.size = (uint8_t)words_number(w, UINT8_MAX);
	f->type.bit_width = (uint8_t)words_number(w, UINT8_MAX);
	f->type.bit_off = (uint8_t)words_number(w, UINT8_MAX);
	f->type.count = (uint8_t)words_number(w, LANG_MAX_ARRAY);
	f->count = (uint32_t)words_number(w, LANG_MAX_ARRAY);
	if (words_flag(w, "mark"))
		f->mark = 0;
	f->room = (uint32_t)words_number(w, LAYOUT_LONG_STRING);
	f->grows = words_flag(w, "grows");
	f->bit_off = (uint8_t)words_number(w, UINT8_MAX);
	f->bit_width = (uint8_t)words_number(w, UINT8_MAX);
	f->typed = words_flag(w, "typed");
	f->name = words_rest(w, arena);
	if (w->bad || !name_is_ident(f->name, strlen(f->name)) || !type_is_whole(&f->type, f->count) ||
	    f->bit_width + f->bit_off > 64)
		return -EBADMSG;
	return 0;
}

static int parse_head(struct arena *arena, struct words *w, struct layout *l)
{
	static const char *const sides[] = { "p", "r" };
	int side = words_choice(w, sides, ARRAY_SIZE(sides));
	const char *backend = words_word(w, arena);
	int dialect;
	const char *func;

	l->is_return = side == 1;
	l->backend = backend_find(backend);
	l->at_int3 = words_flag(w, "int3");
	dialect = words_choice(w, dialects, ARRAY_SIZE(dialects));
	l->dialect = (enum dialect)MAX(dialect, 0);
	l->has_parent = words_flag(w, "parent");
	l->at_entry = words_flag(w, "entry");
	func = words_rest(w, arena);
	l->func = *func ? func : NULL;
	return w->bad || side < 0 || !l->backend ? -EBADMSG : 0;
}

/* If the line has this key, returns the rest of the line and moves to the next line. Otherwise NULL. */
static const char *take_line(struct arena *arena, const char **at, const char *key)
{
	struct words w;

	if (!words_open(&w, *at, key))
		return NULL;
	*at = words_next_line(*at);
	return words_rest(&w, arena);
}

/* Reads the lines that name stacks. */
static int parse_stacks(const char **at, unsigned *ret)
{
	struct words w;

	for (; words_open(&w, *at, "stack"); *at = words_next_line(*at)) {
		int which = words_choice(&w, stacks, ARRAY_SIZE(stacks));

		if (which < 0 || w.bad || *ret & 1u << which || (1u << which & STACKS_USER && *ret & STACKS_USER))
			return -EBADMSG;
		*ret |= 1u << which;
	}
	return 0;
}

static unsigned count_fields(const char *text)
{
	unsigned nr = 0;

	for (; words_line_is(text, "field") || words_line_is(text, "label"); text = words_next_line(text))
		nr += words_line_is(text, "field");
	return nr;
}

/* Do the parts fit together? A parent must be the first field, and one number of eight bytes. */
static bool layout_is_whole(const struct layout *l)
{
	const struct layout_field *first = l->fields;

	for (unsigned i = 0; i < l->nr_fields; i++) {
		if (!is_printable(l->fields[i].label))
			return false;
	}
	if (l->has_parent && (l->is_return || !l->nr_fields || first->count != 1 || first->type.size != 8))
		return false;
	return is_symbol(l->func) && is_symbol(l->typed);
}

int layout_parse(struct arena *arena, const char **text, struct layout *ret)
{
	const char *at = *text;
	struct layout l = { 0 };
	struct words w;
	int err;

	if (!words_open(&w, at, "layout"))
		return -EBADMSG;
	err = parse_head(arena, &w, &l);
	at = words_next_line(at);
	l.typed = take_line(arena, &at, "typed");
	if (!err)
		err = parse_stacks(&at, &l.stacks);
	l.nr_fields = count_fields(at);
	if (l.nr_fields > LANG_MAX_ARGS)
		return -EBADMSG;
	l.fields = arena_array(arena, struct layout_field, l.nr_fields);
	for (unsigned i = 0; !err && i < l.nr_fields; i++) {
		if (!words_open(&w, at, "field"))
			return -EBADMSG;
		err = parse_field(arena, &w, &l.fields[i]);
		at = words_next_line(at);
		l.fields[i].label = take_line(arena, &at, "label");
	}
	if (err || !layout_is_whole(&l) || layout_compute(&l) >= 0)
		return -EBADMSG;
	*ret = l;
	*text = at;
	return 0;
}
