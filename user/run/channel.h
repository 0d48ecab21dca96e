/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * channel.h - where the hits of some definitions go: their rings and counters.
 *
 * The definitions of a run share one channel. Each kept event has a channel of its own, so that the event can be read, emptied and removed
 * separately.
 */
#ifndef RUN_CHANNEL_H
#define RUN_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "bprobe_abi.h"
#include "plan/act.h"
#include "run/ring.h"

struct channel_opts {
	unsigned nr_probes;		/* definitions that count here */
	uint64_t ring_size;		/* bytes of each ring; 0: 64 MiB for all rings together, at most 4 MiB for each */
	unsigned nr_channels;		/* channels that share these 64 MiB */
	uint32_t max_record;		/* bytes of the longest record of its definitions */
	bool atomics;			/* BPF has compare and exchange (FEATURE_ATOMICS): CPUs can share a ring */
	bool overwrites;		/* full rings overwrite their oldest records */
	bool saves;			/* some definition saves something of the entry for its return */
	uint32_t saved_bytes;		/* bytes that are saved of an entry: see struct bp_saved */
	bool once;			/* some definition remembers which tasks it has seen */
	unsigned nr_pairs;		/* at most CHANNEL_PAIRS */
};

enum {
	CHANNEL_PAIRS = 16,		/* pairs of events (--pair) */
	CHANNEL_PAIRED = 16384,		/* channel.pair_room at least */
};

struct channel {
	int rings_fd;			/* the map of the rings: see struct bp_ring */
	int bell_fd;			/* the BPF ring buffer that wakes a sleeping reader */
	int stats_fd;			/* the map of the counters: see struct bp_head */
	int saved_fd;			/* the map of what is saved for returns (struct bp_saved); -1: nothing is saved */
	bool saves_only_time;		/* its values are only the times of entries */
	bool saves_calls;		/* it is a table of calls (struct bp_calls) */
	int skips_fd, watch_fd;	/* the map of tasks that may miss programs, and the link of what writes it; -1: not needed */
	int once_fd;			/* the map of tasks that were seen (struct limit_once_key); -1: no tasks are remembered */
	int pair_fds[CHANNEL_PAIRS];	/* for each pair the map of hits that wait for their second one: struct bp_pair */
	int pair_place_fds[CHANNEL_PAIRS];	/* ... the map of what tasks need no entry for: struct bp_pair_places; -1: there is none */
	int pair_clean_fds[CHANNEL_PAIRS];	/* ... the link of what removes those of tasks that are gone; -1: there is none */
	uint32_t pair_room;		/* hits of each pair's first event at a time for which there is room */
	unsigned nr_pairs;
	int selves_fd;			/* the map of processes that are left out (run/selves.h): borrowed; -1: there is none */
	struct act_word tracing;	/* the bp_switch of all its definitions: borrowed; .fd -1: there is none */
	unsigned nr_rings, nr_cpus;	/* nr_cpus: number of possible CPUs */
	unsigned nr_probes;
	uint64_t ring_size;		/* bytes of data of each ring: bp_ring.bytes */
	uint64_t stride;		/* bytes of an entry of the rings' map */
	uint64_t secret;		/* bp_ring.secret of all its rings; odd, so no position is equal to it */
	bool overwrites;
	unsigned shift;			/* BP_PATCH_STATS_SHIFT */
	uint8_t *stats;			/* the counters, mapped */
	size_t stats_size;
};

/*
 * Creates the maps, and tells each CPU its ring. -ENOMEM, -EPERM, ... without a message: engine_explain_open() has the
 * messages. With a message in @diag: -E2BIG, the kernel takes no rings of the size that was asked for.
 */
int channel_create(const struct channel_opts *opts, struct channel **ret, struct diag *diag);
void channel_close(struct channel *c);		/* NULL is fine */

/* The largest size of a ring that this kernel takes, in bytes: 5.10 takes no entry of a map above 4 MiB. Creates a map to ask. */
uint64_t channel_largest(void);

/*
 * Makes a channel from these existing maps, which were created for @nr_probes. The channel then owns all descriptors, except
 * after -ENOMEM. -EBADMSG: the maps are not those of a channel.
 */
int channel_adopt(int rings_fd, int bell_fd, int stats_fd, int saved_fd, unsigned nr_probes, struct channel **ret);

/*
 * A number that no other channel of this boot has: the id of the map of its rings (6.12, kernel/bpf/syscall.c, bpf_map_alloc_id(): they begin
 * again only after 2^31). 0: not known.
 */
uint32_t channel_id(const struct channel *c);

/* From now on nothing is recorded or counted, although the programs may still run. What is in the rings stays. */
void channel_stop(const struct channel *c);

/* The same for the hits of definition @index only. */
void channel_stop_one(const struct channel *c, unsigned index);

/* Its rings, for a reader. Valid as long as the channel is open. Cleared records are skipped. */
struct ring_src channel_src(const struct channel *c);

/* Offsets in the counters' map: of the counters of definition @index on the first CPU, and of its bp_rate. */
uint32_t channel_stat_offset(unsigned index);
uint32_t channel_rate_offset(const struct channel *c, unsigned index);

/* The part of the counters that user space writes. */
struct bp_head *channel_head(const struct channel *c);

/* Adds up the counters of definition @index over all CPUs; or those of one CPU. */
void channel_stat(const struct channel *c, unsigned index, struct bp_stat *ret);
void channel_stat_cpu(const struct channel *c, unsigned index, unsigned cpu, struct bp_stat *ret);

#endif
