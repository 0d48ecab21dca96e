// SPDX-License-Identifier: GPL-2.0-only
/*
 * ring.c - the records of all rings, in time order.
 *
 * A record is stamped after its space is reserved. A pass reads the clock (T), then each
 * ring's reserved position, and takes all records up to this position. Later this ring can only
 * deliver records that were reserved after that reading, so their stamps are later than
 * T. If a ring has an unfinished record, it keeps the T of its last full pass. All
 * records stamped up to the smallest T are complete: they are merged and
 * delivered. Stamps can also be out of order within a ring: an interrupt's
 * record can be behind the record that it interrupted, and have the earlier stamp.
 *
 * Records are read in place. To take a record is to make an entry in the ring's index, which
 * is sorted by stamps. The record's room is given back to the programs when this record and all records before
 * it have been delivered.
 *
 * A record that is committed rings the bell only if the reader has said that it sleeps: see rings_arm().
 */
#include "run/ring.h"

#include <errno.h>
#include <linux/bpf.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/macros.h"
#include "base/memory.h"
#include "run/ring_view.h"

/*
 * While one ring is stuck behind an unfinished record, at most this many bytes are copied out of the other rings. After that
 * these rings fill up, and losses are counted there.
 */
enum { HOLD_MAX = 64 << 20 };

/*
 * The program's clock and ours are the same clock, but it is read in different ways. And before 5.12 a program reserves by a
 * plain store, which other CPUs may see a little later than the program reads the clock.
 */
enum { CLOCK_SLACK_NS = 1000 };

enum { DRAIN_TRIES = 100 };		/* one each millisecond */

enum { FEW = 64 };			/* entries that are looked at without counting the cost */

struct entry {
	uint64_t ts;
	uint64_t where;			/* address of the record, in the ring or in a spill | its bytes << 48 */
};

/* Records that were copied out of their ring. */
struct spill {
	struct spill *next;
	size_t len;
	unsigned char bytes[] __attribute__((aligned(8)));
};

struct ring {
	struct ring_view view;
	uint64_t since;			/* records with an earlier stamp were cleared */
	uint64_t complete;		/* all records stamped before this time were taken */
	uint64_t taken;			/* position behind the last record taken */
	uint64_t free;			/* everything before this position was delivered */
	uint64_t settled;		/* everything before this is given back with the next publication */
	uint64_t published;		/* everything before this was given back */
	struct entry *index;		/* sorted by stamp; the entries [first, end) are not delivered yet */
	size_t first, end;
	unsigned size;			/* entries that the index has room for */
	bool moved;			/* some were delivered in this pass */
	unsigned unfinished;		/* records that were stepped over */
	struct spill *spills;
};

/*
 * A BPF ring buffer. The layout is the kernel's ABI (kernel/bpf/ringbuf.c): a page with the consumer's position, one with the
 * producer's, then the data.
 */
struct bell {
	unsigned long *consumer;
	const unsigned long *producer;
	const unsigned char *data;
	unsigned long bytes;		/* of the data */
};

struct rings {
	struct ring *rings;
	struct bell *bells;
	struct ring **heap;		/* has room for all rings; used while records are merged */
	unsigned nr, nr_bells;
	bool holds;			/* delivered records stay in their ring until rings_commit() */
	bool armed;			/* the rings say that the reader sleeps */
	int epoll_fd;
	uint64_t spilled, fill;		/* spilled: bytes copied out; fill: bytes in the fullest ring at the last pass */
};

/* ---- opening ---- */

static int bell_map(struct rings *r, struct bell *bell, int fd, unsigned long bytes)
{
	struct epoll_event ev = { .events = EPOLLIN };
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *map = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (map == MAP_FAILED)
		return -errno;
	bell->consumer = map;
	map = mmap(NULL, page + bytes, PROT_READ, MAP_SHARED, fd, (off_t)page);
	if (map == MAP_FAILED)
		return -errno;
	bell->producer = map;
	bell->data = (const unsigned char *)map + page;
	bell->bytes = bytes;
	return epoll_ctl(r->epoll_fd, EPOLL_CTL_ADD, fd, &ev) ? -errno : 0;
}

