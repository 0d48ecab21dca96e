// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_ring.c - the order of records from several rings, which records wait, and who is woken.
 *
 * The rings are a file in memory, the programs are C (ring_writer.h), and the clock is the test's own, but for the threads.
 */
#include <pthread.h>
#include <sched.h>
#include <stdint.h>

static uint64_t clock_now = 1000000000;
static _Bool clock_is_real;

#define now_ns system_ns
#include "base/clock.h"
#undef now_ns

static uint64_t now_ns(void)
{
	return clock_is_real ? system_ns() : clock_now;
}

/* Programs run between the steps of the reader, too: before and after each look at a ring. */
static void interleave(void);

#include "run/ring_view.h"

static uint64_t look_at_reserved(const struct ring_view *v)
{
	uint64_t reserved;

	interleave();
	reserved = ring_view_reserved(v);
	interleave();
	return reserved;
}

#define ring_view_reserved look_at_reserved
#include "run/ring.c"
#undef ring_view_reserved
#include "run/ring_view.c"

#include "ring_writer.h"
#include "tap.h"

enum { RINGS = 3, SHORT = 72, PAGE = 4096 };

static struct map map;
static struct bells bell;

/* A reader of the rings, which starts where the one before has stopped. */
static struct rings *reader(bool holds)
{
	struct rings *r = calloc(1, sizeof(*r));

	r->nr = map.nr;
	r->holds = holds;
	r->epoll_fd = -1;
	r->rings = calloc(map.nr, sizeof(*r->rings));
	r->heap = calloc(map.nr, sizeof(struct ring *));
	for (unsigned i = 0; i < map.nr; i++) {
		struct ring *ring = &r->rings[i];

		if (ring_view_open(&ring->view, map.fd, i, map.bytes, map.stride, true))
			abort();
		ring->taken = ring->free = ring->settled = ring->published = ring_view_free(&ring->view);
	}
	return r;
}

/* rings_close() would unmap the bell. */
static void leave(struct rings *r)
{
	for (unsigned i = 0; i < r->nr; i++)
		ring_close(r, &r->rings[i]);
	if (r->spilled)
		CHECK(0, "%llu bytes of copies are left", (unsigned long long)r->spilled);
	free(r->bells);
	free(r->heap);
	free(r->rings);
	free(r);
}

static void listen_to_bell(struct rings *r)
{
	r->bells = calloc(1, sizeof(*r->bells));
	r->nr_bells = 1;
	r->bells[0] = (struct bell){ .consumer = &bell.heard, .producer = &bell.rung,
				      .data = (const unsigned char *)bell.heads, .bytes = sizeof(bell.heads) };
}

static struct rings *make(uint64_t bytes)
{
	struct rings *r;

	map_open(&map, RINGS, bytes, 0);
	bells_init(&bell);
	r = reader(false);
	listen_to_bell(r);
	return r;
}

static void unmake(struct rings *r)
{
	leave(r);
	map_close(&map);
}

static void commit(unsigned ring, uint64_t at, uint64_t size, uint64_t flags)
{
	struct bp_ring *to = map_ring(&map, ring);

	seal(to, at, size, flags);
	if (is_waited(to)) {
		clear_waiting(to);
		bell_ring(&bell);
	}
}

static struct bp_rec *reserve(unsigned ring, uint64_t size, uint64_t *ret_at)
{
	*ret_at = ring_reserve(map_ring(&map, ring), size);
	return *ret_at == FULL ? NULL : map_record(map_ring(&map, ring), *ret_at);
}

static bool produce_flags(unsigned ring, uint64_t ts, uint64_t size, uint64_t flags)
{
	uint64_t at;
	struct bp_rec *rec = reserve(ring, size, &at);

	if (!rec)
		return false;
	rec->ts = ts;
	rec->tgid = 0;
	commit(ring, at, size, flags);
	return true;
}

static bool produce(unsigned ring, uint64_t ts, uint64_t size)
{
	return produce_flags(ring, ts, size, 0);
}

struct seen {
	uint64_t last;
	unsigned count, disorder, stop_at, torn;
	unsigned char *each;		/* how often each tgid was seen */
};

static bool see(void *ctx, const struct bp_rec *rec, uint32_t len)
{
	struct seen *s = ctx;

	s->disorder += rec->ts < s->last || len < sizeof(*rec);
	s->last = rec->ts;
	s->count++;
	if (s->each) {
		s->each[rec->tgid]++;
		s->torn += is_torn(rec, len);
	}
	return s->count != s->stop_at;
}

