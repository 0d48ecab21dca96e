// SPDX-License-Identifier: GPL-2.0-only
/*
 * bpfcount.c - how many BPF programs, maps and links the kernel holds, one line
 *
 * bpftool could tell, but is linked to shared libraries that a guest has not. A kernel without BPF
 * links counts none. Before 5.13 (and on some later ones) the mount of bpffs holds programs,
 * so what matters is the difference between two counts.
 */
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static unsigned count(int command)
{
	union bpf_attr attr;
	unsigned n = 0, id = 0;

	for (;;) {
		memset(&attr, 0, sizeof(attr));
		attr.start_id = id;
		if (syscall(SYS_bpf, command, &attr, sizeof(attr)))
			return n;
		id = attr.next_id;
		n++;
	}
}

int main(void)
{
	printf("%u programs, %u maps, %u links\n", count(BPF_PROG_GET_NEXT_ID),
	       count(BPF_MAP_GET_NEXT_ID), count(BPF_LINK_GET_NEXT_ID));
	return 0;
}
