// SPDX-License-Identifier: GPL-2.0-only
/*
 * ctype.c - describes a type that is written as C.
 */
#include "kernel/btf/ctype.h"

#include <string.h>

#include "base/macros.h"

/* What the words of a declaration have told so far. */
struct words {
	unsigned longs;
	bool is_short, is_char, is_int, is_unsigned, is_signed;
	unsigned pointers;
	const char *name;		/* name of a typedef or structure */
	size_t name_len;
};

static bool is(const char *word, size_t len, const char *what)
{
	return strlen(what) == len && !memcmp(word, what, len);
}

static void take_word(struct words *w, const char *word, size_t len)
{
	static const char *const ignored[] = { "const", "volatile", "restrict", "__user", "struct", "union", "enum" };

	for (size_t i = 0; i < ARRAY_SIZE(ignored); i++) {
		if (is(word, len, ignored[i]))
			return;
	}
	if (is(word, len, "unsigned"))
		w->is_unsigned = true;
	else if (is(word, len, "signed"))
		w->is_signed = true;
	else if (is(word, len, "long"))
		w->longs++;
	else if (is(word, len, "short"))
		w->is_short = true;
	else if (is(word, len, "char"))
		w->is_char = true;
	else if (is(word, len, "int"))
		w->is_int = true;
	else {
		w->name = word;
		w->name_len = len;
	}
}

static void split(const char *text, struct words *w)
{
	while (*text) {
		size_t len = strcspn(text, " *");

		if (len)
			take_word(w, text, len);
		else
			w->pointers += *text == '*';
		text += len ? len : 1;
	}
}

static bool find_name(struct kbtf *kb, const struct words *w, struct kbtf_id *ret)
{
	char name[128];

	if (!kb || !w->name_len || w->name_len >= sizeof(name))
		return false;
	memcpy(name, w->name, w->name_len);
	name[w->name_len] = '\0';
	return !kbtf_find_type(kb, name, ret);
}

static void describe_integer(const struct words *w, struct kbtf_type *ret)
{
	ret->kind = KBTF_INT;
	ret->size = w->is_char ? 1 : w->is_short ? 2 : w->longs ? 8 : 4;
	ret->is_signed = !w->is_unsigned;
	ret->is_char = w->is_char;
}

static void describe_pointer(struct kbtf *kb, const struct words *w, struct kbtf_type *ret)
{
	*ret = (struct kbtf_type){ .kind = KBTF_PTR, .size = 8 };
	if (w->pointers > 1 || !kb)
		return;
	if (w->is_char)
		kbtf_find_type(kb, "char", &ret->target);
	else
		find_name(kb, w, &ret->target);
}

void ctype_describe(struct kbtf *kb, const char *text, struct kbtf_type *ret)
{
	struct words w = { 0 };
	struct kbtf_id id;

	split(text, &w);
	*ret = (struct kbtf_type){ .kind = KBTF_OTHER };
	if (w.pointers)
		describe_pointer(kb, &w, ret);
	else if (w.is_char || w.is_short || w.longs || w.is_int || w.is_unsigned || w.is_signed)
		describe_integer(&w, ret);
	else if (find_name(kb, &w, &id))
		kbtf_describe(id, ret);
}
