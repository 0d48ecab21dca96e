/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dialect.h - a definition in whichever of its languages: the one entry to the parsers.
 */
#ifndef LANG_DIALECT_H
#define LANG_DIALECT_H

#include <stdbool.h>

#include "base/diag.h"
#include "lang/ast.h"

/* "kprobe", "rfc-v2", "v13", "function"; DIALECT_DETECT: "detect". */
const char *dialect_name(enum dialect dialect);

/* Those of 2009 knew no types: what they fetch is 64 bits, whatever it is. */
bool dialect_is_untyped(enum dialect dialect);

/* False: no dialect is called @name. "detect" is none. */
bool dialect_find(const char *name, enum dialect *ret);

/*
 * As kprobe_parse(), in @wanted. With DIALECT_DETECT it is kprobe_events', and another one where
 * the text shows that it must be: a prototype, or a0. Where kprobe_events would take the words of
 * others (a0, a1, rv) for names of parameters, the definition has all its readings, for plan_choose()
 * to tell which there can be: BTF knows, the text does not.
 * '-:' lines are kprobe_events' in every dialect.
 */
int dialect_parse(struct arena *arena, const char *text, enum dialect wanted,
		  struct probe_def **ret_def, struct diag *diag);

/* Does @as, the one reading that is left, need somebody to say so? rN and decimal mN do, but for rp. */
bool dialect_is_vague(const struct probe_def *as);

/* @def was typed as another dialect's than was said: it is its reading @as, and none else. */
struct probe_def *dialect_take(struct probe_def *as);

/*
 * Refuses @def with all its readings, for --dialect to tell: -EINVAL. One alone is a vague one. @no_names: why its words are
 * no names of parameters ("f has none called a1"), so that it is none of kprobe_events'; NULL: they may be.
 */
int dialect_refuse(const struct probe_def *def, const char *no_names, struct diag *diag);

/*
 * What def_print() cannot say of a definition that was typed in another dialect: words for a
 * comment. Nothing is added to @out where all is said.
 */
void dialect_print_remarks(const struct probe_def *def, struct buf *out);

/*
 * Of @def's listing, what another bprobe that reads it would do otherwise: a sum is left out, and with
 * @faithful (--faithful) %ip of a return is another address. "  # ...", or nothing.
 */
void dialect_print_listed(const struct probe_def *def, bool faithful, struct buf *out);

#endif
