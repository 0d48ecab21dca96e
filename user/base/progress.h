/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * progress.h - shows a user at a terminal the progress of something slow.
 */
#ifndef BASE_PROGRESS_H
#define BASE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
	const char *doing;		/* "attaching" */
	const char *unit;		/* "probes" by default */
	unsigned total;
	uint64_t start_ns, shown_ns;	/* CLOCK_MONOTONIC; shown_ns: when it was last shown, 0: not yet */
	bool terminal;			/* standard error is one */
};

void progress_start(struct progress *p, const char *doing, unsigned total);

/*
 * @done of the total are done. If standard error is a terminal, one line shows this: after the first second, ten times a
 * second.
 */
void progress_step(struct progress *p, unsigned done);

/* Removes the line. */
void progress_end(struct progress *p);

/* Has a signal arrived that is meant to end bprobe? For code that runs while signals are blocked (see trace.c). */
bool progress_interrupted(void);

#endif
