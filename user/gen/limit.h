/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * limit.h - BPF that drops the hits beyond the limits of a definition (plan/limit.h).
 */
#ifndef GEN_LIMIT_H
#define GEN_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "gen/code.h"
#include "plan/limit.h"
#include "plan/plan.h"

struct gate_env;

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
 * Appends the tests of @l. A hit that will be recorded continues behind them. Uses r0 to r5, and 16 bytes of the
 * stack from @stack on (a multiple of 8). Returns the jumps of dropped hits.
 */
struct limit_jump *limit_emit(const struct limit *l, const struct gate_env *env, struct code *code, int stack);

#endif
