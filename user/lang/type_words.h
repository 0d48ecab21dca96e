/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * type_words.h - the words for types: a row for each. Those of types that show more than a number are in shown.h.
 */
#ifndef LANG_TYPE_WORDS_H
#define LANG_TYPE_WORDS_H

#include "lang/ast.h"

struct type_word {
	const char *name;
	enum type_kind kind;
	uint8_t size;			/* bytes of one element; BTF may give another one (resolve_show.c); 0: dynamic */
	enum type_show show;
	const char *array;		/* the word to use in arrays instead, if it cannot be an array itself; "": there is none */
};

extern const struct type_word type_words[];
extern const unsigned nr_type_words;

/* The row called @name (not NUL-terminated); NULL: there is none. */
const struct type_word *type_word_find(const char *name, size_t len);

/* The row of a type. Not for TYPE_NONE and TYPE_BITFIELD. */
const struct type_word *type_word_of(const struct type *type);

/* Is there a word for such a type? For one that is plain: not for all that there are. */
bool type_word_fits(const struct type *type);

/* Whose numbers have names. */
enum shown_names { SHOWN_NONE, SHOWN_ERRORS, SHOWN_OWN };
enum shown_names type_names(const struct type *type);

/* The type that kprobe_events has for the same bytes: @type itself, unless it is one of bprobe's own. */
struct type type_classic(const struct type *type);

/* What kprobe_events does not do that @type does; NULL: it has the type. */
const char *type_own_part(const struct type *type);

#endif
