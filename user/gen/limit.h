/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * limit.h - limits the number of hits that are recorded: a rate for each definition, or once for each task.
 */
#ifndef GEN_LIMIT_H
#define GEN_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "gen/code.h"
#include "plan/plan.h"

struct gate_env;

/*
 * A token bucket, as in the generic cell rate algorithm: a hit takes @interval_ns of time, and the bucket holds
 * @burst_ns of time. The bucket is full at first.
 */
struct limit {
	uint64_t interval_ns;		/* time of one token; 0: no rate */
	uint64_t burst_ns;		/* time of all tokens that the bucket can hold */
	bool once;			/* only the first hit of each task */
};

/* The fastest rate. With a faster one, an interval in whole nanoseconds would not be exact enough. */
enum { LIMIT_MAX_PER_SECOND = 10000000 };

/* Allows @count hits in each @unit_ns, and @count hits at once. -ERANGE: @count is 0, or faster than LIMIT_MAX_PER_SECOND. */
int limit_set_rate(struct limit *l, uint64_t count, uint64_t unit_ns);

/* Is there a limit? @l may be NULL. */
bool limit_is_set(const struct limit *l);

/*
 * Are @plan's limits tested at the end of the fetch code, and not in the gate? They are if the filter uses the record, if an entry probe
 * has saved parameters that the program must remove, or if hits begin or end pairs, also those that are dropped.
 */
bool limit_is_late(const struct plan *plan);

/* Identifies a task that was seen, for bpf/ and user/run/channel.c: the key of the map gate_env.once_fd. */
struct limit_once_key {
	uint64_t start_time;		/* needed because pids are reused */
	uint32_t pid;
	uint32_t probe;
};

/* A jump that a dropped hit takes. It lives in the code's arena. */
struct limit_jump {
	struct limit_jump *next;
	unsigned jump;
};

/*
 * Appends the tests of env->limit. A hit that will be recorded continues behind them. Uses r0 to r5, and 16 bytes of the
 * stack from @stack on (a multiple of 8). Returns the jumps of dropped hits.
 */
struct limit_jump *limit_emit(const struct gate_env *env, struct code *code, int stack);

#endif
