// SPDX-License-Identifier: GPL-2.0-only
/*
 * hist_table.c - a hash table with open addressing.
 */
#include "hist/hist_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/macros.h"

enum { FIRST_ROOM = 256 };

void hist_table_init(struct hist_table *t, uint32_t key_size, uint32_t nr_slots)
{
	*t = (struct hist_table){ .key_size = key_size, .nr_slots = nr_slots };
}

void hist_table_fini(struct hist_table *t)
{
	arena_fini(&t->arena);
	free(t->entries);
	*t = (struct hist_table){ 0 };
}

void hist_table_clear(struct hist_table *t)
{
	arena_fini(&t->arena);
	free(t->entries);
	t->entries = NULL;
	t->room = t->nr = 0;
	t->hits = t->dropped = t->raced = 0;
}

/* FNV-1a over words: keys are multiples of 8 bytes long. */
static uint32_t hash_of(const struct hist_table *t, const unsigned char *key)
{
	uint64_t hash = 0xcbf29ce484222325ull, word;

	for (uint32_t i = 0; i < t->key_size; i += 8) {
		memcpy(&word, key + i, 8);
		hash = (hash ^ word) * 0x100000001b3ull;
		hash ^= hash >> 29;
	}
	return (uint32_t)(hash ^ hash >> 32);
}

/* Where @key is, or where it belongs. The table has room. */
static size_t place_of(const struct hist_table *t, const unsigned char *key, uint32_t hash)
{
	size_t at = hash & (t->room - 1);

	while (t->entries[at] && (t->entries[at]->hash != hash || memcmp(t->entries[at]->key, key, t->key_size)))
		at = (at + 1) & (t->room - 1);
	return at;
}

static bool grow(struct hist_table *t)
{
	size_t room = t->room ? 2 * t->room : FIRST_ROOM, nr = t->room;
	struct hist_entry **old = t->entries, **entries = calloc(room, sizeof(*entries));

	if (!entries)
		return false;
	t->entries = entries;
	t->room = room;
	for (size_t i = 0; i < nr; i++) {
		if (old[i])
			t->entries[place_of(t, old[i]->key, old[i]->hash)] = old[i];
	}
	free(old);
	return true;
}

struct hist_entry *hist_table_find(const struct hist_table *t, const unsigned char *key)
{
	return t->room ? t->entries[place_of(t, key, hash_of(t, key))] : NULL;
}

static struct hist_entry *entry_new(struct hist_table *t, const unsigned char *key, uint32_t hash)
{
	struct hist_entry *e = arena_alloc(&t->arena, sizeof(*e) + t->key_size);

	e->hash = hash;
	e->slots = arena_array(&t->arena, struct hist_slot, t->nr_slots);
	memcpy(e->key, key, t->key_size);
	return e;
}

struct hist_entry *hist_table_get(struct hist_table *t, const unsigned char *key, bool *ret_new)
{
	uint32_t hash = hash_of(t, key);
	size_t at;

	*ret_new = false;
	if (t->room) {
		at = place_of(t, key, hash);
		if (t->entries[at]) {
			t->hits++;
			return t->entries[at];
		}
	}
	if ((t->max && t->nr >= t->max) || (t->nr >= t->room / 2 && !grow(t))) {
		t->dropped++;
		return NULL;
	}
	at = place_of(t, key, hash);
	t->entries[at] = entry_new(t, key, hash);
	t->nr++;
	t->hits++;
	*ret_new = true;
	return t->entries[at];
}

void hist_table_add(struct hist_table *to, const struct hist_table *from)
{
	for (size_t i = 0; i < from->room; i++) {
		const struct hist_entry *old = from->entries[i];
		struct hist_entry *e;
		bool is_new;

		if (!old || !(e = hist_table_get(to, old->key, &is_new)))
			continue;
		e->hits += old->hits;
		for (unsigned k = 0; k < ARRAY_SIZE(e->sums); k++) {
			e->known[k] += old->known[k];
			e->sums[k] += old->sums[k];
		}
		memcpy(e->comm, old->comm, sizeof(e->comm));
		for (uint32_t k = 0; k < to->nr_slots; k++)
			e->slots[k] = old->slots[k];	/* strings stay in @from */
	}
	to->hits = from->hits;
	to->dropped = from->dropped;
}
