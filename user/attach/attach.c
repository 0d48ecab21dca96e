// SPDX-License-Identifier: GPL-2.0-only
/*
 * attach.c - a loaded program at its place in the kernel.
 */
#include "attach/attach.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "kernel/caps.h"
#include "kernel/release.h"
#include "kernel/switches.h"

#define KPROBE_PMU	"/sys/bus/event_source/devices/kprobe"

/* ---- what this kernel has ---- */

/* Reads the number behind @prefix in a small file of sysfs. */
static int read_number(const char *path, const char *prefix, unsigned *ret)
{
	auto_fd fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t skip = strlen(prefix);
	char text[64];
	uint64_t n;
	ssize_t len;

	if (fd < 0)
		return -errno;
	len = read(fd, text, sizeof(text) - 1);
	if (len < 0)
		return -errno;
	text[len] = '\0';
	text[strcspn(text, "\n")] = '\0';
	if (strncmp(text, prefix, skip) || number_u64(text + skip, strlen(text + skip), 10, &n))
		return -EINVAL;
	*ret = (unsigned)n;
	return 0;
}

void attacher_init(struct attacher *at)
{
	struct attacher a = { .counts_misses = release_running() >= RELEASE(6, 7), .ftrace_off = switches_ftrace_off() };

	a.missing = read_number(KPROBE_PMU "/type", "", &a.pmu_type) ||
		    read_number(KPROBE_PMU "/format/retprobe", "config:", &a.retprobe_bit);
	*at = a;
}

static int no_kprobes(struct diag *diag)
{
	bool sys = !access("/sys/kernel", F_OK);

	diag_set(diag, -EOPNOTSUPP, "this kernel offers no kprobes to perf (no " KPROBE_PMU ")");
	diag_note(diag, sys ? "help: it needs CONFIG_KPROBES, CONFIG_KPROBE_EVENTS and CONFIG_BPF_EVENTS"
			    : "help: mount sysfs first: mount -t sysfs sysfs /sys");
	return -EOPNOTSUPP;
}

/* ---- attaching ---- */

static int event_open(const struct attacher *at, const struct target *t)
{
	struct perf_event_attr attr = {
		.type = at->pmu_type,
		.size = sizeof(attr),
		.config = t->is_return ? 1ull << at->retprobe_bit : 0,
		.kprobe_func = (uint64_t)(uintptr_t)t->lookup,
	};
	long fd;

	if (t->lookup)
		attr.probe_offset = t->off;
	else
		attr.kprobe_addr = t->addr;
	/* For any task; one CPU is named because one must be: the program runs on all. */
	fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : (int)fd;
}

/* A link where the kernel has it (5.15), else the older ioctl. */
static int event_set_program(int event_fd, int prog_fd, int *ret_link)
{
	int link = bpf_link_create(prog_fd, event_fd, BPF_PERF_EVENT, NULL);

	if (link < 0 && ioctl(event_fd, PERF_EVENT_IOC_SET_BPF, prog_fd))
		return -errno;
	if (ioctl(event_fd, PERF_EVENT_IOC_ENABLE, 0)) {
		int err = -errno;

		if (link >= 0)
			close(link);
		return err;
	}
	*ret_link = link < 0 ? -1 : link;
	return 0;
}

/* Is it a place that the kernel reaches by ftrace: a function's entry, in front of which may be an ENDBR, or its return? */
static bool is_by_ftrace(const struct plan *plan)
{
	const struct target *t = &plan->target;

	if (plan->backend != BACKEND_KPROBE || t->is_return)
		return true;
	return t->func && t->addr ? t->addr - t->func <= 4 : t->symbol && t->off <= 4;
}

/*
 * It would not only be silent: what ftrace knows of a place that comes and goes while it is off stays wrong, and the next
 * change after that makes the kernel warn and give up ftrace until it is started again (6.12, kernel/trace/ftrace.c,
 * ftrace_shutdown(); seen on 5.10, 6.1, 6.12 and 7.2).
 */
static int refuse_ftrace_off(const struct plan *plan, struct diag *diag)
{
	diag->text = plan->def->text;
	diag_at(diag, -EOPNOTSUPP, plan->def->place.at, "ftrace is switched off, so a probe on a function's %s is never hit",
		plan->target.is_return ? "return" : "entry");
	diag_note(diag, "help: sysctl kernel.ftrace_enabled=1; places inside of functions are hit without it");
	return -EOPNOTSUPP;
}

/* Only what this user lacks is asked for. */
static int explain_permission(const struct plan *plan, int err, struct diag *diag)
{
	int paranoid = caps_paranoid();

	diag_at(diag, err, plan->def->head_at, "not allowed to attach a kprobe");
	if (caps_note_missing(diag))
		return err;
	if (!caps_perf_refused()) {
		caps_note_forbidden(diag);
		return err;
	}
	diag_note(diag, "kernel.perf_event_paranoid is %d, where this kernel wants CAP_SYS_ADMIN for a kprobe", paranoid);
	if (plan->why_dearer)
		diag_note(diag, "no trampoline, which needs none: %s", plan->why_dearer);
	diag_note(diag, "help: run as root, or let root do: sysctl kernel.perf_event_paranoid=2");
	return err;
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
		return diag_at(diag, err, at, "this place is inside an instruction: a probe must stand "
			       "on an instruction's first byte");
	case ENOENT:
		return diag_at(diag, err, at, "the kernel does not find this place");
	case EADDRNOTAVAIL:
	case ENOTUNIQ:
		return diag_at(diag, err, at, "the kernel has several functions of this name: "
			       "write the address of the one that you want");
	case EINVAL:
		diag_at(diag, err, at, "the kernel does not allow a probe here");
		diag_note(diag, "it refuses functions marked notrace, noinstr or nokprobe, data, and places "
			  "that it patches itself%s", plan->target.is_return ?
			  "; a return probe must name a function's entry" : "");
		return err;
	case EPERM:
	case EACCES:
		return explain_permission(plan, err, diag);
	case EMFILE:
		diag_at(diag, err, def->head_at, "too many probes for this user's limit of open files");
		return err;
	case EBUSY:
		return diag_at(diag, err, at, "another user of this place excludes a probe "
			       "(a live patch or a direct trampoline)");
	default:
		return diag_at(diag, err, at, "the kernel refused this probe: %s", strerror(-err));
	}
}

