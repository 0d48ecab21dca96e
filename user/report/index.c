// SPDX-License-Identifier: GPL-2.0-only
/*
 * index.c - finds the members of an array: an open table of hashes, at most half full.
 */
#include "report/index.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct index_slot {
	uint64_t hash;
	uint32_t nr;			/* of the member, plus 1; 0: free */
	bool gone;			/* it was removed: those behind it are still found */
};

void index_fini(struct index *i)
{
	free(i->slots);
	*i = (struct index){ 0 };
}

uint64_t index_hash(uint64_t hash, const void *data, size_t len)
{
	const unsigned char *p = data;
	uint64_t n;

	for (; len >= sizeof(n); p += sizeof(n), len -= sizeof(n)) {
		memcpy(&n, p, sizeof(n));
		hash = index_mix(hash, n);
	}
	n = len;
	memcpy((unsigned char *)&n + 1, p, len);
	return index_mix(hash, n);
}

uint32_t index_next(const struct index *i, uint64_t hash, uint32_t *at)
{
	for (; *at < i->size; ++*at) {
		const struct index_slot *s = &i->slots[(hash + *at) & (i->size - 1)];

		if (!s->nr && !s->gone)
			return INDEX_NONE;
		if (s->nr && s->hash == hash) {
			++*at;
			return s->nr - 1;
		}
	}
	return INDEX_NONE;
}

static void put(struct index *i, uint64_t hash, uint32_t nr)
{
	uint32_t at = (uint32_t)hash & (i->size - 1);

	while (i->slots[at].nr)
		at = (at + 1) & (i->size - 1);
	if (!i->slots[at].gone)
		i->nr++;
	i->slots[at] = (struct index_slot){ .hash = hash, .nr = nr };
}

/* Places of removed members are counted until this. */
static void grow(struct index *i)
{
	struct index old = *i;
	uint32_t used = 0;

	for (uint32_t n = 0; n < old.size; n++)
		used += old.slots[n].nr != 0;
	i->size = 64;
	while (i->size < 4 * used)
		i->size *= 2;
	i->slots = must(calloc(i->size, sizeof(*i->slots)));
	i->nr = 0;
	for (uint32_t n = 0; n < old.size; n++) {
		if (old.slots[n].nr)
			put(i, old.slots[n].hash, old.slots[n].nr);
	}
	free(old.slots);
}

void index_add(struct index *i, uint64_t hash, uint32_t nr)
{
	if (2 * i->nr >= i->size)
		grow(i);
	put(i, hash, nr + 1);
}

void index_remove(struct index *i, uint64_t hash, uint32_t nr)
{
	for (uint32_t n = 0; n < i->size; n++) {
		struct index_slot *s = &i->slots[(hash + n) & (i->size - 1)];

		if (!s->nr && !s->gone)
			return;
		if (s->nr == nr + 1 && s->hash == hash) {
			*s = (struct index_slot){ .gone = true };
			return;
		}
	}
}
