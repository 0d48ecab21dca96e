/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lint.h - probes that can be attached, but will never fire.
 */
#ifndef TRACE_LINT_H
#define TRACE_LINT_H

#include "kernel/xref/reach.h"
#include "trace/session.h"

/* Is there a function to judge, and is it to be? */
bool lint_is_wanted(const struct session *s);

/* Warns of the session's probes that nothing can make fire; they are attached all the same. */
void lint_print(struct session *s, FILE *out);

/*
 * The verdict on each of @nr functions (aliases stand side by side) in one scan of the
 * kernel's memory. 0, or -errno with @diag: memory cannot be read, and nothing can be said.
 */
int lint_functions(const struct session *s, const struct ksym *const *syms, size_t nr, enum reach *ret,
		   struct diag *diag);

#endif
