/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kprobe.h - the p / r / - language of kprobe_events.
 */
#ifndef LANG_KPROBE_H
#define LANG_KPROBE_H

#include "base/diag.h"
#include "lang/ast.h"

/*
 * Parses one definition. Everything that *ret_def holds lives in @arena.
 * For blank text and for a comment it returns 0 and sets *ret_def to NULL.
 * On an error it returns -EINVAL, or -E2BIG, -ERANGE, -EOPNOTSUPP where 6.12
 * does, with a caret in @diag, and *ret_def is unchanged. diag->text is then the
 * arena's copy of @text, or NULL if the text is too long or has several lines.
 *
 * plan/ knows the kernel, so it makes these checks: whether symbols, parameters
 * and fields exist; whether the offset is the start of an instruction (for 'r':
 * an entry); whether a parameter has the right type for a string; whether names
 * clash once $arg* is known.
 */
int kprobe_parse(struct arena *arena, const char *text, struct probe_def **ret_def,
		 struct diag *diag);

/* The same if the place NAME:SYMBOL of the p or r line @text is known to be in the program NAME, not in the kernel's module NAME. */
int kprobe_parse_program(struct arena *arena, const char *text, struct probe_def **ret_def, struct diag *diag);

/*
 * The same for a function of the source: debug information knows it, also where it is inlined, and its arguments can be C.
 * @names_program: as kprobe_parse_program().
 */
int kprobe_parse_source(struct arena *arena, const char *text, bool names_program, struct probe_def **ret_def, struct diag *diag);

#endif
