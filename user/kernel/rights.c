// SPDX-License-Identifier: GPL-2.0-only
/*
 * rights.c - what bprobe may still do once its probes are attached.
 *
 * An error in bprobe, which reads what the traced machine wrote, then does less harm. A system call that no row has fails with EPERM, and
 * the kernel's log names it ("type=1326"). The guests of the tests look for that, so each test is also a test of this table.
 */
#include "kernel/rights.h"

#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <linux/net.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>

#include "arch/user.h"
#include "base/confine.h"
#include "base/macros.h"
#include "kernel/caps.h"

#define ALL_BITS	UINT32_MAX
#define WRITES		(O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)
#define NAMESPACES	(CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET)
#define CAP(name)	(1ull << CAP_##name)
#define ALLOW(name)	CONFINE_ALLOW(name),
#define ALLOW_READING(name)	CONFINE_ONLY(name, 1, WRITES, 0),

/* The first ones are those of the loop. */
static const struct confine_call output_calls[] = {
	CONFINE_ALLOW(read), CONFINE_ALLOW(write), CONFINE_ALLOW(ppoll), CONFINE_ALLOW(epoll_pwait), CONFINE_ALLOW(close),
	USER_OLD_READS(ALLOW) USER_OLD_OPEN(ALLOW_READING)
	CONFINE_ONLY(openat, 2, WRITES, 0), CONFINE_ALLOW(pread64), CONFINE_ALLOW(pwrite64), CONFINE_ALLOW(readv), CONFINE_ALLOW(writev),
	CONFINE_ALLOW(fstat), CONFINE_ALLOW(newfstatat), CONFINE_ALLOW(statx), CONFINE_ALLOW(lseek), CONFINE_ALLOW(readlinkat),
	CONFINE_ALLOW(faccessat), CONFINE_ALLOW(faccessat2), CONFINE_ALLOW(getdents64), CONFINE_ALLOW(statfs), CONFINE_ALLOW(fstatfs),
	CONFINE_ALLOW(fcntl), CONFINE_ALLOW(dup), CONFINE_ALLOW(dup3), CONFINE_ALLOW(pipe2), CONFINE_ALLOW(memfd_create),
	CONFINE_ALLOW(ftruncate), CONFINE_ALLOW(epoll_ctl), CONFINE_ALLOW(epoll_create1), CONFINE_ALLOW(pselect6),
	CONFINE_ALLOW(mmap), CONFINE_ALLOW(munmap), CONFINE_ALLOW(mprotect), CONFINE_ALLOW(mremap), CONFINE_ALLOW(madvise),
	CONFINE_ALLOW(brk), CONFINE_ALLOW(futex), CONFINE_ALLOW(membarrier), CONFINE_ALLOW(getrandom), CONFINE_ALLOW(rseq),
	CONFINE_ALLOW(set_robust_list), CONFINE_ALLOW(set_tid_address), CONFINE_ALLOW(restart_syscall),
	CONFINE_ALLOW(rt_sigaction), CONFINE_ALLOW(rt_sigprocmask), CONFINE_ALLOW(rt_sigreturn), CONFINE_ALLOW(rt_sigtimedwait),
	CONFINE_ALLOW(rt_sigpending), CONFINE_ALLOW(rt_sigsuspend), CONFINE_ALLOW(sigaltstack), CONFINE_ALLOW(signalfd4),
	CONFINE_ALLOW(setitimer), CONFINE_ALLOW(getitimer), CONFINE_ALLOW(nanosleep), CONFINE_ALLOW(clock_nanosleep),
	CONFINE_ALLOW(clock_gettime), CONFINE_ALLOW(clock_getres), CONFINE_ALLOW(gettimeofday), CONFINE_ALLOW(timerfd_create),
	CONFINE_ALLOW(timerfd_settime), CONFINE_ALLOW(timerfd_gettime), CONFINE_ALLOW(sched_yield), CONFINE_ALLOW(sched_getaffinity),
	CONFINE_ALLOW(getpid), CONFINE_ALLOW(gettid), CONFINE_ALLOW(getppid), CONFINE_ALLOW(getpgid), CONFINE_ALLOW(getuid),
	CONFINE_ALLOW(geteuid), CONFINE_ALLOW(getgid), CONFINE_ALLOW(getegid), CONFINE_ALLOW(getgroups), CONFINE_ALLOW(capget),
	CONFINE_ALLOW(getcwd), CONFINE_ALLOW(uname), CONFINE_ALLOW(sysinfo), CONFINE_ALLOW(getrusage), CONFINE_ALLOW(times),
	CONFINE_ALLOW(getpriority), CONFINE_ALLOW(setpriority), CONFINE_ALLOW(umask), CONFINE_ALLOW(exit), CONFINE_ALLOW(exit_group),
	CONFINE_ONLY(prlimit64, 0, ALL_BITS, 0),	/* its own limits */
	CONFINE_ONLY(ioctl, 1, ALL_BITS, TCGETS), CONFINE_ONLY(ioctl, 1, ALL_BITS, TCSETS), CONFINE_ONLY(ioctl, 1, ALL_BITS, TCSETSW),
	CONFINE_ONLY(ioctl, 1, ALL_BITS, TCSETSF), CONFINE_ONLY(ioctl, 1, ALL_BITS, TIOCGWINSZ), CONFINE_ONLY(ioctl, 1, ALL_BITS, FIONREAD),
	CONFINE_ONLY(ioctl, 1, ALL_BITS, TIOCGPGRP), CONFINE_ONLY(ioctl, 1, ALL_BITS, TCXONC), CONFINE_ONLY(ioctl, 1, ALL_BITS, PERF_EVENT_IOC_ENABLE),
	CONFINE_ONLY(ioctl, 1, ALL_BITS, PERF_EVENT_IOC_DISABLE),
};