static int src_map(struct rings *r, const struct ring_src *src)
{
	int err = bell_map(r, &r->bells[r->nr_bells++], src->bell_fd, src->bell_bytes);

	for (unsigned i = 0; !err && i < src->nr; i++) {
		struct ring *ring = &r->rings[r->nr];

		err = ring_view_open(&ring->view, src->fd, i, src->bytes, src->stride, true);
		if (err)
			break;
		r->nr++;
		ring->since = src->since;
		/* The position where the previous reader stopped. */
		ring->taken = ring->free = ring->settled = ring->published = ring_view_free(&ring->view);
	}
	return err;
}

int rings_open(const struct ring_src *srcs, unsigned nr, bool holds, struct rings **ret, struct diag *diag)
{
	struct rings *r = calloc(1, sizeof(*r));
	unsigned total = 0;
	int err = 0;

	if (!r)
		return diag_set(diag, -ENOMEM, "out of memory");
	for (unsigned i = 0; i < nr; i++)
		total += srcs[i].nr;
	r->holds = holds;
	r->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	r->rings = calloc(MAX(total, 1u), sizeof(*r->rings));
	r->heap = calloc(MAX(total, 1u), sizeof(struct ring *));
	r->bells = calloc(MAX(nr, 1u), sizeof(*r->bells));
	if (r->epoll_fd < 0 || !r->rings || !r->heap || !r->bells)
		err = -errno;
	for (unsigned i = 0; !err && i < nr; i++)
		err = src_map(r, &srcs[i]);
	if (err) {
		rings_close(r);
		return diag_set(diag, err, "cannot map the ring buffers: %s", strerror(-err));
	}
	*ret = r;
	return 0;
}

static const struct bp_rec *entry_record(struct entry e)
{
	return (const void *)(uintptr_t)(e.where << 16 >> 16);
}

static uint32_t entry_size(struct entry e)
{
	return (uint32_t)(e.where >> 48);
}

static uint64_t entry_where(const void *rec, uint64_t size)
{
	return (uint64_t)(uintptr_t)rec | size << 48;
}

static bool is_used(const struct ring *ring, const struct spill *s)
{
	for (size_t i = ring->first; i < ring->end; i++) {
		const uint8_t *rec = (const void *)entry_record(ring->index[i]);

		if (rec >= s->bytes && rec < s->bytes + s->len)
			return true;
	}
	return false;
}

/* Frees those copies that have no record left to deliver. */
static void drop_spills(struct rings *r, struct ring *ring)
{
	struct spill **at = &ring->spills, *s;

	while ((s = *at)) {
		if (is_used(ring, s)) {
			at = &s->next;
			continue;
		}
		*at = s->next;
		r->spilled -= s->len;
		free(s);
	}
}

static void ring_close(struct rings *r, struct ring *ring)
{
	ring->first = ring->end = 0;
	drop_spills(r, ring);
	free(ring->index);
	ring_view_close(&ring->view);
}

void rings_close(struct rings *r)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (!r)
		return;
	for (unsigned i = 0; i < r->nr; i++)
		ring_close(r, &r->rings[i]);
	for (unsigned i = 0; i < r->nr_bells; i++) {
		if (r->bells[i].consumer)
			munmap(r->bells[i].consumer, page);
		if (r->bells[i].producer)
			munmap((void *)(uintptr_t)r->bells[i].producer, page + r->bells[i].bytes);
	}
	if (r->epoll_fd >= 0)
		close(r->epoll_fd);
	free(r->bells);
	free(r->heap);
	free(r->rings);
	free(r);
}

int rings_fd(const struct rings *r)
{
	return r->epoll_fd;
}

/* ---- taking ---- */

/* Makes room for one more entry: reuses the delivered entries at the front, or grows. */
static void index_room(struct ring *ring)
{
	size_t nr = ring->end - ring->first;

	if (ring->first >= ring->size / 2 && ring->size) {
		memmove(ring->index, ring->index + ring->first, nr * sizeof(*ring->index));
	} else {
		ring->index = heap_grow(ring->index, ring->size, &ring->size);
		memmove(ring->index, ring->index + ring->first, nr * sizeof(*ring->index));
	}
	ring->first = 0;
	ring->end = nr;
}

/*
 * Inserts @e behind all entries with the same or an earlier stamp. It moves only past records that were interrupted
 * between reservation and stamp: as many as interrupts nest, or as CPUs share the ring.
 */
static void index_insert(struct ring *ring, struct entry e)
{
	struct entry *at;

	if (ring->end == ring->size)
		index_room(ring);
	for (at = ring->index + ring->end; at > ring->index + ring->first && at[-1].ts > e.ts; at--)
		at[0] = at[-1];
	*at = e;
	ring->end++;
}

