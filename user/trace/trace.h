/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * trace.h - one run in the foreground, and the events of a trace.dat. Each returns the exit status.
 */
#ifndef TRACE_TRACE_H
#define TRACE_TRACE_H

#include "stream/options.h"

struct dat_file;

/* Traces as @opts says until it is over; returns the exit status. */
int trace_run(const struct options *opts);

/* --read FILE: prints what -o has recorded. */
int read_dat_run(const struct options *opts);

/* Who gets the events of a trace.dat instead of standard output. */
struct dat_reader {
	const struct sink *sink;	/* one that prints nothing */
	void *to;			/* where it writes */
	void (*opened)(void *to, const char *path, const struct dat_file *file);	/* before the first event */
	void (*damaged)(void *to, uint64_t pages, uint64_t events);	/* after the last one: so many could not be read */
};

/* The same for @reader. Returns the exit status. */
int read_dat_for(const struct options *opts, const struct dat_reader *reader);

/* --report FILE: sums up what -o has recorded, as text or as a page. */
int report_run(const struct options *opts);

#endif