static unsigned pass(struct rings *r, struct seen *s)
{
	bool pending;

	return rings_pass(r, see, s, &pending);
}

static void test_order(void)
{
	struct rings *r = make(1 << 20);
	struct seen s = { 0 };
	bool pending;
	uint64_t busy;

	produce(0, 30, 64);
	produce(0, 20, 64);		/* of an interrupt, stamped before the record that it interrupted */
	produce(1, 10, 64);
	produce_flags(1, 25, 64, BP_SEAL_DROPPED);
	reserve(1, 64, &busy)->ts = 40;
	produce(1, 50, 64);
	rings_pass(r, see, &s, &pending);
	CHECK(s.count == 0 && pending, "nothing is released before every ring was read to its end");
	CHECK(!rings_arm(r), "and then the reader does not wait for the bell");
	commit(1, busy, 64, 0);
	rings_pass(r, see, &s, &pending);
	CHECK(s.count == 5 && !s.disorder && !pending, "then all are, in the order of their stamps");
	reserve(0, 64, &busy)->ts = 60;
	produce(1, clock_now + 1000000000, 64);
	rings_pass(r, see, &s, &pending);
	CHECK(s.count == 5 && pending, "a record stamped after the pass is held back");
	commit(0, busy, 64, 0);
	CHECK(rings_drain(r, see, &s) == 2 && s.count == 7 && !s.disorder, "and handed on at the end");
	reserve(0, 64, &busy);
	produce(0, 70, 64);
	reserve(0, 4096, &busy);
	produce(0, 80, 64);
	produce(1, 90, 64);
	reserve(1, 64, &busy);
	CHECK(rings_drain(r, see, &s) == 3 && s.count == 10, "records behind one that is never finished are handed on");
	CHECK(rings_unfinished(r, 0) == 2 && rings_unfinished(r, 1) == 1 && !rings_unfinished(r, 2), "and it is counted");
	unmake(r);
}

/* What was cleared is not delivered, nor is what was given up; their room is given back. */
static void test_skipped(void)
{
	struct rings *r = make(1 << 16);
	struct seen s = { 0 };

	r->rings[0].since = 20;
	produce(0, 10, SHORT);
	produce(0, 20, SHORT);
	produce_flags(0, 30, SHORT, BP_SEAL_DROPPED);
	produce_flags(0, 30, 8, BP_SEAL_PAD);
	pass(r, &s);
	CHECK(s.count == 1 && s.last == 20, "a record stamped at the time of the clearing is delivered, earlier ones are not");
	CHECK(map_ring(&map, 0)->free == 3 * SHORT + 8, "the room of all is given back");
	produce_flags(0, 40, SHORT, BP_SEAL_DROPPED);
	CHECK(!pass(r, &s) && map_ring(&map, 0)->free == map_ring(&map, 0)->reserved, "also if nothing is delivered");
	unmake(r);
}

/* ---- what is no record ---- */

static void test_seals(void)
{
	enum { BYTES = PAGE };
	struct rings *r = make(BYTES);
	struct bp_ring *ring = map_ring(&map, 0);
	struct seen s = { 0 };
	uint64_t at, size = 128, n = BYTES / 128;
	struct bp_rec *rec;
	bool pending;

	reserve(0, size, &at);
	CHECK(!pass(r, &s), "zeroes are no record");
	map_record(ring, at)->ts = 1;
	commit(0, at, size, 0);
	CHECK(pass(r, &s) == 1, "until it is finished");
	for (unsigned i = 1; i < n; i++)
		produce(0, 1 + i, size);
	CHECK(pass(r, &s) == n - 1, "a whole lap");
	rec = reserve(0, size, &at);
	CHECK(at == BYTES && rec == map_record(ring, 0), "the next lap has the same places");
	CHECK(!pass(r, &s), "what the lap before left there is no record");
	rec->seal = at | (size << BP_SEAL_SHIFT);
	CHECK(!pass(r, &s), "nor is what somebody writes who does not know the secret");
	rec->seal = (at + BYTES) ^ map.secret ^ (size << BP_SEAL_SHIFT);
	CHECK(!pass(r, &s), "nor that of another position");
	rec->ts = 100;
	commit(0, at, size, 0);
	CHECK(pass(r, &s) == 1 && !s.disorder, "its own seal is");
	/* It cannot happen, but the reader must not leave the ring, or run in a circle. */
	rec = reserve(0, size, &at);
	seal(ring, at, 0, 0);
	CHECK(!rings_pass(r, see, &s, &pending) && pending, "a record of no bytes is none");
	seal(ring, at, size + 8, 0);
	CHECK(!rings_pass(r, see, &s, &pending) && pending, "nor is one beyond what is reserved");
	unmake(r);
}

