/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lint_child.h - the search for probes that never fire, beside the tracing.
 *
 * It reads all of the kernel's text, so a process of its own does it: nothing waits for it
 * but the end of bprobe.
 */
#ifndef TRACE_LINT_CHILD_H
#define TRACE_LINT_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

#include "trace/session.h"

struct lint_child {
	pid_t pid;			/* 0: there is none (any more) */
	int go_fd;
};

/*
 * Forks the process, which waits. To be called when @s is resolved and nothing of it is
 * loaded: so the process holds nothing that could keep a probe attached. Without one (--no-lint,
 * no function to judge) @c stays empty; what cannot be forked is done at once.
 */
void lint_child_prepare(struct lint_child *c, struct session *s);

/* Lets it begin: it writes its warnings to standard error. */
void lint_child_go(struct lint_child *c);

/* True: it is there no more. Does not wait. */
bool lint_child_ended(struct lint_child *c);

/* Ends it, wherever it is. */
void lint_child_kill(struct lint_child *c);

#endif