/*
 * Takes finished records from the position @at up to @to, and returns the position behind the last one. What a turn of the loop
 * needs is in local variables: this is done for each record.
 */
static uint64_t index_take(struct ring *ring, uint64_t at, uint64_t to)
{
	const struct ring_view v = ring->view;
	uint64_t since = ring->since, newest = ring->first < ring->end ? ring->index[ring->end - 1].ts : 0;
	struct entry *next = ring->index + ring->end, *limit = ring->index + ring->size;

	while (at < to) {
		const struct bp_rec *rec = ring_view_at(&v, at);
		uint32_t sealed = ring_view_sealed(&v, at);
		uint64_t size = sealed & ~BP_SEAL_FLAGS;

		if (size - 1 >= to - at)		/* not finished; too large: see ring_take() */
			break;
		at += size;
		if (sealed & BP_SEAL_FLAGS || rec->ts < since)
			continue;
		if (rec->ts < newest || next == limit) {
			ring->end = (size_t)(next - ring->index);
			index_insert(ring, (struct entry){ rec->ts, entry_where(rec, size) });
			next = ring->index + ring->end;
			limit = ring->index + ring->size;
			newest = next[-1].ts;
		} else {
			newest = rec->ts;
			*next++ = (struct entry){ newest, entry_where(rec, size) };
		}
	}
	ring->end = (size_t)(next - ring->index);
	return at;
}

/*
 * Takes all finished records up to the reserved position. False: one record is unfinished. A record that gives room back moves that
 * position back, too. Then the position that was read may be in the middle of a later record. That record is taken the next time.
 */
static bool ring_take(struct rings *r, struct ring *ring)
{
	uint64_t to = ring_view_reserved(&ring->view);

	if (to == ring->taken && to == ring->free)
		return true;
	r->fill = MAX(r->fill, to - ring->free);
	if (ring_view_reach(&ring->view, ring->taken, to))
		out_of_memory();
	ring->taken = index_take(ring, ring->taken, to);
	return ring->taken == to;
}

/* ---- delivering ---- */

/* With equal stamps, the record in the lower ring comes first. */
static bool before(const struct ring *a, const struct ring *b)
{
	uint64_t x = a->index[a->first].ts, y = b->index[b->first].ts;

	return x != y ? x < y : a < b;
}

/* Moves the ring at @i down to its place. */
static void heap_down(struct ring **heap, unsigned nr, unsigned i)
{
	struct ring *ring = heap[i];

	for (unsigned child; (child = 2 * i + 1) < nr; i = child) {
		if (child + 1 < nr && before(heap[child + 1], heap[child]))
			child++;
		if (before(ring, heap[child]))
			break;
		heap[i] = heap[child];
	}
	heap[i] = ring;
}

static bool ring_has(const struct ring *ring, uint64_t until)
{
	return ring->first < ring->end && ring->index[ring->first].ts < until;
}

/* The first ring of the heap has records stamped before this that no other ring's record precedes. */
static uint64_t run_end(struct ring **heap, unsigned nr, uint64_t until)
{
	for (unsigned i = 1; i < MIN(nr, 3u); i++)
		until = MIN(until, heap[i]->index[heap[i]->first].ts + (heap[0] < heap[i]));
	return until;
}

/* Delivers records of @ring stamped before @until. *ret_stopped: @emit wanted no more. */
static unsigned deliver(struct ring *ring, uint64_t until, ring_record_fn emit, void *ctx, bool *ret_stopped)
{
	const struct entry *first = ring->index + ring->first, *end = ring->index + ring->end, *e = first;
	bool goes_on = true;

	for (; e < end && e->ts < until && goes_on; e++)
		goes_on = emit(ctx, entry_record(*e), entry_size(*e));
	ring->first += (size_t)(e - first);
	ring->moved = true;
	*ret_stopped = !goes_on;
	return (unsigned)(e - first);
}

/* Delivers the records stamped before @until, or fewer. *ret_stopped: @emit wanted no more. */
static unsigned merge(struct rings *r, uint64_t until, ring_record_fn emit, void *ctx, bool *ret_stopped)
{
	struct ring **heap = r->heap;
	unsigned nr = 0, done = 0;

	*ret_stopped = false;
	for (unsigned i = 0; i < r->nr; i++) {
		if (ring_has(&r->rings[i], until))
			heap[nr++] = &r->rings[i];
	}
	for (unsigned i = nr / 2; i--;)
		heap_down(heap, nr, i);
	while (nr && !*ret_stopped) {
		done += deliver(heap[0], run_end(heap, nr, until), emit, ctx, ret_stopped);
		if (!ring_has(heap[0], until))
			heap[0] = heap[--nr];
		if (nr > 1)
			heap_down(heap, nr, 0);
	}
	return done;
}