/* ---- room ---- */

static void test_room(void)
{
	enum { BYTES = PAGE };
	struct rings *r = make(BYTES);
	struct bp_ring *ring = map_ring(&map, 0);
	struct seen s = { 0 };
	struct bp_rec *rec;
	uint64_t at;

	CHECK(produce(0, 1, BYTES - 64) && produce(0, 2, 64), "all bytes of a ring can be used");
	CHECK(!produce(0, 3, 64), "and not one more record");
	pass(r, &s);
	CHECK(s.count == 2 && ring->free == BYTES, "the reader gives all back");
	CHECK(!produce(0, 4, BYTES + 8), "a record longer than the data has no place");
	produce(0, 4, BYTES - 64);
	pass(r, &s);
	/* 64 bytes are left before the end of the data; the record ends in the room behind it. */
	rec = reserve(0, BYTES, &at);
	CHECK(rec && (uint64_t)((unsigned char *)rec - (unsigned char *)ring) == BP_RING_DATA + BYTES - 64, "it begins at the end");
	rec->ts = 5;
	fill(rec, 7, BYTES);
	commit(0, at, BYTES, 0);
	CHECK(!produce(0, 6, 8 * 8), "a record of all bytes fills the ring");
	s.each = calloc(1, 16);
	pass(r, &s);
	CHECK(s.each[7] == 1 && !s.torn, "and is read as one piece");
	CHECK(produce(0, 7, 64) && map_record(ring, at + BYTES) == (void *)((unsigned char *)ring + BP_RING_DATA + BYTES - 64),
	      "the next one is where it would be without that");
	free(s.each);
	unmake(r);
}

/* A long record gives back what it does not need, if it is still the last one. */
static void test_shrink(void)
{
	struct rings *r = make(1 << 16);
	struct bp_ring *ring = map_ring(&map, 0);
	struct seen s = { 0 };
	uint64_t a, b, to;
	bool pending;

	reserve(0, 4096, &a)->ts = 1;
	to = ring->reserved;
	CHECK(ring_shrink(ring, a, 4096, 128) == 128 && ring->reserved == 128, "the last record shrinks");
	produce(0, 2, 8000);
	commit(0, a, 128, 0);
	/* A reader that had read the position before finds the end of that in the middle of the other record. */
	ring_view_reach(&r->rings[0].view, 0, to);
	r->rings[0].taken = index_take(&r->rings[0], 0, to);
	CHECK(r->rings[0].taken == 128, "a position from before ends in the middle of a record, which waits");
	rings_pass(r, see, &s, &pending);
	CHECK(s.count == 2 && !pending && !s.disorder, "until the next pass");
	reserve(0, 4096, &a)->ts = 3;
	reserve(0, 64, &b)->ts = 4;
	CHECK(ring_shrink(ring, a, 4096, 128) == 4096, "a record that others came behind stays as it is");
	commit(0, a, 4096, 0);
	commit(0, b, 64, 0);
	CHECK(pass(r, &s) == 2 && !s.disorder, "both come");
	unmake(r);
}

/* Only what records have reached is mapped. */
static void test_mapping(void)
{
	struct rings *r = make(8 << 20);
	const struct ring_view *v = &r->rings[0].view;
	struct seen s = { 0 };
	unsigned n = 0;

	CHECK(!v->mapped, "at first nothing is mapped but the first page");
	produce(0, ++n, 4096);
	pass(r, &s);
	CHECK(v->mapped == 256 << 10, "then the first part");
	while (n < 64)
		produce(0, ++n, 4096);
	pass(r, &s);
	CHECK(v->mapped == 256 << 10, "as long as it is enough");
	produce(0, ++n, 4096);
	pass(r, &s);
	CHECK(v->mapped == 512 << 10, "twice as much when it is not");
	while (n < 5000) {
		produce(0, ++n, 4096);
		if (n % 512 == 0)
			pass(r, &s);
	}
	pass(r, &s);
	CHECK(v->mapped == (8 << 20) + ROOM && s.count == 5000 && !s.disorder, "at last all, and no record was out of reach");
	unmake(r);
}

