// SPDX-License-Identifier: GPL-2.0-only
/*
 * type_name.c - the name of a type in a cast.
 */
#include "cexpr/type_name.h"

#include <string.h>

#include "base/macros.h"

/* The names of numbers that the kernel's own headers have (6.12, include/linux/types.h), on CPUs of 64 bits. */
static const struct number_name {
	const char *name;
	uint8_t size;
	bool is_signed;
} names[] = {
	{ "u8", 1, false }, { "u16", 2, false }, { "u32", 4, false }, { "u64", 8, false },
	{ "s8", 1, true }, { "s16", 2, true }, { "s32", 4, true }, { "s64", 8, true },
	{ "__u8", 1, false }, { "__u16", 2, false }, { "__u32", 4, false }, { "__u64", 8, false },
	{ "__s8", 1, true }, { "__s16", 2, true }, { "__s32", 4, true }, { "__s64", 8, true },
	{ "uint8_t", 1, false }, { "uint16_t", 2, false }, { "uint32_t", 4, false }, { "uint64_t", 8, false },
	{ "int8_t", 1, true }, { "int16_t", 2, true }, { "int32_t", 4, true }, { "int64_t", 8, true },
	{ "bool", 1, false }, { "_Bool", 1, false }, { "size_t", 8, false }, { "ssize_t", 8, true }, { "loff_t", 8, true },
	{ "off_t", 8, true }, { "pid_t", 4, true }, { "uid_t", 4, false }, { "gid_t", 4, false }, { "uintptr_t", 8, false },
	{ "ptrdiff_t", 8, true }, { "umode_t", 2, false }, { "ino_t", 8, false }, { "sector_t", 8, false }, { "gfp_t", 4, false },
	{ "fmode_t", 4, false }, { "dev_t", 4, false },
};

/* The words that C makes names of numbers of. */
struct words {
	bool is_unsigned, is_signed, is_char, is_short, is_int;
	unsigned longs, nr;
};

static bool is_name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool is(const char *text, size_t len, const char *word)
{
	return strlen(word) == len && !memcmp(text, word, len);
}

static bool add_word(struct words *w, const char *text, size_t len)
{
	if (is(text, len, "unsigned"))
		w->is_unsigned = true;
	else if (is(text, len, "signed"))
		w->is_signed = true;
	else if (is(text, len, "char"))
		w->is_char = true;
	else if (is(text, len, "short"))
		w->is_short = true;
	else if (is(text, len, "int"))
		w->is_int = true;
	else if (is(text, len, "long"))
		w->longs++;
	else
		return false;
	w->nr++;
	return true;
}

/* As compilers name it in what they say of types. */
static void set_number(const struct words *w, struct cexpr_type *ret)
{
	static const char *const signed_names[] = { "char", "short int", "int", "long int", "long long int" };
	static const char *const unsigned_names[] = { "unsigned char", "short unsigned int", "unsigned int", "long unsigned int",
						      "long long unsigned int" };
	unsigned n = w->is_char ? 0 : w->is_short ? 1 : w->longs > 1 ? 4 : w->longs ? 3 : 2;
	static const uint8_t sizes[] = { 1, 2, 4, 8, 8 };

	ret->name = w->is_unsigned ? unsigned_names[n] : w->is_char && w->is_signed ? "signed char" : signed_names[n];
	ret->is_number = true;
	ret->size = sizes[n];
	ret->is_signed = !w->is_unsigned;
}

static void set_name(struct arena *arena, const char *text, size_t len, struct cexpr_type *ret)
{
	ret->name = arena_strndup(arena, text, len);
	ret->is_void = !strcmp(ret->name, "void");
	ret->is_bool = !strcmp(ret->name, "bool") || !strcmp(ret->name, "_Bool");
	for (size_t i = 0; ret->tag == C_TAG_NONE && i < ARRAY_SIZE(names); i++) {
		if (strcmp(names[i].name, ret->name))
			continue;
		ret->is_number = true;
		ret->size = names[i].size;
		ret->is_signed = names[i].is_signed;
	}
}

static size_t space(const char *text, size_t len, size_t i)
{
	while (i < len && strchr(" \t\n\v\f\r", text[i]))
		i++;
	return i;
}

static bool is_qualifier(const char *text, size_t len)
{
	return is(text, len, "const") || is(text, len, "volatile") || is(text, len, "__rcu") || is(text, len, "__percpu") ||
	       is(text, len, "__iomem");
}

size_t type_name_parse(struct arena *arena, const char *text, size_t len, struct cexpr_type *ret, bool *ret_sure)
{
	struct words w = { 0 };
	size_t i = 0, n;

	*ret_sure = false;
	for (i = space(text, len, 0); i < len; i = space(text, len, i + n)) {
		for (n = 0; i + n < len && is_name_char(text[i + n]);)
			n++;
		if (!n && text[i] == '*' && (ret->name || w.nr)) {
			ret->pointers++;
			*ret_sure = true;
			n = 1;
		} else if (!n || (text[i] >= '0' && text[i] <= '9')) {
			break;
		} else if (is(text + i, n, "__user")) {
			ret->user = true;
		} else if (is_qualifier(text + i, n)) {
			*ret_sure = true;
		} else if (!ret->name && !w.nr && !ret->tag && (is(text + i, n, "struct") || is(text + i, n, "union") || is(text + i, n, "enum"))) {
			ret->tag = text[i] == 's' ? C_TAG_STRUCT : text[i] == 'u' ? C_TAG_UNION : C_TAG_ENUM;
			*ret_sure = true;
		} else if (!ret->name && !ret->tag && !ret->pointers && add_word(&w, text + i, n)) {
			*ret_sure = true;
		} else if (!ret->name && !w.nr) {
			set_name(arena, text + i, n, ret);
			*ret_sure |= ret->is_number || ret->is_void;
		} else {
			break;
		}
	}
	if (w.nr)
		set_number(&w, ret);
	return ret->name ? i : 0;
}
