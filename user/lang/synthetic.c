// SPDX-License-Identifier: GPL-2.0-only
/*
 * synthetic.c - parses the definition of a synthetic event.
 */
#include "lang/synthetic.h"

#include <errno.h>

#include "lang/filter.h"
#include "lang/name.h"
#include "lang/parse.h"

/* 6.12, synth_field_size(), synth_field_signed() and synth_field_fmt(). */
static const struct known {
	const char *name;
	enum type_kind kind;
	uint8_t size;
} known_types[] = {
	{ "s64", TYPE_SIGNED, 8 }, { "u64", TYPE_UNSIGNED, 8 }, { "s32", TYPE_SIGNED, 4 }, { "u32", TYPE_UNSIGNED, 4 },
	{ "s16", TYPE_SIGNED, 2 }, { "u16", TYPE_UNSIGNED, 2 }, { "s8", TYPE_SIGNED, 1 }, { "u8", TYPE_UNSIGNED, 1 },
	{ "char", TYPE_SIGNED, 1 }, { "unsigned char", TYPE_UNSIGNED, 1 }, { "int", TYPE_SIGNED, 4 },
	{ "unsigned int", TYPE_UNSIGNED, 4 }, { "long", TYPE_SIGNED, 8 }, { "unsigned long", TYPE_UNSIGNED, 8 },
	{ "bool", TYPE_SIGNED, 1 }, { "pid_t", TYPE_SIGNED, 4 }, { "gfp_t", TYPE_HEX, 4 },
};

bool synthetic_is(const char *text)
{
	text += strspn(text, PARSE_SPACE);
	return text[0] == 's' && text[1] == ':';
}

/* The next word of @rest, which is moved behind it; .len 0: there is none. */
static struct span next_word(const struct parse *p, struct span *rest)
{
	struct span word;

	*rest = span_tail(*rest, span_skip_space(p, *rest));
	word = span_head(*rest, span_find(p, *rest, PARSE_SPACE));
	*rest = span_tail(*rest, word.len);
	return word;
}

static struct span join(struct span from, struct span to)
{
	return (struct span){ from.off, to.off + to.len - from.off };
}

static int refuse_type(struct parse *p, struct span at)
{
	const char *names[ARRAY_SIZE(known_types)], *near;

	for (size_t i = 0; i < ARRAY_SIZE(known_types); i++)
		names[i] = known_types[i].name;
	near = spell_nearest(span_dup(p, at), names, ARRAY_SIZE(names));
	diag_at(p->diag, -EINVAL, at, "'%s' is not a type of a synthetic event's field", span_quote(p, at));
	if (near)
		diag_note(p->diag, "help: did you mean '%s'?", near);
	else
		diag_note(p->diag, "help: the types are s8 to s64, u8 to u64, [unsigned] char, int and long, bool, pid_t, gfp_t, "
			  "char[N], char[] and long[]");
	return -EINVAL;
}

/* The number in brackets: up to three characters, decimal, hexadecimal or octal (6.12, synth_field_string_size()). */
static int parse_room(struct parse *p, struct span at, uint16_t *ret)
{
	struct span n = { at.off + 1, at.len - 2 };
	unsigned long value = 0;
	char *end;

	if (at.len < 2 || span_ptr(p, at)[at.len - 1] != ']')
		return diag_at(p->diag, -EINVAL, at, "an array is [N] or []");
	if (n.len) {
		value = strtoul(span_dup(p, n), &end, 0);
		if (*end || n.len > 3 || !char_is_digit(*span_ptr(p, n)))
			return diag_at(p->diag, -EINVAL, n, "the size of a string is a number of up to three characters");
		if (value > SYNTHETIC_MAX_STRING)
			return diag_at(p->diag, -EINVAL, n, "a string of a synthetic event has at most %d bytes, with its NUL",
				       SYNTHETIC_MAX_STRING);
	}
	*ret = (uint16_t)value;
	return 0;
}

/* @type has the words; @array is behind the name or the type, or its .len is 0. */
static int parse_type(struct parse *p, struct span type, const char *name, struct span array, struct synthetic_field *ret)
{
	ret->type = arena_printf(p->arena, "%s%.*s", name, (int)array.len, span_ptr(p, array));
	if (array.len && (!strcmp(name, "char") || !strcmp(name, "unsigned char"))) {
		ret->kind = TYPE_STRING;
		return parse_room(p, array, &ret->room);
	}
	if (array.len && (!strcmp(name, "long") || !strcmp(name, "unsigned long"))) {
		ret->kind = TYPE_SYMBOL;
		ret->size = 8;
		ret->is_stack = true;
		return parse_room(p, array, &ret->room);
	}
	for (size_t i = 0; !array.len && i < ARRAY_SIZE(known_types); i++) {
		if (strcmp(name, known_types[i].name))
			continue;
		ret->kind = known_types[i].kind;
		ret->size = known_types[i].size;
		return 0;
	}
	return array.len ? diag_at(p->diag, -EINVAL, array, "an array is char[N], char[] or long[]") : refuse_type(p, type);
}

static int parse_name(struct parse *p, struct span at, const char **ret)
{
	if (!name_is_ident(span_ptr(p, at), at.len))
		return diag_at(p->diag, -EINVAL, at, "'%s' is not a name: letters, digits and '_', no digit first", span_quote(p, at));
	*ret = span_dup(p, at);
	return 0;
}

