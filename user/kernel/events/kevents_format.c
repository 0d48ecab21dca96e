// SPDX-License-Identifier: GPL-2.0-only
/*
 * kevents_format.c - parses events/GROUP/NAME/format (6.12, kernel/trace/trace_events.c, f_show()).
 *
 *	name: sched_switch
 *	ID: 310
 *	format:
 *		field:unsigned short common_type;	offset:0;	size:2;	signed:0;
 *
 *		field:char prev_comm[16];	offset:8;	size:16;	signed:0;
 *
 *	print fmt: "prev_comm=%s", REC->prev_comm
 *
 * Lines and words that are not known are skipped: later kernels may have more.
 */
#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/number.h"
#include "kernel/events/kevents_priv.h"

enum { MAX_RECORD = 1 << 20 };		/* bytes; a record is never longer than a page of the kernel's ring */

/* A part of the text. */
struct piece {
	const char *s;
	size_t len;
};

static struct piece trim(struct piece p)
{
	for (; p.len && (*p.s == ' ' || *p.s == '\t'); p.len--)
		p.s++;
	while (p.len && (p.s[p.len - 1] == ' ' || p.s[p.len - 1] == '\t'))
		p.len--;
	return p;
}

/* Takes the part up to @end, which is dropped, or all that is left. */
static struct piece cut(struct piece *rest, char end)
{
	const char *at = rest->len ? memchr(rest->s, end, rest->len) : NULL;
	struct piece part = { rest->s, at ? (size_t)(at - rest->s) : rest->len };
	size_t taken = part.len + (at != NULL);

	rest->s += taken;
	rest->len -= taken;
	return part;
}

/* If @p begins with @word, removes that word from @p. */
static bool skip(struct piece *p, const char *word)
{
	size_t len = strlen(word);

	if (p->len < len || memcmp(p->s, word, len))
		return false;
	p->s += len;
	p->len -= len;
	return true;
}

static bool number(struct piece p, uint32_t *ret)
{
	uint64_t value;

	p = trim(p);
	if (number_u64(p.s, p.len, 10, &value) || value > UINT32_MAX)
		return false;
	*ret = (uint32_t)value;
	return true;
}

/* ---- types ---- */

/* The sizes of types by their names, for arrays whose length is not known. BTF would know them all, but costs more. */
static uint32_t size_of(const char *type)
{
	static const struct { const char *name; uint32_t size; } sizes[] = {
		{ "char", 1 }, { "unsigned char", 1 }, { "signed char", 1 }, { "bool", 1 }, { "u8", 1 }, { "s8", 1 },
		{ "__u8", 1 }, { "__s8", 1 }, { "uint8_t", 1 }, { "int8_t", 1 },
		{ "short", 2 }, { "unsigned short", 2 }, { "u16", 2 }, { "s16", 2 }, { "__u16", 2 }, { "__s16", 2 },
		{ "__be16", 2 }, { "__le16", 2 }, { "uint16_t", 2 }, { "int16_t", 2 },
		{ "int", 4 }, { "unsigned int", 4 }, { "unsigned", 4 }, { "u32", 4 }, { "s32", 4 }, { "__u32", 4 },
		{ "__s32", 4 }, { "__be32", 4 }, { "__le32", 4 }, { "uint32_t", 4 }, { "int32_t", 4 },
		{ "long", 8 }, { "unsigned long", 8 }, { "long long", 8 }, { "unsigned long long", 8 }, { "size_t", 8 },
		{ "u64", 8 }, { "s64", 8 }, { "__u64", 8 }, { "__s64", 8 }, { "__be64", 8 }, { "__le64", 8 },
		{ "uint64_t", 8 }, { "int64_t", 8 },
	};
	size_t len = strlen(type);

	if (len && type[len - 1] == '*')
		return 8;
	if (!strncmp(type, "const ", strlen("const ")))
		type += strlen("const ");
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		if (!strcmp(type, sizes[i].name))
			return sizes[i].size;
	}
	return 0;
}

/* @type without its [...], and without blanks at the ends. */
static const char *bare(struct arena *arena, const char *type)
{
	struct piece p = trim((struct piece){ type, strcspn(type, "[") });

	return arena_strndup(arena, p.s, p.len);
}

static void describe_array(struct arena *arena, struct kevent_field *f)
{
	const char *from = strchr(f->type, '[') + 1;
	uint32_t nr;

	f->element = bare(arena, f->type);
	f->element_size = size_of(f->element);
	if (f->is_string)
		f->element_size = 1;
	else if (number((struct piece){ from, strcspn(from, "]") }, &nr) && nr && f->size % nr == 0)
		f->element_size = f->size / nr;
	f->kind = f->is_string ? KEVENT_TEXT : KEVENT_ARRAY;
	if (!f->element_size || f->size % f->element_size)
		f->kind = KEVENT_BYTES;
	else
		f->nr_elements = f->size / f->element_size;
}

static bool is_number(const struct kevent_field *f)
{
	bool is_struct = !strncmp(f->type, "struct ", strlen("struct ")) || !strncmp(f->type, "union ", strlen("union "));

	return (f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8) && (f->is_pointer || !is_struct);
}

