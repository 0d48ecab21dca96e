// SPDX-License-Identifier: GPL-2.0-only
/*
 * doctor_bpf.c - tests what bpf(2) can do here.
 *
 * It loads programs of two instructions and closes them again; it creates and closes a ring.
 * Nothing is attached. If only attaching gives the answer, the request has a bad pointer
 * or descriptor: it fails, but only after the kernel has understood it.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/capability.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/doctor_checks.h"
#include "kernel/btf/kbtf.h"
#include "kernel/disabled.h"
#include "kernel/features.h"
#include "plan/backend.h"

static const char *const no_root = "cannot tell without root (or CAP_BPF and CAP_PERFMON)";

/* Loads "return 0" as a program of any type. Returns a descriptor to close, or -errno. */
static int load_nothing(enum bpf_prog_type type, struct bpf_prog_load_opts *opts)
{
	static const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	int fd = bpf_prog_load(type, "bp_doctor", "GPL", insns, ARRAY_SIZE(insns), opts);

	return fd < 0 ? -errno : fd;
}

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

/* ---- BPF itself ---- */

static void check_syscall(struct doctor *d)
{
	int fd = load_nothing(BPF_PROG_TYPE_SOCKET_FILTER, NULL);

	if (fd >= 0)
		say(d, LEVEL_OK, "BPF", "bpf(2) loads programs");
	else if (fd == -ENOSYS)
		say(d, LEVEL_MISSING, "BPF", "the kernel has no bpf(2): it needs CONFIG_BPF_SYSCALL=y");
	else if (fd == -EPERM && !d->may_trace)
		say(d, LEVEL_UNKNOWN, "BPF", "%s", no_root);
	else if (fd == -EPERM)
		say(d, LEVEL_MISSING, "BPF", "not permitted, although this user has the capabilities: in a container or user "
		    "namespace, run bprobe on the host or with --privileged");
	else
		say(d, LEVEL_MISSING, "BPF", "a program of two instructions was refused: %s", strerror(-fd));
	close_fd(fd);
}

/* Must run before libbpf has loaded anything, because libbpf raises the limit itself if necessary. */
static void check_memlock(struct doctor *d)
{
	struct rlimit limit;

	if (feature_by_release(FEATURE_MAPS_FREE, d->release)) {
		say(d, LEVEL_OK, "memlock", "does not limit BPF from 5.11 on");
		return;
	}
	if (getrlimit(RLIMIT_MEMLOCK, &limit))
		return;
	if (limit.rlim_cur == RLIM_INFINITY)
		say(d, LEVEL_OK, "memlock", "unlimited");
	else if (doctor_has_cap(d, CAP_SYS_RESOURCE))
		say(d, LEVEL_OK, "memlock", "%llu KiB; bprobe raises this limit for itself",
		    (unsigned long long)limit.rlim_cur / 1024);
	else
		say(d, LEVEL_MISSING, "memlock", "%llu KiB: too little. Before 5.11 BPF's maps count as locked memory. As root: "
		    "ulimit -l unlimited", (unsigned long long)limit.rlim_cur / 1024);
}

static void check_ring(struct doctor *d)
{
	int fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "bp_doctor", 0, 0, (uint32_t)getpagesize(), NULL);
	int err = fd < 0 ? -errno : 0;

	if (!err)
		say(d, LEVEL_OK, "ring buffer", "BPF_MAP_TYPE_RINGBUF");
	else if (err == -EPERM && !d->may_trace)
		say(d, LEVEL_UNKNOWN, "ring buffer", "%s", no_root);
	else
		say(d, LEVEL_MISSING, "ring buffer", "refused (%s): this needs Linux 5.8 or newer%s",
		    strerror(-err), err == -EPERM ? " and, before 5.11, ulimit -l unlimited" : "");
	close_fd(fd);
}

static void check_jit(struct doctor *d)
{
	if (disabled_jit())
		say(d, LEVEL_WARN, "JIT",
		    "switched off, so programs are interpreted and cost more; to switch it on: sysctl net.core.bpf_jit_enable=1");
}

static void check_btf(struct doctor *d)
{
	struct stat st;

	if (!stat("/sys/kernel/btf/vmlinux", &st))
		say(d, LEVEL_OK, "BTF", "/sys/kernel/btf/vmlinux, %.1f MB", (double)st.st_size / 1e6);
	else if (access("/sys/kernel", F_OK))
		say(d, LEVEL_UNKNOWN, "BTF", "no sysfs: mount -t sysfs sysfs /sys");
	else
		say(d, LEVEL_MISSING, "BTF", "no /sys/kernel/btf/vmlinux: use a distribution's kernel, or "
		    "rebuild with CONFIG_DEBUG_INFO_BTF=y (and pahole installed)");
}