#define BPF_ONLY(cmd)	CONFINE_ONLY(bpf, 0, ALL_BITS, cmd)

/* The largest possible ring is found by making one (run/channel.h, channel_largest()). */
static const struct confine_call map_calls[] = {
	BPF_ONLY(BPF_MAP_LOOKUP_ELEM), BPF_ONLY(BPF_MAP_UPDATE_ELEM), BPF_ONLY(BPF_MAP_DELETE_ELEM), BPF_ONLY(BPF_MAP_GET_NEXT_KEY),
	BPF_ONLY(BPF_MAP_LOOKUP_AND_DELETE_ELEM), BPF_ONLY(BPF_MAP_LOOKUP_BATCH), BPF_ONLY(BPF_MAP_LOOKUP_AND_DELETE_BATCH),
	BPF_ONLY(BPF_MAP_UPDATE_BATCH), BPF_ONLY(BPF_MAP_DELETE_BATCH), BPF_ONLY(BPF_OBJ_GET_INFO_BY_FD), BPF_ONLY(BPF_LINK_DETACH), BPF_ONLY(BPF_MAP_CREATE),
};

/* Types are asked for by their numbers, which needs CAP_SYS_ADMIN: without it they are read from /sys/kernel/btf. */
static const struct confine_call memory_calls[] = {
	BPF_ONLY(BPF_PROG_TEST_RUN), BPF_ONLY(BPF_BTF_GET_FD_BY_ID), BPF_ONLY(BPF_BTF_GET_NEXT_ID),
};

static const struct confine_call attach_calls[] = {
	CONFINE_ALLOW(bpf), CONFINE_ALLOW(perf_event_open), CONFINE_ALLOW(inotify_init1),
	CONFINE_ALLOW(inotify_add_watch), CONFINE_ALLOW(inotify_rm_watch), CONFINE_ONLY(socket, 0, ALL_BITS, AF_NETLINK),
	CONFINE_ALLOW(bind), CONFINE_ALLOW(recvfrom), CONFINE_ALLOW(recvmsg),	/* the kernel says which modules come */
	CONFINE_ONLY(kill, 1, ALL_BITS, 0),	/* it asks whether a process is there */
	CONFINE_ONLY(ioctl, 1, 0xff00, '$' << 8),	/* those of perf */
};

static const struct confine_call watch_calls[] = {
	CONFINE_ALLOW(perf_event_open), CONFINE_ALLOW(recvfrom), CONFINE_ALLOW(recvmsg), CONFINE_ONLY(ioctl, 1, 0xff00, '$' << 8),
};

static const struct confine_call file_calls[] = {
	USER_OLD_OPEN(ALLOW) USER_OLD_REMOVALS(ALLOW) USER_OLD_FILES(ALLOW)
	CONFINE_ALLOW(openat), CONFINE_ALLOW(renameat), CONFINE_ALLOW(renameat2), CONFINE_ALLOW(unlinkat), CONFINE_ALLOW(mkdirat),
	CONFINE_ALLOW(symlinkat), CONFINE_ALLOW(linkat), CONFINE_ALLOW(fchmod), CONFINE_ALLOW(fchmodat), CONFINE_ALLOW(flock),
	CONFINE_ALLOW(fallocate), CONFINE_ALLOW(fsync), CONFINE_ALLOW(fdatasync), CONFINE_ALLOW(sendfile), CONFINE_ALLOW(copy_file_range),
	CONFINE_ALLOW(splice), CONFINE_ALLOW(fadvise64), CONFINE_ALLOW(sync_file_range), CONFINE_ALLOW(utimensat),
};

