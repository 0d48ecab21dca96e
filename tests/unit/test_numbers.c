// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_numbers.c - the numbers of hits and their gaps, compared with a program that counts the hits itself.
 */
#include "print/sender.h"
#include "run/losses.c"
#include "stream/numbers.c"
#include "tap.h"

enum { CPUS = 2 };

static struct bp_stat stats[CPUS];
static char said[400];

void channel_stat_cpu(const struct channel *c, unsigned index, unsigned cpu, struct bp_stat *ret)
{
	(void)c, (void)index;
	*ret = stats[cpu];
}

uint32_t channel_id(const struct channel *c)
{
	(void)c;
	return 77;
}

static void hear(void *to, const struct text *t, const struct gap *gap, struct buf *out)
{
	(void)to, (void)t, (void)out;
	snprintf(said + strlen(said), sizeof(said) - strlen(said), "%s%u.%u cpu %u %s %llu: %llu-%llu", *said ? "; " : "", gap->series.creation,
		 gap->series.probe, gap->cpu, gap->lost ? "lost" : "skipped", (unsigned long long)gap->count, (unsigned long long)gap->first,
		 (unsigned long long)gap->last);
}

static const struct sink sink = { .gap = hear };
static const struct sender sender = { "", 0 };
static const struct channel channel;
static const struct layout layout;
static struct losses losses[CPUS];
static struct source source = { .layout = &layout, .channel = &channel, .index = 3, .losses = losses };
static struct stream s = { .sources = &source, .nr_sources = 1, .nr_cpus = CPUS, .sink = &sink, .text.sender = &sender };

/* The next hit is recorded. */
static struct bp_rec record(unsigned cpu)
{
	stats[cpu].hits++;
	return (struct bp_rec){ .cpu = (uint16_t)cpu, .seq = (uint32_t)stats[cpu].hits };
}

static void lose(unsigned cpu, uint64_t nr)
{
	stats[cpu].hits += nr;
	stats[cpu].lost += nr;
}

/* Reads the record and prints it; its number. */
static uint64_t number_of(struct bp_rec rec)
{
	struct event ev = { .rec = &rec };

	numbers_note(&s, &rec);
	numbers_give(&s, &ev);
	return ev.number;
}

static void skip(struct bp_rec rec)
{
	numbers_note(&s, &rec);
	numbers_skip(&s, &rec);
}

static bool heard(const char *want)
{
	bool same = !strcmp(said, want);

	if (!same)
		printf("# '%s', should be '%s'\n", said, want);
	said[0] = '\0';
	return same;
}

static void begin(uint64_t hits)
{
	for (unsigned i = 0; i < CPUS; i++) {
		stats[i] = (struct bp_stat){ .hits = hits };
		losses[i] = (struct losses){ .last = (uint32_t)hits };
	}
	numbers_begin(&s);
}

static void test_events(void)
{
	begin(0);
	CHECK(number_of(record(0)) == 1 && number_of(record(0)) == 2 && number_of(record(1)) == 1, "each CPU counts from 1 on");
	CHECK(heard(""), "there is no gap");
	lose(0, 3);
	CHECK(number_of(record(0)) == 6 && heard("77.3 cpu 0 lost 3: 3-5"), "lost hits are a gap before the next one");
	lose(1, 1);
	numbers_last(&s, 0, 1);
	CHECK(heard("77.3 cpu 1 lost 1: 2-2"), "... and at the end");
	numbers_last(&s, 0, 1);
	CHECK(heard(""), "... once");
}

static void test_skipped(void)
{
	begin(10);
	skip(record(0));
	skip(record(0));
	skip(record(1));
	CHECK(heard(""), "what is not printed waits");
	CHECK(number_of(record(0)) == 13, "an event comes between");
	skip(record(0));
	CHECK(heard("77.3 cpu 0 skipped 2: 11-12"), "numbers behind it are another gap");
	lose(0, 2);
	skip(record(0));
	CHECK(heard("77.3 cpu 0 lost 2: 15-16; 77.3 cpu 0 skipped 1: 14-14"), "lost ones, too");
	numbers_settle(&s);
	CHECK(heard("77.3 cpu 0 skipped 1: 17-17; 77.3 cpu 1 skipped 1: 11-11"), "the rest is told");
	numbers_settle(&s);
	CHECK(heard(""), "... once");
}

static void test_repeated(void)
{
	struct bp_rec first, second;

	begin(0);
	first = record(0);
	lose(0, 4);
	second = record(0);
	CHECK(number_of(first) == 1 && number_of(second) == 6 && heard("77.3 cpu 0 lost 4: 2-5"), "two records");
	CHECK(number_of(first) == 1 && number_of(second) == 6 && heard(""), "the same records have the same numbers");
}

/* A record has 32 bits of its number, and the counter has all. */
static void test_whole(void)
{
	static const uint64_t starts[] = { 0xfffffffe, 0xffffffff, 1ull << 32, (5ull << 32) - 2, 1ull << 53 };

	for (size_t i = 0; i < ARRAY_SIZE(starts); i++) {
		struct bp_rec first, second;
		char want[80];

		begin(starts[i]);
		first = record(0);
		lose(0, 2);
		second = record(0);
		stats[0].hits += 0x7fffffff;		/* the reader is late */
		CHECK(number_of(first) == starts[i] + 1 && number_of(second) == starts[i] + 4, "behind %llu", (unsigned long long)starts[i]);
		snprintf(want, sizeof(want), "77.3 cpu 0 lost 2: %llu-%llu", (unsigned long long)starts[i] + 2, (unsigned long long)starts[i] + 3);
		CHECK(heard(want), "... and the gap");
	}
}

static void test_nobody(void)
{
	s.text.sender = NULL;
	numbers_begin(&s);
	CHECK(!s.numbers, "without a sender there are no numbers");
	s.text.sender = &sender;
}

int main(void)
{
	test_events();
	test_skipped();
	test_repeated();
	test_whole();
	test_nobody();
	numbers_close(s.numbers);
	return tap_done();
}
