/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * channel.h - where the hits of some definitions go: their rings and counters.
 *
 * The definitions of a run share one channel. Each kept event has its own channel, so that it can be read,
 * emptied and removed separately.
 */
#ifndef RUN_CHANNEL_H
#define RUN_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "bprobe_abi.h"

struct channel_opts {
	unsigned nr_probes;		/* definitions that count here */
	uint64_t ring_size;		/* bytes per CPU; 0: 64 MiB for all CPUs together, at most 4 MiB for each */
	unsigned nr_channels;		/* channels that share these 64 MiB */
	bool saves;			/* some definition keeps parameters for its return */
	bool once;			/* some definition remembers which tasks it has seen */
};

struct channel {
	int rings_fd;			/* the map of the rings, with one entry for each possible CPU */
	int stats_fd;			/* the map of the counters: see struct bp_head */
	int saved_fd;			/* the map of kept parameters; -1: no parameters are kept */
	int once_fd;			/* the map of tasks that were seen (struct limit_once_key); -1: no tasks are remembered */
	int selves_fd;			/* the map of processes that are left out (run/selves.h): borrowed; -1: there is none */
	int *rings;			/* one for each CPU that was online when they were created */
	unsigned nr_rings, nr_cpus;	/* nr_cpus: number of possible CPUs */
	unsigned nr_probes;
	uint64_t ring_size;		/* bytes of each ring */
	unsigned shift;			/* BP_PATCH_STATS_SHIFT */
	uint8_t *stats;			/* the counters, mapped */
	size_t stats_size;
};

/* Creates the maps. -ENOMEM, -E2BIG, -EPERM, ... without a message: engine_explain_open() has the messages. */
int channel_create(const struct channel_opts *opts, struct channel **ret);
void channel_close(struct channel *c);		/* NULL is fine */

/*
 * Makes a channel from these existing maps, which were created for @nr_probes. The channel then owns all descriptors and
 * @rings (from malloc), except after -ENOMEM. -EBADMSG: the maps are not those of a channel.
 */
int channel_adopt(int rings_fd, int stats_fd, int saved_fd, int *rings, unsigned nr_rings, unsigned nr_probes,
		  struct channel **ret);

/* Offsets in the counters' map: of the counters of definition @index on the first CPU, and of its bp_rate. */
uint32_t channel_stat_offset(unsigned index);
uint32_t channel_rate_offset(const struct channel *c, unsigned index);

/* The part of the counters that user space writes. */
struct bp_head *channel_head(const struct channel *c);

/* Adds up the counters of definition @index over all CPUs. */
void channel_stat(const struct channel *c, unsigned index, struct bp_stat *ret);

/* Hits of definition @index that found no room, one number for each possible CPU. */
void channel_lost(const struct channel *c, unsigned index, uint64_t *ret);

#endif