/* ---- who holds what ---- */

/* A copy is freed when its record was printed, although other records of the ring still wait. */
static void test_copies(void)
{
	struct rings *r = make(1 << 16);
	struct seen s = { 0 };
	bool pending;
	uint64_t busy;

	for (unsigned stall = 0; stall < 5; stall++) {
		clock_now += 1000000;
		reserve(1, 64, &busy)->ts = clock_now - 5000;
		for (unsigned i = 0; i < 40; i++)
			produce(0, clock_now - 6000, 1024);
		rings_pass(r, see, &s, &pending);
		/* ... with the record that waits from the stall before */
		CHECK(r->spilled == 40 * 1024 + (stall ? 64 : 0), "stall %u: half a ring is copied out", stall);
		CHECK(map_ring(&map, 0)->free == map_ring(&map, 0)->reserved, "stall %u: which gives its room back", stall);
		commit(1, busy, 64, 0);
		produce(0, clock_now, 64);
		rings_pass(r, see, &s, &pending);
		CHECK(!r->spilled && pending, "stall %u: the copies go, though a record waits", stall);
	}
	rings_drain(r, see, &s);
	CHECK(s.count == 5 * 42 && !s.disorder, "all came, in order");
	unmake(r);
}

/* More than HOLD_MAX waits: all of it is printed, in order. */
static void test_much(bool drain)
{
	enum { SIZE = 64 << 20, RECORD = 4096, EACH = 10000 };
	struct rings *r = make(SIZE);
	struct seen s = { 0 };

	for (unsigned i = 0; i < EACH; i++) {
		produce(0, 2 * i + 1, RECORD);
		produce(1, 2 * i + 2, RECORD);
	}
	if (drain)
		rings_drain(r, see, &s);
	else
		pass(r, &s);
	CHECK(s.count == 2 * EACH && !s.disorder, "%u records of 2 rings, %u out of order (%s)", s.count,
	      s.disorder, drain ? "drained" : "in a pass");
	unmake(r);
}

/* One ring is stuck: the other is copied up to a limit, then it fills up. Both go on when the first one moves. */
static void test_stuck(void)
{
	enum { SIZE = 4 << 20, RECORD = 4096 };
	struct rings *r = make(SIZE);
	struct seen s = { 0 };
	unsigned done, refused = 0;
	bool pending;
	uint64_t busy;

	reserve(0, 64, &busy);
	for (done = 1; refused < 100; done++) {
		bool taken = produce(1, done + 1, RECORD);

		done -= !taken;
		refused += !taken;
		if (done % 100 == 0 || !taken)
			pass(r, &s);
	}
	done--;
	CHECK(s.count == 0 && r->spilled <= HOLD_MAX, "what is held back is bounded");
	CHECK((size_t)done * RECORD > HOLD_MAX, "%u records were held", done);
	map_record(map_ring(&map, 0), busy)->ts = 1;
	commit(0, busy, 64, 0);
	rings_pass(r, see, &s, &pending);
	CHECK(s.count == done + 1 && !s.disorder && !pending, "nothing of them was lost, %u of %u", s.count, done + 1);
	unmake(r);
}

/* The printer may stop: the other records stay, and so does their room. */
static void test_stop(void)
{
	struct rings *r = make(1 << 20);
	struct seen s = { .stop_at = 3 };
	bool pending;

	for (unsigned i = 0; i < 10; i++)
		produce(i % 2, 100 + i, SHORT);
	CHECK(rings_pass(r, see, &s, &pending) == 3 && pending, "it stops when it is told to");
	CHECK(map_ring(&map, 0)->free == 2 * SHORT && map_ring(&map, 1)->free == SHORT, "records not handed on keep their room");
	CHECK(!rings_arm(r), "the reader does not wait while there are records");
	CHECK(rings_pass(r, see, &s, &pending) == 7 && !pending && !s.disorder, "the rest comes with the next pass");
	unmake(r);
}

