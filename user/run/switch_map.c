// SPDX-License-Identifier: GPL-2.0-only
/*
 * switch_map.c - maps of struct bp_switch.
 *
 * Programs write other words of the value at the same time, so the value is mapped.
 */
#include "run/switch_map.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/macros.h"

static size_t mapped_size(unsigned nr)
{
	return ROUND_UP(nr * sizeof(struct bp_switch), (size_t)sysconf(_SC_PAGESIZE));
}

int switch_map_create(unsigned nr)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);
	int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "bp_switch", 4, (__u32)(nr * sizeof(struct bp_switch)), 1, &opts);

	return fd < 0 ? -errno : fd;
}

bool switch_map_is(int fd, unsigned nr)
{
	struct bpf_map_info info = { 0 };
	__u32 len = sizeof(info);

	return !bpf_obj_get_info_by_fd(fd, &info, &len) && info.type == BPF_MAP_TYPE_ARRAY && info.value_size >= nr * sizeof(struct bp_switch);
}

struct act_word switch_map_word(int fd, unsigned i)
{
	return (struct act_word){ fd, (uint32_t)(i * sizeof(struct bp_switch) + offsetof(struct bp_switch, off)) };
}

static struct bp_switch *map(int fd, unsigned i)
{
	void *at = mmap(NULL, mapped_size(i + 1), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	return at == MAP_FAILED ? NULL : at;
}

int switch_map_read(int fd, unsigned i, struct bp_switch *ret)
{
	struct bp_switch *at = map(fd, i);

	if (!at)
		return -errno;
	*ret = at[i];
	munmap(at, mapped_size(i + 1));
	return 0;
}

int switch_map_set(int fd, unsigned i, bool off)
{
	struct bp_switch *at = map(fd, i);

	if (!at)
		return -errno;
	__atomic_store_n(&at[i].off, off, __ATOMIC_RELAXED);
	munmap(at, mapped_size(i + 1));
	return 0;
}
