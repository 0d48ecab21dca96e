/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TRACE_TRACE_H
#define TRACE_TRACE_H

#include "cli/options.h"

/* Traces as @opts says until it is over; returns the exit status. */
int trace_run(const struct options *opts);

#endif
