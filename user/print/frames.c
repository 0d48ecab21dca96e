// SPDX-License-Identifier: GPL-2.0-only
/*
 * frames.c - the places that frames of stacks have, each once.
 */
#include "print/frames.h"

#include <string.h>

#include "base/arena.h"

enum { FIRST_BUCKETS = 1024 };		/* a power of two, as all numbers of buckets */

struct frames {
	struct arena arena;
	struct frame **buckets;		/* in the arena: old ones together are no larger than the present ones */
	size_t nr_buckets, nr;
	struct frame *first, *last;
};

struct frames *frames_new(void)
{
	struct arena arena = { 0 };
	struct frames *f = arena_new(&arena, struct frames);

	f->arena = arena;
	return f;
}

void frames_free(struct frames *f)
{
	struct arena arena;

	if (!f)
		return;
	arena = f->arena;		/* it has *f itself */
	arena_fini(&arena);
}

struct arena *frames_arena(struct frames *f)
{
	return &f->arena;
}

struct frame *frames_first(const struct frames *f)
{
	return f->first;
}

static uint64_t mix(uint64_t hash, uint64_t n)
{
	hash = (hash ^ n) * 0x9e3779b97f4a7c15;
	return hash ^ hash >> 32;
}

static uint64_t mix_text(uint64_t hash, const char *text)
{
	for (; text && *text; text++)
		hash = mix(hash, (unsigned char)*text);
	return hash;
}

/* An address is enough of its file. Its symbol says no more. */
static uint64_t hash_of(const struct frame *f)
{
	uint64_t hash = mix(mix_text(f->is_return, f->file), f->addr);

	return f->addr == FRAME_NO_ADDR ? mix(mix(mix_text(hash, f->symbol), f->off), f->size) : hash;
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool is_same(const struct frame *a, const struct frame *b)
{
	if (a->addr != b->addr || a->is_return != b->is_return || a->ino != b->ino || !same_text(a->file, b->file) || a->build_id_len != b->build_id_len ||
	    (a->build_id_len && memcmp(a->build_id, b->build_id, a->build_id_len)))
		return false;
	return a->addr != FRAME_NO_ADDR || (same_text(a->symbol, b->symbol) && a->off == b->off && a->size == b->size);
}

static void grow(struct frames *f)
{
	size_t nr = f->nr_buckets ? 2 * f->nr_buckets : FIRST_BUCKETS;
	struct frame **buckets = arena_array(&f->arena, struct frame *, nr);

	for (struct frame *e = f->first; e; e = e->next) {
		struct frame **bucket = &buckets[hash_of(e) & (nr - 1)];

		e->in_bucket = *bucket;
		*bucket = e;
	}
	f->buckets = buckets;
	f->nr_buckets = nr;
}

static struct frame *add(struct frames *f, const struct frame *wanted, uint64_t hash)
{
	struct frame *e = arena_new(&f->arena, struct frame);

	*e = *wanted;
	e->file = wanted->file ? arena_strdup(&f->arena, wanted->file) : NULL;
	e->symbol = wanted->symbol ? arena_strdup(&f->arena, wanted->symbol) : NULL;
	e->build_id = NULL;
	if (wanted->build_id_len)
		e->build_id = memcpy(arena_alloc(&f->arena, wanted->build_id_len), wanted->build_id, wanted->build_id_len);
	e->lines = NULL;
	e->next = NULL;
	if (f->last)
		f->last->next = e;
	else
		f->first = e;
	f->last = e;
	f->nr++;
	e->in_bucket = f->buckets[hash & (f->nr_buckets - 1)];
	f->buckets[hash & (f->nr_buckets - 1)] = e;
	return e;
}

struct frame *frames_get(struct frames *f, const struct frame *wanted)
{
	uint64_t hash = hash_of(wanted);
	struct frame *e;

	if (f->nr >= f->nr_buckets)
		grow(f);
	e = f->buckets[hash & (f->nr_buckets - 1)];
	while (e && !is_same(e, wanted))
		e = e->in_bucket;
	return e ? e : add(f, wanted, hash);
}
