// SPDX-License-Identifier: GPL-2.0-only
/*
 * cgroup.bpf.c - reports each cgroup that is made, with its number and its path.
 *
 * A container can end before anybody asks for its name, and then its cgroup is gone. user/run/cgwatch.c attaches this.
 */
#include "vmlinux.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "GPL";

#define PATH_LEN	1024		/* no kernel gives more: TRACE_CGROUP_PATH_LEN (6.12, kernel/cgroup/cgroup-internal.h) */

struct made {
	__u64 id;
	char path[PATH_LEN];
};

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 256 << 10);
} cgroup_made SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct made);
} cgroup_room SEC(".maps");

/* TP_PROTO(struct cgroup *cgrp, const char *path): 6.12, include/trace/events/cgroup.h */
SEC("raw_tp/cgroup_mkdir")
int cgroup_mkdir(__u64 *args)
{
	__u32 first = 0;
	struct made *made = bpf_map_lookup_elem(&cgroup_room, &first);
	const struct cgroup *cgroup = (const void *)args[0];
	__u32 len;

	/* Only cgroup2, whose hierarchy is 0: those of cgroup1 have numbers of their own (6.12, kernel/cgroup/cgroup.c). */
	if (!made || BPF_CORE_READ(cgroup, root, hierarchy_id))
		return 0;
	made->id = BPF_CORE_READ(cgroup, kn, id);
	len = (__u32)bpf_probe_read_kernel_str(made->path, sizeof(made->path), (const void *)args[1]);
	if (len <= PATH_LEN)		/* else it is an error */
		bpf_ringbuf_output(&cgroup_made, made, sizeof(made->id) + len, 0);
	return 0;
}
