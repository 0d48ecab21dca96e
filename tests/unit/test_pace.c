// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_pace.c - when the reader waits for a record, and for how long it does not look at the rings.
 */
#include "run/pace.c"

#include "tap.h"

enum { RING = 4 << 20 };

static void test_rates(void)
{
	struct pace p;
	uint64_t now = 1000000000000u;
	int ms;

	pace_init(&p, RING);
	CHECK(pace_next(&p, now, now, 0, 0) == PACE_WAIT, "nothing has come: it waits");
	for (unsigned i = 0; i < 5; i++, now += 100 * MS)
		CHECK(pace_next(&p, now, now, 1, 100) == PACE_WAIT, "one each 100 ms: each is shown at once");
	now += 100 * MS;
	CHECK(pace_next(&p, now, now, 1, 100) == PACE_WAIT, "so is the first of many");
	now += MS / 10;
	ms = pace_next(&p, now, now + MS / 10, 1, 100);
	CHECK(ms > 10 && ms <= LONGEST_MS, "after the second record it does not wait to be woken: %d ms", ms);
	for (unsigned i = 0; i < 5; i++) {
		now += (uint64_t)ms * MS;
		ms = pace_next(&p, now, now + MS, 800, 800 * 150);
		CHECK(ms > 10 && ms <= LONGEST_MS, "20 each ms: %d ms", ms);
	}
	now += (uint64_t)ms * MS;
	CHECK(pace_next(&p, now, now, 0, 0) == PACE_WAIT, "it waits when they have ended");
}

static void test_fill(void)
{
	struct pace p;
	uint64_t now = 1000000000000u, fill = RING;
	int ms;

	pace_init(&p, RING);
	pace_next(&p, now, now, 1, 100);
	now += 20 * MS;
	CHECK(pace_next(&p, now, now, 1000, RING / 2) == 10, "half full within 20 ms: 10 ms for a quarter");
	now += 10 * MS;
	CHECK(pace_next(&p, now, now + 100 * MS, 1000, RING / 2) == 0, "none when the pass took longer");
	/* A pass needs no time here: a rate that fills the ring in 10 ms loses nothing. */
	for (unsigned i = 0; i < 10; i++) {
		ms = pace_next(&p, now, now, 1000, fill);
		now += (uint64_t)ms * MS + MS / 10;
		fill = MIN((uint64_t)RING, RING / 10 * (uint64_t)ms + RING / 100);
	}
	CHECK(fill <= RING / 3, "a third is not passed: %u of 100", (unsigned)(fill * 100 / RING));
}

/* A record each 100 us: the reader looks at a ring of 256 KiB each millisecond, not at each record. */
static void test_small(void)
{
	struct pace p;
	uint64_t now = 1000000000000u;
	unsigned passes = 0, waits = 0;

	pace_init(&p, 256 << 10);
	for (uint64_t end = now + 100 * MS; now < end; passes++) {
		int ms = pace_next(&p, now, now + MS / 20, 10, 1500);

		waits += ms == PACE_WAIT;
		now += ms > 0 ? (uint64_t)ms * MS : MS / 10;
	}
	CHECK(waits <= 1 && passes <= 110, "256 KiB: %u passes in 100 ms, %u of them wait to be woken", passes, waits);
}

static void test_sizes(void)
{
	for (uint64_t size = 4096; size <= 1u << 30; size *= 4) {
		struct pace p;

		pace_init(&p, size);
		CHECK(p.longest >= MS && p.longest <= LONGEST_MS * (uint64_t)MS, "%llu bytes: %u ms",
		      (unsigned long long)size, (unsigned)(p.longest / MS));
	}
}

int main(void)
{
	test_rates();
	test_fill();
	test_small();
	test_sizes();
	return tap_done();
}
