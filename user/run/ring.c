// SPDX-License-Identifier: GPL-2.0-only
/*
 * ring.c - the records of all rings, in time order.
 *
 * A record is stamped after its space is reserved. A pass reads the clock (T), then each
 * ring's producer position, and takes all records up to this position. Later this ring can only
 * deliver records that were reserved after that reading, so their stamps are later than
 * T. If a ring has an unfinished record, it keeps the T of its last full pass. All
 * records stamped up to the smallest T are complete: they are merged and
 * delivered. Stamps can also be out of order within a ring: an interrupt's
 * record can be behind the record that it interrupted, and have the earlier stamp.
 *
 * Records are read in place. To take a record is to make an entry in the ring's index, which
 * is sorted by stamps. The record's room goes back to the kernel when this record and all records before
 * it have been delivered.
 *
 * The kernel wakes a reader when a record is submitted at exactly the position that the
 * consumer has reached (6.12, kernel/bpf/ringbuf.c, bpf_ringbuf_commit(); so since 5.8).
 * A pass leaves this position at the last record taken. So nobody is woken, however many records
 * come, until rings_arm() moves the position forward.
 *
 * The layout of a ring's pages is the kernel's ABI (kernel/bpf/ringbuf.c): one page
 * with the consumer's position, one with the producer's, the data twice in a row.
 */
#include "run/ring.h"

#include <errno.h>
#include <linux/bpf.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/clock.h"

/*
 * While one ring is stuck behind an unfinished record, at most this many bytes are copied out of the other rings. After that
 * these rings fill up, and losses are counted there.
 */
enum { HOLD_MAX = 64 << 20 };

/* The program's clock and ours are the same clock, but it is read in different ways. */
enum { CLOCK_SLACK_NS = 1000 };

enum { DRAIN_TRIES = 100 };		/* one each millisecond */

struct entry {
	uint64_t ts;
	const struct bp_rec *rec;	/* in the ring or in a spill, after its head */
};

/* Records, with their heads, that were copied out of their ring. */
struct spill {
	struct spill *next;
	size_t len;
	unsigned char bytes[] __attribute__((aligned(8)));
};

struct ring {
	uint64_t bytes;			/* of its data */
	uint64_t since;			/* records with an earlier stamp were cleared */
	unsigned long *consumer_pos;	/* on a page that we may write */
	const unsigned long *producer_pos;
	const unsigned char *data;
	void *producer_map;
	uint64_t complete;		/* all records stamped before this time were taken */
	unsigned long taken, last;	/* positions: behind the last record taken, and of this record itself */
	unsigned long free;		/* everything before this position was delivered */
	unsigned long settled;		/* everything before this goes back to the kernel with the next publication */
	struct entry *index;		/* sorted by stamp; the entries [first, end) are not delivered yet */
	size_t first, end, size;
	bool moved;			/* some were delivered in this pass */
	struct spill *spills;
};

struct rings {
	struct ring *rings;
	struct ring **heap;		/* has room for all rings; used while records are merged */
	unsigned nr;
	bool holds;			/* delivered records stay in their ring until rings_commit() */
	int epoll_fd;
	uint64_t page;
	uint64_t spilled, fill;		/* spilled: bytes copied out; fill: bytes in the fullest ring at the last pass */
};

/* ---- opening ---- */

static int ring_map(struct rings *r, struct ring *ring, const struct ring_src *src)
{
	struct epoll_event ev = { .events = EPOLLIN };
	void *map;

	ring->bytes = src->size;
	ring->since = src->since;
	map = mmap(NULL, r->page, PROT_READ | PROT_WRITE, MAP_SHARED, src->fd, 0);
	if (map == MAP_FAILED)
		return -errno;
	ring->consumer_pos = map;
	map = mmap(NULL, r->page + 2 * src->size, PROT_READ, MAP_SHARED, src->fd, (off_t)r->page);
	if (map == MAP_FAILED)
		return -errno;
	ring->producer_map = map;
	ring->producer_pos = map;
	ring->data = (const unsigned char *)map + r->page;
	/* The position where the previous reader stopped. */
	ring->taken = ring->last = ring->free = ring->settled = *ring->consumer_pos;
	return epoll_ctl(r->epoll_fd, EPOLL_CTL_ADD, src->fd, &ev) ? -errno : 0;
}

