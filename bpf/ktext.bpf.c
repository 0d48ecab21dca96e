// SPDX-License-Identifier: GPL-2.0-only
/*
 * ktext.bpf.c - copies the kernel's memory to a map that user space can read.
 *
 * It is never attached: user/kernel/mem/kmem_bpf.c runs it by BPF_PROG_TEST_RUN,
 * which 5.10 and newer support for raw tracepoints. It names no kernel type, so
 * that it loads without BTF.
 */
#include "vmlinux.h"

#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "GPL";

/*
 * The most that one run copies. The kernel does not preempt the run, which takes some 100
 * thousand instructions. The system call around it costs a hundredth of that.
 */
#define WINDOW	(64 << 10)

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u8[WINDOW]);
} ktext_window SEC(".maps");

/* The "arguments of the tracepoint", which user space provides. */
struct request {
	__u64 addr;
	__u64 len;
};

SEC("raw_tp")
int ktext_copy(struct request *req)
{
	__u32 first = 0;
	void *window = bpf_map_lookup_elem(&ktext_window, &first);
	__u64 len = req->len;

	if (!window || len > WINDOW)
		return -7;		/* E2BIG */
	return bpf_probe_read_kernel(window, len, (void *)req->addr);
}
