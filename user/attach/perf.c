// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf.c - what the backends that use events of perf share.
 */
#include "attach/perf.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "kernel/caps.h"

/* Reads the number behind @prefix in the small file @name of @dir. */
static int read_number(const char *dir, const char *name, const char *prefix, unsigned *ret)
{
	char path[128], text[64];
	size_t skip = strlen(prefix);
	uint64_t n;
	ssize_t len;
	auto_fd fd = -1;

	if (snprintf(path, sizeof(path), "%s/%s", dir, name) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	fd = open(path, O_RDONLY | O_CLOEXEC);
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

int perf_pmu_read(const char *dir, struct perf_pmu *ret)
{
	int err = read_number(dir, "type", "", &ret->type);

	return err ? err : read_number(dir, "format/retprobe", "config:", &ret->retprobe_bit);
}

int perf_set_program(int event_fd, int prog_fd, int *ret_link)
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

int perf_explain_permission(const struct plan *plan, int err, const char *what, struct diag *diag)
{
	int paranoid = caps_paranoid();

	diag_at(diag, err, plan->def->head_at, "not allowed to attach %s", what);
	if (caps_note_missing(diag))
		return err;
	if (!caps_perf_refused()) {
		/* From July 2025 on for user probes, in stable kernels, too. uprobe.multi still needs CAP_PERFMON only. */
		if (!caps_may_all(caps_effective()))
			diag_note(diag, "some kernels allow %s only with CAP_SYS_ADMIN, which this user does not have", what);
		caps_note_forbidden(diag);
		return err;
	}
	diag_note(diag, "kernel.perf_event_paranoid is %d: then this kernel allows %s only with CAP_SYS_ADMIN", paranoid, what);
	if (plan->why_dearer)
		diag_note(diag, "it is a %s for this reason: %s", backend_hook(plan), plan->why_dearer);
	diag_note(diag, "help: run as root, or let root do: sysctl kernel.perf_event_paranoid=2");
	return err;
}