/* One field from the start of *rest. */
static int parse_field(struct parse *p, struct span *rest, struct synthetic_field *ret)
{
	struct span first = next_word(p, rest), type = first, name, array = { 0 };
	const char *text;
	uint32_t bracket;
	int err;

	if (span_is(p, first, "unsigned"))
		type = next_word(p, rest);
	name = next_word(p, rest);
	ret->at = join(first, name.len ? name : first);
	if (!name.len)
		return diag_at(p->diag, -EINVAL, first, "a field is a type and a name: 'u64 lat'");
	bracket = span_find(p, name, "[");
	if (bracket < name.len) {
		array = span_tail(name, bracket);
		name = span_head(name, bracket);
	} else {
		bracket = span_find(p, type, "[");
		array = span_tail(type, bracket);
		type = span_head(type, bracket);
	}
	text = arena_printf(p->arena, "%s%.*s", type.off != first.off ? "unsigned " : "", (int)type.len, span_ptr(p, type));
	err = parse_name(p, name, &ret->name);
	return err ? err : parse_type(p, join(first, type), text, array, ret);
}

static int refuse_twice(struct parse *p, const struct synthetic_def *def, const struct synthetic_field *f)
{
	for (unsigned i = 0; i < def->nr_fields; i++) {
		if (!strcmp(def->fields[i].name, f->name))
			return diag_at(p->diag, -EINVAL, f->at, "there is a field '%s' already", f->name);
	}
	return 0;
}

/* Is a condition what comes next? "if" is no type. */
static bool is_condition(const struct parse *p, struct span rest)
{
	return span_is(p, next_word(p, &rest), "if");
}

/*
 * Fields are separated by ';'. As in the kernel, white space does, too: the oldest form had no ';'. Before the first ';' there must be one
 * (6.12, check_command()), behind it there may be nothing.
 */
static int parse_fields(struct parse *p, struct span *all, struct synthetic_def *def)
{
	struct span rest = *all;

	def->fields = arena_array(p->arena, struct synthetic_field, SYNTHETIC_MAX_FIELDS);
	for (;;) {
		struct span part = span_head(rest, span_find(p, rest, ";"));

		rest = span_tail(rest, part.len);
		part = span_tail(part, span_skip_space(p, part));
		if (!part.len && rest.len && !def->nr_fields)
			return diag_at(p->diag, -EINVAL, span_head(rest, 1), "a field is expected before this ';'");
		while (part.len) {
			struct synthetic_field field = { 0 };
			int err;

			if (is_condition(p, part)) {
				*all = span_tail(*all, part.off - all->off);
				return 0;
			}
			err = parse_field(p, &part, &field);

			if (!err)
				err = refuse_twice(p, def, &field);
			if (!err && def->nr_fields == SYNTHETIC_MAX_FIELDS)
				err = diag_at(p->diag, -E2BIG, field.at, "a synthetic event has at most %d fields", SYNTHETIC_MAX_FIELDS);
			if (err)
				return err;
			def->fields[def->nr_fields++] = field;
			part = span_tail(part, span_skip_space(p, part));
		}
		if (!rest.len) {
			*all = rest;
			return 0;
		}
		rest = span_tail(rest, 1);
	}
}

/* What is behind "if", up to the end. */
static int parse_condition(struct parse *p, struct span rest, struct synthetic_def *def)
{
	if (!rest.len)
		return 0;
	next_word(p, &rest);
	rest = span_tail(rest, span_skip_space(p, rest));
	return filter_parse(p->arena, p->text, rest, &def->filter, p->diag);
}

/* NAME or synthetic/NAME behind "s:" */
static int parse_head(struct parse *p, struct span at, struct synthetic_def *def)
{
	uint32_t slash = span_find(p, at, "/");

	if (slash < at.len) {
		if (!span_is(p, span_head(at, slash), SYNTHETIC_GROUP))
			return diag_at(p->diag, -EINVAL, span_head(at, slash), "the group of synthetic events is '" SYNTHETIC_GROUP "'");
		at = span_tail(at, slash + 1);
	}
	def->name_at = at;
	if (at.len > LANG_MAX_EVENT_NAME)
		return diag_at(p->diag, -E2BIG, at, "an event's name has at most %d bytes", LANG_MAX_EVENT_NAME);
	return parse_name(p, at, &def->name);
}

int synthetic_parse(struct arena *arena, const char *text, struct synthetic_def **ret, struct diag *diag)
{
	struct parse p = { .arena = arena, .diag = diag, .text = text };
	struct span rest = { 0, (uint32_t)strcspn(text, "#") }, head;		/* any '#' starts a comment, as in kprobe_events */
	struct synthetic_def *def;
	int err = text_check(text, rest.len, diag);

	if (err)
		return err;
	diag->text = text;
	def = arena_new(arena, struct synthetic_def);
	def->text = text;
	head = next_word(&p, &rest);
	err = parse_head(&p, span_tail(head, 2), def);
	if (!err)
		err = parse_fields(&p, &rest, def);
	if (!err)
		err = parse_condition(&p, rest, def);
	if (!err && !def->nr_fields) {
		err = diag_at(diag, -EINVAL, head, "a synthetic event needs a field");
		diag_note(diag, "help: s:%s u64 FIELD; ...", def->name);
	}
	if (err)
		return err;
	diag->text = NULL;
	*ret = def;
	return 0;
}

void synthetic_print(const struct synthetic_def *def, struct buf *out)
{
	buf_addf(out, "s:" SYNTHETIC_GROUP "/%s ", def->name);
	for (unsigned i = 0; i < def->nr_fields; i++)
		buf_addf(out, "%s%s %s", i ? "; " : "", def->fields[i].type, def->fields[i].name);
	if (!def->filter)
		return;
	buf_adds(out, " if ");
	filter_print(def->filter, out);
}