/* The room that is given back is the same whether few or many records are left, and whatever their order is. */
static void test_given_back(void)
{
	struct rings *r = make(1 << 20);
	struct seen s = { 0 };
	unsigned wrong = 0, n = 0;

	for (unsigned i = 0; i < 1000; i++) {
		produce(0, 2 * i + 2, SHORT);
		produce(0, 2 * i + 1, 2 * SHORT);
	}
	for (unsigned stop = 1; n < 2000; stop = stop * 3 % 701 + 1) {
		s.stop_at = s.count + stop;
		n += pass(r, &s);
		/* Of each pair, the second one comes first: if only that one was delivered, the first one holds both. */
		wrong += map_ring(&map, 0)->free != n / 2 * 3 * SHORT;
	}
	CHECK(!wrong && !s.disorder && s.count == 2000, "each pass gives back what can be: wrong %u times", wrong);
	unmake(r);
}

/* A record that was passed on stays until it is released; the next reader begins after the released ones. */
static void test_hold(void)
{
	struct rings *r = make(1 << 20);
	struct bp_ring *ring = map_ring(&map, 0);
	struct seen s = { .stop_at = 4 };

	r->holds = true;
	for (unsigned i = 0; i < 10; i++)
		produce(0, 100 + i, SHORT);
	CHECK(pass(r, &s) == 4 && ring->free == 0, "a reader that holds gives no room back");
	rings_commit(r);
	CHECK(ring->free == 4 * SHORT, "until it says so: then that of what was handed on");
	pass(r, &s);
	CHECK(rings_arm(r) && ring->free == 4 * SHORT, "nor does waiting give any back");
	rings_leave(r);
	CHECK(ring->free == 4 * SHORT && !ring->waiting, "nor leaving: the next one sees them again");
	rings_commit(r);
	rings_leave(r);
	CHECK(ring->free == ring->reserved && s.count == 10, "but what was written is done with");
	unmake(r);
}

/* ---- who is woken ---- */

static void test_wakeups(void)
{
	struct rings *r = make(1 << 16);
	struct seen s = { 0 };

	produce(0, 1, SHORT);
	CHECK(!bell.rung, "as long as nobody sleeps, nobody is woken");
	pass(r, &s);
	CHECK(rings_arm(r), "empty rings can be waited for");
	produce(0, 2, SHORT);
	CHECK(bell.rung == 16, "the first record wakes");
	produce(0, 3, SHORT);
	CHECK(bell.rung == 16, "the second one does not");
	produce(1, 4, SHORT);
	CHECK(bell.rung == 32, "the first one of another ring does");
	pass(r, &s);
	CHECK(bell.heard == bell.rung, "a pass empties the bell");
	for (unsigned i = 0; i < 3000; i++) {
		produce_flags(2, 5 + i, SHORT, i % 7 ? 0 : BP_SEAL_DROPPED);
		if (i % 100 == 99)
			pass(r, &s);
	}
	CHECK(bell.rung == 32, "no record after a pass wakes, all around the ring and in no ring");
	produce(0, 5000, SHORT);
	CHECK(!rings_arm(r), "before it is waited again they are seen");
	pass(r, &s);
	CHECK(rings_arm(r), "then it can be waited for");
	produce_flags(0, 5001, SHORT, BP_SEAL_DROPPED);
	CHECK(bell.rung == 48, "what was given up wakes, too: the reader may wait for its end");
	CHECK(s.count == 4 + 3000 - 429 + 1 && !s.disorder, "%u came", s.count);
	/* Who is just ringing stays heard, so that the reader is awake when another one has rung in vain meanwhile. */
	pass(r, &s);
	CHECK(rings_arm(r) && bell.heard == 48, "all was heard");
	bell.heads[48 / 4] |= BPF_RINGBUF_BUSY_BIT;
	bell_ring(&bell);
	bell_ring(&bell);
	pass(r, &s);
	CHECK(bell.heard == 48, "what is not finished stays in the bell, and what is behind it");
	bell.heads[48 / 4] &= ~BPF_RINGBUF_BUSY_BIT;
	rings_arm(r);
	pass(r, &s);
	CHECK(bell.heard == 80, "until it is finished");
	unmake(r);
}

/* ---- by chance ---- */

static unsigned chance_of(uint64_t *state, unsigned n)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (unsigned)(*state >> 20) % n;
}

static unsigned chance(unsigned n)
{
	static uint64_t state = 88172645463325252u;

	return chance_of(&state, n);
}

enum { NESTED = 4, EVENTS = 200000 };

