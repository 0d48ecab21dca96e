// SPDX-License-Identifier: GPL-2.0-only
/*
 * ring.c - the records of all rings, in time order.
 *
 * A record is stamped after its space is reserved. A pass reads the clock (T),
 * then each ring's producer position, and consumes up to it. A ring consumed that
 * far can later only deliver records reserved after that reading, so stamped after
 * T; one that stopped at an unfinished record keeps the T of its last full pass.
 * All records stamped up to the smallest T are complete: they are sorted and
 * handed on. Within a ring, too, stamps can be out of order: an interrupt's
 * record can lie behind the one it interrupted, and be stamped first.
 *
 * The layout of a ring's pages is the kernel's ABI (kernel/bpf/ringbuf.c): one page
 * with the consumer's position, one with the producer's, the data twice in a row.
 */
#include "run/ring.h"

#include <errno.h>
#include <linux/bpf.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"

/*
 * While one ring is stuck behind an unfinished record, so much of the others is
 * held back; then they are left to fill up, where losses are counted. The ring
 * that is furthest behind is always read, or nothing would ever be released.
 */
enum { HOLD_MAX = 64 << 20 };

/* The program's clock and ours are one, but read by different paths. */
enum { CLOCK_SLACK_NS = 1000 };

struct ring {
	unsigned long *consumer_pos;	/* a page of our own to write */
	const unsigned long *producer_pos;
	const unsigned char *data;
	void *producer_map;
	uint64_t complete;		/* all records stamped before this were taken */
};

struct held {
	uint64_t ts;
	size_t off;			/* of the record in data */
	uint32_t len;
	uint32_t order;			/* as they were taken: equal stamps stay in order */
};

struct rings {
	struct ring *rings;
	unsigned nr;
	int epoll_fd;
	uint64_t size, page;
	struct held *held;		/* taken, not handed on yet */
	size_t nr_held, size_held;
	struct buf data, spare;		/* their bytes; the other one is for compaction */
};

/* ---- opening ---- */

