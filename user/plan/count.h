/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * count.h - histograms that a definition's program counts itself: their hits need no record.
 *
 * A hit that cannot be counted, because the table is full, becomes a record as it would without this, and user space counts it. So
 * no hit is in both, and what is shown is the sum. Of kept events nobody may read the records: there it is counted as dropped.
 */
#ifndef PLAN_COUNT_H
#define PLAN_COUNT_H

#include "lang/trigger.h"
#include "plan/filter_plan.h"

enum {
	COUNT_MOST = 3,			/* histograms that one program counts: each needs some of its 512 bytes of stack */
	COUNT_COMM = 16,		/* bytes of a task's name in a key */
	COUNT_STRING = 256,		/* ... of another string, with its NUL; the kernel's too (6.12, MAX_FILTER_STR_VAL) */
	COUNT_FRAMES = 32,		/* of a stack in a key; the kernel's keys have 16 (6.12, HIST_STACKTRACE_DEPTH) */
	COUNT_FRAMES_SIZE = 8 * COUNT_FRAMES,	/* ... in bytes */
	COUNT_GENERATION = 8,		/* bytes in front of the key, if the table has generations */
	COUNT_KEY = COUNT_GENERATION + HIST_MAX_KEYS * COUNT_COMM,	/* that is made on the program's stack */
	COUNT_MAX_KEY = 512,		/* 6.12, htab_map_alloc_check(): a key is not longer than a program's stack */
};

/* A number that a hit has. The leaf says which; its test is not used. */
struct count_number {
	struct filter_leaf leaf;
	enum hist_modifier modifier;	/* LOG2, BUCKETS; all others only change how the number is shown */
	uint64_t buckets;
	bool exact;			/* LOG2: all negative numbers are HIST_LOG2_NEGATIVE */
};

struct count_key {
	bool is_comm;			/* the task's name; */
	bool is_stack;			/* the kernel stack; */
	const struct layout_field *string;	/* ... another string; NULL: @number */
	struct count_number number;
	uint32_t off, size;		/* in the key of the table, with the generation */
};

/* The table of a histogram. Probes of one event, and histograms with one name, have one. */
struct count_table {
	uint32_t key_size;		/* with the generation */
	bool pauses;			/* it can be paused; */
	bool begins_paused;		/* ... and is at first */
	bool generations;		/* its entries can be taken while programs count on */
	int fd;				/* a hash map with struct bp_tally as value; -1: not yet */
	int state_fd;			/* an array with one struct bp_count_state; -1: not yet. Other triggers have only this. */
};

struct count {
	struct count *next;		/* the next one of the same definition */
	enum stage stage;		/* where it counts; in STAGE_RECORD the record is given back */
	struct count_table *table;
	struct count_key keys[HIST_MAX_KEYS];
	struct count_number values[HIST_MAX_VALUES];
	unsigned nr_keys, nr_values;
	bool keeps_comm;		/* an entry keeps the name of the task that made it */
	bool exact;			/* a hit with a value that cannot be read, or that could make a sum wrap, becomes a record, and user space
					   counts it */
	bool drops;			/* nobody reads records: a hit that finds no room is counted as dropped */
	struct filter *filter;		/* of the trigger; NULL: each hit */
};

/* Does a key of @c have a stack? Then the key is made in the record, which must have room for one. */
bool count_has_stack(const struct count *c);

/* Does a key of @c have a string? Then the key is made behind the record (struct plan, key_room). */
bool count_has_string(const struct count *c);

/* Bytes behind a record that its keys need: a multiple of 8. */
uint32_t count_key_room(const struct count *counts);

/* Bytes of string @field in a key. */
uint32_t count_string_size(const struct layout_field *field);

/* Is the value of @key a number? */
bool count_key_is_number(const struct count_key *key);

/* Does a key or a value of @counts, or a filter, name the task's pid? */
bool count_uses_pid(const struct count *counts);

#endif
