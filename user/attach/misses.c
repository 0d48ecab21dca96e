// SPDX-License-Identifier: GPL-2.0-only
/*
 * misses.c - what links count: the hits for which the kernel did not even ask the program to run.
 */
#include <bpf/bpf.h>
#include <stddef.h>

#include "attach/attach.h"

/*
 * The parts of struct bpf_link_info that are needed, as 6.7 and newer fill it in (include/uapi/linux/bpf.h). The headers of the
 * build machine may be older. Older kernels have a shorter structure, which ends before event.missed.
 */
struct link_info {
	__u32 type, id, prog_id, pad;
	union {
		struct {
			__u32 event_type, pad2;
			__u64 func_name;
			__u32 name_len, offset;
			__u64 addr, missed;
		} event;		/* a kprobe of perf */
		struct {
			__u64 addrs;
			__u32 nr, flags;
			__u64 missed;
		} multi;		/* kprobe.multi and kprobe.session */
	};
	__u64 cookie;
};

bool attached_link_missed(int link_fd, uint64_t *ret)
{
	struct link_info link = { 0 };
	__u32 len = sizeof(link);

	/* The kernel says how much of the structure it has. */
	if (link_fd < 0 || bpf_obj_get_info_by_fd(link_fd, &link, &len) || len < offsetof(struct link_info, cookie))
		return false;
	switch (link.type) {
	case BPF_LINK_TYPE_PERF_EVENT:
		*ret = link.event.missed;
		return true;
	case BPF_LINK_TYPE_KPROBE_MULTI:
		*ret = link.multi.missed;
		return true;
	default:
		return false;
	}
}

bool attached_hook_missed(const struct attacher *at, const struct attached *a, uint64_t *ret)
{
	*ret = 0;
	if (a->link_fd < 0)			/* a detached probe has no more misses */
		return at->counts_misses && a->event_fd < 0;
	return attached_link_missed(a->link_fd, ret);
}
