/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * backends.h - the rows of the table of backends (plan/backend.h), one file each.
 */
#ifndef ATTACH_BACKENDS_H
#define ATTACH_BACKENDS_H

#include "plan/backend.h"

extern const struct backend backend_fentry;
extern const struct backend backend_fentry_multi;
extern const struct backend backend_kprobe;
extern const struct backend backend_multi;
extern const struct backend backend_raw_tp;
extern const struct backend backend_session;
extern const struct backend backend_tracepoint;
extern const struct backend backend_uprobe;
extern const struct backend backend_uprobe_multi;

/* The sysfs directory that describes perf's kprobes. */
#define ATTACH_KPROBE_PMU	"/sys/bus/event_source/devices/kprobe"

#endif
