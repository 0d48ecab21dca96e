/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hist_table.h - the entries of a histogram by their keys.
 */
#ifndef HIST_HIST_TABLE_H
#define HIST_HIST_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "bprobe_abi.h"
#include "lang/trigger.h"

/* What an entry keeps beside the sums, if it is shown. */
struct hist_slot {
	uint64_t number;
	char *string;			/* HIST_STRING_SIZE bytes; NULL: the variable is a number */
};

/* No 64-bit number of hits makes it wrap. */
typedef __int128 hist_sum __attribute__((aligned(8)));

struct hist_entry {
	uint32_t hash;
	uint64_t hits;
	uint64_t known[HIST_MAX_VALUES];	/* hits that had the value */
	hist_sum sums[HIST_MAX_VALUES];	/* ... all of them, or the smallest or largest one */
	char comm[BP_COMM_LEN];		/* of the task that made the entry */
	struct hist_slot *slots;
	unsigned char key[];
};

struct hist_table {
	struct arena arena;
	struct hist_entry **entries;	/* open addressing; NULL: free */
	size_t room, nr;		/* @room is a power of two, or 0 */
	uint32_t key_size, nr_slots;
	uint64_t max;			/* entries at most; 0: any number */
	uint64_t hits, dropped;
	uint64_t raced;			/* see struct count_missing */
};

void hist_table_init(struct hist_table *t, uint32_t key_size, uint32_t nr_slots);
void hist_table_fini(struct hist_table *t);

/* Removes all entries. */
void hist_table_clear(struct hist_table *t);

/* The entry with the first key_size bytes of @key; NULL: there is none. */
struct hist_entry *hist_table_find(const struct hist_table *t, const unsigned char *key);

/* The same, or a new entry. NULL: the table is full, which is counted. *ret_new: it is new. */
struct hist_entry *hist_table_get(struct hist_table *t, const unsigned char *key, bool *ret_new);

/* Adds copies of all entries of @from, which has the same keys, to the empty @to, and its counts. Strings of variables stay in @from. */
void hist_table_add(struct hist_table *to, const struct hist_table *from);

#endif
