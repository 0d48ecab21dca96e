// SPDX-License-Identifier: GPL-2.0-only
/*
 * arena.c - allocates memory from blocks of doubling size, and frees them together.
 */
#include "base/arena.h"

#include <stdarg.h>

/* With ASan each allocation has a block of its own, as long as it is: then ASan sees what is read or written behind its end. */
#ifdef __has_feature
#define HAS_ASAN	__has_feature(address_sanitizer)
#elif defined(__SANITIZE_ADDRESS__)
#define HAS_ASAN	1
#else
#define HAS_ASAN	0
#endif

enum { ARENA_FIRST = 4096, ARENA_LARGEST = 1 << 20 };

struct arena_block {
	struct arena_block *next;
	size_t size, used;		/* size of data[], in bytes */
	_Alignas(max_align_t) unsigned char data[];
};

static struct arena_block *block_new(size_t size, struct arena_block *next)
{
	struct arena_block *b = must(calloc(1, sizeof(*b) + size));

	b->next = next;
	b->size = size;
	return b;
}

void arena_fini(struct arena *a)
{
	while (a->head) {
		struct arena_block *next = a->head->next;

		free(a->head);
		a->head = next;
	}
}

void *arena_alloc(struct arena *a, size_t size)
{
	struct arena_block *b = a->head;
	size_t want;
	void *p;

	if (size > SIZE_MAX / 2)		/* then no sum below is too large */
		out_of_memory();
	want = HAS_ASAN ? size : ROUND_UP(size ? size : 1, sizeof(max_align_t));
	if (HAS_ASAN || !b || b->size - b->used < want) {
		size_t next = HAS_ASAN ? want : b ? MIN(b->size * 2, (size_t)ARENA_LARGEST) : ARENA_FIRST;

		b = a->head = block_new(MAX(next, want), b);
	}
	p = b->data + b->used;
	b->used += want;
	return p;
}

char *arena_strndup(struct arena *a, const char *s, size_t len)
{
	char *copy = arena_alloc(a, len + 1);

	memcpy(copy, s, len);
	return copy;			/* the arena's memory is zeroed, so the NUL is there */
}

char *arena_strdup(struct arena *a, const char *s)
{
	return arena_strndup(a, s, strlen(s));
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap;
	char *text;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (len < 0)
		return arena_strdup(a, "");
	text = arena_alloc(a, (size_t)len + 1);
	va_start(ap, fmt);
	vsnprintf(text, (size_t)len + 1, fmt, ap);
	va_end(ap);
	return text;
}

void *arena_grow_of(struct arena *a, void *all, size_t nr, unsigned *size, size_t each)
{
	unsigned more_size;
	void *more;

	if (nr < *size)
		return all;
	more_size = grown_size(nr, *size);
	if (!more_size)
		out_of_memory();
	more = arena_alloc(a, memory_bytes(more_size, each));
	if (nr)
		memcpy(more, all, nr * each);
	*size = more_size;
	return more;
}
