// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_ring.c - the order of records from several rings, which records wait, and who is woken.
 *
 * The rings are plain memory with the kernel's layout of positions and records, and the
 * clock is the test's own.
 */
#include <stdint.h>

static uint64_t clock_now = 1000000000;

#define now_ns system_ns
#include "base/clock.h"
#undef now_ns

static uint64_t now_ns(void)
{
	return clock_now;
}

#include "run/ring.c"
#include "tap.h"

enum { RINGS = 3 };

static struct fake {
	unsigned long producer, consumer;
	unsigned char *data;
	unsigned wakeups;
} fakes[RINGS];

static struct rings *make(uint64_t size)
{
	struct rings *r = calloc(1, sizeof(*r));

	r->nr = RINGS;
	r->epoll_fd = -1;
	r->rings = calloc(RINGS, sizeof(*r->rings));
	r->heap = calloc(RINGS, sizeof(struct ring *));
	for (unsigned i = 0; i < RINGS; i++) {
		int fd = memfd_create("ring", MFD_CLOEXEC);
		unsigned char *data = mmap(NULL, 2 * size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		/* Twice in a row, as the kernel maps it. */
		if (ftruncate(fd, (off_t)size) || data == MAP_FAILED)
			abort();
		for (unsigned k = 0; k < 2; k++)
			mmap(data + k * size, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0);
		close(fd);
		fakes[i] = (struct fake){ .data = data };
		r->rings[i].consumer_pos = &fakes[i].consumer;
		r->rings[i].producer_pos = &fakes[i].producer;
		r->rings[i].data = data;
		r->rings[i].bytes = size;
	}
	return r;
}

static void unmake(struct rings *r)
{
	for (unsigned i = 0; i < RINGS; i++) {
		ring_free(r, &r->rings[i]);
		munmap(fakes[i].data, 2 * r->rings[i].bytes);
	}
	CHECK(r->spilled == 0, "no copies are left");
	free(r->heap);
	free(r->rings);
	free(r);
}

/* As bpf_ringbuf_reserve(): the head of a busy record; NULL: there is no room. */
static uint32_t *reserve(const struct rings *r, unsigned ring, uint32_t len)
{
	struct fake *f = &fakes[ring];
	unsigned char *at = f->data + (f->producer & (r->rings[ring].bytes - 1));
	unsigned long to = f->producer + ROUND_UP(len + BPF_RINGBUF_HDR_SZ, 8u);

	if (to - f->consumer > r->rings[ring].bytes - 1)
		return NULL;
	f->producer = to;
	*(uint32_t *)(void *)at = len | BPF_RINGBUF_BUSY_BIT;
	memset(at + BPF_RINGBUF_HDR_SZ, 0, sizeof(struct bp_rec));
	return (uint32_t *)(void *)at;
}

static struct bp_rec *record(uint32_t *head)
{
	return (void *)((unsigned char *)head + BPF_RINGBUF_HDR_SZ);
}

/* As bpf_ringbuf_commit(): wakes if the consumer has come as far as this record. */
static void commit(const struct rings *r, unsigned ring, uint32_t *head, uint32_t flags)
{
	struct fake *f = &fakes[ring];
	unsigned long at = (unsigned long)((unsigned char *)head - f->data);

	*head = (*head & ~BPF_RINGBUF_BUSY_BIT) | flags;
	f->wakeups += (f->consumer & (r->rings[ring].bytes - 1)) == at;
}

static uint32_t *produce(const struct rings *r, unsigned ring, uint64_t ts, uint32_t len, uint32_t flags)
{
	uint32_t *head = reserve(r, ring, len);

	if (!head)
		return NULL;
	record(head)->ts = ts;
	if (!(flags & BPF_RINGBUF_BUSY_BIT))
		commit(r, ring, head, flags);
	return head;
}

struct seen {
	uint64_t last;
	unsigned count, disorder, stop_at;
	unsigned char *each;		/* how often each tgid was seen */
};

static bool see(void *ctx, const struct bp_rec *rec, uint32_t len)
{
	struct seen *s = ctx;

	s->disorder += rec->ts < s->last || len < sizeof(*rec);
	s->last = rec->ts;
	s->count++;
	if (s->each)
		s->each[rec->tgid]++;
	return s->count != s->stop_at;
}

static void test_order(void)
{
	struct rings *r = make(1 << 20);
	struct seen s = { 0 };
	uint32_t *busy;
	bool pending;

	produce(r, 0, 30, 64, 0);
	produce(r, 0, 20, 64, 0);	/* of an interrupt, stamped before the record that it interrupted */
	produce(r, 1, 10, 64, 0);
	produce(r, 1, 25, 64, BPF_RINGBUF_DISCARD_BIT);
	busy = produce(r, 1, 40, 64, BPF_RINGBUF_BUSY_BIT);
	produce(r, 1, 50, 64, 0);
	rings_pass(r, see, &s, &pending);
	CHECK(s.count == 0 && pending, "nothing is released before every ring was read to its end");
	CHECK(!rings_arm(r), "and then the reader does not wait for a wakeup");
	commit(r, 1, busy, 0);
	rings_pass(r, see, &s, &pending);
	CHECK(s.count == 5 && !s.disorder && !pending, "then all are, in the order of their stamps");
	busy = produce(r, 0, 60, 64, BPF_RINGBUF_BUSY_BIT);
	produce(r, 1, clock_now + 1000000000, 64, 0);
	rings_pass(r, see, &s, &pending);
	CHECK(s.count == 5 && pending, "a record stamped after the pass is held back");
	commit(r, 0, busy, 0);
	CHECK(rings_drain(r, see, &s) == 2 && s.count == 7 && !s.disorder, "and handed on at the end");
	unmake(r);
}

/* A copy is freed when its record was printed, although other records of the ring still wait. */
static void test_copies(void)
{
	struct rings *r = make(1 << 16);
	struct seen s = { 0 };
	uint32_t *busy;
	bool pending;

	for (unsigned stall = 0; stall < 5; stall++) {
		clock_now += 1000000;
		busy = produce(r, 1, clock_now - 5000, 64, BPF_RINGBUF_BUSY_BIT);
		for (unsigned i = 0; i < 40; i++)
			produce(r, 0, clock_now - 6000, 1024, 0);
		rings_pass(r, see, &s, &pending);
		CHECK(r->spilled > 0, "stall %u: half a ring is copied out", stall);
		commit(r, 1, busy, 0);
		produce(r, 0, clock_now, 64, 0);
		rings_pass(r, see, &s, &pending);
		CHECK(!r->spilled && pending, "stall %u: and given back, though a record waits", stall);
	}
	rings_drain(r, see, &s);
	unmake(r);
}

/* More than HOLD_MAX waits: all of it is printed, in order. */
static void test_much(bool drain)
{
	enum { SIZE = 64 << 20, RECORD = 4096, EACH = 10000 };
	struct rings *r = make(SIZE);
	struct seen s = { 0 };
	bool pending = true;

	for (unsigned i = 0; i < EACH; i++) {
		produce(r, 0, 2 * i + 1, RECORD, 0);
		produce(r, 1, 2 * i + 2, RECORD, 0);
	}
	if (drain)
		rings_drain(r, see, &s);
	else
		rings_pass(r, see, &s, &pending);
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
	uint32_t *busy = produce(r, 0, 1, 64, BPF_RINGBUF_BUSY_BIT);
	unsigned done, refused = 0;
	bool pending;

	for (done = 1; refused < 100; done++) {
		bool taken = produce(r, 1, done + 1, RECORD, 0);

		done -= !taken;
		refused += !taken;
		if (done % 100 == 0 || !taken)
			rings_pass(r, see, &s, &pending);
	}
	done--;
	CHECK(s.count == 0 && r->spilled <= HOLD_MAX, "what is held back is bounded");
	CHECK((size_t)done * RECORD > HOLD_MAX, "%u records were held", done);
	record(busy)->ts = 1;
	commit(r, 0, busy, 0);
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
		produce(r, i % 2, 100 + i, 64, 0);
	CHECK(rings_pass(r, see, &s, &pending) == 3 && pending, "it stops when it is told to");
	CHECK(fakes[0].consumer == 2 * 72 && fakes[1].consumer == 72, "records not handed on keep their room");
	CHECK(!rings_arm(r), "the reader does not wait while there are records");
	CHECK(rings_pass(r, see, &s, &pending) == 7 && !pending && !s.disorder, "the rest comes with the next pass");
	unmake(r);
}

/* A record that was passed on stays until it is released; the next reader begins after the released ones. */
static void test_hold(void)
{
	struct rings *r = make(1 << 20);
	struct seen s = { .stop_at = 4 };
	bool pending;

	r->holds = true;
	for (unsigned i = 0; i < 10; i++)
		produce(r, 0, 100 + i, 64, 0);
	CHECK(rings_pass(r, see, &s, &pending) == 4 && fakes[0].consumer == 0, "a reader that holds gives no room back");
	rings_commit(r);
	CHECK(fakes[0].consumer == 4 * 72, "until it says so: then that of what was handed on");
	rings_pass(r, see, &s, &pending);
	CHECK(!rings_arm(r) || fakes[0].consumer == 4 * 72, "nor does waiting give any back");
	rings_leave(r);
	CHECK(fakes[0].consumer == 4 * 72, "nor leaving: the next one sees them again");
	rings_commit(r);
	rings_leave(r);
	CHECK(fakes[0].consumer == fakes[0].producer && s.count == 10, "but what was written is done with");
	unmake(r);
}

static void test_wakeups(void)
{
	struct rings *r = make(1 << 16);
	struct seen s = { 0 };
	bool pending;

	CHECK(rings_arm(r), "empty rings can be waited for");
	produce(r, 0, 1, 64, 0);
	CHECK(fakes[0].wakeups == 1, "the first record wakes");
	produce(r, 0, 2, 64, 0);
	CHECK(fakes[0].wakeups == 1, "the second one does not");
	rings_pass(r, see, &s, &pending);
	for (unsigned i = 0; i < 3000; i++) {
		produce(r, 0, 3 + i, 64, i % 7 ? 0 : BPF_RINGBUF_DISCARD_BIT);
		if (i % 100 == 99)
			rings_pass(r, see, &s, &pending);
	}
	CHECK(fakes[0].wakeups == 1, "no record after a pass wakes it either, all around the ring");
	produce(r, 0, 5000, 64, 0);
	CHECK(!rings_arm(r), "before it is waited again they are seen");
	rings_pass(r, see, &s, &pending);
	CHECK(rings_arm(r) && fakes[0].consumer == fakes[0].producer, "then all room is the kernel's");
	produce(r, 0, 5001, 64, 0);
	CHECK(fakes[0].wakeups == 2, "and the next one wakes");
	CHECK(s.count == 2 + 3000 - 429 + 1 && !s.disorder, "%u came", s.count);
	unmake(r);
}

/* ---- by chance ---- */

static unsigned chance(unsigned n)
{
	static uint64_t state = 88172645463325252u;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (unsigned)(state >> 20) % n;
}

enum { NESTED = 4, EVENTS = 200000 };

struct cpu {				/* records begun and interrupted by the next one */
	uint32_t *open[NESTED];
	bool stamped[NESTED];
	unsigned nr;
};

static unsigned step(const struct rings *r, unsigned which, struct cpu *c, unsigned id)
{
	unsigned top = c->nr - 1;

	if (c->nr < NESTED && chance(3) == 0) {
		uint32_t *head = reserve(r, which, 64 + chance(200));

		if (!head)
			return id;
		record(head)->tgid = id;
		c->open[c->nr] = head;
		c->stamped[c->nr++] = false;
		return id + 1;
	}
	if (c->nr && !c->stamped[top]) {
		record(c->open[top])->ts = clock_now;
		c->stamped[top] = true;
	} else if (c->nr) {
		commit(r, which, c->open[top], 0);
		c->nr--;
	}
	return id;
}

static void test_chance(void)
{
	struct rings *r = make(1 << 16);
	struct seen s = { .each = calloc(1, EVENTS + 1) };
	struct cpu cpus[RINGS] = { 0 };
	unsigned id = 0, wrong = 0, missed = 0;
	bool pending, waits = false;

	while (id < EVENTS) {
		unsigned which = chance(RINGS);

		clock_now += chance(3) ? 0 : chance(2000);
		id = step(r, which, &cpus[which], id);
		/* When all records of a ring are finished, one of them must have woken the reader. */
		missed += waits && !cpus[which].nr && fakes[which].producer != fakes[which].consumer &&
			  !(fakes[0].wakeups + fakes[1].wakeups + fakes[2].wakeups);
		if (chance(50) == 0) {
			s.stop_at = chance(4) ? 0 : s.count + 1 + chance(20);
			rings_pass(r, see, &s, &pending);
			for (unsigned i = 0; i < RINGS; i++)
				fakes[i].wakeups = 0;
			waits = !pending && chance(2) && rings_arm(r);
		}
	}
	for (unsigned i = 0; i < RINGS; i++) {
		while (cpus[i].nr) {
			record(cpus[i].open[--cpus[i].nr])->ts = clock_now;
			commit(r, i, cpus[i].open[cpus[i].nr], 0);
		}
	}
	s.stop_at = 0;
	rings_drain(r, see, &s);
	for (unsigned i = 0; i < id; i++)
		wrong += s.each[i] != 1;
	CHECK(s.count == id && !wrong, "%u records by chance: each comes once", id);
	CHECK(!s.disorder, "%u out of order", s.disorder);
	CHECK(!missed, "%u times the reader was not woken", missed);
	free(s.each);
	unmake(r);
}

int main(void)
{
	test_order();
	test_copies();
	test_much(false);
	test_much(true);
	test_stuck();
	test_stop();
	test_hold();
	test_wakeups();
	test_chance();
	return tap_done();
}