/* A program between its steps. */
enum stage { RESERVED, STAMPED, SEALED, WAITED, CLEARED };

struct program {
	uint64_t at, size;
	enum stage stage;
};

struct cpu {				/* programs, each interrupted by the next one */
	struct program programs[NESTED];
	unsigned nr;
};

/* One step of the innermost program. */
static void go_on(unsigned which, struct cpu *c)
{
	struct bp_ring *ring = map_ring(&map, which);
	struct program *p = &c->programs[c->nr - 1];

	switch (p->stage) {
	case RESERVED:
		map_record(ring, p->at)->ts = clock_now;
		break;
	case STAMPED:
		if (chance(2))
			p->size = ring_shrink(ring, p->at, p->size, 64 + 8 * chance((unsigned)(p->size - 64) / 8 + 1));
		seal(ring, p->at, p->size, 0);
		break;
	case SEALED:
		if (!is_waited(ring))
			c->nr--;
		break;
	case WAITED:
		clear_waiting(ring);
		break;
	case CLEARED:
		bell_ring(&bell);
		c->nr--;
		break;
	}
	p->stage++;
}

/* The innermost program goes on, or a new one interrupts it. Returns the number of the next record. */
static unsigned step(unsigned which, struct cpu *c, unsigned id)
{
	uint64_t size = 64 + 8 * chance(30), at;

	if (c->nr ? c->nr == NESTED || chance(12) : chance(6)) {
		if (c->nr)
			go_on(which, c);
		return id;
	}
	if (!reserve(which, size, &at))
		return id;
	c->programs[c->nr++] = (struct program){ .at = at, .size = size };
	fill(map_record(map_ring(&map, which), at), id, size);
	return id + 1;
}

static struct cpu cpus[RINGS];
static unsigned next_id;
static bool interleaves;

static void run_some(unsigned steps)
{
	for (; steps; steps--) {
		unsigned which = chance(RINGS);

		clock_now += chance(3) ? 0 : chance(2000);
		next_id = step(which, &cpus[which], next_id);
	}
}

static void interleave(void)
{
	if (interleaves)
		run_some(chance(4));
}

static void finish_all(void)
{
	interleaves = false;
	for (unsigned i = 0; i < RINGS; i++) {
		while (cpus[i].nr)
			go_on(i, &cpus[i]);
	}
}

static bool all_finished(void)
{
	return !cpus[0].nr && !cpus[1].nr && !cpus[2].nr;
}

static bool is_unread(const struct rings *r)
{
	bool unread = false;

	for (unsigned i = 0; i < r->nr; i++)
		unread |= map_ring(&map, i)->reserved != r->rings[i].free;
	return unread;
}

static void test_chance(void)
{
	struct rings *r = make(1 << 16);
	struct seen s = { .each = calloc(1, 2 * EVENTS) };
	unsigned wrong = 0, missed = 0, waited = 0;
	bool pending, waits = false;

	next_id = 0;
	interleaves = true;
	while (next_id < EVENTS) {
		run_some(1);
		/* When all programs have ended, one of them must have woken the reader. */
		missed += waits && all_finished() && is_unread(r) && bell.rung == bell.heard;
		if (chance(50) == 0) {
			s.stop_at = chance(4) ? 0 : s.count + 1 + chance(20);
			rings_pass(r, see, &s, &pending);
			waits = !pending && chance(2) && rings_arm(r);
			waited += waits;
		}
	}
	finish_all();
	s.stop_at = 0;
	rings_drain(r, see, &s);
	for (unsigned i = 0; i < next_id; i++)
		wrong += s.each[i] != 1;
	CHECK(s.count == next_id && !wrong && !s.torn, "%u records by chance: each comes once, and whole", s.count);
	CHECK(!s.disorder, "%u out of order", s.disorder);
	CHECK(!missed && waited > 100, "%u times of %u the reader was not woken", missed, waited);
	free(s.each);
	unmake(r);
}

