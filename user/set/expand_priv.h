/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * expand_priv.h - what expand.c and expand_source.c share.
 */
#ifndef SET_EXPAND_PRIV_H
#define SET_EXPAND_PRIV_H

#include "plan/copies.h"
#include "plan/expand.h"
#include "set/definitions.h"

/* A growing copy of the set's probes. */
struct probes {
	struct set *s;
	struct probe *probes;
	unsigned nr, size;
};

struct probe *probes_add(struct probes *to, const struct probe *p);

/*
 * The functions of a program: each has a probe of its own, because all that a hit shows is an address of its process. They are one event.
 * The same for tracepoints and events, which have different fields, and for places in the source and copies of a function.
 */
int expand_each(struct probes *to, struct probe *p, expand_function *expand, struct diag *diag);

/* expand_source.c */

/* A file with debug information costs much to read: asks for all definitions at once. */
void expand_prepare_lines(struct set *s, const struct inlined *inlined);
struct inlined *expand_find_inlined(struct set *s);
struct copies *expand_find_copies(struct set *s);

/*
 * Adds the places of @def, the definition of @p as one of the source, if they are more than the function's symbol, which is what the
 * definition means without debug information, too. False: nothing was added; *ret_why: why not.
 */
bool expand_add_inlined(struct probes *to, const struct probe *p, struct probe_def *def, const char **ret_why);

/*
 * Adds the function and its copies, as far as they have what the definition asks for. Of a function that has only copies, debug information
 * knows more. False: the definition means one function, or none, and nothing was added.
 */
bool expand_add_copies(struct probes *to, struct probe *p, const struct copies *c);

#endif
