// SPDX-License-Identifier: GPL-2.0-only
/*
 * channel.c - where the hits of some definitions go: their rings and counters.
 */
#include "run/channel.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "gen/limit.h"
#include "run/cpus.h"

enum {
	RING_MIN = 256 << 10, RING_MAX = 4 << 20, RINGS_TOTAL = 64 << 20,
	RING_LARGEST = 512 << 20,	/* BPF addresses no more from one pointer (BPF_MAX_VAR_OFF) */
	PAGE = 4096,
	SAVED_CALLS = 16384,		/* active calls for which something is saved */
	SEEN_TASKS = 65536,		/* remembered tasks; if the map is full, the task not seen for longest is forgotten */
	CACHE_LINE = 64,
};

#ifndef GRND_INSECURE
#define GRND_INSECURE	4		/* 5.6; the build machine's headers may be older */
#endif

/* ---- sizes ---- */

static uint64_t round_ring(uint64_t want)
{
	uint64_t size = PAGE;

	while (size < want)
		size *= 2;
	return size;
}

/* The smallest ring that has room for these records. If it overwrites, each of its parts has room for them. */
static uint64_t least_ring(const struct channel_opts *opts)
{
	return round_ring((uint64_t)opts->max_record * (opts->overwrites ? BP_RING_PARTS : 1));
}

