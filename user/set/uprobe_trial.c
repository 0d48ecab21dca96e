// SPDX-License-Identifier: GPL-2.0-only
/*
 * uprobe_trial.c - finds out whether a user probe on a nop of five bytes damages a program.
 */
#include "set/uprobe_trial.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "arch/user.h"
#include "base/cleanup.h"
#include "base/number.h"

enum { CALLS = 8 };			/* the first hit makes the kernel put the call there */

struct site {
	uint64_t addr, off;		/* off: in the file; 0: not found */
};

/* The first object is the program itself. */
static int find_off(struct dl_phdr_info *info, size_t size, void *ctx)
{
	struct site *site = ctx;

	(void)size;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uint64_t from = info->dlpi_addr + p->p_vaddr;

		if (p->p_type == PT_LOAD && site->addr - from < p->p_filesz)
			site->off = site->addr - from + p->p_offset;
	}
	return 1;
}

/* -errno, or the number by which perf_event_open() knows uprobes. */
static int pmu_type(void)
{
	auto_fd fd = open("/sys/bus/event_source/devices/uprobe/type", O_RDONLY | O_CLOEXEC);
	char text[16];
	ssize_t len = fd < 0 ? -1 : read(fd, text, sizeof(text));
	uint64_t type;

	while (len > 0 && text[len - 1] == '\n')
		len--;
	return len <= 0 || number_u64(text, (size_t)len, 10, &type) || type > INT32_MAX ? -ENODEV : (int)type;
}

/* In the child, which ends with it, also if bprobe is killed meanwhile. */
static enum feature_trial try_here(int type, uint64_t off)
{
	struct perf_event_attr attr = {
		.type = (uint32_t)type, .size = sizeof(attr), .uprobe_path = (uint64_t)(uintptr_t)"/proc/self/exe", .probe_offset = off,
	};

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC) < 0)
		return TRIAL_UNKNOWN;
	for (unsigned i = 0; i < CALLS; i++) {
		if (user_nop_trial() != USER_NOP_TRIAL)
			return TRIAL_YES;
	}
	return TRIAL_NO;
}

enum feature_trial uprobe_try(void)
{
	struct site site = { .addr = (uint64_t)(uintptr_t)user_nop_trial_site };
	int type = pmu_type(), status;
	pid_t pid;

	dl_iterate_phdr(find_off, &site);
	if (type < 0 || !site.off)
		return TRIAL_UNKNOWN;
	pid = fork();
	if (!pid)
		_exit(try_here(type, site.off));
	while (pid > 0 && waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return TRIAL_UNKNOWN;
	}
	return pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) <= TRIAL_YES ? (enum feature_trial)WEXITSTATUS(status)
											  : TRIAL_UNKNOWN;
}
