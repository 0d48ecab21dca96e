/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * report.h - tells the user about a failed step, and with which status bprobe then exits.
 */
#ifndef BASE_REPORT_H
#define BASE_REPORT_H

#include "base/diag.h"

/* Exit statuses. With a COMMAND, a failure of bprobe itself is EXIT_COMMAND_OWN. */
enum {
	EXIT_BAD_DEFINITION = 1,
	EXIT_KERNEL = 2,		/* the kernel refused, or lacks something */
	EXIT_USAGE = 64,
	EXIT_COMMAND_OWN = 125,
	EXIT_COMMAND_REFUSED = 126,	/* found, but not executable */
	EXIT_COMMAND_MISSING = 127,
};

/* Prints the report of a failed step to standard error. Returns @status. */
int report_error(const struct diag *diag, int status);

/* The exit status for a definition that could not be resolved: it depends on whether the definition or the kernel is at fault. */
int report_resolve_status(int err);

#endif
