// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_ring_look.c - what is copied from a ring while others write and read it.
 *
 * The ring is a file in memory, and the programs are C (ring_writer.h).
 */
#include "run/ring_look.c"
#include "run/ring_view.c"

#include <pthread.h>
#include <sched.h>

#include "ring_writer.h"
#include "tap.h"

enum { SIZE = 1 << 16, PART = SIZE / BP_RING_PARTS, WORDS_MAX = 60, ROUNDS = 400, RECORDS = 20000 };

static struct map map;
static struct bp_ring *ring;

static void open_ring(uint64_t flags)
{
	map_open(&map, 1, SIZE, flags);
	ring = map_ring(&map, 0);
}

static struct ring_src source(void)
{
	return (struct ring_src){ .fd = map.fd, .nr = 1, .bytes = map.bytes, .stride = map.stride };
}

static uint64_t size_of(unsigned words)
{
	return sizeof(struct bp_rec) + 8 * words;
}

static uint64_t reserve(uint64_t size)
{
	return ring->flags & BP_RING_OVERWRITES ? ring_reserve_over(ring, size) : ring_reserve(ring, size);
}

/* Fills the record with the number, which is its stamp, too, and finishes it. */
static void finish_as(uint64_t at, uint64_t size, uint64_t number, uint64_t flags)
{
	map_record(ring, at)->ts = number;
	fill(map_record(ring, at), number, size);
	seal(ring, at, size, flags);
	if (ring->flags & BP_RING_OVERWRITES)
		part_commit(ring, at, size);
}

static void finish(uint64_t at, uint64_t size, uint64_t number)
{
	finish_as(at, size, number, 0);
}

static bool produce(uint64_t size, uint64_t number)
{
	uint64_t at = reserve(size);

	if (at != FULL)
		finish(at, size, number);
	return at != FULL;
}

struct seen_test {
	unsigned nr, torn, unordered;
	uint64_t first, last;
};

static bool take(void *ctx, const struct bp_rec *rec, uint32_t len)
{
	struct seen_test *t = ctx;

	t->torn += is_torn(rec, len) || rec->ts != rec->tgid;
	t->unordered += t->nr && rec->tgid <= t->last;
	t->first = t->nr ? t->first : rec->tgid;
	t->last = rec->tgid;
	t->nr++;
	return true;
}

static uint64_t since;

static struct seen_test look(void)
{
	struct seen_test t = { 0 };
	struct ring_src src = source();
	struct diag diag = { 0 };
	struct look *l;

	src.since = since;
	if (look_open(&src, 1, &l, &diag)) {
		t.torn = 1;
		return t;
	}
	look_emit(l, take, &t);
	look_close(l);
	return t;
}

static bool clear(uint64_t before, uint64_t free)
{
	struct ring_src src = source();

	return !ring_clear(&src, before) && ring->free == free;
}

/* ---- rings that discard, alone ---- */

static void alone(void)
{
	uint64_t at[4];
	struct seen_test t;

	open_ring(0);
	CHECK(look().nr == 0, "an empty ring has no records");
	for (unsigned i = 0; i < 4; i++)
		at[i] = reserve(size_of(i));
	CHECK(look().nr == 0, "what is being written is left out");
	finish(at[1], size_of(1), 8);
	finish(at[3], size_of(3), 9);
	CHECK(look().nr == 0, "and so is what is behind it: its place is not known");
	finish_as(at[0], size_of(0), 7, BP_SEAL_DROPPED);
	t = look();
	CHECK(t.nr == 1 && t.last == 8, "what was given up is left out");
	finish(at[2], size_of(2), 5);
	CHECK(look().nr == 3, "then all others are read");
	ring->free = at[3];
	t = look();
	CHECK(t.nr == 1 && t.last == 9, "what was read is left out");
	ring->free = 0;
	CHECK(clear(5, at[1]), "older records than the time that is asked for are thrown away, up to the first that is not");
	CHECK(clear(9, at[3]), "... whatever is between");
	CHECK(clear(10, ring->reserved), "or all");
	/* An interrupt has stamped its record before the previous record was stamped. */
	for (unsigned i = 0; i < 4; i++)
		at[i] = reserve(size_of(0));
	finish(at[0], size_of(0), 21);
	finish(at[1], size_of(0), 20);
	finish(at[2], size_of(0), 22);
	CHECK(clear(21, at[0]), "an older record after a younger one is not cleared");
	since = 21;
	t = look();
	since = 0;
	CHECK(t.nr == 2 && t.first == 21 && t.last == 22, "... and is passed over by who looks from then on");
	CHECK(clear(100, at[3]), "a record being written is not thrown away");
	map_close(&map);
}

/* ---- rings that overwrite, alone ---- */

