// SPDX-License-Identifier: GPL-2.0-only
/*
 * channel.c - where the hits of some definitions go: their rings and counters.
 */
#include "run/channel.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "gen/limit.h"
#include "run/cpus.h"

enum {
	RING_MIN = 256 << 10, RING_MAX = 4 << 20, RINGS_TOTAL = 64 << 20,
	SAVED_CALLS = 16384,		/* active calls whose parameters are kept */
	SEEN_TASKS = 65536,		/* remembered tasks; if the map is full, the task not seen for longest is forgotten */
	CACHE_LINE = 64,
};

/* ---- sizes ---- */

/* The smallest size, at least @want bytes, that the kernel accepts for a ring. */
static uint64_t round_ring(uint64_t want)
{
	uint64_t size = (uint64_t)sysconf(_SC_PAGESIZE);

	/* A power of two that the 30 bits of a record's length can address (6.12, kernel/bpf/ringbuf.c) */
	while (size < want && size < (1ull << 30))
		size *= 2;
	return size;
}

/* A record takes up to 60 KiB (user/plan/layout.h), so a ring has at least 256 KiB. */
static uint64_t default_ring(unsigned nr_channels)
{
	uint64_t share = RINGS_TOTAL / (uint64_t)MAX(sysconf(_SC_NPROCESSORS_ONLN), 1) / MAX(nr_channels, 1u);
	uint64_t size = RING_MIN;

	while (size * 2 <= share && size < RING_MAX)
		size *= 2;
	return size;
}

/* A CPU's counters start on a cache line of their own, at a multiple of a power of two. */
static unsigned stats_shift(unsigned nr_probes)
{
	uint64_t stride = CACHE_LINE;

	while (stride < (uint64_t)nr_probes * sizeof(struct bp_stat))
		stride *= 2;
	return (unsigned)__builtin_ctzll(stride);
}

static size_t stats_bytes(const struct channel *c)
{
	return channel_rate_offset(c, c->nr_probes);
}

uint32_t channel_stat_offset(unsigned index)
{
	return (uint32_t)(sizeof(struct bp_head) + index * sizeof(struct bp_stat));
}

uint32_t channel_rate_offset(const struct channel *c, unsigned index)
{
	return (uint32_t)(sizeof(struct bp_head) + ((size_t)c->nr_cpus << c->shift) + index * sizeof(struct bp_rate));
}

/* ---- maps ---- */

static int map_create(enum bpf_map_type type, const char *name, uint32_t key, uint32_t value, uint64_t entries,
		      const struct bpf_map_create_opts *opts)
{
	int fd = bpf_map_create(type, name, key, value, (uint32_t)entries, opts);

	return fd < 0 ? -errno : fd;
}

static int ring_create(uint64_t size)
{
	return map_create(BPF_MAP_TYPE_RINGBUF, "bp_ring", 0, 0, size, NULL);
}

static int rings_map_create(unsigned nr_cpus)
{
	/* The inner map that represents all rings need not have their size (6.12, kernel/bpf/map_in_map.c). */
	auto_fd inner = ring_create((uint64_t)sysconf(_SC_PAGESIZE));
	LIBBPF_OPTS(bpf_map_create_opts, opts, .inner_map_fd = (uint32_t)inner);

	return inner < 0 ? inner : map_create(BPF_MAP_TYPE_ARRAY_OF_MAPS, "bp_rings", 4, 4, nr_cpus, &opts);
}

/*
 * Creates a ring for each online CPU. CPUs that come online later share the first ring: any number of CPUs can write to a
 * ring, but with contention.
 */
static int create_rings(struct channel *c)
{
	for (unsigned cpu = 0; cpu < c->nr_cpus; cpu++) {
		bool own = cpus_online(cpu) || !c->nr_rings;
		int fd = own ? ring_create(c->ring_size) : c->rings[0];

		if (fd < 0)
			return fd;
		if (own)
			c->rings[c->nr_rings++] = fd;
		if (bpf_map_update_elem(c->rings_fd, &cpu, &fd, BPF_ANY))
			return -errno;
	}
	return 0;
}

static int create_maps(struct channel *c, const struct channel_opts *opts)
{
	LIBBPF_OPTS(bpf_map_create_opts, mmapable, .map_flags = BPF_F_MMAPABLE);

	c->rings_fd = rings_map_create(c->nr_cpus);
	if (c->rings_fd < 0)
		return c->rings_fd;
	c->stats_fd = map_create(BPF_MAP_TYPE_ARRAY, "bp_stats", 4, (uint32_t)stats_bytes(c), 1, &mmapable);
	if (c->stats_fd < 0)
		return c->stats_fd;
	if (opts->saves)
		c->saved_fd = map_create(BPF_MAP_TYPE_LRU_HASH, "bp_saved", sizeof(struct bp_saved_key),
					 sizeof(struct bp_saved), SAVED_CALLS, NULL);
	if (opts->saves && c->saved_fd < 0)
		return c->saved_fd;
	if (opts->once)
		c->once_fd = map_create(BPF_MAP_TYPE_LRU_HASH, "bp_once", sizeof(struct limit_once_key), sizeof(uint32_t),
					SEEN_TASKS, NULL);
	if (opts->once && c->once_fd < 0)
		return c->once_fd;
	return create_rings(c);
}