static const struct confine_call child_calls[] = {
	USER_OLD_FORKS(ALLOW)
	CONFINE_ONLY(clone, 0, NAMESPACES, 0), CONFINE_UNKNOWN(clone3), CONFINE_ALLOW(wait4), CONFINE_ALLOW(waitid),
	CONFINE_ONLY(prctl, 0, ALL_BITS, PR_SET_NAME), CONFINE_ONLY(prctl, 0, ALL_BITS, PR_SET_PDEATHSIG), CONFINE_ALLOW(setsid),
	CONFINE_ALLOW(chdir), CONFINE_ALLOW(close_range), CONFINE_ONLY(socketpair, 0, ALL_BITS, AF_UNIX), CONFINE_ALLOW(shutdown),
};

/* A socket is removed by its name. */
static const struct confine_call peer_calls[] = {
	USER_OLD_REMOVALS(ALLOW)
	CONFINE_ALLOW(unlinkat), CONFINE_ALLOW(accept4), CONFINE_ALLOW(recvfrom), CONFINE_ALLOW(sendto), CONFINE_ALLOW(recvmsg),
	CONFINE_ALLOW(sendmsg), CONFINE_ALLOW(getsockopt), CONFINE_ALLOW(shutdown),
};

static const struct confine_call register_calls[] = {
	CONFINE_ONLY(socket, 0, ALL_BITS, AF_UNIX), CONFINE_ALLOW(bind), CONFINE_ALLOW(listen), CONFINE_ALLOW(connect),
};

/* capset(2) and setresuid(2) give nothing back without the capabilities. */
static const struct confine_call confine_rows[] = {
	CONFINE_ALLOW(capset), CONFINE_ALLOW(seccomp), CONFINE_ALLOW(setgroups), CONFINE_ALLOW(setresuid),
	CONFINE_ALLOW(setresgid), CONFINE_ONLY(prctl, 0, ALL_BITS, PR_SET_NO_NEW_PRIVS),
};

#define CALLS(list)	{ list, ARRAY_SIZE(list) }

/*
 * DAC_READ_SEARCH: files that only their owners may read, such as another user's program. CHECKPOINT_RESTORE opens what a process has mapped
 * (proc(5), /proc/PID/map_files), SYS_PTRACE shows what is mapped (/proc/PID/maps).
 */
static const struct row {
	enum right right;
	uint64_t caps;			/* that it takes, */
	uint64_t instead;		/* ... or these, if a capability is missing, */
	uint64_t paranoid;		/* ... and these, if kernel.perf_event_paranoid is 3 or more (caps_perf_refused()) */
	struct confine_list calls;
} rows[] = {
	{ .right = RIGHT_OUTPUT, .calls = CALLS(output_calls) },
	{ .right = RIGHT_MAPS, .caps = CAP(BPF), .instead = CAP(SYS_ADMIN), .calls = CALLS(map_calls) },
	{ .right = RIGHT_MEMORY, .caps = CAP(BPF) | CAP(SYSLOG), .instead = CAP(SYS_ADMIN), .calls = CALLS(memory_calls) },
	{ .right = RIGHT_ATTACH, .calls = CALLS(attach_calls),
	  .caps = CAP(BPF) | CAP(PERFMON) | CAP(SYSLOG) | CAP(SYS_RAWIO) | CAP(SYS_ADMIN) | CAP(SYS_RESOURCE) | CAP(SYS_PTRACE) |
		  CAP(DAC_READ_SEARCH) | CAP(DAC_OVERRIDE) | CAP(IPC_LOCK) },
	{ .right = RIGHT_TASKS, .caps = CAP(SYS_PTRACE) | CAP(DAC_READ_SEARCH) | CAP(CHECKPOINT_RESTORE), .instead = CAP(SYS_ADMIN) },
	{ .right = RIGHT_WATCH, .caps = CAP(PERFMON), .instead = CAP(SYS_ADMIN), .paranoid = CAP(SYS_ADMIN), .calls = CALLS(watch_calls) },
	{ .right = RIGHT_FILES, .caps = CAP(DAC_OVERRIDE) | CAP(DAC_READ_SEARCH) | CAP(FOWNER), .calls = CALLS(file_calls) },
	{ .right = RIGHT_CHILDREN, .calls = CALLS(child_calls) },
	{ .right = RIGHT_PEERS, .calls = CALLS(peer_calls) },
	{ .right = RIGHT_REGISTER, .caps = CAP(DAC_OVERRIDE), .calls = CALLS(register_calls) },
	{ .right = RIGHT_SIGNAL, .caps = CAP(KILL) },
	{ .right = RIGHT_CONFINE, .caps = CAP(SETUID) | CAP(SETGID) | CAP(DAC_READ_SEARCH), .calls = CALLS(confine_rows) },
	{ .right = RIGHT_EXECUTE },
};

