/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * progress.h - how far something slow is, for who waits at a terminal.
 */
#ifndef TRACE_PROGRESS_H
#define TRACE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
	const char *doing;		/* "attaching" */
	const char *unit;		/* "probes" at first */
	unsigned total;
	uint64_t start_ns, shown_ns;	/* CLOCK_MONOTONIC; shown: when last, 0: not yet */
	bool terminal;			/* standard error is one */
};

void progress_start(struct progress *p, const char *doing, unsigned total);

/*
 * @done of the total are done: one line on standard error tells of it, if that is a
 * terminal, from the end of the first second on, ten times a second.
 */
void progress_step(struct progress *p, unsigned done);

/* Takes the line away. */
void progress_end(struct progress *p);

/* Has a signal come that is to end bprobe? For when signals are blocked (see trace.c). */
bool progress_interrupted(void);

#endif
