/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lint.h - finds probes that can be attached, but will never fire.
 */
#ifndef SET_LINT_H
#define SET_LINT_H

#include "kernel/xref/reach.h"
#include "set/set.h"

/* Is there a function to judge, and did the user not switch the check off? */
bool lint_is_wanted(const struct set *s);

/*
 * Warns about the set's probes that nothing can make fire. They are attached nevertheless. Most functions are called from
 * nearby, and then this is fast. Before it searches all of the kernel's memory it calls @goes_far (NULL: nobody wants to know).
 */
void lint_print(struct set *s, FILE *out, void (*goes_far)(void *ctx), void *ctx);

/* Has each probe that lint_print() judges been hit? Then there is nothing to warn about. */
bool lint_is_settled(const struct set *s);

/*
 * Judges each of @nr functions (aliases must be adjacent) in one scan of the kernel's memory. 0, or -errno with @diag:
 * memory cannot be read, and there is no verdict.
 */
int lint_functions(const struct set *s, const struct ksym *const *syms, size_t nr, enum reach *ret,
		   struct diag *diag);

#endif
