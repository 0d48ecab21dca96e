// SPDX-License-Identifier: GPL-2.0-only
/*
 * tracepoint.c - attaches to an event by perf: the program gets the event's record.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attach/attach.h"
#include "attach/backends.h"
#include "attach/perf.h"
#include "kernel/features.h"

static int event_open(uint32_t id)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr), .config = id };
	/* For any task. The system call requires a CPU here, but the program runs on all CPUs. */
	long fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}

static int explain_refusal(const struct plan *plan, int err, struct diag *diag)
{
	diag->text = plan->def->text;
	if (err == -EPERM || err == -EACCES)
		return perf_explain_permission(plan, err, "event probes", diag);
	if (err == -EMFILE)
		return diag_at(diag, err, plan->def->head_at, "too many probes for this user's limit of open files");
	return diag_at(diag, err, plan->def->place.at, "the kernel refused a program at this event: %s", strerror(-err));
}

static int attach_program(const struct attacher *at, const struct plan *plan, enum attach_role role, int prog_fd,
			  struct attached *ret, struct diag *diag)
{
	struct attached a = { .prog_fd = prog_fd, .link_fd = -1, .event_fd = event_open(plan->target.event_id) };
	int err;

	(void)at;
	(void)role;
	if (a.event_fd < 0)
		return explain_refusal(plan, a.event_fd, diag);
	err = perf_set_program(a.event_fd, prog_fd, &a.link_fd);
	if (err) {
		close(a.event_fd);
		return explain_refusal(plan, err, diag);
	}
	*ret = a;
	return 0;
}

/* The events of system calls: all others happen where nothing may wait (7.2, kernel/trace/trace_syscalls.c, perf_call_bpf_enter()). */
static bool waits(const struct plan *plan, struct features *features)
{
	return plan->target.is_syscall_event && feature(features, FEATURE_EVENT_SLEEPS);
}

/*
 * While a program of a kprobe or of another event runs on the CPU, this one does not. From 6.7 on the kernel counts such misses for the
 * program (6.12, kernel/trace/bpf_trace.c, trace_call_bpf()); older kernels do not.
 */
static bool missed(const struct attacher *at, const struct attached *a, uint64_t *ret)
{
	(void)a;
	*ret = 0;
	return at->counts_misses;
}

/* A tracepoint disables preemption (6.12, include/linux/tracepoint.h, __DO_TRACE()). Before 5.12 BPF disabled it once more. */
static unsigned adds_depth(unsigned release, bool is_return)
{
	(void)is_return;
	return feature_by_release(FEATURE_KPROBE_MIGRATES, release) ? 1 : 2;
}

const struct backend backend_tracepoint = {
	.name = "tracepoint",
	.hooks = { "tracepoint", "tracepoint" },
	.takes = { .kinds = 1u << PROBE_EVENT },
	.program = {
		.type = BPF_PROG_TYPE_TRACEPOINT,
		.models = { [MODEL_ENTRY] = "bp_event", [MODEL_ENTRY_WAITS] = "bp_event_waits", [MODEL_PAIR_ENTRY] = "bp_pair_event" },
	},
	.hit = { .places = { PLACE_KNOWN, PLACE_KNOWN }, .gives_stacks = true },
	.doctor = {
		.needs = "CONFIG_TRACEPOINTS=y and CONFIG_BPF_EVENTS=y", .without = "there are no event probes",
		.needs_paranoid = true,
	},
	.waits = waits,
	.adds_depth = adds_depth,
	.uses_ftrace = backend_uses_no_ftrace,
	.attach = attach_program,
	.missed = missed,
};
