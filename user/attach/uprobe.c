// SPDX-License-Identifier: GPL-2.0-only
/*
 * uprobe.c - attaches by a perf event's uprobe or uretprobe: a place in a program or a library, on every kernel.
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
#include "attach/uprobe.h"
#include "kernel/features.h"

#define UPROBE_PMU	"/sys/bus/event_source/devices/uprobe"
#define NO_PMU		"this kernel has no uprobes for perf (no " UPROBE_PMU ")"

/* Without sysfs nothing is known. */
static const char *missing(struct features *features)
{
	(void)features;
	return access("/sys/kernel", F_OK) || !access(UPROBE_PMU, F_OK) ? NULL : NO_PMU;
}

static int no_uprobes(const struct plan *plan, struct diag *diag)
{
	bool sys = !access("/sys/kernel", F_OK);

	diag->text = plan->def->text;
	diag_at(diag, -EOPNOTSUPP, plan->def->place.at, NO_PMU);
	diag_note(diag, sys ? "help: use a kernel with CONFIG_UPROBES, CONFIG_UPROBE_EVENTS and CONFIG_BPF_EVENTS"
			    : "help: mount sysfs first: mount -t sysfs sysfs /sys");
	return -EOPNOTSUPP;
}

/* What the errno of perf_event_open() means for a uprobe (6.12, kernel/events/uprobes.c, __uprobe_register()). */
int uprobe_explain_refusal(const struct plan *plan, int err, struct diag *diag)
{
	const struct probe_def *def = plan->def;

	diag->text = def->text;
	switch (-err) {
	case EPERM:
	case EACCES:
		return perf_explain_permission(plan, err, "user probes", diag);
	case EMFILE:
		return diag_at(diag, err, def->head_at, "too many probes for this user's limit of open files");
	case ENOENT:
		return diag_at(diag, err, def->place.at, "the kernel does not find %s", plan->target.path);
	case EIO:
		return diag_at(diag, err, def->place.at, "the file is on a file system from which the kernel cannot read pages of a program");
	case ENOTSUP:
		return diag_at(diag, err, def->place.at, "the kernel cannot put a probe on this instruction");
	case EINVAL:
		diag_at(diag, err, def->place.at, "the kernel does not allow a probe here");
		diag_note(diag, "it refuses files that are not regular, places behind their end, and another counter for the same place");
		return err;
	default:
		return diag_at(diag, err, def->place.at, "the kernel refused this probe: %s", strerror(-err));
	}
}

bool uprobe_waits(const struct plan *plan, struct features *features)
{
	(void)plan;
	return feature(features, FEATURE_UPROBE_SLEEPS);
}

static int event_open(const struct perf_pmu *pmu, const struct target *t, bool is_return)
{
	struct perf_event_attr attr = {
		.type = pmu->type,
		.size = sizeof(attr),
		.config = (is_return ? 1ull << pmu->retprobe_bit : 0) | t->ref_ctr << 32,
		.uprobe_path = (uint64_t)(uintptr_t)t->path,
		.probe_offset = t->file_off,
	};
	/* For any task. The system call requires a CPU here, but the program runs on all CPUs. */
	long fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}

static int attach_program(const struct attacher *at, const struct plan *plan, enum attach_role role, int prog_fd,
			  struct attached *ret, struct diag *diag)
{
	struct attached a = { .prog_fd = prog_fd, .link_fd = -1 };
	struct perf_pmu pmu;
	int err;

	(void)at;
	if (perf_pmu_read(UPROBE_PMU, &pmu))
		return no_uprobes(plan, diag);
	a.event_fd = event_open(&pmu, &plan->target, role == ATTACH_PROBE && plan->target.is_return);
	if (a.event_fd < 0)
		return uprobe_explain_refusal(plan, a.event_fd, diag);
	err = perf_set_program(a.event_fd, prog_fd, &a.link_fd);
	if (err) {
		close(a.event_fd);
		return uprobe_explain_refusal(plan, err, diag);
	}
	*ret = a;
	return 0;
}

const struct backend backend_uprobe = {
	.name = "uprobe",
	.hooks = { "uprobe", "uretprobe" },
	.takes = { .kinds = 1u << PROBE_UPROBE },
	.program = { .type = BPF_PROG_TYPE_KPROBE, .may_nest = true, .models = UPROBE_MODELS },
	.hit = { .places = { PLACE_IP, PLACE_UTASK }, .gives_stacks = true },
	.doctor = {
		.needs = "CONFIG_UPROBES=y, CONFIG_UPROBE_EVENTS=y and CONFIG_BPF_EVENTS=y",
		.without = "there are no user probes", .needs_paranoid = true,
	},
	.missing = missing,
	.context_word = backend_register_word,
	.waits = uprobe_waits,
	.uses_ftrace = backend_uses_no_ftrace,
	.attach = attach_program,
};