static uint64_t default_ring(const struct channel_opts *opts, unsigned nr_rings)
{
	uint64_t share = RINGS_TOTAL / nr_rings / MAX(opts->nr_channels, 1u);
	uint64_t size = RING_MIN;

	while (size * 2 <= share && size < RING_MAX)
		size *= 2;
	return MAX(size, least_ring(opts));
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

/* ---- rings ---- */

static unsigned count_rings(const struct channel *c, const struct channel_opts *opts)
{
	unsigned nr = 0;

	if (!opts->atomics)
		return c->nr_cpus;
	for (unsigned cpu = 0; cpu < c->nr_cpus; cpu++)
		nr += cpus_online(cpu);
	return MAX(nr, 1u);
}

/* A map of @nr rings with @size bytes of data each: a descriptor or -errno. */
static int rings_map_create(const struct channel_opts *opts, unsigned nr, uint64_t size, uint64_t *ret_stride)
{
	LIBBPF_OPTS(bpf_map_create_opts, mmapable, .map_flags = BPF_F_MMAPABLE);

	if (size > RING_LARGEST)
		return -E2BIG;
	*ret_stride = BP_RING_DATA + size + ROUND_UP((uint64_t)MAX(opts->max_record, 1u), (uint64_t)PAGE);
	return map_create(BPF_MAP_TYPE_ARRAY, "bp_rings", 4, (uint32_t)*ret_stride, nr, &mmapable);
}

/* Asks the kernel for the largest size below @size that it takes, for the message. */
static int refuse_size(const struct channel_opts *opts, uint64_t size, struct diag *diag)
{
	uint64_t most = size, stride;
	int fd = -E2BIG;

	while (fd < 0 && most / 2 >= least_ring(opts)) {
		most /= 2;
		fd = rings_map_create(opts, 1, most, &stride);
	}
	diag_set(diag, -E2BIG, "this kernel takes no ring buffer of %" PRIu64 "K", size >> 10);
	if (fd < 0)
		return -E2BIG;
	close(fd);
	diag_note(diag, "help: the largest possible size is %" PRIu64 "%c", most >= 1 << 20 ? most >> 20 : most >> 10,
		  most >= 1 << 20 ? 'M' : 'K');
	return -E2BIG;
}

/* 5.10 takes no entries above 4 MiB. If nobody asked for a size, one is found that fits. */
static int create_rings(struct channel *c, const struct channel_opts *opts, struct diag *diag)
{
	uint64_t size = opts->ring_size ? MAX(round_ring(opts->ring_size), least_ring(opts)) : default_ring(opts, c->nr_rings);

	c->rings_fd = rings_map_create(opts, c->nr_rings, size, &c->stride);
	while (c->rings_fd == -E2BIG && !opts->ring_size && size / 2 >= least_ring(opts)) {
		size /= 2;
		c->rings_fd = rings_map_create(opts, c->nr_rings, size, &c->stride);
	}
	c->ring_size = size;
	if (c->rings_fd == -E2BIG)
		return refuse_size(opts, size, diag);
	return MIN(c->rings_fd, 0);
}

uint64_t channel_largest(void)
{
	const struct channel_opts opts = { 0 };
	uint64_t stride;
	int fd = rings_map_create(&opts, 1, 4 << 20, &stride);

	if (fd >= 0)
		close(fd);
	return fd == -E2BIG ? 2 << 20 : RING_LARGEST;
}

/* Only the first page of each ring is mapped: the others need no memory of this process. */
static int init_rings(struct channel *c)
{
	if (getrandom(&c->secret, sizeof(c->secret), GRND_INSECURE) != sizeof(c->secret))
		return -errno;
	c->secret |= 1;
	for (unsigned i = 0; i < c->nr_rings; i++) {
		struct bp_ring *ring = mmap(NULL, BP_RING_DATA, PROT_READ | PROT_WRITE, MAP_SHARED, c->rings_fd,
					    (off_t)(i * c->stride));

		if (ring == MAP_FAILED)
			return -errno;
		ring->secret = c->secret;
		ring->bytes = c->ring_size;
		ring->flags = c->overwrites ? BP_RING_OVERWRITES : 0;
		munmap(ring, BP_RING_DATA);
	}
	return 0;
}

/* Reads what init_rings() wrote. */
static int learn_rings(struct channel *c)
{
	struct bpf_map_info info = { 0 };
	__u32 len = sizeof(info);
	struct bp_ring *ring;

	if (bpf_obj_get_info_by_fd(c->rings_fd, &info, &len) || info.type != BPF_MAP_TYPE_ARRAY ||
	    info.value_size <= BP_RING_DATA || info.value_size % PAGE)
		return -EBADMSG;
	ring = mmap(NULL, BP_RING_DATA, PROT_READ, MAP_SHARED, c->rings_fd, 0);
	if (ring == MAP_FAILED)
		return -errno;
	c->nr_rings = info.max_entries;
	c->stride = info.value_size;
	c->ring_size = ring->bytes;
	c->secret = ring->secret;
	c->overwrites = ring->flags & BP_RING_OVERWRITES;
	munmap(ring, BP_RING_DATA);
	return c->ring_size < PAGE || c->ring_size & (c->ring_size - 1) || c->ring_size > c->stride - BP_RING_DATA ? -EBADMSG : 0;
}

/* ---- counters' map ---- */

static struct bp_stat *stat_of(const struct channel *c, unsigned index, unsigned cpu)
{
	return (void *)(c->stats + channel_stat_offset(index) + ((size_t)cpu << c->shift));
}

/*
 * Tells all programs the ring of each CPU. With compare and exchange any number of CPUs can share a ring, but with contention.
 * CPUs that come online later share the first one.
 */
static void assign_rings(const struct channel *c, bool shares)
{
	unsigned next = 0;

	for (unsigned cpu = 0; cpu < c->nr_cpus; cpu++) {
		uint32_t ring = !shares || (cpus_online(cpu) && next < c->nr_rings) ? next++ : 0;

		for (unsigned i = 0; i < c->nr_probes; i++)
			stat_of(c, i, cpu)->ring = ring;
	}
}

void channel_stop_one(const struct channel *c, unsigned index)
{
	for (unsigned cpu = 0; cpu < c->nr_cpus; cpu++)
		__atomic_store_n(&stat_of(c, index, cpu)->ring, BP_RING_NONE, __ATOMIC_RELAXED);
}

uint32_t channel_id(const struct channel *c)
{
	struct bpf_map_info info = { 0 };
	uint32_t len = sizeof(info);

	return bpf_obj_get_info_by_fd(c->rings_fd, &info, &len) ? 0 : info.id;
}

void channel_stop(const struct channel *c)
{
	for (unsigned i = 0; i < c->nr_probes; i++)
		channel_stop_one(c, i);
}

/* Room for what may be rung before the reader empties it: a few times for each CPU. Each takes 16 bytes. */
static uint32_t bell_bytes(const struct channel *c)
{
	uint32_t bytes = PAGE;

	while (bytes < c->nr_cpus * 64)
		bytes *= 2;
	return bytes;
}

static int create_saved(struct channel *c, const struct channel_opts *opts)
{
	c->saves_only_time = opts->saved_bytes == sizeof(uint64_t);
	c->saves_calls = c->saves_only_time && opts->atomics;
	if (c->saves_calls)
		c->saved_fd = map_create(BPF_MAP_TYPE_ARRAY, "bp_calls", 4, sizeof(struct bp_calls), 1, NULL);
	else
		c->saved_fd = map_create(BPF_MAP_TYPE_LRU_HASH, "bp_saved", sizeof(struct bp_saved_key), opts->saved_bytes, SAVED_CALLS,
					 NULL);
	return MIN(c->saved_fd, 0);
}

/* The tasks of the machine: the number behind the '/' in /proc/loadavg (6.12, fs/proc/loadavg.c). 0: not known. */
static uint32_t nr_tasks(void)
{
	FILE *f = fopen("/proc/loadavg", "re");
	char text[128];
	const char *at = f && fgets(text, sizeof(text), f) ? strchr(text, '/') : NULL;
	uint64_t nr = 0;

	if (!at || number_u64(at + 1, strcspn(at + 1, " "), 10, &nr) || nr > UINT32_MAX / 4)
		nr = 0;
	if (f)
		fclose(f);
	return (uint32_t)nr;
}

static int create_maps(struct channel *c, const struct channel_opts *opts)
{
	LIBBPF_OPTS(bpf_map_create_opts, mmapable, .map_flags = BPF_F_MMAPABLE);
	int err;

	c->bell_fd = map_create(BPF_MAP_TYPE_RINGBUF, "bp_bell", 0, 0, bell_bytes(c), NULL);
	if (c->bell_fd < 0)
		return c->bell_fd;
	c->stats_fd = map_create(BPF_MAP_TYPE_ARRAY, "bp_stats", 4, (uint32_t)stats_bytes(c), 1, &mmapable);
	if (c->stats_fd < 0)
		return c->stats_fd;
	err = opts->saves ? create_saved(c, opts) : 0;
	if (err)
		return err;
	if (opts->once)
		c->once_fd = map_create(BPF_MAP_TYPE_LRU_HASH, "bp_once", sizeof(struct limit_once_key), sizeof(uint32_t),
					SEEN_TASKS, NULL);
	if (opts->once && c->once_fd < 0)
		return c->once_fd;
	c->pair_room = MAX((uint32_t)CHANNEL_PAIRED, 2 * nr_tasks());	/* a task's entry stays as long as the task */
	/* The map takes its memory now. Until 6.1 programs of kprobes must not allocate any, and on later kernels they would be slower. */
	for (; c->nr_pairs < opts->nr_pairs; c->nr_pairs++) {
		int fd = map_create(BPF_MAP_TYPE_HASH, "bp_pairs", sizeof(uint64_t), sizeof(struct bp_pair), c->pair_room, NULL);

		if (fd < 0)
			return fd;
		c->pair_fds[c->nr_pairs] = fd;
		c->pair_place_fds[c->nr_pairs] = c->pair_clean_fds[c->nr_pairs] = -1;
	}
	return 0;
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

/* ---- open and close ---- */

static struct channel *channel_new(unsigned nr_probes)
{
	struct channel *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	*c = (struct channel){
		.rings_fd = -1, .bell_fd = -1, .stats_fd = -1, .saved_fd = -1, .once_fd = -1, .selves_fd = -1, .tracing = { -1, 0 },
		.skips_fd = -1, .watch_fd = -1,
		.nr_cpus = cpus_possible(), .nr_probes = nr_probes, .shift = stats_shift(nr_probes),
	};
	return c;
}

int channel_create(const struct channel_opts *opts, struct channel **ret, struct diag *diag)
{
	struct channel *c = channel_new(opts->nr_probes);
	int err;

	if (!c)
		return -ENOMEM;
	c->overwrites = opts->overwrites;
	c->nr_rings = count_rings(c, opts);
	err = create_rings(c, opts, diag);
	if (!err)
		err = init_rings(c);
	if (!err)
		err = create_maps(c, opts);
	if (!err)
		err = map_stats(c);
	if (err) {
		channel_close(c);
		return err;
	}
	assign_rings(c, opts->atomics);
	*ret = c;
	return 0;
}

static bool is_map(int fd, uint32_t type, uint32_t value_size)
{
	struct bpf_map_info info = { 0 };
	__u32 len = sizeof(info);

	return !bpf_obj_get_info_by_fd(fd, &info, &len) && info.type == type && info.value_size == value_size;
}

static bool saves_whole_calls(int fd)
{
	return is_map(fd, BPF_MAP_TYPE_LRU_HASH, BP_SAVED_NO_TIME) || is_map(fd, BPF_MAP_TYPE_LRU_HASH, sizeof(struct bp_saved));
}

int channel_adopt(int rings_fd, int bell_fd, int stats_fd, int saved_fd, unsigned nr_probes, struct channel **ret)
{
	struct channel *c = channel_new(nr_probes);
	int err;

	if (!c)
		return -ENOMEM;
	c->rings_fd = rings_fd;
	c->bell_fd = bell_fd;
	c->stats_fd = stats_fd;
	c->saved_fd = saved_fd;
	c->saves_calls = is_map(saved_fd, BPF_MAP_TYPE_ARRAY, sizeof(struct bp_calls));
	c->saves_only_time = c->saves_calls || is_map(saved_fd, BPF_MAP_TYPE_LRU_HASH, sizeof(uint64_t));
	err = saved_fd < 0 || c->saves_only_time || saves_whole_calls(saved_fd) ? learn_rings(c) : -EBADMSG;
	if (!err && (!is_map(bell_fd, BPF_MAP_TYPE_RINGBUF, 0) || !is_map(stats_fd, BPF_MAP_TYPE_ARRAY, (uint32_t)stats_bytes(c))))
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
	if (c->stats)
		munmap(c->stats, c->stats_size);
	close_if(c->rings_fd);
	close_if(c->bell_fd);
	close_if(c->stats_fd);
	close_if(c->saved_fd);
	close_if(c->once_fd);
	close_if(c->skips_fd);
	close_if(c->watch_fd);
	for (unsigned i = 0; i < c->nr_pairs; i++) {
		close_if(c->pair_clean_fds[i]);
		close_if(c->pair_place_fds[i]);
		close_if(c->pair_fds[i]);
	}
	free(c);
}

struct ring_src channel_src(const struct channel *c)
{
	return (struct ring_src){ .fd = c->rings_fd, .bell_fd = c->bell_fd, .bell_bytes = bell_bytes(c), .nr = c->nr_rings,
				  .bytes = c->ring_size, .stride = c->stride, .since = channel_head(c)->cleared };
}

/* ---- counters ---- */

struct bp_head *channel_head(const struct channel *c)
{
	return (struct bp_head *)(void *)c->stats;
}

/* The programs continue to count: each number is read once, at its present value. */
void channel_stat_cpu(const struct channel *c, unsigned index, unsigned cpu, struct bp_stat *ret)
{
	const volatile struct bp_stat *stat = stat_of(c, index, cpu);

	*ret = (struct bp_stat){ .hits = stat->hits, .filtered = stat->filtered, .limited = stat->limited,
				 .lost = stat->lost, .faults = stat->faults, .ring = stat->ring,
				 .unpaired = stat->unpaired, .undecided = stat->undecided,
				 .deepest = stat->deepest, .cold = stat->cold };
}

void channel_stat(const struct channel *c, unsigned index, struct bp_stat *ret)
{
	*ret = (struct bp_stat){ 0 };
	for (unsigned cpu = 0; cpu < c->nr_cpus; cpu++) {
		struct bp_stat one;

		channel_stat_cpu(c, index, cpu, &one);
		ret->hits += one.hits;
		ret->filtered += one.filtered;
		ret->limited += one.limited;
		ret->lost += one.lost;
		ret->faults += one.faults;
		ret->unpaired += one.unpaired;
		ret->undecided += one.undecided;
		ret->deepest += one.deepest;
		ret->cold += one.cold;
	}
}