static int ring_map(struct rings *r, struct ring *ring, int fd)
{
	struct epoll_event ev = { .events = EPOLLIN };
	void *map;

	map = mmap(NULL, r->page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		return -errno;
	ring->consumer_pos = map;
	map = mmap(NULL, r->page + 2 * r->size, PROT_READ, MAP_SHARED, fd, (off_t)r->page);
	if (map == MAP_FAILED)
		return -errno;
	ring->producer_map = map;
	ring->producer_pos = map;
	ring->data = (const unsigned char *)map + r->page;
	return epoll_ctl(r->epoll_fd, EPOLL_CTL_ADD, fd, &ev) ? -errno : 0;
}

int rings_open(const int *fds, unsigned nr, uint64_t size, struct rings **ret, struct diag *diag)
{
	struct rings *r = calloc(1, sizeof(*r));
	int err = 0;

	if (!r)
		return diag_set(diag, -ENOMEM, "out of memory");
	r->size = size;
	r->page = (uint64_t)sysconf(_SC_PAGESIZE);
	r->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	r->rings = calloc(nr, sizeof(*r->rings));
	if (r->epoll_fd < 0 || !r->rings)
		err = -errno;
	for (unsigned i = 0; !err && i < nr; i++, r->nr++)
		err = ring_map(r, &r->rings[i], fds[i]);
	if (err) {
		rings_close(r);
		return diag_set(diag, err, "cannot map the ring buffers: %s", strerror(-err));
	}
	*ret = r;
	return 0;
}

void rings_close(struct rings *r)
{
	if (!r)
		return;
	for (unsigned i = 0; r->rings && i < r->nr; i++) {
		munmap(r->rings[i].consumer_pos, r->page);
		munmap(r->rings[i].producer_map, r->page + 2 * r->size);
	}
	if (r->epoll_fd >= 0)
		close(r->epoll_fd);
	free(r->rings);
	free(r->held);
	buf_fini(&r->data);
	buf_fini(&r->spare);
	free(r);
}

int rings_fd(const struct rings *r)
{
	return r->epoll_fd;
}

/* ---- taking ---- */

static void hold(struct rings *r, const void *rec, uint32_t len)
{
	struct held *h;

	if (r->nr_held == r->size_held) {
		size_t size = r->size_held ? r->size_held * 2 : 256;
		struct held *more = realloc(r->held, size * sizeof(*more));

		if (!more) {
			fputs("bprobe: out of memory\n", stderr);
			abort();
		}
		r->held = more;
		r->size_held = size;
	}
	h = &r->held[r->nr_held];
	*h = (struct held){
		.ts = ((const struct bp_rec *)rec)->ts,
		.off = r->data.len, .len = len, .order = (uint32_t)r->nr_held,
	};
	r->nr_held++;
	/* Records stay aligned for their 64-bit members. */
	buf_add(&r->data, rec, len);
	buf_pad(&r->data, 0, ROUND_UP(r->data.len, 8) - r->data.len);
}

/* Takes all finished records up to the producer's position; false: one is unfinished. */
static bool ring_take(struct rings *r, struct ring *ring)
{
	unsigned long to = __atomic_load_n(ring->producer_pos, __ATOMIC_ACQUIRE);
	unsigned long at = *ring->consumer_pos;
	bool whole = true;

	while (at < to) {
		const unsigned char *p = ring->data + (at & (r->size - 1));
		uint32_t head = __atomic_load_n((const uint32_t *)p, __ATOMIC_ACQUIRE);
		uint32_t len = head & ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);

		if (head & BPF_RINGBUF_BUSY_BIT) {
			whole = false;
			break;
		}
		if (!(head & BPF_RINGBUF_DISCARD_BIT) && len >= sizeof(struct bp_rec))
			hold(r, p + BPF_RINGBUF_HDR_SZ, len);
		at += ROUND_UP(len + BPF_RINGBUF_HDR_SZ, 8u);
	}
	__atomic_store_n(ring->consumer_pos, at, __ATOMIC_RELEASE);
	return whole;
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* ---- handing on ---- */

static int held_compare(const void *a, const void *b)
{
	const struct held *x = a, *y = b;

	if (x->ts != y->ts)
		return x->ts < y->ts ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* Drops the first @done records and closes the gaps in the bytes behind them. */
static void compact(struct rings *r, size_t done)
{
	struct buf old = r->data;

	buf_reset(&r->spare);
	for (size_t i = done; i < r->nr_held; i++) {
		struct held *h = &r->held[i - done];

		*h = r->held[i];
		buf_add(&r->spare, old.data + h->off, ROUND_UP(h->len, 8u));
		h->off = r->spare.len - ROUND_UP(h->len, 8u);
		h->order = (uint32_t)(i - done);
	}
	r->nr_held -= done;
	r->data = r->spare;
	r->spare = old;
}

/* Hands on the records stamped before @until. */
static unsigned release(struct rings *r, uint64_t until, ring_record_fn emit, void *ctx)
{
	size_t done = 0;

	qsort(r->held, r->nr_held, sizeof(*r->held), held_compare);
	while (done < r->nr_held && r->held[done].ts < until) {
		const struct held *h = &r->held[done++];

		emit(ctx, (struct bp_rec *)(r->data.data + h->off), h->len);
	}
	compact(r, done);
	return (unsigned)done;
}

unsigned rings_pass(struct rings *r, ring_record_fn emit, void *ctx, bool *ret_pending)
{
	uint64_t start = now_ns() - CLOCK_SLACK_NS, until = start, oldest = UINT64_MAX;
	unsigned done;

	for (unsigned i = 0; i < r->nr; i++)
		oldest = MIN(oldest, r->rings[i].complete);
	for (unsigned i = 0; i < r->nr; i++) {
		struct ring *ring = &r->rings[i];
		bool may_take = r->data.len <= HOLD_MAX || ring->complete == oldest;

		if (may_take && ring_take(r, ring))
			ring->complete = start;
		until = MIN(until, ring->complete);
	}
	done = r->nr_held ? release(r, until, emit, ctx) : 0;
	*ret_pending = r->nr_held != 0;
	return done;
}

unsigned rings_drain(struct rings *r, ring_record_fn emit, void *ctx)
{
	for (unsigned i = 0; i < r->nr; i++)
		ring_take(r, &r->rings[i]);
	return release(r, UINT64_MAX, emit, ctx);
}