void doctor_check_bpf(struct doctor *d)
{
	check_memlock(d);
	check_syscall(d);
	check_ring(d);
	check_jit(d);
	check_btf(d);
}

/* ---- ways to attach ---- */

/*
 * A BPF_LINK_CREATE that cannot succeed. A kernel that knows @type checks the descriptor (EBADF); another kernel returns
 * EINVAL.
 */
static int link_errno(int prog_fd, enum bpf_attach_type type)
{
	int fd = bpf_link_create(prog_fd, -1, type, NULL);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

static void check_perf_link(struct doctor *d)
{
	int prog = load_nothing(backend_last_resort(PROBE_KPROBE)->program.type, NULL);

	if (prog >= 0 && link_errno(prog, BPF_PERF_EVENT) == EBADF)
		say(d, LEVEL_OK, "perf link", "probes attach by BPF links");
	else if (prog >= 0)
		say(d, LEVEL_OK, "perf link", "this kernel has none (5.15 and newer have): probes attach by ioctl(2)");
	close_fd(prog);
}

/* Loads a program of the kind that this backend attaches. Returns a descriptor to close, or -errno. */
static int load_for(const struct backend *b)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = b->program.attach_types[0]);
	int id;

	/* Any traceable function will do: loading looks it up but does not change it. */
	id = b->program.btf_id ? libbpf_find_vmlinux_btf_id("vfs_read", b->program.attach_types[0]) : 0;
	if (id < 0)
		return -ENOENT;
	opts.attach_btf_id = (uint32_t)id;
	return load_nothing(b->program.type, &opts);
}

/* @n: its row in the table. */
static void check_backend(struct doctor *d, unsigned n, struct features *features)
{
	const struct backend *b = backends[n];
	const char *why = b->missing ? b->missing(features) : NULL;
	int fd;

	if (why && !b->doctor.without)		/* doctor_check_kprobes() has said it */
		return;
	if (why) {
		say(d, LEVEL_INFO, b->hooks[0], "%s: %s; this needs %s", why, b->doctor.without, b->doctor.needs);
		return;
	}
	fd = load_for(b);
	d->loaded |= fd >= 0 ? 1u << n : 0;
	if (fd >= 0)
		say(d, LEVEL_OK, b->hooks[0], "programs load");
	else if (fd == -EPERM && !d->may_trace)
		say(d, LEVEL_UNKNOWN, b->hooks[0], "%s", no_root);
	else if (b->doctor.without)
		say(d, LEVEL_INFO, b->hooks[0], "refused (%s): %s; this needs %s", strerror(-fd), b->doctor.without, b->doctor.needs);
	else if (fd == -EPERM)
		say(d, LEVEL_MISSING, b->hooks[0], "programs are not permitted: see privilege, lockdown and BPF above");
	else
		say(d, LEVEL_MISSING, b->hooks[0], "refused (%s): the kernel needs %s", strerror(-fd), b->doctor.needs);
	close_fd(fd);
}

/* Which values that are not in memory yet can be read. */
static void check_cold(struct doctor *d, struct features *features)
{
	static const char what[] = "cold memory";

	if (feature(features, FEATURE_SYSCALL_SLEEPS) && feature(features, FEATURE_EVENT_SLEEPS))
		say(d, LEVEL_OK, what, "probes of system calls (p sys_openat, e syscalls.sys_enter_openat) wait for it");
	else if (feature(features, FEATURE_SYSCALL_SLEEPS))
		say(d, LEVEL_OK, what, "probes of system calls (p sys_openat) wait for it; for events (e) the kernel itself does");
	else
		say(d, LEVEL_INFO, what, "a name that is not in memory yet is (fault) at a system call's entry, and is there at its return (7.1 "
		    "and newer wait for it); %s", feature(features, FEATURE_MAPPINGS) ? "the summary counts such values" :
		    "from 6.7 on the summary counts such values");
}

void doctor_check_attachments(struct doctor *d)
{
	libbpf_print_fn_t before = libbpf_set_print(NULL);
	struct kbtf *btf = kbtf_open(NULL);
	struct features features;

	features_init(&features, btf, d->ks, d->may_trace);
	for (unsigned i = 0; backends[i]; i++)
		check_backend(d, i, &features);
	check_cold(d, &features);
	if (!backend_last_resort(PROBE_KPROBE)->missing(&features))
		check_perf_link(d);
	kbtf_close(btf);
	libbpf_set_print(before);
}