static uint64_t capabilities_for(unsigned wanted)
{
	uint64_t has = caps_effective(), keep = 0;
	bool paranoid = caps_paranoid() >= 3;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct row *r = &rows[i];

		if (wanted & r->right)
			keep |= r->caps | ((r->caps & ~has) ? r->instead : 0) | (paranoid ? r->paranoid : 0);
	}
	return keep & has;
}

/* 0 or -errno. */
static int filter_calls(const struct rights *r, unsigned wanted)
{
	const uint32_t own = (uint32_t)getpid();
	const struct confine_call to_processes[] = {
		CONFINE_ONLY(tgkill, 0, ALL_BITS, own), CONFINE_ONLY(kill, 0, ALL_BITS, own),		/* signals to itself */
		CONFINE_ONLY(kill, 0, ALL_BITS, r->pids[0] ? (uint32_t)r->pids[0] : own),
		CONFINE_ONLY(kill, 0, ALL_BITS, r->pids[1] ? (uint32_t)r->pids[1] : own),
	};
	struct confine_list lists[ARRAY_SIZE(rows) + 1];
	unsigned nr = 0;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (wanted & rows[i].right && rows[i].calls.nr)
			lists[nr++] = rows[i].calls;
	}
	lists[nr++] = (struct confine_list)CALLS(to_processes);
	return confine_calls(user_audit_arch, lists, nr, true);
}

static void print_capabilities(uint64_t caps, struct buf *out)
{
	static const struct {
		unsigned cap;
		const char *name;
	} names[] = {
		{ CAP_DAC_OVERRIDE, "CAP_DAC_OVERRIDE" }, { CAP_DAC_READ_SEARCH, "CAP_DAC_READ_SEARCH" }, { CAP_FOWNER, "CAP_FOWNER" },
		{ CAP_KILL, "CAP_KILL" }, { CAP_SETGID, "CAP_SETGID" }, { CAP_SETUID, "CAP_SETUID" }, { CAP_IPC_LOCK, "CAP_IPC_LOCK" },
		{ CAP_SYS_RAWIO, "CAP_SYS_RAWIO" }, { CAP_SYS_PTRACE, "CAP_SYS_PTRACE" }, { CAP_SYS_ADMIN, "CAP_SYS_ADMIN" },
		{ CAP_SYS_RESOURCE, "CAP_SYS_RESOURCE" }, { CAP_SYSLOG, "CAP_SYSLOG" }, { CAP_PERFMON, "CAP_PERFMON" }, { CAP_BPF, "CAP_BPF" },
		{ CAP_CHECKPOINT_RESTORE, "CAP_CHECKPOINT_RESTORE" },
	};
	bool any = false;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (!(caps >> names[i].cap & 1))
			continue;
		buf_addf(out, "%s%s", any ? ", " : "", names[i].name);
		any = true;
	}
	if (!any)
		buf_adds(out, "none");
}

void rights_keep(const struct rights *r, struct buf *report)
{
	unsigned wanted = r->wanted | RIGHT_OUTPUT;
	uint64_t keep = capabilities_for(wanted);
	int filter_err = confine_executed(), err = confine_capabilities(keep);

	if (!filter_err && !(wanted & RIGHT_EXECUTE))
		filter_err = filter_calls(r, wanted);
	buf_adds(report, "capabilities ");
	print_capabilities(err ? caps_effective() : keep, report);
	buf_addf(report, "; system calls: %s", wanted & RIGHT_EXECUTE ? "all, because a program may be executed" :
		 filter_err ? "all, because the kernel cannot filter them" : "filtered");
}
