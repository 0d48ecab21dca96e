/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kind.h - the kinds of dynamic events: what the definitions of each look like.
 *
 * A new kind is a row of this table, and the function that parses its places.
 */
#ifndef LANG_KIND_H
#define LANG_KIND_H

#include "lang/parse.h"

/* What the arguments of a kind can have. */
enum kind_words {
	KIND_REGISTERS	= 1 << 0,	/* %REG */
	KIND_STACK	= 1 << 1,	/* $stack, $stackN */
	KIND_SYMBOLS	= 1 << 2,	/* @SYM */
	KIND_FILE	= 1 << 3,	/* @+OFFS */
	KIND_FIELDS	= 1 << 4,	/* $NAME is a field of the event */
	KIND_TYPES	= 1 << 5,	/* BTF knows its types: NAME, NAME->FIELD, $arg* */
	KIND_ANY_STACK	= 1 << 6,	/* the kernel does not limit N of $stackN */
};

struct kind {
	const char *name;		/* for messages: "a kprobe" */
	const char *group;		/* of events without a typed one */
	char letters[2];		/* of entries and returns */
	bool marks_return;		/* returns have the same letter, and %return behind the place */
	unsigned words;			/* bits of enum kind_words */

	/* Parses the place, the second word @at of a definition. */
	int (*parse)(struct parse *p, struct span at);
	void (*print)(const struct place *place, struct buf *out);
	/* The name of an event without a typed one, from the place. What a name must not have is replaced later. */
	char *(*event_name)(struct parse *p);
};

const struct kind *kind_of(enum probe_kind kind);

/* The kind of the definition that begins with the words @head and @place. -EINVAL: no kind begins so. */
int kind_find(const struct parse *p, struct span head, struct span place, enum probe_kind *ret);

#endif
