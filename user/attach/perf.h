/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perf.h - what the backends that use events of perf share.
 */
#ifndef ATTACH_PERF_H
#define ATTACH_PERF_H

#include <stdbool.h>

#include "base/diag.h"
#include "plan/plan.h"

/* What sysfs says of the kernel's kprobes or uprobes for perf. */
struct perf_pmu {
	unsigned type;			/* perf_event_attr.type */
	unsigned retprobe_bit;		/* of its config: a probe at a return */
};

/* Reads it from the directory @dir. -errno. */
int perf_pmu_read(const char *dir, struct perf_pmu *ret);

/* Lets the event run the program, and enables it. *ret_link is the link, or -1 where the kernel has none (before 5.15). -errno. */
int perf_set_program(int event_fd, int prog_fd, int *ret_link);

/* Explains in @diag why this user may not open the event for @what ("kprobes"). Names only what this user lacks. Returns @err. */
int perf_explain_permission(const struct plan *plan, int err, const char *what, struct diag *diag);

#endif
