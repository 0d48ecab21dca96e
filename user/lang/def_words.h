/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * def_words.h - the words of a definition.
 */
#ifndef LANG_DEF_WORDS_H
#define LANG_DEF_WORDS_H

#include "lang/parse.h"

struct def_words {
	struct span *at;
	unsigned nr;
	bool has_filter;
	struct span filter;		/* the text behind 'if' */
};

/*
 * Splits p->text into words, up to its filter or a comment. Only white space separates words: there are no quotes and
 * no escapes.
 */
struct def_words def_words_split(const struct parse *p);

#endif