static int map_stats(struct channel *c)
{
	void *at;

	c->stats_size = ROUND_UP(stats_bytes(c), (size_t)sysconf(_SC_PAGESIZE));
	at = mmap(NULL, c->stats_size, PROT_READ | PROT_WRITE, MAP_SHARED, c->stats_fd, 0);
	if (at == MAP_FAILED)
		return -errno;
	c->stats = at;
	return 0;
}

/* Nobody is left out yet. */
static void init_head(struct channel *c)
{
	struct bp_head *head = channel_head(c);

	head->self[0] = BP_SELF_NONE;
	head->self[1] = BP_SELF_NONE;
}

/* ---- open and close ---- */

static struct channel *channel_new(unsigned nr_probes)
{
	struct channel *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	*c = (struct channel){ .rings_fd = -1, .stats_fd = -1, .saved_fd = -1, .once_fd = -1, .selves_fd = -1,
			       .nr_cpus = cpus_possible(), .nr_probes = nr_probes, .shift = stats_shift(nr_probes) };
	return c;
}

int channel_create(const struct channel_opts *opts, struct channel **ret)
{
	struct channel *c = channel_new(opts->nr_probes);
	int err;

	if (!c)
		return -ENOMEM;
	c->ring_size = round_ring(opts->ring_size ? opts->ring_size : default_ring(opts->nr_channels));
	c->rings = calloc(c->nr_cpus, sizeof(*c->rings));
	err = c->rings ? create_maps(c, opts) : -ENOMEM;
	if (!err)
		err = map_stats(c);
	if (err) {
		channel_close(c);
		return err;
	}
	init_head(c);
	*ret = c;
	return 0;
}

/* The size of the ring @fd in bytes; 0: it is no ring. */
static uint64_t ring_bytes(int fd)
{
	struct bpf_map_info info = { 0 };
	__u32 len = sizeof(info);

	if (bpf_obj_get_info_by_fd(fd, &info, &len) || info.type != BPF_MAP_TYPE_RINGBUF)
		return 0;
	return info.max_entries;
}

int channel_adopt(int rings_fd, int stats_fd, int saved_fd, int *rings, unsigned nr_rings, unsigned nr_probes,
		  struct channel **ret)
{
	struct channel *c = channel_new(nr_probes);
	struct bpf_map_info info = { 0 };
	__u32 len = sizeof(info);
	int err = 0;

	if (!c)
		return -ENOMEM;
	c->rings_fd = rings_fd;
	c->stats_fd = stats_fd;
	c->saved_fd = saved_fd;
	c->rings = rings;
	c->nr_rings = nr_rings;
	c->ring_size = nr_rings ? ring_bytes(rings[0]) : 0;
	for (unsigned i = 1; i < nr_rings; i++)
		err = ring_bytes(rings[i]) == c->ring_size ? err : -EBADMSG;
	if (!c->ring_size || bpf_obj_get_info_by_fd(stats_fd, &info, &len) || info.value_size != stats_bytes(c))
		err = -EBADMSG;
	if (!err)
		err = map_stats(c);
	if (err)
		channel_close(c);
	else
		*ret = c;
	return err;
}

static void close_if(int fd)
{
	if (fd >= 0)
		close(fd);
}

void channel_close(struct channel *c)
{
	if (!c)
		return;
	for (unsigned i = 0; i < c->nr_rings; i++)
		close_if(c->rings[i]);
	free(c->rings);
	if (c->stats)
		munmap(c->stats, c->stats_size);
	close_if(c->rings_fd);
	close_if(c->stats_fd);
	close_if(c->saved_fd);
	close_if(c->once_fd);
	free(c);
}

/* ---- counters ---- */

struct bp_head *channel_head(const struct channel *c)
{
	return (struct bp_head *)(void *)c->stats;
}

/* The programs continue to count: each number is read once, at its present value. */
static struct bp_stat read_stat(const struct channel *c, unsigned cpu, unsigned index)
{
	const void *at = c->stats + channel_stat_offset(index) + ((size_t)cpu << c->shift);
	const volatile struct bp_stat *stat = at;

	return (struct bp_stat){ .hits = stat->hits, .filtered = stat->filtered, .limited = stat->limited,
				 .lost = stat->lost, .faults = stat->faults };
}

void channel_stat(const struct channel *c, unsigned index, struct bp_stat *ret)
{
	*ret = (struct bp_stat){ 0 };
	for (unsigned cpu = 0; cpu < c->nr_cpus; cpu++) {
		struct bp_stat one = read_stat(c, cpu, index);

		ret->hits += one.hits;
		ret->filtered += one.filtered;
		ret->limited += one.limited;
		ret->lost += one.lost;
		ret->faults += one.faults;
	}
}

void channel_lost(const struct channel *c, unsigned index, uint64_t *ret)
{
	for (unsigned cpu = 0; cpu < c->nr_cpus; cpu++)
		ret[cpu] = read_stat(c, cpu, index).lost;
}