int rings_open(const struct ring_src *srcs, unsigned nr, bool holds, struct rings **ret, struct diag *diag)
{
	struct rings *r = calloc(1, sizeof(*r));
	int err = 0;

	if (!r)
		return diag_set(diag, -ENOMEM, "out of memory");
	r->holds = holds;
	r->page = (uint64_t)sysconf(_SC_PAGESIZE);
	r->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	r->rings = calloc(nr, sizeof(*r->rings));
	r->heap = calloc(nr, sizeof(struct ring *));
	if (r->epoll_fd < 0 || !r->rings || !r->heap)
		err = -errno;
	for (unsigned i = 0; !err && i < nr; i++, r->nr++)
		err = ring_map(r, &r->rings[i], &srcs[i]);
	if (err) {
		rings_close(r);
		return diag_set(diag, err, "cannot map the ring buffers: %s", strerror(-err));
	}
	*ret = r;
	return 0;
}

static bool is_used(const struct ring *ring, const struct spill *s)
{
	for (size_t i = ring->first; i < ring->end; i++) {
		const uint8_t *rec = (const void *)ring->index[i].rec;

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

/* Frees the ring's memory on the heap. */
static void ring_free(struct rings *r, struct ring *ring)
{
	ring->first = ring->end = 0;
	drop_spills(r, ring);
	free(ring->index);
}

void rings_close(struct rings *r)
{
	if (!r)
		return;
	for (unsigned i = 0; r->rings && i < r->nr; i++) {
		munmap(r->rings[i].consumer_pos, r->page);
		munmap(r->rings[i].producer_map, r->page + 2 * r->rings[i].bytes);
		ring_free(r, &r->rings[i]);
	}
	if (r->epoll_fd >= 0)
		close(r->epoll_fd);
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
		size_t size = ring->size ? ring->size * 2 : 256;
		struct entry *more = reallocarray(ring->index, size, sizeof(*more));

		if (!more) {
			fputs("bprobe: out of memory\n", stderr);
			abort();
		}
		ring->index = more;
		ring->size = size;
		memmove(more, more + ring->first, nr * sizeof(*more));
	}
	ring->first = 0;
	ring->end = nr;
}

/*
 * Inserts @rec behind all entries with the same or an earlier stamp. It moves only past records that were interrupted
 * between reservation and stamp: as many as interrupts nest, or as CPUs share the ring.
 */
static void index_add(struct ring *ring, const struct bp_rec *rec)
{
	uint64_t ts = rec->ts;
	struct entry *at;

	if (ring->end == ring->size)
		index_room(ring);
	for (at = ring->index + ring->end; at > ring->index + ring->first && at[-1].ts > ts; at--)
		at[0] = at[-1];
	*at = (struct entry){ ts, rec };
	ring->end++;
}

struct head {
	const struct bp_rec *rec;	/* NULL: it was discarded */
	uint32_t size;			/* bytes in the ring, with its head */
	bool busy;			/* not finished: the other two members are not valid */
};

static inline struct head head_read(const struct ring *ring, unsigned long at)
{
	const unsigned char *p = ring->data + (at & (ring->bytes - 1));
	uint32_t head = __atomic_load_n((const uint32_t *)(const void *)p, __ATOMIC_ACQUIRE);
	uint32_t len = head & ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);
	bool is_record = !(head & BPF_RINGBUF_DISCARD_BIT) && len >= sizeof(struct bp_rec);

	return (struct head){
		.rec = is_record ? (const void *)(p + BPF_RINGBUF_HDR_SZ) : NULL,
		.size = ROUND_UP(len + BPF_RINGBUF_HDR_SZ, 8u),
		.busy = head & BPF_RINGBUF_BUSY_BIT,
	};
}

/* Takes all finished records up to the producer's position. False: one record is unfinished. */
static bool ring_take(struct rings *r, struct ring *ring)
{
	unsigned long to = __atomic_load_n(ring->producer_pos, __ATOMIC_ACQUIRE);
	unsigned long at = ring->taken;
	bool whole = true;

	r->fill = MAX(r->fill, to - ring->free);
	while (at < to) {
		struct head head = head_read(ring, at);

		if (head.busy) {
			whole = false;
			break;
		}
		if (head.rec && head.rec->ts >= ring->since)
			index_add(ring, head.rec);
		ring->last = at;
		at += head.size;
	}
	ring->taken = at;
	return whole;
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

static uint32_t record_len(const struct bp_rec *rec)
{
	return *(const uint32_t *)(const void *)((const unsigned char *)rec - BPF_RINGBUF_HDR_SZ);
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
		const struct bp_rec *rec = heap[0]->index[heap[0]->first++].rec;

		heap[0]->moved = true;
		*ret_stopped = !emit(ctx, rec, record_len(rec));
		done++;
		if (!ring_has(heap[0], until))
			heap[0] = heap[--nr];
		if (nr > 1)
			heap_down(heap, nr, 0);
	}
	return done;
}

