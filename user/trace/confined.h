/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * confined.h - what a run or a reading has left to do, and so which privileges it keeps (kernel/rights.h).
 */
#ifndef TRACE_CONFINED_H
#define TRACE_CONFINED_H

struct options;
struct tracer;

/* The probes are attached, everything is open, and COMMAND has its own process. Does nothing with --keep-privileges. */
void confined_run(const struct tracer *t);

/* Recordings come from anywhere. Nothing of this machine's kernel is needed for them. Does nothing with --keep-privileges. */
void confined_reading(const struct options *opts);

#endif
