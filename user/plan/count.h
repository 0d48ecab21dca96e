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

struct plan;

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

_Static_assert((int)COUNT_FRAMES_SIZE == (int)COUNT_STRING, "a stack is kept where a text would be");

struct count_calc;

/* A number that a hit has. The leaf says which; its test is not used. */
struct count_number {
	struct filter_leaf leaf;
	enum hist_modifier modifier;	/* LOG2, BUCKETS; all others only change how the number is shown */
	uint64_t buckets;
	bool exact;			/* LOG2: all negative numbers are HIST_LOG2_NEGATIVE */
	bool usecs;			/* FILTER_TIME: in microseconds */
	const struct count_calc *calc;	/* it is calculated, and the leaf is not used; NULL: it is not */
};

/* A number that is calculated, or read from another table. */
struct count_calc {
	enum hist_expr_kind kind;	/* VAR, NUMBER or an operation; FIELD: @field */
	struct count_number field;
	uint64_t number;		/* NUMBER */
	unsigned ref;			/* VAR: index in count.refs */
	const struct count_calc *left, *right;	/* NEGATE has only @left */
};

/* A text that a hit has, or the frames of a stack. Both take COUNT_STRING bytes; frames that there are not are 0. */
struct count_text {
	enum { COUNT_TEXT_NONE, COUNT_TEXT_FIELD, COUNT_TEXT_COMM, COUNT_TEXT_STACK, COUNT_TEXT_REF } kind;
	const struct layout_field *field;	/* FIELD: a string in the record, or a stack in that of a synthetic event */
	unsigned ref;			/* REF: index in count.refs */
};

/* What an entry keeps beside the sums. struct bp_slot of bprobe_abi.h, at @off in the table's value. */
struct count_slot {
	uint32_t off;
	bool is_text, is_stack;		/* a stack is a text, too: it has as many bytes */
};

/* A variable or a saved field: what it becomes, and where. */
struct count_var {
	unsigned slot;			/* of the table */
	struct count_number number;
	struct count_text text;		/* NONE: it is the number */
};

/* A variable that is read: of another table by the same key, or of this one. */
struct count_ref {
	const struct count_table *table;	/* NULL: it is the variable @var of this histogram, whose value is that of this hit */
	unsigned slot;			/* of @table */
	unsigned var;
	bool once;			/* reading takes the value away */
	bool is_text, is_stack;		/* a stack is a text, too: it has as many bytes */
};

struct count_made;

struct count_action {
	enum hist_handler handler;
	enum hist_action_kind kind;
	unsigned tracked, slot;		/* ONMAX, ONCHANGE: the reference, and the slot of the largest or last value */
	bool is_signed;
	const struct count_made *made;	/* TRACE */
	const unsigned *params;		/* ... references, one for each of its fields */
	const struct count_var *saved;	/* SAVE */
	unsigned nr_params;
};

enum { COUNT_MADE_MOST = 1024 };	/* synthetic events of a run that programs make */

/* A synthetic event that programs make. One for each event, however many histograms make it. */
struct count_made {
	const struct count_made *next;	/* another one of the run */
	unsigned nr;			/* its place in this list, from 0 on */
	const struct plan *plan;	/* its layout, and in sets_off what its hits set off */
	bool is_line;			/* somebody wants its record */
};

struct count_key {
	bool is_comm;			/* the task's name; */
	bool is_stack;			/* the kernel stack, or that in the field @string of a synthetic event; */
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
	const struct count_slot *slots;	/* variables and what actions keep: a struct bp_version is behind the tally then */
	unsigned nr_slots;
	int fd;				/* a hash map with struct bp_tally as value, and what slots need; -1: not yet */
	int state_fd;			/* an array with one struct bp_count_state; -1: not yet. Other triggers have only this. */
};

/* Hits that are not in a table, or set nothing off: until the last reading. */
struct count_missing {
	uint64_t dropped;		/* they found no room */
	uint64_t raced;			/* other hits read or wrote the same variables at the same time */
};

struct count {
	struct count *next;		/* the next one of the same definition */
	enum stage stage;		/* where it counts; in STAGE_RECORD the record is given back */
	struct count_table *table;
	struct count_key keys[HIST_MAX_KEYS];
	struct count_number values[HIST_MAX_VALUES];
	unsigned nr_keys, nr_values;
	const struct count_ref *refs;
	const struct count_var *vars;
	const struct count_action *actions;
	unsigned nr_refs, nr_vars, nr_actions;
	/*
	 * It is counted with the record by code of its own (gen/table_code.c), because its histogram has variables or the like
	 * (hist_is_for_programs()), or is of a synthetic event. What finds no room is counted as dropped.
	 */
	bool is_table;
	bool keeps_comm;		/* an entry keeps the name of the task that made it */
	bool exact;			/* a hit with a value that cannot be read, or that could make a sum wrap, becomes a record, and user space
					   counts it */
	bool drops;			/* nobody reads records: a hit that finds no room is counted as dropped */
	struct filter *filter;		/* of the trigger; NULL: each hit */
	enum hist_clock clock;		/* of its time stamps */
};

/* Does a key of @c have a stack? Then the key is made in the record, which must have room for one. */
bool count_has_stack(const struct count *c);

/* Does a key or a variable of @c have the stack of the hit? */
bool count_takes_stack(const struct count *c);

/* Does a key of @c have a string? Then the key is made behind the record (struct plan, key_room). */
bool count_has_string(const struct count *c);

/* Bytes behind a record of @plan that its counts need: a multiple of 8. */
uint32_t count_key_room(const struct plan *plan);

/* Bytes of string @field in a key. */
uint32_t count_string_size(const struct layout_field *field);

/* Is the value of @key a number? */
bool count_key_is_number(const struct count_key *key);

/* Is one of @plan's counts a table (count.is_table)? Then all of them are counted so. */
bool count_has_tables(const struct plan *plan);

/* Does each hit of @plan only count, so that none becomes a line? Its program needs less then (BP_PATCH_ONLY_COUNTS). */
bool count_is_all(const struct plan *plan);

/*
 * Does its program put the stacks of each hit into the record? Where all hits only count, nobody reads them there. But what the entry of
 * a call has saved must be taken away.
 */
bool count_records_stacks(const struct plan *plan);

/* Does its short record give back what it does not need? */
bool count_gives_back(const struct plan *plan);

/* Bytes of a value of the table. */
uint32_t count_value_size(const struct count_table *table);

/*
 * Where the function of @c has its words: behind the record, one count of a definition after the other at the same place. Offsets from
 * the record's end.
 */
struct count_room {
	uint32_t key;			/* the key, and zeroes up to the size of the longest key of a table that it is looked up in */
	uint32_t entry;			/* a new value */
	uint32_t values, refs, vars, calc;	/* a word for each; calc: COUNT_CALC words */
	uint32_t fired;			/* a word for each action: it takes place */
	uint32_t texts;			/* COUNT_STRING bytes for each reference; of numbers nothing uses them */
	uint32_t made;			/* the record of the synthetic event that it makes, and what that one needs behind it */
	uint32_t size;
};
enum { COUNT_CALC = HIST_MAX_OPERATORS + 1 };

struct count_room count_room(const struct count *c);

/* Does a key or a value of @counts, or a filter, name the task's pid? */
bool count_uses_pid(const struct count *counts);

#endif
