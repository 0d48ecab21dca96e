// SPDX-License-Identifier: GPL-2.0-only
/*
 * calls.c - which return belongs to which entry.
 */
#include "report/calls.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct call {
	uint64_t ts;
	uint64_t losses;		/* that there had been at its entry */
};

/* Empty ones are used again. */
struct calls_stack {
	uint64_t thread;
	uint32_t function, next_free;
	unsigned nr, size;
	struct call *calls;
};

void calls_fini(struct calls *c)
{
	for (unsigned i = 0; i < c->nr; i++)
		free(c->stacks[i].calls);
	free(c->stacks);
	index_fini(&c->index);
	*c = (struct calls){ 0 };
}

static uint64_t hash_of(uint32_t function, uint64_t thread)
{
	return index_mix(index_mix(1, function), thread);
}

static uint32_t find(const struct calls *c, uint32_t function, uint64_t thread)
{
	uint32_t at = 0, nr;

	while ((nr = index_next(&c->index, hash_of(function, thread), &at)) != INDEX_NONE) {
		if (c->stacks[nr].function == function && c->stacks[nr].thread == thread)
			break;
	}
	return nr;
}

static struct calls_stack *stack_of(struct calls *c, uint32_t function, uint64_t thread)
{
	uint32_t nr = find(c, function, thread);

	if (nr != INDEX_NONE)
		return &c->stacks[nr];
	if (c->free) {
		nr = c->free - 1;
		c->free = c->stacks[nr].next_free;
	} else {
		c->stacks = heap_grow(c->stacks, c->nr, &c->size);
		nr = c->nr++;
		c->stacks[nr] = (struct calls_stack){ 0 };
	}
	c->stacks[nr].thread = thread;
	c->stacks[nr].function = function;
	index_add(&c->index, hash_of(function, thread), nr);
	return &c->stacks[nr];
}

void calls_enter(struct calls *c, struct calls_count *count, uint32_t function, uint64_t thread, uint64_t ts)
{
	struct calls_stack *s;

	/* Its return will find no entry, unless the call is inside another one, whose return would find a wrong one. */
	if (c->open >= CALLS_OPEN && find(c, function, thread) == INDEX_NONE) {
		count->given_up++;
		return;
	}
	s = stack_of(c, function, thread);
	if (s->nr == CALLS_DEEP || (s->nr && c->open >= CALLS_OPEN)) {	/* the oldest one has not returned, or nobody has recorded that */
		memmove(s->calls, s->calls + 1, (s->nr - 1) * sizeof(*s->calls));
		s->nr--;
		c->open--;
		count->open--;
		count->given_up++;
	}
	s->calls = heap_grow(s->calls, s->nr, &s->size);
	s->calls[s->nr++] = (struct call){ .ts = ts, .losses = c->losses };
	c->open++;
	count->open++;
}

bool calls_return(struct calls *c, struct calls_count *count, uint32_t function, uint64_t thread, uint64_t ts, uint64_t *ret_ns)
{
	uint32_t nr = find(c, function, thread);
	struct calls_stack *s;
	struct call call;

	if (nr == INDEX_NONE) {
		count->no_entry++;
		return false;
	}
	s = &c->stacks[nr];
	call = s->calls[--s->nr];
	c->open--;
	count->open--;
	if (!s->nr) {
		index_remove(&c->index, hash_of(function, thread), nr);
		s->next_free = c->free;
		c->free = nr + 1;
	}
	if (call.losses != c->losses) {
		count->doubtful++;
		return false;
	}
	count->pairs++;
	*ret_ns = ts > call.ts ? ts - call.ts : 0;
	return true;
}

void calls_lost(struct calls *c)
{
	c->losses++;
}
