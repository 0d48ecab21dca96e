// SPDX-License-Identifier: GPL-2.0-only
/*
 * tally.c - how many records rings that overwrite have, and how many were overwritten.
 */
#include "run/tally.h"

#include "base/macros.h"
#include "run/channel.h"

static struct tally_cpu *of_probe(const struct tally *t, unsigned probe)
{
	return t->cpus + (size_t)probe * t->nr_cpus;
}

void tally_init(struct tally *t, struct arena *arena, unsigned nr_probes, unsigned nr_cpus)
{
	*t = (struct tally){ .nr_probes = nr_probes, .nr_cpus = nr_cpus,
			     .cpus = arena_array(arena, struct tally_cpu, (size_t)nr_probes * nr_cpus) };
}

void tally_counters(struct tally *t, unsigned probe, const struct channel *c, unsigned index)
{
	for (unsigned cpu = 0; cpu < t->nr_cpus; cpu++) {
		struct tally_cpu *of = &of_probe(t, probe)[cpu];
		struct bp_stat stat;

		channel_stat_cpu(c, index, cpu, &stat);
		of->hits = stat.hits;
		of->lost = stat.lost;
	}
}

bool tally_record(void *ctx, const struct bp_rec *rec, uint32_t len)
{
	const struct tally *t = ctx;

	(void)len;
	if (rec->probe < t->nr_probes && rec->cpu < t->nr_cpus) {
		struct tally_cpu *of = &of_probe(t, rec->probe)[rec->cpu];

		of->seen++;
		of->newest = rec->seq;
	}
	return true;
}

uint64_t tally_seen(const struct tally *t, unsigned probe)
{
	uint64_t sum = 0;

	for (unsigned cpu = 0; cpu < t->nr_cpus; cpu++)
		sum += of_probe(t, probe)[cpu].seen;
	return sum;
}

/*
 * The number of records that were ever written on this CPU, up to the newest one that was seen. That one may be newer than the counters. If
 * it is older, the hits after it were lost, or their records are not finished.
 */
static uint64_t written(const struct tally_cpu *of)
{
	uint64_t hits = of->hits, lost = of->lost;

	if (of->seen) {
		int64_t newer = (int32_t)(of->newest - (uint32_t)hits);

		hits += (uint64_t)newer;
		if (newer < 0)
			lost -= MIN(lost, (uint64_t)-newer);
	}
	return hits > lost ? hits - lost : 0;
}

uint64_t tally_overwritten(const struct tally *t, unsigned probe, uint64_t cleared)
{
	uint64_t sum = 0, gone = cleared + tally_seen(t, probe);

	for (unsigned cpu = 0; cpu < t->nr_cpus; cpu++)
		sum += written(&of_probe(t, probe)[cpu]);
	return sum > gone ? sum - gone : 0;
}
