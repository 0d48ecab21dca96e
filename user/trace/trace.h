/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * trace.h - one run in the foreground, and the events of a trace.dat. Each returns the exit status.
 */
#ifndef TRACE_TRACE_H
#define TRACE_TRACE_H

#include "stream/options.h"

/* Traces as @opts says until it is over; returns the exit status. */
int trace_run(const struct options *opts);

/* --read FILE: prints what -o has recorded. */
int read_dat_run(const struct options *opts);

#endif
