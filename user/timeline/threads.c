// SPDX-License-Identifier: GPL-2.0-only
/*
 * threads.c - what is remembered of each thread.
 */
#include "timeline/threads.h"

#include <stdlib.h>

#include "base/memory.h"

enum { BUCKETS = 4096 };		/* a power of two */
enum {
	KEPT_TEXT = 4096,		/* bytes of a text that is kept for the next call */
	KEPT_DEPTH = 8,			/* ... of calls that are not deeper than this */
};

static struct thread **bucket_of(const struct threads *all, uint64_t key)
{
	return &all->buckets[(key * 0x9e3779b97f4a7c15ull >> 32) % BUCKETS];
}

void threads_init(struct threads *all, void (*forget)(void *ctx, struct thread *t, unsigned nr), void *ctx)
{
	*all = (struct threads){ .buckets = must(calloc(BUCKETS, sizeof(*all->buckets))), .forget = forget, .ctx = ctx };
}

static void free_thread(struct thread *t)
{
	for (unsigned i = 0; i < t->used; i++)
		details_fini(&t->calls[i].args);
	free(t->calls);
	free(t->over);
	free(t);
}

void threads_fini(struct threads *all)
{
	while (all->newest) {
		struct thread *next = all->newest->older;

		free_thread(all->newest);
		all->newest = next;
	}
	free(all->buckets);
	*all = (struct threads){ 0 };
}

/* ---- the order ---- */

static void take_out(struct threads *all, struct thread *t)
{
	*(t->newer ? &t->newer->older : &all->newest) = t->older;
	*(t->older ? &t->older->newer : &all->oldest) = t->newer;
}

static void put_first(struct threads *all, struct thread *t)
{
	t->newer = NULL;
	t->older = all->newest;
	*(all->newest ? &all->newest->newer : &all->oldest) = t;
	all->newest = t;
}

static void drop_oldest(struct threads *all)
{
	struct thread *t = all->oldest, **at = bucket_of(all, t->key);

	all->forget(all->ctx, t, t->nr);
	all->nr_open -= t->nr;
	take_out(all, t);
	while (*at != t)
		at = &(*at)->in_bucket;
	*at = t->in_bucket;
	all->nr--;
	free_thread(t);
}

struct thread *threads_find(const struct threads *all, uint64_t key)
{
	struct thread *t = *bucket_of(all, key);

	while (t && t->key != key)
		t = t->in_bucket;
	return t;
}

struct thread *threads_get(struct threads *all, uint64_t key, bool *ret_new)
{
	struct thread *t = threads_find(all, key), **at = bucket_of(all, key);

	*ret_new = !t;
	if (t == all->newest && t)
		return t;
	if (t) {
		take_out(all, t);
		put_first(all, t);
		return t;
	}
	if (all->nr == THREADS_MAX)
		drop_oldest(all);
	t = must(calloc(1, sizeof(*t)));
	t->key = key;
	t->in_bucket = *at;
	*at = t;
	put_first(all, t);
	all->nr++;
	return t;
}

/* ---- calls ---- */

/* Turns the array, so that the memory of those that go out is used again by those that come. */
static void drop_first(struct thread *t, unsigned nr)
{
	struct call *all = must(calloc(t->room, sizeof(*all)));

	memcpy(all, t->calls + nr, (t->used - nr) * sizeof(*all));
	memcpy(all + t->used - nr, t->calls, nr * sizeof(*all));
	free(t->calls);
	t->calls = all;
	t->nr -= nr;
}

/* Those of the thread whose last event is the longest ago. */
static void forget_oldest(struct threads *all)
{
	struct thread *t = all->oldest;

	while (!t->nr)
		t = t->newer;
	all->forget(all->ctx, t, t->nr);
	threads_leave(all, t, 0);
}

struct call *threads_enter(struct threads *all, struct thread *t)
{
	struct call *c;

	if (t->nr == CALLS_MAX) {
		all->forget(all->ctx, t, CALLS_MAX / 2);
		drop_first(t, CALLS_MAX / 2);
		all->nr_open -= CALLS_MAX / 2;
	}
	if (all->nr_open == OPEN_MAX)
		forget_oldest(all);
	all->nr_open++;
	if (t->nr == t->used) {
		t->calls = heap_grow(t->calls, t->used, &t->room);
		t->calls[t->used++] = (struct call){ 0 };
	}
	c = &t->calls[t->nr++];
	details_reset(&c->args);
	return c;
}

void threads_leave(struct threads *all, struct thread *t, unsigned from)
{
	for (unsigned i = from; i < t->nr; i++) {
		if (i >= KEPT_DEPTH || t->calls[i].args.text.size > KEPT_TEXT)
			details_fini(&t->calls[i].args);
	}
	all->nr_open -= t->nr - from;
	t->nr = from;
}

/* ---- slices that are over ---- */

bool thread_over_fits(const struct thread *t, uint64_t start, uint64_t end, uint64_t *ret_start)
{
	const struct stretch *all = t->over;
	unsigned i = t->nr_over;

	while (i && all[i - 1].start > start)
		i--;
	if (i && all[i - 1].start == start && all[i - 1].end > start) {
		start--;
		i--;
	}
	*ret_start = start;
	return (!i || all[i - 1].end <= start) && (!t->nr_over || all[t->nr_over - 1].end <= end);
}

static void join_oldest(struct thread *t)
{
	unsigned half = STRETCHES_MAX / 2;

	t->over[half - 1].start = t->over[0].start;
	memmove(t->over, t->over + half - 1, (t->nr_over - half + 1) * sizeof(*t->over));
	t->nr_over -= half - 1;
}

void thread_over_add(struct thread *t, uint64_t start, uint64_t end)
{
	while (t->nr_over && t->over[t->nr_over - 1].start >= start)
		t->nr_over--;
	if (t->nr_over == STRETCHES_MAX)
		join_oldest(t);
	t->over = heap_grow(t->over, t->nr_over, &t->room_over);
	t->over[t->nr_over++] = (struct stretch){ start, end };
}
