/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * channel.h - where the hits of some definitions go: their rings and counters.
 *
 * The definitions of a run share one; each kept event has its own, so that it can be read,
 * emptied and removed by itself.
 */
#ifndef RUN_CHANNEL_H
#define RUN_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "bprobe_abi.h"

struct channel_opts {
	unsigned nr_probes;		/* definitions that will count here */
	uint64_t ring_size;		/* bytes per CPU; 0: 64 MiB among all CPUs, at most 4 MiB for each */
	unsigned nr_channels;		/* that share these 64 MiB */
	bool saves;			/* some definition keeps parameters for its return */
	bool once;			/* some definition remembers the tasks that it has seen */
};

struct channel {
	int rings_fd;			/* the map of the rings, one entry for each possible CPU */
	int stats_fd;			/* the map of the counters: see struct bp_head */
	int saved_fd;			/* the map of kept parameters; -1: none are kept */
	int once_fd;			/* the map of tasks that were seen (struct limit_once_key); -1: none are remembered */
	int selves_fd;			/* the map of processes that are left out (run/selves.h): borrowed; -1: there is none */
	int *rings;			/* one for each CPU that was online */
	unsigned nr_rings, nr_cpus;	/* nr_cpus: possible ones */
	unsigned nr_probes;
	uint64_t ring_size;		/* bytes of each */
	unsigned shift;			/* BP_PATCH_STATS_SHIFT */
	uint8_t *stats;			/* the counters, mapped */
	size_t stats_size;
};

/* Creates the maps. -ENOMEM, -E2BIG, -EPERM, ... without words: engine_explain_open() has them. */
int channel_create(const struct channel_opts *opts, struct channel **ret);
void channel_close(struct channel *c);		/* NULL is fine */

/*
 * The channel whose maps are these, which was created for @nr_probes. All descriptors and @rings (from malloc) become
 * the channel's, unless it is -ENOMEM. -EBADMSG: they are not a channel's.
 */
int channel_adopt(int rings_fd, int stats_fd, int saved_fd, int *rings, unsigned nr_rings, unsigned nr_probes,
		  struct channel **ret);

/* Where in the counters' map those of definition @index on the first CPU are, and its bp_rate. */
uint32_t channel_stat_offset(unsigned index);
uint32_t channel_rate_offset(const struct channel *c, unsigned index);

/* The part of the counters that user space writes. */
struct bp_head *channel_head(const struct channel *c);

/* Sums of definition @index over all CPUs. */
void channel_stat(const struct channel *c, unsigned index, struct bp_stat *ret);

/* Hits of definition @index without room, one number for each possible CPU. */
void channel_lost(const struct channel *c, unsigned index, uint64_t *ret);

#endif