static void parts(void)
{
	enum { EACH = 256, IN_PART = PART / EACH, ALL = SIZE / EACH };
	unsigned n = 0, wrong = 0;
	uint64_t late, next;
	struct seen_test t;

	open_ring(BP_RING_OVERWRITES);
	CHECK(look().nr == 0, "an empty ring that overwrites has no records");
	for (; n < 3 * ALL; n++) {
		unsigned oldest;

		produce(EACH, n + 1);
		t = look();
		/* Of the part that is being filled, the lap before is gone. */
		oldest = n + 1 <= ALL ? 1 : ROUND_UP(n + 1, (unsigned)IN_PART) - ALL + 1;
		wrong += t.first != oldest || t.last != n + 1 || t.nr != n + 1 - oldest + 1 || t.torn || t.unordered;
	}
	CHECK(!wrong, "of %u records the newest are there: %u looks were wrong", n, wrong);
	since = n;
	CHECK(look().nr == 1, "what was cleared is passed over");
	since = 0;
	CHECK(clear(UINT64_MAX, 0) && look().nr == ALL, "but not thrown away");

	/* A record that does not fit before the end of a part begins in the next one, and those before it stay readable. */
	produce(EACH, ++n);
	for (unsigned i = 0; i < 100; i++) {
		produce(PART - 64 * (i % 7), ++n);
		produce(EACH, ++n);
		t = look();
		wrong += t.last != n || t.torn || t.unordered || t.nr != t.last - t.first + 1;
	}
	CHECK(!wrong, "records as long as a part");

	/* A late program: the other parts are read, and nobody enters its part again. */
	while (ring->reserved & (PART - 1))
		produce(PART - (ring->reserved & (PART - 1)), ++n);
	produce(EACH, ++n);
	late = reserve(EACH);
	next = n + 1;
	produce(EACH, ++n);
	t = look();
	CHECK(t.last == next - 1, "behind a record that is not finished nothing of its part is read");
	while (ring->reserved & (PART - 1))
		produce(EACH, ++n);
	produce(EACH, ++n);
	t = look();
	/* Of its part the second one is not finished, so that and those behind it are missing. */
	CHECK(t.last == n && t.last - t.first + 1 - t.nr == IN_PART - 2, "the next part is: of %u numbers %u",
	      (unsigned)(t.last - t.first + 1), t.nr);
	while (produce(EACH, n + 1))
		n++;
	CHECK(ring->reserved == late / PART * PART + SIZE, "nobody enters a part with a late program in it");
	t = look();
	CHECK(t.last == n && !t.torn && !t.unordered, "the ring is as it was: %u records", t.nr);
	finish(late, EACH, 1);
	CHECK(produce(EACH, ++n) && look().last == n, "until it has finished");
	map_close(&map);
}

/* ---- with writers and a reader ---- */

static atomic_bool stop;
static atomic_uint next;

/* Two records at a time, so that one is unfinished while the next one is finished. */
static void *write_records(void *ctx)
{
	unsigned words = 0, number = 0;

	(void)ctx;
	while (!stop) {
		uint64_t a, b;

		words = (words * 7 + 3) % WORDS_MAX;
		a = reserve(size_of(words));
		if (a == FULL)
			continue;
		b = reserve(size_of(WORDS_MAX - words));
		if (b != FULL)
			finish(b, size_of(WORDS_MAX - words), number + 2);
		finish(a, size_of(words), number + 1);
		number += 2;
	}
	return NULL;
}

static void *read_records(void *ctx)
{
	struct ring_src src = source();
	struct ring_view v;

	(void)ctx;
	if (ring_view_open(&v, src.fd, 0, src.bytes, src.stride, true) || ring_view_map(&v, v.end))
		abort();
	while (!stop)
		__atomic_store_n(&ring->free, first_kept(&v, ring->free, ring_view_reserved(&v), UINT64_MAX), __ATOMIC_RELEASE);
	ring_view_close(&v);
	return NULL;
}

/* Several programs, one of which often stays behind. Each record's number is its own. */
static void *overwrite_records(void *ctx)
{
	unsigned me = (unsigned)(uintptr_t)ctx, words = me;

	while (!stop) {
		uint64_t size, at;

		words = (words * 7 + 3) % WORDS_MAX;
		size = size_of(words);
		at = reserve(size);
		if (at == FULL)
			continue;
		if (words % 16 == 0)
			sched_yield();
		finish(at, size, ++next);
	}
	return NULL;
}

enum beside { WRITER, READER, OVERWRITERS };

static void beside(enum beside who)
{
	static const char *const names[] = { "writer", "reader", "writers that overwrite" };
	unsigned nr = 0, torn = 0, unordered = 0, threads = 0;
	struct ring_src src;
	pthread_t ids[3];

	open_ring(who == OVERWRITERS ? BP_RING_OVERWRITES : 0);
	src = source();
	stop = false;
	next = 0;
	for (uintptr_t i = 0; i < (who == OVERWRITERS ? 3 : 1); i++)
		if (pthread_create(&ids[threads++], NULL, who == OVERWRITERS ? overwrite_records : write_records, (void *)i))
			abort();
	if (who == READER && pthread_create(&ids[threads++], NULL, read_records, NULL))
		abort();
	/* If the others are never interrupted there may be little to see: go on until there was enough, however long that takes. */
	for (unsigned i = 0; i < ROUNDS || nr < RECORDS; i++) {
		struct seen_test t = look();

		nr += t.nr;
		torn += t.torn;
		unordered += t.unordered;
		if (who == WRITER && i % 16 == 0)
			ring_clear(&src, UINT64_MAX);
	}
	stop = true;
	while (threads)
		pthread_join(ids[--threads], NULL);
	CHECK(!torn, "beside %s: each record is whole: %u torn of %u", names[who], torn, nr);
	CHECK(!unordered, "... each once and in order");
	map_close(&map);
}

int main(void)
{
	alone();
	parts();
	beside(WRITER);
	beside(READER);
	beside(OVERWRITERS);
	return tap_done();
}
