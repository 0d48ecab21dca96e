/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CLI_TRACE_H
#define CLI_TRACE_H

#include "cli/options.h"

/* Traces as @opts says until it is over; returns the exit status. */
int trace_run(const struct options *opts);

/* Prints to standard error the report of a failed step. Returns the exit status. */
struct diag;
int trace_failed(const struct options *opts, const struct diag *diag, int status);

/* The exit status for a definition that could not be resolved: it depends on whether the definition or the kernel is at fault. */
int trace_resolve_status(int err);

#endif
