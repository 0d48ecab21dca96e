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
 * Blank text and a comment give 0 with *ret_def NULL.
 * Returns -EINVAL, or -E2BIG, -ERANGE, -EOPNOTSUPP where 6.12 does, with a
 * caret in @diag (diag->text is set to the arena's copy of @text; to NULL when
 * the text is too long or several lines); *ret_def is untouched.
 *
 * Left to plan/, which knows the kernel: do symbols, parameters and fields
 * exist, is the offset an instruction's start (for 'r': an entry), has a
 * parameter the right type for a string, do names clash once $arg* is known.
 */
int kprobe_parse(struct arena *arena, const char *text, struct probe_def **ret_def,
		 struct diag *diag);

#endif
