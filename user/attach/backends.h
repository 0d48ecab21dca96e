/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * backends.h - the rows of the table of backends (plan/backend.h), one file each.
 */
#ifndef ATTACH_BACKENDS_H
#define ATTACH_BACKENDS_H

#include "plan/backend.h"

/*
 * In the order in which they are tried: cheaper ones first. The last one of a kind of probes can do everything that can be asked of
 * one place.
 */
#define BACKENDS(ROW) \
	ROW(fentry) ROW(fmulti) ROW(multi) ROW(session) ROW(kprobe) ROW(umulti) ROW(uprobe) ROW(raw_tp) ROW(tracepoint)

#define ROW(name)	extern const struct backend backend_##name;
BACKENDS(ROW)
#undef ROW

/* The sysfs directory that describes perf's kprobes. */
#define ATTACH_KPROBE_PMU	"/sys/bus/event_source/devices/kprobe"

#endif
