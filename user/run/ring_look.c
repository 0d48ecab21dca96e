// SPDX-License-Identifier: GPL-2.0-only
/*
 * ring_look.c - empties rings, or reads them without consuming anything.
 */
#include "run/ring_look.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "base/memory.h"
#include "run/ring_view.h"

enum {
	LOOK_TRIES = 100,		/* attempts, in case a reader or the writers are always faster */
	PATIENCE_MS = 20,		/* for all records of a look that are not finished */
};

/* ---- emptying ---- */

/* A record that is being written must stay: nobody else may get its room. */
static uint64_t first_kept(const struct ring_view *v, uint64_t at, uint64_t to, uint64_t before)
{
	while (at < to) {
		uint64_t sealed = ring_view_sealed(v, at), size = sealed & ~BP_SEAL_FLAGS;

		if (size - 1 >= to - at || (!(sealed & BP_SEAL_FLAGS) && ring_view_at(v, at)->ts >= before))
			break;
		at += size;
	}
	return at;
}

static int clear_view(struct ring_view *v, uint64_t before)
{
	uint64_t from = ring_view_free(v), to = ring_view_reserved(v);
	int err = ring_view_reach(v, from, to);

	if (!err)
		__atomic_store_n(&v->ring->free, first_kept(v, from, to, before), __ATOMIC_RELEASE);
	return err;
}

int ring_clear(const struct ring_src *src, uint64_t before)
{
	int err = 0;

	for (unsigned i = 0; !err && i < src->nr; i++) {
		struct ring_view v;

		err = ring_view_open(&v, src->fd, i, src->bytes, src->stride, true);
		if (err)
			break;
		if (!(v.ring->flags & BP_RING_OVERWRITES))
			err = clear_view(&v, before);
		ring_view_close(&v);
	}
	return err;
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
	unsigned patience_ms;
};

/* A ring that is being copied. */
struct source {
	struct ring_view view;
	bool overwrites;
	uint64_t part;			/* bytes of a part */
	uint64_t since;
};

static int look_add(struct look *l, const struct bp_rec *rec, uint32_t len)
{
	struct seen *more = heap_try_grow(l->seen, l->nr, &l->size);

	if (!more)
		return -ENOMEM;
	l->seen = more;
	l->seen[l->nr] = (struct seen){ rec, len, l->nr };
	l->nr++;
	return 0;
}

/* The first position whose record nobody may overwrite, if the newest one ends at @reserved. It is always between two records. */
static uint64_t valid_from(const struct source *s, uint64_t reserved)
{
	uint64_t end = ROUND_UP(reserved, s->part), bytes = s->view.mask + 1;

	if (!s->overwrites)
		return ring_view_free(&s->view);
	return end > bytes ? end - bytes : 0;
}

static uint64_t valid_now(const struct source *s)
{
	return valid_from(s, ring_view_reserved(&s->view));
}

/* What the seal at @at says; waits a little for a record that is not finished. */
static uint64_t wait_sealed(struct look *l, const struct source *s, uint64_t at)
{
	uint64_t sealed;

	while (!(sealed = ring_view_sealed(&s->view, at)) && l->patience_ms && valid_now(s) <= at) {
		poll(NULL, 0, 1);
		l->patience_ms--;
	}
	return sealed;
}

/*
 * Copies the finished records between @from and @to to @copy, which starts with the byte at @from. They may be overwritten at the same
 * time, as soon as a reader has given them back or new ones need the room. So a seal is valid only if its position was still valid after it
 * was read. A record is valid only if its position was still valid after it was copied. If the walk has fallen behind, it goes on where
 * records are valid. Behind an unfinished record, the next place where a record is known to begin is the next part. Sets *ret_valid to the
 * first position that is valid now.
 */
static int copy_finished(struct look *l, const struct source *s, unsigned char *copy, uint64_t from, uint64_t to,
			 uint64_t *ret_valid)
{
	uint64_t at = from;

	while (at < to) {
		uint64_t sealed = wait_sealed(l, s, at), size = sealed & ~BP_SEAL_FLAGS, valid = valid_now(s);
		struct bp_rec *rec = (void *)(copy + (at - from));

		if (valid > at) {
			at = valid;
			continue;
		}
		if (size - 1 >= to - at) {
			if (!s->overwrites)
				break;
			at = (at | (s->part - 1)) + 1;
			continue;
		}
		if (!(sealed & BP_SEAL_FLAGS) && size >= sizeof(*rec)) {
			memcpy(rec, ring_view_at(&s->view, at), size);
			if (rec->ts >= s->since && look_add(l, rec, (uint32_t)size))
				return -ENOMEM;
		}
		at += size;
	}
	__atomic_thread_fence(__ATOMIC_ACQUIRE);	/* all copies are complete now */
	*ret_valid = valid_now(s);
	return 0;
}

/* Removes those records, from @first on, that were copied from positions before @valid. */
static void look_drop(struct look *l, unsigned first, const unsigned char *valid)
{
	unsigned to = first;

	for (unsigned i = first; i < l->nr; i++)
		if ((const unsigned char *)l->seen[i].rec >= valid) {
			l->seen[to] = l->seen[i];
			l->seen[to].order = to;
			to++;
		}
	l->nr = to;
}

/* Copies what the ring holds now. Returns 1 if nothing of it is left because others were faster. */
static int look_once(struct look *l, struct source *s, unsigned char **copy)
{
	uint64_t from = valid_now(s), to = ring_view_reserved(&s->view), valid = from;
	unsigned first = l->nr;
	int err;

	free(*copy);
	*copy = NULL;
	if (to <= from)
		return 0;
	if (to - from > s->view.mask + 1)	/* @from is out of date */
		return 1;
	err = ring_view_reach(&s->view, from, to);
	if (err)
		return err;
	*copy = malloc(to - from);
	if (!*copy)
		return -ENOMEM;
	err = copy_finished(l, s, *copy, from, to, &valid);
	if (err)
		return err;
	if (valid > from)
		look_drop(l, first, *copy + MIN(valid - from, to - from));
	return l->nr == first && valid >= to && ring_view_reserved(&s->view) > valid;
}

static int look_at_ring(struct look *l, const struct ring_src *src, unsigned number)
{
	unsigned char **copy = &l->copies[l->nr_copies];
	struct source s = { .since = src->since, .part = src->bytes / BP_RING_PARTS };
	int err = ring_view_open(&s.view, src->fd, number, src->bytes, src->stride, false);

	if (err)
		return err;
	s.overwrites = s.view.ring->flags & BP_RING_OVERWRITES;
	for (unsigned tries = 0; tries < LOOK_TRIES; tries++) {
		err = look_once(l, &s, copy);
		if (err <= 0)
			break;
	}
	l->nr_copies++;
	ring_view_close(&s.view);
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
	unsigned total = 0;
	int err = 0;

	if (!l)
		return diag_set(diag, -ENOMEM, "out of memory");
	for (unsigned i = 0; i < nr; i++)
		total += srcs[i].nr;
	l->patience_ms = PATIENCE_MS;
	l->copies = calloc(MAX(total, 1u), sizeof(*l->copies));
	if (!l->copies)
		err = -ENOMEM;
	for (unsigned i = 0; i < nr; i++) {
		for (unsigned n = 0; !err && n < srcs[i].nr; n++)
			err = look_at_ring(l, &srcs[i], n);
	}
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
