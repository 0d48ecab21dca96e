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
#include "kernel/release.h"
#include "kernel/switches.h"

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
		say(d, LEVEL_MISSING, "BPF", "not permitted, capabilities or not: in a container or user "
		    "namespace, run bprobe on the host or with --privileged");
	else
		say(d, LEVEL_MISSING, "BPF", "a program of two instructions was refused: %s", strerror(-fd));
	close_fd(fd);
}

/* Must run before libbpf has loaded anything, because libbpf raises the limit itself if necessary. */
static void check_memlock(struct doctor *d)
{
	struct rlimit limit;

	if (d->release >= RELEASE(5, 11)) {
		say(d, LEVEL_OK, "memlock", "does not limit BPF from 5.11 on");
		return;
	}
	if (getrlimit(RLIMIT_MEMLOCK, &limit))
		return;
	if (limit.rlim_cur == RLIM_INFINITY)
		say(d, LEVEL_OK, "memlock", "unlimited");
	else if (doctor_has_cap(d, CAP_SYS_RESOURCE))
		say(d, LEVEL_OK, "memlock", "%llu KiB, which bprobe raises for itself",
		    (unsigned long long)limit.rlim_cur / 1024);
	else
		say(d, LEVEL_MISSING, "memlock", "%llu KiB: too little. Before 5.11 BPF's maps count as locked memory. Root "
		    "raises it: ulimit -l unlimited", (unsigned long long)limit.rlim_cur / 1024);
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
		say(d, LEVEL_MISSING, "ring buffer", "refused (%s): it needs Linux 5.8 or newer%s",
		    strerror(-err), err == -EPERM ? " and, before 5.11, ulimit -l unlimited" : "");
	close_fd(fd);
}

static void check_jit(struct doctor *d)
{
	if (switches_jit_off())
		say(d, LEVEL_WARN, "JIT", "switched off, so that programs are interpreted and cost more: "
		    "sysctl net.core.bpf_jit_enable=1");
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
 * A BPF_LINK_CREATE that cannot succeed. A kernel that knows @type checks the descriptor or the addresses (EBADF, EFAULT);
 * another kernel returns EINVAL.
 */
static int link_errno(int prog_fd, enum bpf_attach_type type)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts);
	int fd;

	if (type == BPF_TRACE_KPROBE_MULTI) {
		opts.kprobe_multi.cnt = 1;
		opts.kprobe_multi.addrs = (const unsigned long *)1;
	}
	fd = bpf_link_create(prog_fd, -1, type, &opts);
	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

static void check_perf_link(struct doctor *d, int prog_fd)
{
	if (link_errno(prog_fd, BPF_PERF_EVENT) == EBADF)
		say(d, LEVEL_OK, "perf link", "probes attach by BPF links");
	else
		say(d, LEVEL_OK, "perf link", "none before 5.15: probes attach by ioctl(2)");
}

static void check_kprobe_programs(struct doctor *d)
{
	int fd = load_nothing(BPF_PROG_TYPE_KPROBE, NULL);

	if (fd >= 0) {
		say(d, LEVEL_OK, "kprobe BPF", "programs for kprobes load");
		check_perf_link(d, fd);
	} else if (fd == -EPERM && !d->may_trace) {
		say(d, LEVEL_UNKNOWN, "kprobe BPF", "%s", no_root);
	} else if (fd == -EPERM) {
		say(d, LEVEL_MISSING, "kprobe BPF", "programs for kprobes are not permitted: "
		    "see privilege, lockdown and BPF above");
	} else {
		say(d, LEVEL_MISSING, "kprobe BPF", "programs for kprobes are refused (%s): the kernel needs "
		    "CONFIG_BPF_EVENTS=y", strerror(-fd));
	}
	close_fd(fd);
}

static void check_fprobe(struct doctor *d)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = BPF_TRACE_KPROBE_MULTI);
	const char *without = "probes that match many functions attach one by one";
	int fd, err;

	if (d->release < RELEASE(5, 18)) {
		say(d, LEVEL_INFO, "fprobe", "no kprobe.multi before 5.18: %s", without);
		return;
	}
	if (d->ks && !doctor_has_symbol(d, "register_fprobe_ips")) {
		say(d, LEVEL_INFO, "fprobe", "no kprobe.multi (CONFIG_FPROBE is off): %s; it needs "
		    "CONFIG_FPROBE=y", without);
		return;
	}
	fd = load_nothing(BPF_PROG_TYPE_KPROBE, &opts);
	err = fd < 0 ? -fd : link_errno(fd, BPF_TRACE_KPROBE_MULTI);
	close_fd(fd);
	if (err == EFAULT)
		say(d, LEVEL_OK, "fprobe", "kprobe.multi: one link for many functions");
	else if (err == EPERM && !d->may_trace)
		say(d, LEVEL_UNKNOWN, "fprobe", "%s", no_root);
	else
		say(d, LEVEL_INFO, "fprobe", "no kprobe.multi (%s): %s; it needs CONFIG_FPROBE=y",
		    strerror(err), without);
}

static void check_fentry(struct doctor *d)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = BPF_TRACE_FENTRY);
	int id, fd;

	if (d->release < RELEASE(5, 12)) {
		say(d, LEVEL_INFO, "fentry", "not usable before 5.12, which has no guard against recursion in "
		    "it: kprobes serve instead");
		return;
	}
	if (d->ks && !doctor_has_symbol(d, "register_ftrace_direct")) {
		say(d, LEVEL_INFO, "fentry", "CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS is off: kprobes serve "
		    "instead; a kernel with it traces function entries cheaper");
		return;
	}
	if (!d->may_trace) {
		say(d, LEVEL_UNKNOWN, "fentry", "%s", no_root);
		return;
	}
	/* Any traceable function will do: loading looks it up but does not change it. */
	id = libbpf_find_vmlinux_btf_id("vfs_read", BPF_TRACE_FENTRY);
	opts.attach_btf_id = id > 0 ? (uint32_t)id : 0;
	fd = id > 0 ? load_nothing(BPF_PROG_TYPE_TRACING, &opts) : -ENOENT;
	if (fd >= 0)
		say(d, LEVEL_OK, "fentry", "programs for fentry and fexit load");
	else if (id <= 0)
		say(d, LEVEL_INFO, "fentry", "no BTF for it: kprobes serve instead; see BTF above");
	else
		say(d, LEVEL_INFO, "fentry", "refused (%s): kprobes serve instead", strerror(-fd));
	close_fd(fd);
}

void doctor_check_attachments(struct doctor *d)
{
	libbpf_print_fn_t before = libbpf_set_print(NULL);

	/* Without kprobes no program can be used. */
	if (access("/sys/kernel", F_OK) || !access("/sys/bus/event_source/devices/kprobe", F_OK))
		check_kprobe_programs(d);
	check_fprobe(d);
	check_fentry(d);
	libbpf_set_print(before);
}
