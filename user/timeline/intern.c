// SPDX-License-Identifier: GPL-2.0-only
/*
 * intern.c - numbers for texts that come often.
 */
#include "timeline/intern.h"

#include <string.h>

enum { BUCKETS = 1024 };		/* a power of two */

struct interned {
	const char *text;
	uint64_t number;
	struct interned *next;
};

void intern_reset(struct intern *in)
{
	arena_fini(&in->arena);
	*in = (struct intern){ 0 };
}

uint64_t intern_get(struct intern *in, const char *text, bool *ret_new)
{
	uint64_t hash = 0xcbf29ce484222325ull;
	struct interned **at, *new;

	if (!in->buckets)
		in->buckets = arena_array(&in->arena, struct interned *, BUCKETS);
	for (const char *s = text; *s; s++)
		hash = (hash ^ (unsigned char)*s) * 0x100000001b3ull;
	at = &in->buckets[(hash ^ hash >> 32) % BUCKETS];
	*ret_new = false;
	for (const struct interned *i = *at; i; i = i->next) {
		if (!strcmp(i->text, text))
			return i->number;
	}
	*ret_new = true;
	new = arena_new(&in->arena, struct interned);
	*new = (struct interned){ .text = arena_strdup(&in->arena, text), .number = ++in->nr, .next = *at };
	*at = new;
	return new->number;
}
