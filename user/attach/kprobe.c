// SPDX-License-Identifier: GPL-2.0-only
/*
 * kprobe.c - attaches by a perf event's kprobe or kretprobe: any place, any register, every kernel, and no tracefs.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "arch/kernel.h"
#include "attach/attach.h"
#include "attach/backends.h"
#include "attach/perf.h"
#include "kernel/features.h"

#define NO_PMU	"this kernel has no kprobes for perf (no " ATTACH_KPROBE_PMU ")"

static int no_kprobes(struct diag *diag)
{
	bool sys = !access("/sys/kernel", F_OK);

	diag_set(diag, -EOPNOTSUPP, NO_PMU);
	diag_note(diag, sys ? "help: use a kernel with CONFIG_KPROBES, CONFIG_KPROBE_EVENTS and CONFIG_BPF_EVENTS"
			    : "help: mount sysfs first: mount -t sysfs sysfs /sys");
	return -EOPNOTSUPP;
}

/* Without sysfs it cannot be seen. */
static const char *missing(struct features *features)
{
	(void)features;
	return access("/sys/kernel", F_OK) || !access(ATTACH_KPROBE_PMU, F_OK) ? NULL : NO_PMU;
}

static int event_open(const struct attacher *at, const struct target *t)
{
	struct perf_event_attr attr = {
		.type = at->kprobes.type,
		.size = sizeof(attr),
		.config = t->is_return ? 1ull << at->kprobes.retprobe_bit : 0,
		.kprobe_func = (uint64_t)(uintptr_t)t->lookup,
	};
	long fd;

	if (t->lookup)
		attr.probe_offset = t->off;
	else
		attr.kprobe_addr = t->addr;
	/* For any task. The system call requires a CPU here, but the program runs on all CPUs. */
	fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : (int)fd;
}

/* Does the kernel use ftrace for the place? It does for a function's entry, which may follow a landing pad, and for its return. */
static bool uses_ftrace(const struct plan *plan)
{
	const struct target *t = &plan->target;

	if (t->is_return)
		return true;
	return t->func && t->addr ? t->addr - t->func <= ENTRY_PAD_SIZE : t->symbol && t->off <= ENTRY_PAD_SIZE;
}

/*
 * What the errno of perf_event_open means for a kprobe (6.12, kernel/kprobes.c,
 * check_kprobe_address_safe(); kernel/trace/trace_kprobe.c, __register_trace_kprobe()).
 */
static int explain_refusal(const struct plan *plan, int err, struct diag *diag)
{
	const struct probe_def *def = plan->def;
	struct span at = def->place.at;

	diag->text = def->text;
	switch (-err) {
	case EILSEQ:
		return diag_at(diag, err, at, "this place is inside an instruction: a probe must be on an instruction's first "
			       "byte");
	case ENOENT:
		return diag_at(diag, err, at, "the kernel does not find this place");
	case EADDRNOTAVAIL:
	case ENOTUNIQ:
		return diag_at(diag, err, at, "the kernel has several functions of this name: "
			       "write the address of the one that you want");
	case EINVAL:
		diag_at(diag, err, at, "the kernel does not allow a probe here");
		diag_note(diag, "it refuses data, functions marked notrace, noinstr or nokprobe, and places that it patches "
			  "itself%s", plan->target.is_return ?
			  "; a return probe must name a function's entry" : "");
		return err;
	case EPERM:
	case EACCES:
		return perf_explain_permission(plan, err, "kprobes", diag);
	case EMFILE:
		diag_at(diag, err, def->head_at, "too many probes for this user's limit of open files");
		return err;
	case EBUSY:
		return diag_at(diag, err, at, "something else uses this place and allows no probe (a live patch or a direct "
			       "trampoline)");
	default:
		return diag_at(diag, err, at, "the kernel refused this probe: %s", strerror(-err));
	}
}

static int attach_program(const struct attacher *at, const struct plan *plan, enum attach_role role, int prog_fd,
			  struct attached *ret, struct diag *diag)
{
	struct attached a = { .prog_fd = prog_fd, .link_fd = -1 };
	struct target target = plan->target;
	int err;

	if (at->missing)
		return no_kprobes(diag);
	if (role == ATTACH_SAVER)
		target.is_return = false;
	a.event_fd = event_open(at, &target);
	if (a.event_fd < 0)
		return explain_refusal(plan, a.event_fd, diag);
	err = perf_set_program(a.event_fd, prog_fd, &a.link_fd);
	if (err) {
		close(a.event_fd);
		diag->text = plan->def->text;
		return diag_at(diag, err, plan->def->head_at, "the kernel did not take the program for "
			       "this probe: %s", strerror(-err));
	}
	*ret = a;
	return 0;
}

/* A kprobe's handler runs with preemption disabled once. Before 5.12 BPF disabled it once more, to stay on its CPU. */
static unsigned adds_depth(unsigned release, bool is_return)
{
	(void)is_return;
	return feature_by_release(FEATURE_KPROBE_MIGRATES, release) ? 1 : 2;
}

/* Before 5.12 a task cannot be preempted where programs are missed. */
static bool misses_entries(struct features *features)
{
	return !features || feature_by_release(FEATURE_KPROBE_MIGRATES, features->release);
}

const struct backend backend_kprobe = {
	.name = "kprobe",
	.hooks = { "kprobe", "kretprobe" },
	.takes = { .kinds = BACKEND_CODE },
	.program = {
		.type = BPF_PROG_TYPE_KPROBE,
		.models = {
			[MODEL_ENTRY] = "bp_entry", [MODEL_RETURN] = "bp_return",
			[MODEL_RETURN_SAVED] = "bp_return_saved", [MODEL_RETURN_COPIED] = "bp_return_copied",
			[MODEL_RETURN_TIMED] = "bp_return_timed", [MODEL_RETURN_CALLED] = "bp_return_called",
			[MODEL_SAVER] = "bp_save", [MODEL_SAVER_TIMED] = "bp_save_time", [MODEL_SAVER_CALLED] = "bp_save_call",
			[MODEL_PAIR_ENTRY] = "bp_pair_entry", [MODEL_PAIR_RETURN] = "bp_pair_return",
			[MODEL_PAIR_RETURN_SAVED] = "bp_pair_return_saved",
		},
	},
	.hit = { .places = { PLACE_KPROBE_IP, PLACE_KNOWN }, .gives_stacks = true, .knows_context = true },
	.doctor = {
		.needs = "CONFIG_KPROBES=y, CONFIG_KPROBE_EVENTS=y and CONFIG_BPF_EVENTS=y", .needs_paranoid = true,
	},
	.missing = missing,
	.context_word = backend_register_word,
	.misses_entries = misses_entries,
	.adds_depth = adds_depth,
	.is_kprobe = true,
	.detach_ms = 45,
	.uses_ftrace = uses_ftrace,
	.attach = attach_program,
	.missed = attached_hook_missed,
};
