/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * attach.h - a loaded program at its place in the kernel.
 *
 * By perf-event kprobe and kretprobe (any offset, every register, every kernel, and no
 * tracefs), or by a BPF trampoline (fentry, fexit). What is attached goes when its descriptors are closed.
 */
#ifndef ATTACH_H
#define ATTACH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "plan/plan.h"

struct attached {
	int prog_fd;
	int event_fd;			/* the perf event; -1: none */
	int link_fd;			/* of the event or trampoline; -1: the kernel has none (before 5.15) */
};

#define ATTACHED_NONE	((struct attached){ -1, -1, -1 })

/* What attaching needs to know of this kernel; found once. */
struct attacher {
	unsigned pmu_type;
	unsigned retprobe_bit;
	bool counts_misses;		/* of perf events: 6.7 and newer */
	bool missing;			/* there are no kprobes */
	bool ftrace_off;		/* what is attached to a function's entry or return would not be hit */
};

void attacher_init(struct attacher *at);

/*
 * Attaches @prog_fd as @plan says. On success *ret owns @prog_fd with the rest;
 * on failure nothing is left attached, @prog_fd stays the caller's, and @diag says
 * in words what the kernel's errno means here.
 */
int attach(const struct attacher *at, const struct plan *plan, enum attach_role role, int prog_fd,
	   struct attached *ret, struct diag *diag);
void attached_close(struct attached *a);

/*
 * Attaches a probe with what belongs to it: @ret_probe and @ret_saver come with their programs; the latter's is -1 where the
 * plan has none. @saver_last: see engine_saver_is_last(). As attach(), but on failure one of the two may be attached:
 * attached_close() both.
 */
int attach_whole(const struct attacher *at, const struct plan *plan, bool saver_last, struct attached *ret_probe,
		 struct attached *ret_saver, struct diag *diag);

/*
 * Hits that the kernel did not run the program for (nested in another program's
 * hit, or out of return instances). False: this kernel does not count them.
 */
bool attached_missed(const struct attacher *at, const struct backend *backend, const struct attached *a, uint64_t *ret);

/* Those of them that the perf event behind @link_fd counts, and forgets when it goes. */
bool attached_event_missed(const struct attacher *at, int link_fd, uint64_t *ret);

#endif