/* One link to all functions of a pattern; the kernel takes all of them or none. */
static int attach_multi(const struct plan *plan, int prog_fd, struct attached *ret, struct diag *diag)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts,
		.kprobe_multi.flags = plan->target.is_return ? BPF_F_KPROBE_MULTI_RETURN : 0,
		.kprobe_multi.addrs = (const unsigned long *)plan->target.addrs,
		.kprobe_multi.cnt = plan->target.nr_addrs,
	);
	int link = bpf_link_create(prog_fd, 0, BPF_TRACE_KPROBE_MULTI, &opts);

	if (link < 0) {
		int err = -errno;

		diag->text = plan->def->text;
		diag_at(diag, err, plan->def->place.at, "the kernel refused kprobe.multi on these %u "
			"functions: %s", plan->target.nr_addrs, strerror(-err));
		diag_note(diag, "help: --attach=kprobe gives each function a probe of its own");
		return err;
	}
	*ret = (struct attached){ .prog_fd = prog_fd, .event_fd = -1, .link_fd = link };
	return 0;
}

/* A link to the function that the program was loaded for. */
static int attach_trampoline(const struct plan *plan, int prog_fd, struct attached *ret, struct diag *diag)
{
	int link = bpf_raw_tracepoint_open(NULL, prog_fd);

	if (link < 0) {
		int err = -errno;

		diag->text = plan->def->text;
		return diag_at(diag, err, plan->def->place.at, "the kernel refused a trampoline here: %s",
			       strerror(-err));
	}
	*ret = (struct attached){ .prog_fd = prog_fd, .event_fd = -1, .link_fd = link };
	return 0;
}

int attach(const struct attacher *at, const struct plan *plan, enum attach_role role, int prog_fd,
	   struct attached *ret, struct diag *diag)
{
	struct attached a = { .prog_fd = prog_fd, .link_fd = -1 };
	struct target target = plan->target;
	int err;

	if (at->ftrace_off && is_by_ftrace(plan))
		return refuse_ftrace_off(plan, diag);
	if (plan->backend == BACKEND_FENTRY)
		return attach_trampoline(plan, prog_fd, ret, diag);
	if (plan->backend == BACKEND_MULTI)
		return attach_multi(plan, prog_fd, ret, diag);
	if (at->missing)
		return no_kprobes(diag);
	if (role == ATTACH_SAVER)
		target.is_return = false;
	a.event_fd = event_open(at, &target);
	if (a.event_fd < 0)
		return explain_refusal(plan, a.event_fd, diag);
	err = event_set_program(a.event_fd, prog_fd, &a.link_fd);
	if (err) {
		close(a.event_fd);
		diag->text = plan->def->text;
		return diag_at(diag, err, plan->def->head_at, "the kernel did not take the program for "
			       "this probe: %s", strerror(-err));
	}
	*ret = a;
	return 0;
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
	/* The link first: it holds the event. */
	if (a->link_fd >= 0)
		close(a->link_fd);
	if (a->event_fd >= 0)
		close(a->event_fd);
	if (a->prog_fd >= 0)
		close(a->prog_fd);
	*a = ATTACHED_NONE;
}

/* ---- misses ---- */

/*
 * struct bpf_link_info for a perf-event kprobe as 6.7 and newer fill it in
 * (include/uapi/linux/bpf.h); the headers of the building machine may be older.
 */
struct kprobe_link_info {
	__u32 type, id, prog_id, pad;
	__u32 event_type, pad2;
	__u64 func_name;
	__u32 name_len, offset;
	__u64 addr, missed, cookie;
};

bool attached_event_missed(const struct attacher *at, int link_fd, uint64_t *ret)
{
	struct kprobe_link_info link = { 0 };
	__u32 len = sizeof(link);

	if (!at->counts_misses || link_fd < 0 || bpf_obj_get_info_by_fd(link_fd, &link, &len) ||
	    link.type != BPF_LINK_TYPE_PERF_EVENT)
		return false;
	*ret = link.missed;
	return true;
}

bool attached_missed(const struct attacher *at, enum backend backend, const struct attached *a, uint64_t *ret)
{
	struct bpf_prog_info prog = { 0 };
	__u32 len = sizeof(prog);
	uint64_t missed;

	if (a->prog_fd < 0 || bpf_obj_get_info_by_fd(a->prog_fd, &prog, &len))
		return false;
	*ret = prog.recursion_misses;
	if (backend != BACKEND_KPROBE)		/* a trampoline knows no other misses */
		return true;
	if (a->link_fd < 0)			/* what is detached misses nothing more */
		return at->counts_misses && a->event_fd < 0;
	if (!attached_event_missed(at, a->link_fd, &missed))
		return false;
	*ret += missed;
	return true;
}
