/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * attach.h - attaches a loaded program to its place in the kernel.
 *
 * This uses a perf event's kprobe or kretprobe (any offset, every register, every kernel, and no
 * tracefs), or a BPF trampoline (fentry, fexit). Closing the descriptors detaches the program.
 */
#ifndef ATTACH_H
#define ATTACH_H

#include <stdbool.h>
#include <stdint.h>

#include "attach/perf.h"
#include "base/diag.h"
#include "plan/plan.h"

struct attached {
	int prog_fd;
	int event_fd;			/* the perf event; -1: none */
	int link_fd;			/* of the event or trampoline; -1: the kernel has none (before 5.15) */
};

#define ATTACHED_NONE	((struct attached){ -1, -1, -1 })

/* What attaching needs to know about this kernel: asked once. */
struct attacher {
	struct perf_pmu kprobes;
	bool counts_misses;		/* links count their misses; a link itself tells it exactly */
	bool missing;			/* there are no kprobes */
	bool ftrace_off;		/* a probe at a function's entry or return would not be hit */
};

void attacher_init(struct attacher *at);

/*
 * Attaches @prog_fd as @plan says. On success *ret owns @prog_fd and the other
 * descriptors. On failure nothing is left attached, the caller still owns @prog_fd,
 * and @diag explains in words what the kernel's errno means here.
 */
int attach(const struct attacher *at, const struct plan *plan, enum attach_role role, int prog_fd,
	   struct attached *ret, struct diag *diag);
void attached_close(struct attached *a);

/*
 * Attaches a probe and its saver. The caller sets the programs in @ret_probe and @ret_saver; the saver's is -1 if the plan has
 * no saver. @saver_last: see engine_saver_is_last(). Like attach(), but on failure one of the two may be attached: call
 * attached_close() for both.
 */
int attach_whole(const struct attacher *at, const struct plan *plan, bool saver_last, struct attached *ret_probe,
		 struct attached *ret_saver, struct diag *diag);

/*
 * The number of hits for which the kernel did not run the program (nested in another
 * program's hit, or out of return instances). False: this kernel does not count them.
 */
bool attached_missed(const struct attacher *at, const struct backend *backend, const struct attached *a, uint64_t *ret);

/* The part of these hits that the hook behind @link_fd counts, not the program. The count is lost when the link is closed. */
bool attached_link_missed(int link_fd, uint64_t *ret);

/* The missed() of rows whose links count (plan/backend.h). */
bool attached_hook_missed(const struct attacher *at, const struct attached *a, uint64_t *ret);

#endif
