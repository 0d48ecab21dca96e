// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_tally.c - how many records were overwritten: hits = records in the rings + overwritten + lost.
 *
 * A program's side is played here: it numbers hits as bpf/capture.bpf.h does. The ring is the newest records of it.
 */
#include "run/tally.c"
#include "tap.h"

enum { CPUS = 2, PROBES = 2 };

static struct bp_stat stats[PROBES][CPUS];

void channel_stat_cpu(const struct channel *c, unsigned index, unsigned cpu, struct bp_stat *ret)
{
	(void)c;
	*ret = stats[index][cpu];
}

static const struct channel channel;

static struct tally start(struct arena *arena)
{
	struct tally t;

	tally_init(&t, arena, PROBES, CPUS);
	for (unsigned i = 0; i < PROBES; i++)
		tally_counters(&t, i, &channel, i);
	return t;
}

/* The ring of @cpu has the records of @probe with these numbers. */
static void see(struct tally *t, unsigned probe, unsigned cpu, uint64_t from, uint64_t to)
{
	for (uint64_t seq = from; seq <= to; seq++) {
		const struct bp_rec rec = { .probe = probe, .cpu = (uint16_t)cpu, .seq = (uint32_t)seq };

		tally_record(t, &rec, sizeof(rec));
	}
}

static void test_counts(void)
{
	struct arena arena = { 0 };
	struct tally t;

	memset(stats, 0, sizeof(stats));
	t = start(&arena);
	CHECK(!tally_seen(&t, 0) && !tally_overwritten(&t, 0, 0), "no hits");
	stats[0][0].hits = 10;
	stats[0][1].hits = 4;
	stats[1][1].hits = 7;
	t = start(&arena);
	see(&t, 0, 0, 8, 10);
	see(&t, 0, 1, 1, 4);
	CHECK(tally_seen(&t, 0) == 7 && tally_overwritten(&t, 0, 0) == 7, "the first 7 of 10 on one CPU, none on the other");
	CHECK(!tally_seen(&t, 1) && tally_overwritten(&t, 1, 0) == 7, "all records of the other definition");
	stats[0][0].lost = 2;
	t = start(&arena);
	see(&t, 0, 0, 8, 10);
	see(&t, 0, 1, 1, 4);
	CHECK(tally_overwritten(&t, 0, 0) == 5, "lost hits are not overwritten");
	CHECK(tally_overwritten(&t, 0, 3) == 2, "nor are cleared ones");
	CHECK(tally_overwritten(&t, 0, 100) == 0, "never less than none");
	arena_fini(&arena);
}

/* Of the first definition, if its records from @from to @to on the first CPU are seen. */
static uint64_t overwritten(struct arena *arena, uint64_t from, uint64_t to)
{
	struct tally t = start(arena);

	see(&t, 0, 0, from, to);
	return tally_overwritten(&t, 0, 0);
}

/* Programs run while the rings are read. */
static void test_running(void)
{
	struct arena arena = { 0 };

	memset(stats, 0, sizeof(stats));
	stats[0][0].hits = 100;
	CHECK(overwritten(&arena, 91, 120) == 90, "records that are newer than the counters");
	CHECK(overwritten(&arena, 91, 98) == 90, "hits whose records are not finished yet");
	stats[0][0].lost = 5;
	CHECK(overwritten(&arena, 91, 93) == 90, "5 of the hits after the newest record were lost, and 2 are not finished");
	CHECK(overwritten(&arena, 91, 97) == 88, "3 hits after the newest record were lost, and 2 before");
	arena_fini(&arena);
}

/* Records have the low 32 bits of the number. */
static void test_wraps(void)
{
	const uint64_t turn = 1ull << 32;
	struct arena arena = { 0 };
	struct tally t;

	memset(stats, 0, sizeof(stats));
	stats[0][0].hits = 3 * turn + 5;
	t = start(&arena);
	see(&t, 0, 0, 3 * turn - 4, 3 * turn + 5);
	CHECK(tally_overwritten(&t, 0, 0) == 3 * turn - 5, "numbers that wrapped");
	stats[0][0].hits = 3 * turn - 2;
	t = start(&arena);
	see(&t, 0, 0, 3 * turn - 4, 3 * turn + 5);
	CHECK(tally_overwritten(&t, 0, 0) == 3 * turn - 5, "numbers that wrapped since the counters were read");
	stats[0][0].hits = 3 * turn + 2;
	t = start(&arena);
	see(&t, 0, 0, 3 * turn - 10, 3 * turn - 1);
	CHECK(tally_overwritten(&t, 0, 0) == 3 * turn - 11, "numbers that wrapped behind the newest record");
	arena_fini(&arena);
}

static void test_foreign(void)
{
	struct arena arena = { 0 };
	struct tally t;

	memset(stats, 0, sizeof(stats));
	t = start(&arena);
	see(&t, PROBES, 0, 1, 3);
	see(&t, 0, CPUS, 1, 3);
	CHECK(!tally_seen(&t, 0) && !tally_seen(&t, 1), "records of other definitions and CPUs do not count");
	arena_fini(&arena);
}

int main(void)
{
	test_counts();
	test_running();
	test_wraps();
	test_foreign();
	return tap_done();
}
