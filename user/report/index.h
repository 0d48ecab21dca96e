/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * index.h - finds the members of an array by what they are.
 *
 * The array is the caller's, and so is the comparison: the index only knows which members have a hash.
 */
#ifndef REPORT_INDEX_H
#define REPORT_INDEX_H

#include <stddef.h>
#include <stdint.h>

#define INDEX_NONE	UINT32_MAX

/* Starts as all zeroes. */
struct index {
	struct index_slot *slots;
	uint32_t size, nr;		/* size: a power of two */
};

void index_fini(struct index *i);

/* Mixes @n into a hash; begin with any number. */
static inline uint64_t index_mix(uint64_t hash, uint64_t n)
{
	hash = (hash ^ n) * 0x9e3779b97f4a7c15u;
	return hash ^ hash >> 29;
}

uint64_t index_hash(uint64_t hash, const void *data, size_t len);

/* The next member with this hash, or INDEX_NONE. *at is 0 for the first one, and belongs to the index until then. */
uint32_t index_next(const struct index *i, uint64_t hash, uint32_t *at);

/* Adds member @nr (below INDEX_NONE). If memory runs out, the process ends. */
void index_add(struct index *i, uint64_t hash, uint32_t nr);

/* Removes member @nr, which has this hash. */
void index_remove(struct index *i, uint64_t hash, uint32_t nr);

#endif
