/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * answers_show.h - prints the histograms of a run: from time to time, and at its end.
 */
#ifndef TRACE_ANSWERS_SHOW_H
#define TRACE_ANSWERS_SHOW_H

#include <stdbool.h>
#include <stdint.h>

struct tracer;

/* What the run has printed so far. All zeroes at the beginning. */
struct answers_show {
	uint64_t interval_ns;		/* 0: only at the end */
	uint64_t next_ns;		/* CLOCK_MONOTONIC of the next time */
	bool live;			/* a terminal, on which the last text is printed over */
	unsigned lines;			/* of the last text */
	bool begun;
};

/* Call it when the probes are attached. */
void answers_begin(struct tracer *t);

/* Prints all histograms to the output. @last: the run is over. */
void answers_print(struct tracer *t, bool last);

#endif
