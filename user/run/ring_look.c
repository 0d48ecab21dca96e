// SPDX-License-Identifier: GPL-2.0-only
/*
 * ring_look.c - a ring without its reader: emptied, or looked into.
 *
 * See ring.c for the layout of a ring's pages.
 */
#include "run/ring_look.h"

#include <errno.h>
#include <linux/bpf.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { CLEAR_TRIES = 100 };		/* a millisecond apart */

struct view {
	unsigned long *consumer_pos;	/* may be written only where it was mapped so */
	unsigned char *producer;	/* its page, and the data twice */
	uint64_t page, size;
};

static void view_close(struct view *v)
{
	if (v->consumer_pos)
		munmap(v->consumer_pos, v->page);
	if (v->producer)
		munmap(v->producer, v->page + 2 * v->size);
}

static int view_open(int fd, uint64_t size, bool writes, struct view *ret)
{
	struct view v = { .page = (uint64_t)sysconf(_SC_PAGESIZE), .size = size };
	void *at = mmap(NULL, v.page, PROT_READ | (writes ? PROT_WRITE : 0), MAP_SHARED, fd, 0);

	if (at == MAP_FAILED)
		return -errno;
	v.consumer_pos = at;
	at = mmap(NULL, v.page + 2 * size, PROT_READ, MAP_SHARED, fd, (off_t)v.page);
	if (at == MAP_FAILED) {
		int err = -errno;

		view_close(&v);
		return err;
	}
	v.producer = at;
	*ret = v;
	return 0;
}

static unsigned long position(const void *at)
{
	return __atomic_load_n((const unsigned long *)at, __ATOMIC_ACQUIRE);
}

static uint32_t head_at(const unsigned char *at)
{
	return __atomic_load_n((const uint32_t *)(const void *)at, __ATOMIC_ACQUIRE);
}

static unsigned long record_size(uint32_t head)
{
	return ROUND_UP((head & ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT)) + BPF_RINGBUF_HDR_SZ, 8u);
}

/* ---- emptied ---- */

/* A record that is being written must stay: its room may not be given to another. */
static unsigned long first_busy(const struct view *v, unsigned long from, unsigned long to)
{
	while (from < to) {
		uint32_t head = head_at(v->producer + v->page + (from & (v->size - 1)));

		if (head & BPF_RINGBUF_BUSY_BIT)
			break;
		from += record_size(head);
	}
	return from;
}

int ring_clear(int fd, uint64_t size)
{
	unsigned long at, to;
	struct view v;
	int err = view_open(fd, size, true, &v);

	if (err)
		return err;
	to = position(v.producer);
	at = *v.consumer_pos;
	for (unsigned tries = 0; tries < CLEAR_TRIES; tries++) {
		at = first_busy(&v, at, to);
		__atomic_store_n(v.consumer_pos, at, __ATOMIC_RELEASE);
		if (at >= to)
			break;
		poll(NULL, 0, 1);
	}
	view_close(&v);
	return at >= to ? 0 : -EAGAIN;
}

/* ---- looked into ---- */

struct seen {
	const struct bp_rec *rec;
	uint32_t len;
	unsigned order;			/* among records of the same time */
};

struct look {
	struct seen *seen;
	unsigned nr, size;
	unsigned char **copies;		/* of each ring's data, which @seen points into */
	unsigned nr_copies;
};

static int look_add(struct look *l, const struct bp_rec *rec, uint32_t len)
{
	if (l->nr == l->size) {
		unsigned size = l->size ? l->size * 2 : 1024;
		struct seen *more = reallocarray(l->seen, size, sizeof(*more));

		if (!more)
			return -ENOMEM;
		l->seen = more;
		l->size = size;
	}
	l->seen[l->nr] = (struct seen){ rec, len, l->nr };
	l->nr++;
	return 0;
}

/* Notes the finished records of @copy, which is what lay from @from to @to, behind @valid. */
static int look_at_copy(struct look *l, const unsigned char *copy, unsigned long from, unsigned long to,
			unsigned long valid)
{
	for (unsigned long at = MAX(from, valid); at < to;) {
		const unsigned char *p = copy + (at - from);
		uint32_t head = head_at(p), len = head & ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);

		if (record_size(head) > to - at)
			return 0;	/* never */
		if (head == len && len >= sizeof(struct bp_rec) &&
		    look_add(l, (const void *)(p + BPF_RINGBUF_HDR_SZ), len))
			return -ENOMEM;
		at += record_size(head);
	}
	return 0;
}

/*
 * A copy first, then the consumer's position once more: what a reader has given back meanwhile may have been
 * overwritten while it was copied, and nothing else.
 */
static int look_at_ring(struct look *l, const struct ring_src *src, unsigned char **copy)
{
	unsigned long from, to, valid;
	struct view v;
	int err = view_open(src->fd, src->size, false, &v);

	if (err)
		return err;
	from = position(v.consumer_pos);
	to = position(v.producer);
	*copy = malloc(MAX(to - from, 1ul));
	if (*copy && to - from <= src->size) {
		memcpy(*copy, v.producer + v.page + (from & (v.size - 1)), to - from);
		valid = position(v.consumer_pos);
		err = look_at_copy(l, *copy, from, to, valid);
	} else if (!*copy) {
		err = -ENOMEM;
	}
	view_close(&v);
	return err;
}

static int compare_seen(const void *a, const void *b)
{
	const struct seen *x = a, *y = b;

	if (x->rec->ts != y->rec->ts)
		return x->rec->ts < y->rec->ts ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

int look_open(const struct ring_src *srcs, unsigned nr, struct look **ret, struct diag *diag)
{
	struct look *l = calloc(1, sizeof(*l));
	int err = 0;

	if (!l)
		return diag_set(diag, -ENOMEM, "out of memory");
	l->copies = calloc(MAX(nr, 1u), sizeof(*l->copies));
	if (!l->copies)
		err = -ENOMEM;
	for (; !err && l->nr_copies < nr; l->nr_copies++)
		err = look_at_ring(l, &srcs[l->nr_copies], &l->copies[l->nr_copies]);
	if (err) {
		look_close(l);
		return diag_set(diag, err, "cannot read the ring buffers: %s", strerror(-err));
	}
	if (l->nr)
		qsort(l->seen, l->nr, sizeof(*l->seen), compare_seen);
	*ret = l;
	return 0;
}

void look_close(struct look *l)
{
	for (unsigned i = 0; i < l->nr_copies; i++)
		free(l->copies[i]);
	free(l->copies);
	free(l->seen);
	free(l);
}

unsigned look_count(const struct look *l)
{
	return l->nr;
}

void look_emit(const struct look *l, ring_record_fn emit, void *ctx)
{
	for (unsigned i = 0; i < l->nr && emit(ctx, l->seen[i].rec, l->seen[i].len); i++)
		;
}