static void describe_located(struct arena *arena, struct kevent_field *f, const char *element)
{
	f->element = bare(arena, element);
	f->element_size = size_of(f->element);
	f->is_string = strstr(element, "char");
	f->is_cpumask = strstr(element, "cpumask_t");
	if (f->is_cpumask)
		f->element_size = size_of("unsigned long");
	if (f->is_string)
		f->element_size = 1;
}

void kevent_describe_field(struct arena *arena, struct kevent_field *f)
{
	static const char data_loc[] = "__data_loc ", rel_loc[] = "__rel_loc ";
	size_t len = strlen(f->type);

	f->element = f->type;
	f->is_common = !strncmp(f->name, "common_", strlen("common_"));
	f->is_stacktrace = strstr(f->type, "stacktrace");
	f->kind = KEVENT_BYTES;
	if (!strncmp(f->type, data_loc, strlen(data_loc)) && f->size == 4) {
		f->kind = KEVENT_DYNAMIC;
		describe_located(arena, f, f->type + strlen(data_loc));
	} else if (!strncmp(f->type, rel_loc, strlen(rel_loc)) && f->size == 4) {
		f->kind = KEVENT_RELATIVE;
		describe_located(arena, f, f->type + strlen(rel_loc));
	} else if (strchr(f->type, '[')) {
		f->is_string = strstr(f->type, "char");
		describe_array(arena, f);
	} else {
		f->is_pointer = len && f->type[len - 1] == '*' && f->size == 8;
		f->is_string = f->is_pointer && (!strcmp(f->type, "char *") || !strcmp(f->type, "const char *"));
		f->kind = is_number(f) ? KEVENT_NUMBER : KEVENT_BYTES;
	}
}

/* ---- lines ---- */

/*
 * "unsigned long args[6]": what is after the last blank is the name, and the [6] behind it belongs to the type. The text inside of
 * the brackets may have blanks.
 */
static bool split_declaration(struct arena *arena, struct piece text, struct kevent_field *f)
{
	struct piece array = { "", 0 };
	char *type;
	size_t at;

	text = trim(text);
	if (text.len && text.s[text.len - 1] == ']') {
		for (at = text.len; at && text.s[at - 1] != '['; at--)
			;
		if (!at)
			return false;
		array = (struct piece){ text.s + at - 1, text.len - at + 1 };
		text.len = at - 1;
	}
	for (at = text.len; at && text.s[at - 1] != ' ' && text.s[at - 1] != '\t'; at--)
		;
	if (!at || at == text.len)
		return false;
	f->name = arena_strndup(arena, text.s + at, text.len - at);
	text.len = at;
	text = trim(text);
	type = arena_alloc(arena, text.len + array.len + 1);
	memcpy(type, text.s, text.len);
	memcpy(type + text.len, array.s, array.len);
	f->type = type;
	return text.len;
}

bool kevent_field_fits(const struct kevent_field *f)
{
	return f->offset <= MAX_RECORD && f->size <= MAX_RECORD;
}

/* The rest of a line after "field:". */
static bool parse_field(struct arena *arena, struct piece line, struct kevent_field *f)
{
	struct piece declaration = cut(&line, ';');
	bool has_offset = false, has_size = false;
	uint32_t sign = 0;

	*f = (struct kevent_field){ 0 };
	while (line.len) {
		struct piece word = trim(cut(&line, ';'));

		if (skip(&word, "offset:"))
			has_offset = number(word, &f->offset);
		else if (skip(&word, "size:"))
			has_size = number(word, &f->size);
		else if (skip(&word, "signed:"))
			number(word, &sign);
	}
	f->is_signed = sign;
	if (!has_offset || !has_size || !kevent_field_fits(f) || !split_declaration(arena, declaration, f))
		return false;
	kevent_describe_field(arena, f);
	return true;
}

static const char *copy(struct arena *arena, struct piece p)
{
	p = trim(p);
	return arena_strndup(arena, p.s, p.len);
}

/* The text of print fmt goes up to the end of the file. */
static const char *last_text(struct arena *arena, struct piece line, struct piece rest)
{
	line.len = (size_t)(rest.s + rest.len - line.s);
	while (line.len && line.s[line.len - 1] == '\n')
		line.len--;
	return copy(arena, line);
}

int kevent_parse_format(struct arena *arena, const char *text, size_t len, struct kevent *ret)
{
	struct piece rest = { text, len };
	struct buf fields = { 0 };
	bool has_id = false, good = true;

	while (good && rest.len && !ret->print_fmt) {
		struct piece line = trim(cut(&rest, '\n'));
		struct kevent_field field;

		if (skip(&line, "name:")) {
			ret->name = copy(arena, line);
		} else if (skip(&line, "ID:")) {
			has_id = number(line, &ret->id);
		} else if (skip(&line, "print fmt:")) {
			ret->print_fmt = last_text(arena, line, rest);
		} else if (skip(&line, "field:")) {
			good = parse_field(arena, line, &field);
			if (good)
				buf_add(&fields, &field, sizeof(field));
		}
	}
	if (good && has_id && fields.len) {
		ret->nr_fields = (unsigned)(fields.len / sizeof(struct kevent_field));
		ret->fields = memcpy(arena_array(arena, struct kevent_field, ret->nr_fields), fields.data, fields.len);
	} else {
		good = false;
	}
	buf_fini(&fields);
	return good && ret->name ? 0 : -EINVAL;
}
