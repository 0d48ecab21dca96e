// SPDX-License-Identifier: GPL-2.0-only
/*
 * caps.c - what this process may do: its capabilities, and the other conditions of the kernel.
 */
#include "kernel/caps.h"

#include <errno.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "kernel/features.h"
#include "kernel/release.h"

static bool has(uint64_t caps, unsigned cap)
{
	return caps >> cap & 1;
}

uint64_t caps_effective(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { { 0 } };

	if (syscall(SYS_capget, &head, data))
		return 0;
	return data[0].effective | (uint64_t)data[1].effective << 32;
}

bool caps_may_trace(uint64_t caps)
{
	return has(caps, CAP_SYS_ADMIN) || (has(caps, CAP_BPF) && has(caps, CAP_PERFMON));
}

bool caps_may_all(uint64_t caps)
{
	return has(caps, CAP_SYS_ADMIN);
}

bool caps_note_missing(struct diag *diag)
{
	uint64_t caps = caps_effective();
	bool bpf = has(caps, CAP_BPF), perfmon = has(caps, CAP_PERFMON);

	if (caps_may_trace(caps))
		return false;
	diag_note(diag, "help: run as root (sudo bprobe ...), or with %s%s%s", bpf ? "" : "CAP_BPF",
		  bpf || perfmon ? "" : " and ", perfmon ? "" : "CAP_PERFMON");
	return true;
}

void caps_note_forbidden(struct diag *diag)
{
	diag_note(diag, "help: this user has the capabilities, so something else forbids it: a container or a security module");
}

int caps_paranoid(void)
{
	auto_file f = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
	char text[32] = "";
	int64_t n;

	if (!f || !fgets(text, sizeof(text), f) || number_s64(text, strcspn(text, "\n"), 10, &n))
		return INT_MIN;
	return (int)n;
}

bool caps_perf_refused(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(attr), .config = PERF_COUNT_SW_DUMMY, .disabled = 1,
	};
	auto_fd fd = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 && (errno == EPERM || errno == EACCES) && caps_paranoid() >= 3;
}

uint64_t caps_memlock(void)
{
	struct rlimit limit;

	if (feature_by_release(FEATURE_MAPS_FREE, release_running()) || has(caps_effective(), CAP_SYS_RESOURCE) ||
	    getrlimit(RLIMIT_MEMLOCK, &limit) || limit.rlim_cur == RLIM_INFINITY)
		return UINT64_MAX;
	return limit.rlim_cur;
}
