// SPDX-License-Identifier: GPL-2.0-only
/*
 * limit.c - how much is recorded of what is to be recorded.
 *
 * The bucket is one number (struct bp_rate): the time when it will be full. A hit moves it on by
 * a token's interval, from now if it is past. More than all tokens ahead of now it may not go:
 *
 *	full = max(next, now) + interval;  full - now > burst: dropped;  else next = full
 */
#include "gen/limit.h"

#include <errno.h>
#include <stddef.h>

#include "bprobe_abi.h"
#include "gen/gate.h"
#include "kernel/ktask.h"
#include "plan/filter.h"

enum { TRIES = 4 };

int limit_set_rate(struct limit *l, uint64_t count, uint64_t unit_ns)
{
	uint64_t least = 1000000000 / LIMIT_MAX_PER_SECOND;

	if (!count || count > unit_ns / least)
		return -ERANGE;
	l->interval_ns = (unit_ns + count / 2) / count;
	l->burst_ns = l->interval_ns * count;
	return 0;
}

bool limit_is_set(const struct limit *l)
{
	return l && (l->interval_ns || l->once);
}

bool limit_is_late(const struct plan *plan)
{
	struct arena arena = { 0 };
	bool looks = filter_late_part(plan, false, &arena);

	arena_fini(&arena);
	return looks || plan_has_saver(plan);
}

static void drop(struct code *c, struct limit_jump **list, unsigned jump)
{
	struct limit_jump *j = arena_new(c->arena, struct limit_jump);

	*j = (struct limit_jump){ .next = *list, .jump = jump };
	*list = j;
}

/* ---- the rate ---- */

/* r3 = when the bucket would be full, r2 = when it is, r4 = now. Leaves r1, its address. */
static void emit_fill(struct code *c, const struct limit *l, struct limit_jump **dropped)
{
	unsigned later;

	code_load(c, 8, BPF_REG_2, BPF_REG_1, offsetof(struct bp_rate, next));
	code_mov(c, BPF_REG_3, BPF_REG_2);
	later = code_jump_reg(c, BPF_JGE, BPF_REG_3, BPF_REG_4);
	code_mov(c, BPF_REG_3, BPF_REG_4);
	code_land(c, later);
	code_add_const(c, BPF_REG_3, (int64_t)l->interval_ns, BPF_REG_0);
	code_mov(c, BPF_REG_5, BPF_REG_4);
	code_add_const(c, BPF_REG_5, (int64_t)l->burst_ns, BPF_REG_0);
	drop(c, dropped, code_jump_reg(c, BPF_JGT, BPF_REG_3, BPF_REG_5));
}

/*
 * Who finds that another CPU has taken a token meanwhile tries again. If that goes on, the hit is
 * dropped: it was one of many at once.
 */
static void emit_rate(const struct gate_env *env, struct code *c, struct limit_jump **dropped)
{
	unsigned taken[TRIES];

	code_call(c, BPF_FUNC_ktime_get_ns);
	code_mov(c, BPF_REG_4, BPF_REG_0);
	code_map_value(c, BPF_REG_1, env->stats_fd, env->rate_offset);
	if (!env->atomics) {
		/* Before 5.12 a plain store: two CPUs at the very same time may take one token for both. */
		emit_fill(c, env->limit, dropped);
		code_store(c, 8, BPF_REG_1, offsetof(struct bp_rate, next), BPF_REG_3);
		return;
	}
	for (unsigned i = 0; i < TRIES; i++) {
		emit_fill(c, env->limit, dropped);
		code_mov(c, BPF_REG_0, BPF_REG_2);
		code_add(c, (struct bpf_insn){ .code = BPF_STX | BPF_DW | BPF_ATOMIC, .dst_reg = BPF_REG_1,
					       .src_reg = BPF_REG_3, .off = offsetof(struct bp_rate, next),
					       .imm = BPF_CMPXCHG });
		taken[i] = code_jump_reg(c, BPF_JEQ, BPF_REG_0, BPF_REG_2);
	}
	drop(c, dropped, code_jump(c));
	for (unsigned i = 0; i < TRIES; i++)
		code_land(c, taken[i]);
}

/* ---- once ---- */

static int16_t key_at(int stack, size_t member)
{
	return (int16_t)(stack + (int)member);
}

/* The key of the task and this definition, on the stack. */
static void emit_key(const struct gate_env *env, struct code *c, int stack)
{
	int16_t start = key_at(stack, offsetof(struct limit_once_key, start_time));
	int16_t pid = key_at(stack, offsetof(struct limit_once_key, pid));
	const struct ktask *task = env->task;

	if (task->plain) {
		code_call(c, BPF_FUNC_get_current_task_btf);
		code_load(c, 8, BPF_REG_1, BPF_REG_0, (int16_t)task->start_time);
		code_store(c, 8, BPF_REG_10, start, BPF_REG_1);
		code_load(c, 4, BPF_REG_1, BPF_REG_0, (int16_t)task->pid);
		code_store(c, 4, BPF_REG_10, pid, BPF_REG_1);
	} else {
		code_call(c, BPF_FUNC_get_current_pid_tgid);
		code_store(c, 4, BPF_REG_10, pid, BPF_REG_0);
		code_call(c, BPF_FUNC_get_current_task);
		code_mov(c, BPF_REG_3, BPF_REG_0);
		code_alu_imm(c, BPF_ADD, BPF_REG_3, task->start_time);
		code_mov(c, BPF_REG_1, BPF_REG_10);
		code_alu_imm(c, BPF_ADD, BPF_REG_1, start);
		code_mov_imm(c, BPF_REG_2, 8);
		code_call(c, BPF_FUNC_probe_read_kernel);
	}
	code_store_imm(c, 4, BPF_REG_10, key_at(stack, offsetof(struct limit_once_key, probe)), (int32_t)env->probe);
}

/* r1 = the map, r2 = the key */
static void emit_map_and_key(const struct gate_env *env, struct code *c, int stack)
{
	code_map(c, BPF_REG_1, env->once_fd);
	code_mov(c, BPF_REG_2, BPF_REG_10);
	code_alu_imm(c, BPF_ADD, BPF_REG_2, stack);
}

/* An update that is to fail for what is there would first make room in the map: so it is asked before. */
static void emit_seen(const struct gate_env *env, struct code *c, int stack, struct limit_jump **dropped)
{
	emit_key(env, c, stack);
	emit_map_and_key(env, c, stack);
	code_call(c, BPF_FUNC_map_lookup_elem);
	drop(c, dropped, code_jump_imm(c, BPF_JNE, BPF_REG_0, 0));
}

/* The value means nothing: it is the key's first bytes. */
static void emit_remember(const struct gate_env *env, struct code *c, int stack)
{
	emit_map_and_key(env, c, stack);
	code_mov(c, BPF_REG_3, BPF_REG_2);
	code_mov_imm(c, BPF_REG_4, BPF_ANY);
	code_call(c, BPF_FUNC_map_update_elem);
}

/* A task's first hit is only used up when the rate lets it through. */
struct limit_jump *limit_emit(const struct gate_env *env, struct code *code, int stack)
{
	struct limit_jump *dropped = NULL;

	if (env->limit->once)
		emit_seen(env, code, stack, &dropped);
	if (env->limit->interval_ns)
		emit_rate(env, code, &dropped);
	if (env->limit->once)
		emit_remember(env, code, stack);
	return dropped;
}