/* The distance from the record to @ring->taken; 0: the record is no longer in the ring. */
static uint64_t distance(const struct ring *ring, const struct bp_rec *rec)
{
	uint64_t off = (uintptr_t)rec - (uintptr_t)ring->view.data, mask = ring->view.mask;

	return off <= mask ? ((ring->taken - off - 1) & mask) + 1 : 0;
}

/* The first position of the records that are not delivered, found by looking at all of these. */
static uint64_t first_left(const struct ring *ring)
{
	uint64_t back = 0;

	for (size_t i = ring->first; i < ring->end; i++)
		back = MAX(back, distance(ring, entry_record(ring->index[i])));
	return ring->taken - back;
}

/*
 * The position up to which everything was delivered: all records that come before the next entry, first by stamp and then by
 * position. Looks once at each of these records, and at the first one that is not delivered.
 */
static uint64_t handed_on(const struct ring *ring)
{
	const struct entry *next = &ring->index[ring->first];
	uint64_t back = distance(ring, entry_record(*next)), at = ring->free;

	while (at < ring->taken) {
		uint32_t sealed = ring_view_sealed(&ring->view, at);
		uint64_t ts = ring_view_at(&ring->view, at)->ts;

		if (!(sealed & BP_SEAL_FLAGS) && (ts > next->ts || (ts == next->ts && (!back || at >= ring->taken - back))))
			break;
		at += sealed & ~(uint32_t)BP_SEAL_FLAGS;
	}
	return at;
}

static void ring_settle(struct rings *r, struct ring *ring)
{
	size_t left = ring->end - ring->first;

	if (!left) {
		ring->free = ring->taken;
		ring->first = ring->end = 0;
	} else if (ring->moved) {
		ring->free = left <= MAX(ring->first, (size_t)FEW) ? first_left(ring) : handed_on(ring);
	}
	if (!r->holds)
		ring->settled = ring->free;
	drop_spills(r, ring);
	ring->moved = false;
}

/* If undelivered records fill at least half of a ring, copies them out of it. */
static void ring_spill(struct rings *r, struct ring *ring)
{
	uint64_t len = ring->taken - ring->free;
	struct spill *s;

	if (len <= ring->view.mask / 2 || r->spilled + len > HOLD_MAX)
		return;
	s = malloc(sizeof(*s) + len);
	if (!s)
		return;
	*s = (struct spill){ .next = ring->spills };
	for (size_t i = ring->first; i < ring->end; i++) {
		const struct bp_rec *rec = entry_record(ring->index[i]);
		uint32_t size = entry_size(ring->index[i]);

		if (!distance(ring, rec))
			continue;
		memcpy(s->bytes + s->len, rec, size);
		ring->index[i].where = entry_where(s->bytes + s->len, size);
		s->len += size;
	}
	ring->spills = s;
	r->spilled += s->len;
	ring->free = ring->settled = ring->taken;
}

/* Gives the room of settled records back to the programs. */
static void ring_publish(struct ring *ring)
{
	if (ring->settled == ring->published)
		return;
	ring->published = ring->settled;
	__atomic_store_n(&ring->view.ring->free, ring->settled, __ATOMIC_RELEASE);
}

static unsigned release(struct rings *r, uint64_t until, ring_record_fn emit, void *ctx, bool *ret_pending)
{
	bool stopped;
	unsigned done = merge(r, until, emit, ctx, &stopped);

	for (unsigned i = 0; i < r->nr; i++) {
		struct ring *ring = &r->rings[i];

		if (ring->free == ring->taken && !ring->end)
			continue;
		ring_settle(r, ring);
		if (!stopped && !r->holds)
			ring_spill(r, ring);
		ring_publish(ring);
		*ret_pending |= ring->first < ring->end;
	}
	return done;
}

static void disarm(struct rings *r);

