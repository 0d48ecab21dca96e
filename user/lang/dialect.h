/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dialect.h - a definition in any of the languages: the only entry to the parsers.
 */
#ifndef LANG_DIALECT_H
#define LANG_DIALECT_H

#include <stdbool.h>

#include "base/diag.h"
#include "lang/ast.h"

/* "kprobe", "rfc-v2", "v13", "function"; DIALECT_DETECT: "detect". */
const char *dialect_name(enum dialect dialect);

/* The dialects of 2009 had no types: every value that they fetch has 64 bits. */
bool dialect_is_untyped(enum dialect dialect);

/* False: no dialect is called @name. "detect" is not a dialect. */
bool dialect_find(const char *name, enum dialect *ret);

/*
 * Like kprobe_parse(), in the dialect @wanted. DIALECT_DETECT means kprobe_events, or another
 * dialect if the text shows that it must be that one: a prototype, or a0. Some words of other
 * dialects (a0, a1, rv) are names of parameters in kprobe_events. Then the definition gets all its
 * readings, and plan_choose() selects the possible one: only BTF knows the parameters' names.
 * '-:' lines are those of kprobe_events in every dialect.
 */
int dialect_parse(struct arena *arena, const char *text, enum dialect wanted,
		  struct probe_def **ret_def, struct diag *diag);

/* Must the user confirm the dialect of @as, the only reading that is left? Yes for rN (but not rp) and decimal mN. */
bool dialect_is_vague(const struct probe_def *as);

/* Selects the reading @as of a definition. It then has no other readings. */
struct probe_def *dialect_take(struct probe_def *as);

/*
 * Refuses @def, and lists all its readings so that the user can choose one with --dialect: -EINVAL. If there is only one reading, the text
 * is too vague to use it. @no_names: why the words are not names of parameters ("f has none called a1"), so that @def is no definition of
 * kprobe_events; NULL: they may be such names.
 */
int dialect_refuse(const struct probe_def *def, const char *no_names, struct diag *diag);

/*
 * Prints what def_print() cannot express about a definition in another dialect, as the words of a
 * comment. Adds nothing to @out if def_print() expresses everything.
 */
void dialect_print_remarks(const struct probe_def *def, struct buf *out);

/*
 * Prints how another bprobe that reads @def's listing would behave differently: the listing omits a sum,
 * and with @faithful (--faithful) the program counter of a return is another address. Prints "  # ...", or nothing.
 */
void dialect_print_listed(const struct probe_def *def, bool faithful, struct buf *out);

#endif
