// SPDX-License-Identifier: GPL-2.0-only
/*
 * ring_look.c - empties a ring, or reads it without consuming anything.
 *
 * See ring.c for the layout of a ring's pages.
 */
#include "run/ring_look.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LOOK_TRIES = 100 };		/* attempts, in case a reader is always faster */

struct view {
	unsigned long *consumer_pos;	/* may be written only if it was mapped as writable */
	unsigned char *producer;	/* the producer's page, then the data twice */
	uint64_t page, size, since;
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

/* ---- emptying ---- */

/* A record that is being written must stay: nobody else may get its room. */
static unsigned long first_kept(const struct view *v, unsigned long from, unsigned long to, uint64_t before)
{
	while (from < to) {
		const unsigned char *p = v->producer + v->page + (from & (v->size - 1));
		uint32_t head = head_at(p), len = head & ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);
		const struct bp_rec *rec = (const void *)(p + BPF_RINGBUF_HDR_SZ);

		if (head & BPF_RINGBUF_BUSY_BIT)
			break;
		if (head == len && len >= sizeof(*rec) && rec->ts >= before)
			break;
		from += record_size(head);
	}
	return from;
}

int ring_clear(int fd, uint64_t size, uint64_t before)
{
	unsigned long at;
	struct view v;
	int err = view_open(fd, size, true, &v);

	if (err)
		return err;
	at = first_kept(&v, *v.consumer_pos, position(v.producer), before);
	__atomic_store_n(v.consumer_pos, at, __ATOMIC_RELEASE);
	view_close(&v);
	return 0;
}

/* ---- reading ---- */

struct seen {
	const struct bp_rec *rec;
	uint32_t len;
	unsigned order;			/* order of records with the same time */
};

struct look {
	struct seen *seen;
	unsigned nr, size;
	unsigned char **copies;		/* a copy of each ring's data; @seen points into these copies */
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

/*
 * Copies the finished records between @from and @to to @copy, which starts with the byte at @from. A reader may give room
 * back at the same time; then new records may overwrite it. So a head is valid only if the consumer had not passed it after
 * it was read. A record is valid only if the consumer had not passed it when it was copied. If the consumer has passed, the
 * walk continues at the consumer's position, which is always between two records. The head is read before the record is
 * copied; a record that is finished in between is left out. Sets *ret_valid to the first position that the consumer has not
 * passed.
 */
static int copy_finished(struct look *l, const struct view *v, unsigned char *copy, unsigned long from,
			 unsigned long to, unsigned long *ret_valid)
{
	unsigned long at = from;

	while (at < to) {
		const unsigned char *p = v->producer + v->page + (at & (v->size - 1));
		uint32_t head = head_at(p), len = head & ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);
		unsigned long consumer = position(v->consumer_pos);
		unsigned char *rec = copy + (at - from) + BPF_RINGBUF_HDR_SZ;

		if (consumer > at) {
			at = consumer;
			continue;
		}
		if (record_size(head) > to - at)
			break;		/* never happens */
		if (head == len && len >= sizeof(struct bp_rec)) {
			memcpy(rec, p + BPF_RINGBUF_HDR_SZ, len);
			if (((const struct bp_rec *)(const void *)rec)->ts >= v->since && look_add(l, (const void *)rec, len))
				return -ENOMEM;
		}
		at += record_size(head);
	}
	__atomic_thread_fence(__ATOMIC_ACQUIRE);	/* all copies are complete now */
	*ret_valid = position(v->consumer_pos);
	return 0;
}

/* Removes those records, from @first on, that were copied from positions before @valid. */
static void look_drop(struct look *l, unsigned first, const unsigned char *valid)
{
	unsigned to = first;

	for (unsigned i = first; i < l->nr; i++)
		if ((const unsigned char *)l->seen[i].rec > valid) {
			l->seen[to] = l->seen[i];
			l->seen[to].order = to;
			to++;
		}
	l->nr = to;
}

/* Copies what the ring holds now. Returns 1 if meanwhile a reader took everything and newer records have come. */
static int look_once(struct look *l, const struct view *v, unsigned char **copy)
{
	unsigned long from = position(v->consumer_pos), to = position(v->producer), valid = from;
	unsigned first = l->nr;
	int err;

	free(*copy);
	*copy = NULL;
	if (to <= from || to - from > v->size)
		return to > from;	/* the consumer's position is out of date */
	*copy = malloc(to - from);
	if (!*copy)
		return -ENOMEM;
	err = copy_finished(l, v, *copy, from, to, &valid);
	if (err)
		return err;
	if (valid > from)
		look_drop(l, first, *copy + MIN(valid - from, to - from));
	return l->nr == first && valid >= to && position(v->producer) > valid;
}

static int look_at_ring(struct look *l, const struct ring_src *src, unsigned char **copy)
{
	struct view v;
	int err = view_open(src->fd, src->size, false, &v);

	if (err)
		return err;
	v.since = src->since;
	for (unsigned tries = 0; tries < LOOK_TRIES; tries++) {
		err = look_once(l, &v, copy);
		if (err <= 0)
			break;
	}
	view_close(&v);
	return MIN(err, 0);
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