unsigned rings_pass(struct rings *r, ring_record_fn emit, void *ctx, bool *ret_pending)
{
	uint64_t start, until;

	if (r->armed)
		disarm(r);
	start = until = now_ns() - CLOCK_SLACK_NS;
	*ret_pending = false;
	r->fill = 0;
	for (unsigned i = 0; i < r->nr; i++) {
		struct ring *ring = &r->rings[i];

		if (ring_take(r, ring))
			ring->complete = start;
		else
			*ret_pending = true;
		until = MIN(until, ring->complete);
	}
	return release(r, until, emit, ctx, ret_pending);
}

/* What is behind a record that no program finishes is found by its seal, which has its position. */
static void step_over(struct ring *ring)
{
	uint64_t to = ring_view_reserved(&ring->view), at = ring->taken + 8;

	if (ring_view_reach(&ring->view, ring->taken, to))
		out_of_memory();
	while (at < to && (ring_view_sealed(&ring->view, at) & ~(uint64_t)BP_SEAL_FLAGS) - 1 >= to - at)
		at += 8;
	ring->taken = MIN(at, to);
	ring->unfinished++;
}

unsigned rings_unfinished(const struct rings *r, unsigned ring)
{
	return ring < r->nr ? r->rings[ring].unfinished : 0;
}

unsigned rings_drain(struct rings *r, ring_record_fn emit, void *ctx)
{
	bool pending = true;

	/* If a program was running when its probe was detached, it will finish its record soon. */
	for (unsigned tries = 0; pending && tries < DRAIN_TRIES; tries++) {
		if (tries)
			poll(NULL, 0, 1);
		pending = false;
		for (unsigned i = 0; i < r->nr; i++)
			pending |= !ring_take(r, &r->rings[i]);
	}
	for (unsigned i = 0; pending && i < r->nr; i++) {
		while (!ring_take(r, &r->rings[i]))
			step_over(&r->rings[i]);
	}
	return release(r, UINT64_MAX, emit, ctx, &pending);
}

void rings_commit(struct rings *r)
{
	for (unsigned i = 0; i < r->nr; i++) {
		r->rings[i].settled = r->rings[i].free;
		ring_publish(&r->rings[i]);
	}
}

void rings_leave(struct rings *r)
{
	for (unsigned i = 0; i < r->nr; i++)
		ring_publish(&r->rings[i]);
	if (r->armed)
		disarm(r);
}

/* ---- being woken ---- */

uint64_t rings_fill(const struct rings *r)
{
	return r->fill;
}

/*
 * Empties the bell up to the first entry that a program is still writing. That program will wake the reader. Until then it holds the bell's
 * lock, so other programs may fail to ring. (tests/model/sleep.pml, DRAIN_ALL: if this entry is taken too, a wake-up is lost.)
 */
static void bell_empty(const struct bell *bell)
{
	unsigned long to = __atomic_load_n(bell->producer, __ATOMIC_ACQUIRE), at = *bell->consumer;

	while (at < to) {
		const void *p = bell->data + (at & (bell->bytes - 1));
		uint32_t head = __atomic_load_n((const uint32_t *)p, __ATOMIC_ACQUIRE);

		if (head & BPF_RINGBUF_BUSY_BIT)
			break;
		at += ROUND_UP((head & ~BPF_RINGBUF_DISCARD_BIT) + BPF_RINGBUF_HDR_SZ, 8u);
	}
	__atomic_store_n(bell->consumer, at, __ATOMIC_RELEASE);
}

/*
 * Stops the bells before records are looked for. A program that rings later wakes the reader from its next sleep. A program that rang
 * before has finished its record, which is found now.
 */
static void disarm(struct rings *r)
{
	r->armed = false;
	for (unsigned i = 0; i < r->nr; i++)
		__atomic_store_n(&r->rings[i].view.ring->waiting, 0, __ATOMIC_RELAXED);
	for (unsigned i = 0; i < r->nr_bells; i++)
		bell_empty(&r->bells[i]);
}

/*
 * The order is important. If a record was reserved before its ring's position is read here, it is seen here. Any other record was reserved
 * after `waiting` was stored. Its program looks at `waiting` after it has stored the seal by an exchange. So it sees the 1 and rings the
 * bell; or it sees that another program has cleared `waiting`, and that program rings the bell.
 */
bool rings_arm(struct rings *r)
{
	bool idle = true;

	r->armed = true;
	for (unsigned i = 0; i < r->nr; i++)
		__atomic_store_n(&r->rings[i].view.ring->waiting, 1, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	for (unsigned i = 0; i < r->nr; i++)
		idle &= ring_view_reserved(&r->rings[i].view) == r->rings[i].free;
	return idle;
}
