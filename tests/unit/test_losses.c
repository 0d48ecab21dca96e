// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_losses.c - lost hits, by the numbers of those that were recorded, compared with a program that counts them.
 */
#include "run/losses.c"
#include "tap.h"

static struct bp_stat stat;

void channel_stat_cpu(const struct channel *c, unsigned index, unsigned cpu, struct bp_stat *ret)
{
	(void)c;
	(void)index;
	(void)cpu;
	*ret = stat;
}

static const struct channel channel;

/* The next @nr hits are lost. */
static void lose(uint64_t nr)
{
	stat.hits += nr;
	stat.lost += nr;
}

/* The next hit is recorded; its number. */
static uint32_t record(void)
{
	return (uint32_t)++stat.hits;
}

static uint64_t read_and_tell(struct losses *l, uint32_t seq)
{
	losses_note(l, seq);
	return l->untold ? losses_tell(l, &channel, 0, 0) : 0;
}

static uint64_t rest(struct losses *l)
{
	return losses_tell_rest(l, &channel, 0, 0);
}

static void test_gaps(void)
{
	struct losses l = { 0 };
	unsigned wrong = 0;

	stat = (struct bp_stat){ 0 };
	for (unsigned i = 0; i < 10; i++)
		wrong += read_and_tell(&l, record()) != 0;
	CHECK(!wrong, "records one after the other: nothing is lost");
	lose(3);
	CHECK(read_and_tell(&l, record()) == 3, "a gap is told with the record behind it");
	CHECK(read_and_tell(&l, record()) == 0, "... once");
	lose(2);
	losses_note(&l, record());	/* user space filters this record out */
	lose(4);
	CHECK(read_and_tell(&l, record()) == 6, "gaps before records that are not shown are told with the next one");
	lose(5);
	CHECK(rest(&l) == 5 && rest(&l) == 0, "at the end those are told that no record follows");
	CHECK(read_and_tell(&l, record()) == 0, "... and not again");
	lose(1);
	losses_note(&l, record());
	lose(1);
	CHECK(rest(&l) == 2 && read_and_tell(&l, record()) == 0, "at the end also those before a record that was not shown");
	CHECK(stat.lost == l.told, "all were told: %u", (unsigned)l.told);
}

/* Numbers have 32 bits, counters have 64. */
static void test_wraps(void)
{
	static const uint64_t many[] = { 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff, 0x100000000, 0x100000005, 0x280000001 };

	for (unsigned i = 0; i < ARRAY_SIZE(many); i++) {
		struct losses l = { .last = 0xfffffff0 };
		uint64_t told = 0;

		stat = (struct bp_stat){ .hits = 0xfffffff0 };
		for (unsigned n = 0; n < 20; n++)
			told += read_and_tell(&l, record());
		CHECK(!told && l.last == 4, "numbers begin again at 0");
		lose(many[i]);
		told += read_and_tell(&l, record());
		lose(7);
		told += read_and_tell(&l, record());
		CHECK(told <= stat.lost, "0x%llx lost at once: not more are told", (unsigned long long)many[i]);
		told += rest(&l);
		CHECK(told == stat.lost, "... and in the end all");
		lose(2);
		CHECK(many[i] > 0x7fffffff || read_and_tell(&l, record()) == 2, "... and then it goes on");
	}
}

/* What is known of a kept event was saved before the records were given back. */
static void test_readers(void)
{
	struct losses l = { 0 }, saved;
	uint32_t first, second;

	stat = (struct bp_stat){ 0 };
	first = record();
	lose(3);
	second = record();
	CHECK(read_and_tell(&l, first) == 0 && read_and_tell(&l, second) == 3, "a reader tells a loss");
	saved = l;			/* it is killed before it gives the records back */
	CHECK(read_and_tell(&saved, first) == 0 && read_and_tell(&saved, second) == 0, "the next one gets the records again, and is silent");
	lose(1);
	CHECK(read_and_tell(&saved, record()) == 1, "... until there is a new loss");
	/* Another reader takes records meanwhile, so this one sees a gap. */
	l = saved;
	for (unsigned i = 0; i < 10; i++)
		record();
	CHECK(read_and_tell(&l, record()) == 0, "what another reader has taken was not lost");
	CHECK(l.last == (uint32_t)stat.hits && !l.untold, "... and is forgotten");
}

static void test_forget(void)
{
	struct losses l = { 0 };
	uint32_t left;

	stat = (struct bp_stat){ 0 };
	lose(3);
	left = record();		/* it was stamped after the clearing began, and stays */
	lose(2);
	CHECK(losses_forget(&l, &channel, 0, 0) == 5, "what was lost before a clearing is counted");
	CHECK(read_and_tell(&l, left) == 0, "... but not told");
	CHECK(read_and_tell(&l, record()) == 0, "nor are cleared records losses");
	lose(1);
	CHECK(read_and_tell(&l, record()) == 1 && rest(&l) == 0, "what is lost afterwards is told");
}

int main(void)
{
	struct losses l = { 0 };

	test_gaps();
	test_wraps();
	test_readers();
	test_forget();
	losses_note(&l, 5);
	CHECK(losses_tell(&l, NULL, 0, 0) == 4, "without counters the gap alone counts");
	return tap_done();
}
