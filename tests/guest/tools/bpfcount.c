// SPDX-License-Identifier: GPL-2.0-only
/*
 * bpfcount.c - how many BPF programs, maps and links the kernel holds, one line; or how many entries the maps NAME have
 *
 *	bpfcount [NAME...]
 *
 * Of a map with one entry, such as a table of struct bp_pair_place, it is the number of pairs of words whose first one is not 0.
 *
 * bpftool could tell, but is linked to shared libraries that a guest has not. A kernel without BPF
 * links counts none. Before 5.13 (and on some later ones) the mount of bpffs holds programs,
 * so what matters is the difference between two counts.
 */
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
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

/* The number of places in the only value of the map @fd, which has @size bytes. */
static long places(int fd, __u32 size)
{
	__u64 *value = malloc(size);
	__u32 zero = 0;
	union bpf_attr get = { .map_fd = (__u32)fd, .key = (unsigned long)&zero, .value = (unsigned long)value };
	long nr = 0;

	if (!value || syscall(SYS_bpf, BPF_MAP_LOOKUP_ELEM, &get, sizeof(get)))
		size = 0;
	for (__u32 i = 0; i < size / sizeof(*value); i += 2)
		nr += value[i] != 0;
	free(value);
	return nr;
}

/*
 * The entries of a map with keys of 8 bytes, or what is in a table; -1: there is no such map. bprobe's placeholders have one entry and
 * no more than some bytes.
 */
static long entries(const char *name)
{
	enum { LARGE = 4096 };
	union bpf_attr attr = { 0 };
	__u64 key, next;
	long nr = 0;
	__u32 table = 0;
	int fd = -1;

	while (fd < 0 && !syscall(SYS_bpf, BPF_MAP_GET_NEXT_ID, &attr, sizeof(attr))) {
		union bpf_attr open = { .map_id = attr.next_id }, ask = { 0 };
		struct bpf_map_info info = { 0 };
		int map = (int)syscall(SYS_bpf, BPF_MAP_GET_FD_BY_ID, &open, sizeof(open));

		ask.info.bpf_fd = (__u32)map;
		ask.info.info_len = sizeof(info);
		ask.info.info = (unsigned long)&info;
		if (map >= 0 && !syscall(SYS_bpf, BPF_OBJ_GET_INFO_BY_FD, &ask, sizeof(ask)) && !strcmp(info.name, name) &&
		    (info.max_entries > 1 || info.value_size > LARGE)) {
			fd = map;
			table = info.max_entries > 1 ? 0 : info.value_size;
		} else if (map >= 0) {
			close(map);
		}
		attr.start_id = attr.next_id;
	}
	if (fd < 0)
		return -1;
	if (table)
		return places(fd, table);
	for (const __u64 *from = NULL;; from = &key, nr++) {
		union bpf_attr get = { .map_fd = (__u32)fd, .key = (unsigned long)from, .next_key = (unsigned long)&next };

		if (syscall(SYS_bpf, BPF_MAP_GET_NEXT_KEY, &get, sizeof(get)))
			return nr;
		key = next;
	}
}

int main(int argc, char **argv)
{
	if (argc > 1) {
		long sum = -1;

		for (int i = 1; i < argc; i++) {
			long nr = entries(argv[i]);

			sum = nr < 0 ? sum : sum < 0 ? nr : sum + nr;
		}
		printf("%ld\n", sum);
		return 0;
	}
	printf("%u programs, %u maps, %u links\n", count(BPF_PROG_GET_NEXT_ID),
	       count(BPF_MAP_GET_NEXT_ID), count(BPF_LINK_GET_NEXT_ID));
	return 0;
}
