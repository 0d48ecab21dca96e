/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * copies.h - the copies of a function that the compiler made: NAME.constprop.0, NAME.isra.0, NAME.part.0, NAME.cold, NAME.llvm.123.
 */
#ifndef PLAN_COPIES_H
#define PLAN_COPIES_H

#include "plan/expand.h"

/* From the one that is most like the function to the one that is least. Of a name with several suffixes the last one counts. */
enum copy_kind {
	COPY_NONE,			/* it is no copy */
	COPY_RENAMED,			/* .llvm.HASH: the same function with another name */
	COPY_CONSTPROP,			/* for callers that pass a certain constant: it may not have that parameter */
	COPY_ISRA,			/* it may lack parameters, have members of what they point to, and return nothing */
	COPY_PART,			/* .part.N: a part that the rest of the function calls */
	COPY_COLD,			/* a part that the function jumps to */
};

/* Is @symbol a copy of the function @name? */
enum copy_kind copy_kind_of(const char *symbol, const char *name);

/* What such a copy is, as the end of a sentence about it: "a part of NAME, ...". It lives in @arena. */
const char *copy_says(struct arena *arena, enum copy_kind kind, const char *name);

struct copy {
	const char *name;		/* in the arena */
	enum copy_kind kind;
	const char *why_not;		/* why the definition does not stand for it; NULL: it does */
};

struct copies {
	struct copy *all;		/* without NAME.cold, if there is anything else of the name */
	unsigned nr, nr_taken;
	bool has_own;			/* a function is called NAME alone */
};

/*
 * Finds the copies of the function that @def names, and which of these it stands for: those whose values are known to be the same.
 * That is so if it asks for no parameter and no register. None if @def is not at the beginning of a function of the kernel or a module
 * that is given by its name alone.
 */
void copies_find(struct arena *arena, const struct probe_def *def, const struct facts *facts, struct copies *ret);

/* What the definition stands for: the function itself, if it has a symbol, and the copies that are taken. */
expand_function copies_expand;

/* The names of those that are not taken, with their reasons; NULL: there are none. */
const char *copies_left_out(struct arena *arena, const struct copies *c);

#endif