/* A reader that holds is killed between two calls. The next one starts at `free`: nothing is missing, but some records come again. */
static void test_killed(void)
{
	struct rings *r = make(1 << 16);
	struct seen s = { .each = calloc(1, EVENTS) };
	unsigned missing = 0, killed = 0;

	next_id = 0;
	interleaves = r->holds = true;
	while (next_id < EVENTS / 4) {
		run_some(1);
		if (chance(50))
			continue;
		s.stop_at = chance(4) ? 0 : s.count + 1 + chance(20);
		pass(r, &s);
		if (chance(2))
			rings_commit(r);
		if (chance(20))
			continue;
		leave(r);
		r = reader(true);
		listen_to_bell(r);
		s.last = 0;
		killed++;
	}
	finish_all();
	s.stop_at = 0;
	rings_drain(r, see, &s);
	for (unsigned i = 0; i < next_id; i++)
		missing += !s.each[i];
	CHECK(!missing && !s.torn && !s.disorder, "%u readers killed: %u of %u records are missing", killed, missing, next_id);
	CHECK(s.count > next_id && killed > 100, "... %u came again", s.count - next_id);
	rings_commit(r);
	CHECK(!is_unread(r) && map_ring(&map, 0)->free == map_ring(&map, 0)->reserved, "... and at last all room is given back");
	free(s.each);
	unmake(r);
}

/* ---- threads ---- */

enum { WRITERS = 4, EACH = 100000 };

static atomic_uint writers_left;
static atomic_uint refused;

/* Two writers share a ring. Each record may be interrupted by another one. */
static void *write_records(void *ctx)
{
	unsigned me = (unsigned)(uintptr_t)ctx;
	struct bp_ring *ring = map_ring(&map, me / 2);
	uint64_t state = 88172645463325252u + me;

	for (unsigned i = 0; i < EACH;) {
		struct program open[NESTED];
		unsigned nr = 0, depth = 1 + chance_of(&state, NESTED);

		while (nr < depth && i < EACH) {
			uint64_t size = 64 + 8 * chance_of(&state, 40), at = ring_reserve(ring, size);

			if (at == FULL) {
				refused++;
				sched_yield();
				break;
			}
			map_record(ring, at)->ts = system_ns();
			fill(map_record(ring, at), me * EACH + i++, size);
			open[nr++] = (struct program){ .at = at, .size = size };
		}
		while (nr--) {
			struct program *p = &open[nr];

			if (chance_of(&state, 2))
				p->size = ring_shrink(ring, p->at, p->size, 64);
			seal(ring, p->at, p->size, 0);
			if (is_waited(ring)) {
				clear_waiting(ring);
				bell_ring(&bell);
			}
		}
	}
	writers_left--;
	return NULL;
}

static void test_threads(void)
{
	struct rings *r = make(1 << 16);
	struct seen s = { .each = calloc(1, WRITERS * EACH) };
	pthread_t writers[WRITERS];
	unsigned wrong = 0, slept = 0, lost = 0;

	clock_is_real = true;
	writers_left = WRITERS;
	for (unsigned i = 0; i < WRITERS; i++) {
		if (pthread_create(&writers[i], NULL, write_records, (void *)(uintptr_t)i))
			abort();
	}
	while (writers_left) {
		bool pending, waits;

		rings_pass(r, see, &s, &pending);
		waits = !pending && rings_arm(r);
		slept += waits;
		/* The bell, or the end of all writers; then whoever came last must have rung it. */
		while (waits && __atomic_load_n(&bell.rung, __ATOMIC_ACQUIRE) == bell.heard) {
			bool end = !writers_left;

			if (end && __atomic_load_n(&bell.rung, __ATOMIC_ACQUIRE) == bell.heard) {
				lost += is_unread(r);
				break;
			}
			sched_yield();
		}
	}
	for (unsigned i = 0; i < WRITERS; i++)
		pthread_join(writers[i], NULL);
	rings_drain(r, see, &s);
	for (unsigned i = 0; i < WRITERS * EACH; i++)
		wrong += s.each[i] != 1;
	CHECK(!wrong && s.count == WRITERS * EACH, "threads: each of %u records comes once (%u refused at first)", s.count, refused);
	CHECK(!s.torn, "... %u torn", s.torn);
	CHECK(!s.disorder, "... %u out of order", s.disorder);
	CHECK(!lost, "... the bell was missed %u times, of %u", lost, slept);
	clock_is_real = false;
	free(s.each);
	unmake(r);
}

int main(void)
{
	test_order();
	test_skipped();
	test_seals();
	test_room();
	test_shrink();
	test_mapping();
	test_copies();
	test_much(false);
	test_much(true);
	test_stuck();
	test_stop();
	test_given_back();
	test_hold();
	test_wakeups();
	test_chance();
	test_killed();
	test_threads();
	return tap_done();
}
