/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tally.h - how many records rings that overwrite have, and how many were overwritten.
 *
 *	hits = records in the rings + overwritten + lost
 *
 * Programs may write meanwhile. So for each CPU only the hits up to the newest record in the rings count. The number of that record says
 * how many these are. Later hits of the CPU are taken for lost ones, as far as the CPU has lost any. So while tasks hit, and after losses,
 * a hit whose record is not finished may be counted as overwritten.
 */
#ifndef RUN_TALLY_H
#define RUN_TALLY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "bprobe_abi.h"

struct channel;

/* Of a definition on one CPU. */
struct tally_cpu {
	uint64_t hits, lost;		/* bp_stat, from before the records were read */
	uint64_t seen;			/* records */
	uint32_t newest;		/* bp_rec.seq of the last one */
};

struct tally {
	struct tally_cpu *cpus;		/* for each definition (bp_rec.probe) and CPU */
	unsigned nr_probes, nr_cpus;
};

/* Memory comes from @arena. */
void tally_init(struct tally *t, struct arena *arena, unsigned nr_probes, unsigned nr_cpus);

/* To be called for each definition before the rings are read. @probe: bp_rec.probe; @index: its counters in @c. */
void tally_counters(struct tally *t, unsigned probe, const struct channel *c, unsigned index);

/* Counts a record of the rings, oldest first: a ring_record_fn; @ctx is the tally. Always true. */
bool tally_record(void *ctx, const struct bp_rec *rec, uint32_t len);

/* The number of counted records of a definition. */
uint64_t tally_seen(const struct tally *t, unsigned probe);

/* How many of its records were overwritten. @cleared: that many of them were dropped by --clear, or overwritten before it. */
uint64_t tally_overwritten(const struct tally *t, unsigned probe, uint64_t cleared);

#endif
