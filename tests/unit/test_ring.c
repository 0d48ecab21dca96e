// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_ring.c - the order of records from several rings, and what is held back.
 *
 * The rings are plain memory with the kernel's layout of positions and records.
 */
#include "run/ring.c"

#include "tap.h"

enum { RINGS = 2 };

static struct fake {
	unsigned long producer, consumer;
	unsigned char *data;
} fakes[RINGS];

static struct rings *make(uint64_t size)
{
	struct rings *r = calloc(1, sizeof(*r));

	r->size = size;
	r->nr = RINGS;
	r->epoll_fd = -1;
	r->rings = calloc(RINGS, sizeof(*r->rings));
	for (unsigned i = 0; i < RINGS; i++) {
		fakes[i] = (struct fake){ .data = calloc(1, size) };
		r->rings[i].consumer_pos = &fakes[i].consumer;
		r->rings[i].producer_pos = &fakes[i].producer;
		r->rings[i].data = fakes[i].data;
	}
	return r;
}

static void unmake(struct rings *r)
{
	for (unsigned i = 0; i < RINGS; i++)
		free(fakes[i].data);
	free(r->rings);
	free(r->held);
	buf_fini(&r->data);
	buf_fini(&r->spare);
	free(r);
}

/* Adds a record of @len bytes; returns its head, so that it can be finished later. */
static uint32_t *produce(unsigned ring, uint64_t ts, uint32_t len, uint32_t flags)
{
	unsigned char *at = fakes[ring].data + fakes[ring].producer;
	struct bp_rec rec = { .ts = ts };

	memcpy(at, &(uint32_t){ len | flags }, sizeof(uint32_t));
	memcpy(at + BPF_RINGBUF_HDR_SZ, &rec, sizeof(rec));
	fakes[ring].producer += ROUND_UP(len + BPF_RINGBUF_HDR_SZ, 8u);
	return (uint32_t *)(void *)at;
}

struct seen {
	uint64_t last;
	unsigned count, disorder;
};

static void see(void *ctx, struct bp_rec *rec, uint32_t len)
{
	struct seen *s = ctx;

	(void)len;
	s->disorder += rec->ts < s->last;
	s->last = rec->ts;
	s->count++;
}

static void test_order(void)
{
	struct rings *r = make(1 << 20);
	struct seen s = { 0 };
	uint32_t *busy;
	bool pending;

	produce(0, 30, 64, 0);
	produce(0, 20, 64, 0);		/* an interrupt's, stamped before what it interrupted */
	produce(1, 10, 64, 0);
	produce(1, 25, 64, BPF_RINGBUF_DISCARD_BIT);
	busy = produce(1, 40, 64, BPF_RINGBUF_BUSY_BIT);
	produce(1, 50, 64, 0);
	rings_pass(r, see, &s, &pending);
	CHECK(s.count == 0 && pending, "nothing is released before every ring was read to its end");
	*busy &= ~BPF_RINGBUF_BUSY_BIT;
	rings_pass(r, see, &s, &pending);
	CHECK(s.count == 5 && !s.disorder && !pending, "then all are, in the order of their stamps");
	busy = produce(0, 60, 64, BPF_RINGBUF_BUSY_BIT);
	produce(1, now_ns() + 1000000000, 64, 0);
	rings_pass(r, see, &s, &pending);
	CHECK(s.count == 5 && pending, "a record stamped after the pass is held back");
	*busy &= ~BPF_RINGBUF_BUSY_BIT;
	s.last = 0;
	CHECK(rings_drain(r, see, &s) == 2 && s.count == 7 && !s.disorder, "and handed on at the end");
	unmake(r);
}

/* More than HOLD_MAX waits: it still comes out, all of it, in order. */
static void test_much(bool drain)
{
	enum { SIZE = 64 << 20, RECORD = 4096, EACH = 10000 };
	struct rings *r = make(SIZE);
	struct seen s = { 0 };
	bool pending = true;

	for (unsigned i = 0; i < EACH; i++) {
		produce(0, 2 * i + 1, RECORD, 0);
		produce(1, 2 * i + 2, RECORD, 0);
	}
	for (unsigned i = 0; !drain && i < 10; i++)
		rings_pass(r, see, &s, &pending);
	if (drain)
		rings_drain(r, see, &s);
	CHECK(s.count == 2 * EACH && !s.disorder, "%u records of 2 rings, %u out of order (%s)", s.count,
	      s.disorder, drain ? "drained" : "in passes");
	unmake(r);
}

/* One ring is stuck: the other is left to fill up, and both go on when it moves. */
static void test_stuck(void)
{
	enum { SIZE = 128 << 20, RECORD = 4096, MANY = 30000 };
	struct rings *r = make(SIZE);
	struct seen s = { 0 };
	uint32_t *busy = produce(0, 1, 64, BPF_RINGBUF_BUSY_BIT);
	bool pending;

	for (unsigned i = 0; i < MANY; i++) {
		produce(1, i + 2, RECORD, 0);
		if (i % 5000 == 0)
			rings_pass(r, see, &s, &pending);
	}
	for (unsigned i = 0; i < 5; i++)
		rings_pass(r, see, &s, &pending);
	CHECK(s.count == 0 && r->data.len < HOLD_MAX + 5000ul * (RECORD + 8) * 2, "what is held back is bounded");
	*busy &= ~BPF_RINGBUF_BUSY_BIT;
	for (unsigned i = 0; i < 5; i++)
		rings_pass(r, see, &s, &pending);
	CHECK(s.count == MANY + 1 && !s.disorder && !pending, "nothing was lost, %u of %u", s.count, MANY + 1);
	unmake(r);
}

int main(void)
{
	test_order();
	test_much(false);
	test_much(true);
	test_stuck();
	return tap_done();
}
