/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * depth.h - sees at the return of a user function whether the kernel may have missed other returns.
 *
 * The kernel keeps the return addresses of 64 calls of a task that have a return probe. A call that is nested deeper has no hit at its
 * return, and nobody counts that (5.10 to 7.3, kernel/events/uprobes.c, prepare_uretprobe(), MAX_URETPROBE_DEPTH). But then the deepest
 * one that is kept returns later, and a hit sees it.
 */
#ifndef GEN_DEPTH_H
#define GEN_DEPTH_H

#include <stdbool.h>

#include "gen/code.h"
#include "kernel/ktask.h"
#include "plan/plan.h"

/* Is @plan's hit such a return, and does @task say where the number of calls is? @task may be NULL. */
bool depth_is_checked(const struct plan *plan, const struct ktask *task);

enum { DEPTH_JUMPS = 2 };

/*
 * Appends the test. The code behind it runs only if this call may be the deepest that the kernel keeps; else one of the jumps in
 * @ret is taken, whose number is returned. Uses r0 to r5 and 8 bytes of the stack.
 */
unsigned depth_emit(const struct ktask *task, struct code *c, unsigned ret[DEPTH_JUMPS]);

#endif
