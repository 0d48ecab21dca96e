// SPDX-License-Identifier: GPL-2.0-only
/*
 * type_words.c - the words for types.
 */
#include "lang/type_words.h"

#include <string.h>

#include "base/macros.h"

const struct type_word type_words[] = {
	{ "u8", TYPE_UNSIGNED, 1 }, { "u16", TYPE_UNSIGNED, 2 },
	{ "u32", TYPE_UNSIGNED, 4 }, { "u64", TYPE_UNSIGNED, 8 },
	{ "s8", TYPE_SIGNED, 1 }, { "s16", TYPE_SIGNED, 2 },
	{ "s32", TYPE_SIGNED, 4 }, { "s64", TYPE_SIGNED, 8 },
	{ "x8", TYPE_HEX, 1 }, { "x16", TYPE_HEX, 2 },
	{ "x32", TYPE_HEX, 4 }, { "x64", TYPE_HEX, 8 },
	{ "string", TYPE_STRING }, { "ustring", TYPE_USTRING }, { "symstr", TYPE_SYMSTR, .array = "symbol" },
	{ "symbol", TYPE_SYMBOL, 8 }, { "char", TYPE_CHAR, 1 },
	{ "%pd", TYPE_DENTRY }, { "%pD", TYPE_FILE },
	/* The rest is bprobe's own. */
	{ "path", TYPE_PATH, .array = "" },
#define WORD(name, kind, size, show, ...)	{ name, TYPE_##kind, size, SHOW_##show, __VA_ARGS__ },
#define ROW(id, kept, names, btf, print, without, words)	words
	SHOWN_TYPES(ROW)
#undef ROW
};

const unsigned nr_type_words = ARRAY_SIZE(type_words);

const struct type_word *type_word_find(const char *name, size_t len)
{
	for (unsigned i = 0; i < nr_type_words; i++) {
		if (strlen(type_words[i].name) == len && !memcmp(type_words[i].name, name, len))
			return &type_words[i];
	}
	return NULL;
}

enum shown_names type_names(const struct type *type)
{
	static const enum shown_names rows[SHOW_COUNT] = {
#define ROW(id, kept, names, ...)	[SHOW_##id] = SHOWN_##names,
		SHOWN_TYPES(ROW)
#undef ROW
	};

	return rows[type->show];
}

static bool is_of(const struct type_word *w, const struct type *type)
{
	if (w->show != type->show)
		return false;
	/* By BTF, numbers with names may have any kind of number and any size. */
	if (type_names(type))
		return type->kind == TYPE_SIGNED || type->kind == TYPE_UNSIGNED || type->kind == TYPE_HEX;
	return w->kind == type->kind && w->size == (type_is_dynamic(type) ? 0 : type->size);
}

bool type_word_fits(const struct type *type)
{
	for (unsigned i = 0; i < nr_type_words; i++) {
		if (is_of(&type_words[i], type))
			return !type->count || !type_words[i].array;
	}
	return false;
}

const struct type_word *type_word_of(const struct type *type)
{
	unsigned i = 0;

	while (i + 1 < nr_type_words && !is_of(&type_words[i], type))
		i++;
	return &type_words[i];
}

enum { CLASSIC_BLOCK = 16 };		/* bytes of a struct sockaddr_in, the shortest that has an address */

struct type type_classic(const struct type *type)
{
	struct type t = *type;

	if (t.kind == TYPE_PATH)
		t.kind = TYPE_FILE;
	t.enum_name = NULL;
	t.show = SHOW_PLAIN;
	t.length = NULL;
	t.bytes = 0;
	if (t.until_null) {
		t.until_null = false;
		t.count = LANG_MAX_VECTOR;
	}
	t.bit_signed = false;
	if (type->show == SHOW_BIG_ENDIAN)
		t.kind = TYPE_HEX;
	if (t.kind == TYPE_BYTES || t.kind == TYPE_BLOCK || t.kind == TYPE_BUFFER) {
		unsigned bytes = t.kind == TYPE_BLOCK ? (unsigned)CLASSIC_BLOCK : t.size * MAX(t.count, 1u);

		if (t.kind == TYPE_BUFFER)
			bytes = type->bytes ? type->bytes : (unsigned)LANG_MAX_ARRAY;

		t.kind = TYPE_HEX;
		t.size = 1;
		t.count = (uint8_t)MIN(bytes, (unsigned)LANG_MAX_ARRAY);
	}
	return t;
}

const char *type_own_part(const struct type *type)
{
	static const char *const parts[SHOW_COUNT] = {
#define ROW(id, kept, names, btf, print, without, ...)	[SHOW_##id] = without,
		SHOWN_TYPES(ROW)
#undef ROW
	};

	if (type->kind == TYPE_PATH)
		return "the path's last part if this is a struct file; if it is a struct dentry, %pd does";
	if (type->until_null)
		return "as many strings as it is told to, also behind the NULL";
	if (type->length)
		return "64 bytes as numbers, whatever the length is";
	return type->bytes > LANG_MAX_ARRAY ? "the first 64 bytes as numbers" : parts[type->show];
}
