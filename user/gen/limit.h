/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * limit.h - how much is recorded of what is to be recorded: the rate of each definition, once for each task.
 */
#ifndef GEN_LIMIT_H
#define GEN_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "gen/code.h"
#include "plan/plan.h"

struct gate_env;

/*
 * A token bucket as the generic cell rate algorithm has it: a hit takes @interval_ns of time, and the bucket
 * holds @burst_ns of it. It is full at first.
 */
struct limit {
	uint64_t interval_ns;		/* of a token; 0: no rate */
	uint64_t burst_ns;		/* all tokens that the bucket holds */
	bool once;			/* the first hit of each task */
};

/* The fastest rate: below, an interval in whole nanoseconds is not exact enough. */
enum { LIMIT_MAX_PER_SECOND = 10000000 };

/* @count hits each @unit_ns, @count of them at once. -ERANGE: none, or faster than LIMIT_MAX_PER_SECOND. */
int limit_set_rate(struct limit *l, uint64_t count, uint64_t unit_ns);

/* Is anything limited? NULL is fine. */
bool limit_is_set(const struct limit *l);

/*
 * Are @plan's limits told by the fetch code's end, and not by the gate? So it is when the filter looks at the record, and
 * where an entry probe's parameters wait for the program to take them out.
 */
bool limit_is_late(const struct plan *plan);

/* What bpf/ and user/run/channel.c have of a task that was seen: the key of the map behind gate_env.once_fd. */
struct limit_once_key {
	uint64_t start_time;		/* pids are used again */
	uint32_t pid;
	uint32_t probe;
};

/* A jump that a hit takes which is dropped; in the code's arena. */
struct limit_jump {
	struct limit_jump *next;
	unsigned jump;
};

/*
 * Appends the tests of env->limit; what is recorded goes on behind. Uses r0 to r5, and 16 bytes of the stack from
 * @stack on (a multiple of 8).
 */
struct limit_jump *limit_emit(const struct gate_env *env, struct code *code, int stack);

#endif