/* The distance from the record to @ring->taken; 0: the record is no longer in the ring. */
static unsigned long distance(const struct ring *ring, const struct bp_rec *rec)
{
	unsigned long off = (unsigned long)((uintptr_t)rec - (uintptr_t)ring->data) - BPF_RINGBUF_HDR_SZ;

	return off < ring->bytes ? ((ring->taken - off - 1) & (ring->bytes - 1)) + 1 : 0;
}

/*
 * The position up to which everything was delivered: all records that come before the next entry, first by stamp and then by
 * position. Looks once at each of these records, and at the first one that is not delivered.
 */
static unsigned long handed_on(const struct ring *ring)
{
	const struct entry *next = &ring->index[ring->first];
	unsigned long back = distance(ring, next->rec), at = ring->free;

	while (at < ring->taken) {
		const struct head head = head_read(ring, at);

		if (head.rec && (head.rec->ts > next->ts ||
				 (head.rec->ts == next->ts && (!back || at >= ring->taken - back))))
			break;
		at += head.size;
	}
	return at;
}

static void ring_settle(struct rings *r, struct ring *ring)
{
	if (ring->first == ring->end) {
		ring->free = ring->taken;
		ring->first = ring->end = 0;
	} else if (ring->moved) {
		ring->free = handed_on(ring);
	}
	if (!r->holds)
		ring->settled = ring->free;
	drop_spills(r, ring);
	ring->moved = false;
}

/* If undelivered records fill at least half of a ring, copies them out of it. */
static void ring_spill(struct rings *r, struct ring *ring)
{
	unsigned long len = ring->taken - ring->free, from = ring->free & (ring->bytes - 1);
	struct spill *s;

	if (len < ring->bytes / 2 || r->spilled + len > HOLD_MAX)
		return;
	s = malloc(sizeof(*s) + len);
	if (!s)
		return;
	*s = (struct spill){ .next = ring->spills, .len = len };
	memcpy(s->bytes, ring->data + from, len);
	for (size_t i = ring->first; i < ring->end; i++) {
		unsigned long back = distance(ring, ring->index[i].rec);

		if (back)
			ring->index[i].rec = (const void *)(s->bytes + len - back + BPF_RINGBUF_HDR_SZ);
	}
	ring->spills = s;
	r->spilled += len;
	ring->free = ring->settled = ring->taken;
}

/* Gives the room back to the kernel, except that of the last record: see above. */
static void ring_publish(struct ring *ring, unsigned long to)
{
	if ((long)(to - *ring->consumer_pos) > 0)		/* never backwards: other records may be in that room */
		__atomic_store_n(ring->consumer_pos, to, __ATOMIC_RELEASE);
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
		ring_publish(ring, MIN(ring->settled, ring->last));
		*ret_pending |= ring->first < ring->end;
	}
	return done;
}

unsigned rings_pass(struct rings *r, ring_record_fn emit, void *ctx, bool *ret_pending)
{
	uint64_t start = now_ns() - CLOCK_SLACK_NS, until = start;

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
	return release(r, UINT64_MAX, emit, ctx, &pending);
}

void rings_commit(struct rings *r)
{
	for (unsigned i = 0; i < r->nr; i++) {
		struct ring *ring = &r->rings[i];

		ring->settled = ring->free;
		ring_publish(ring, MIN(ring->settled, ring->last));
	}
}

void rings_leave(struct rings *r)
{
	for (unsigned i = 0; i < r->nr; i++)
		ring_publish(&r->rings[i], r->rings[i].settled);
}

/* ---- being woken ---- */

uint64_t rings_fill(const struct rings *r)
{
	return r->fill;
}

/*
 * The order is important. If a record's reservation moved the producer's position before this position is read here, the
 * record is seen here. Any other record was reserved after the consumer's position was stored. So when the first of these
 * records is submitted, it is at the consumer's position. Its submission is an atomic exchange before the kernel reads this
 * position, so it wakes whoever polls.
 */
bool rings_arm(struct rings *r)
{
	bool idle = true;

	for (unsigned i = 0; i < r->nr; i++)
		ring_publish(&r->rings[i], r->rings[i].settled);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	for (unsigned i = 0; i < r->nr; i++) {
		const struct ring *ring = &r->rings[i];

		idle &= __atomic_load_n(ring->producer_pos, __ATOMIC_ACQUIRE) == ring->free;
	}
	return idle;
}
