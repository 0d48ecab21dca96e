/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lint_child.h - searches for probes that never fire, in parallel with the tracing.
 *
 * The search reads all of the kernel's text, so a process of its own does it. Nothing waits for this process
 * except the end of bprobe.
 */
#ifndef TRACE_LINT_CHILD_H
#define TRACE_LINT_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

#include "set/set.h"

struct lint_child {
	pid_t pid;			/* 0: there is none, or it has ended */
	int go_fd;
	int far_fd;			/* gets a byte when the process begins to search all memory; -1: there is none */
};

/*
 * Forks the process, which then waits. Call this when @s is resolved but nothing of it is loaded: so the process holds
 * nothing that could keep a probe attached. If no process is needed (--no-lint, no function to judge), @c stays empty. If
 * fork fails, the search is done at once. @store: where events are kept (their programs leave the process out); NULL: STORE_DEFAULT.
 */
void lint_child_prepare(struct lint_child *c, struct set *s, const char *store);

/* Starts the search. The process writes its warnings to standard error. */
void lint_child_go(struct lint_child *c);

/* Has the process ended? Does not wait. */
bool lint_child_ended(struct lint_child *c);

/* Kills the process, whatever it is doing. */
void lint_child_kill(struct lint_child *c);

#endif
