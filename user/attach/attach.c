// SPDX-License-Identifier: GPL-2.0-only
/*
 * attach.c - attaches a loaded program to its place in the kernel.
 */
#include "attach/attach.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <unistd.h>

#include "attach/backends.h"
#include "kernel/disabled.h"
#include "kernel/features.h"
#include "kernel/release.h"

void attacher_init(struct attacher *at)
{
	struct attacher a = { .counts_misses = feature_by_release(FEATURE_LINK_MISSES, release_running()),
			      .ftrace_off = disabled_ftrace() };

	a.missing = perf_pmu_read(ATTACH_KPROBE_PMU, &a.kprobes);
	*at = a;
}

#define ROW(name)	&backend_##name,
const struct backend *const backends[] = { BACKENDS(ROW) NULL };
#undef ROW

/* ---- attaching ---- */

/*
 * Such a probe would have no hits, and it would do harm. If a place is added and removed while ftrace is off, ftrace's data
 * about the place stays wrong. At the next change after that the kernel warns and disables ftrace until the next boot (6.12,
 * kernel/trace/ftrace.c, ftrace_shutdown(); seen on 5.10, 6.1, 6.12 and 7.2).
 */
static int refuse_ftrace_off(const struct plan *plan, struct diag *diag)
{
	diag->text = plan->def->text;
	diag_at(diag, -EOPNOTSUPP, plan->def->place.at, "ftrace is switched off, so a probe on a function's %s is never hit",
		plan->target.is_return ? "return" : "entry");
	diag_note(diag, "help: switch it on: sysctl kernel.ftrace_enabled=1; or probe a place inside a function, which needs no "
		  "ftrace");
	return -EOPNOTSUPP;
}

int attach(const struct attacher *at, const struct plan *plan, enum attach_role role, int prog_fd,
	   struct attached *ret, struct diag *diag)
{
	const struct backend *backend = plan->layout.backend;

	if (at->ftrace_off && (!backend->uses_ftrace || backend->uses_ftrace(plan)))
		return refuse_ftrace_off(plan, diag);
	return backend->attach(at, plan, role, prog_fd, ret, diag);
}

int attach_whole(const struct attacher *at, const struct plan *plan, bool saver_last, struct attached *ret_probe,
		 struct attached *ret_saver, struct diag *diag)
{
	bool saver = ret_saver->prog_fd >= 0;
	int err = 0;

	if (saver && !saver_last)
		err = attach(at, plan, ATTACH_SAVER, ret_saver->prog_fd, ret_saver, diag);
	if (!err)
		err = attach(at, plan, ATTACH_PROBE, ret_probe->prog_fd, ret_probe, diag);
	if (!err && saver && saver_last)
		err = attach(at, plan, ATTACH_SAVER, ret_saver->prog_fd, ret_saver, diag);
	return err;
}

void attached_close(struct attached *a)
{
	/* Close the link first: it holds the event. */
	if (a->link_fd >= 0)
		close(a->link_fd);
	if (a->event_fd >= 0)
		close(a->event_fd);
	if (a->prog_fd >= 0)
		close(a->prog_fd);
	*a = ATTACHED_NONE;
}

bool attached_missed(const struct attacher *at, const struct backend *backend, const struct attached *a, uint64_t *ret)
{
	struct bpf_prog_info prog = { 0 };
	__u32 len = sizeof(prog);
	uint64_t of_hook = 0;

	if (a->prog_fd < 0 || bpf_obj_get_info_by_fd(a->prog_fd, &prog, &len))
		return false;
	if (backend->missed && !backend->missed(at, a, &of_hook))
		return false;
	*ret = prog.recursion_misses + of_hook;
	return true;
}
