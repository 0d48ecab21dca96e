// SPDX-License-Identifier: GPL-2.0-only
/*
 * limit.c - limits the number of hits that are recorded.
 *
 * The bucket is one number (struct bp_rate): the time at which it will be full. A hit moves that time
 * later by a token's interval, counted from now if the time is past. The time may not be later than now
 * by more than the interval of all tokens:
 *
 *	full = max(next, now) + interval;  full - now > burst: dropped;  else next = full
 */
#include "gen/limit.h"

#include <stddef.h>

#include "bprobe_abi.h"
#include "gen/gate.h"
#include "kernel/ktask.h"

enum { TRIES = 4 };

static void drop(struct code *c, struct limit_jump **list, unsigned jump)
{
	struct limit_jump *j = arena_new(c->arena, struct limit_jump);

	*j = (struct limit_jump){ .next = *list, .jump = jump };
	*list = j;
}

/* ---- the rate ---- */

/* r4 is now, and r1 the bucket's address. r2 = the time when it will be full, r3 = the same with this hit. Keeps r1. */
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
 * If another CPU has taken a token meanwhile, the code tries again. After some tries the hit is dropped:
 * there were many hits at the same time.
 */
static void emit_rate(const struct limit *l, const struct gate_env *env, struct code *c, struct limit_jump **dropped)
{
	unsigned taken[TRIES];

	code_call(c, BPF_FUNC_ktime_get_ns);
	code_mov(c, BPF_REG_4, BPF_REG_0);
	code_map_value(c, BPF_REG_1, env->stats_fd, env->rate_offset);
	if (!env->atomics) {
		/* Before 5.12 this is a plain store. Two CPUs at exactly the same time may share one token. */
		emit_fill(c, l, dropped);
		code_store(c, 8, BPF_REG_1, offsetof(struct bp_rate, next), BPF_REG_3);
		return;
	}
	for (unsigned i = 0; i < TRIES; i++) {
		emit_fill(c, l, dropped);
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

/* Stores the key of the task and this definition on the stack. */
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

/* Looks the key up first: an update that fails for an existing key would first remove another entry to make space. */
static void emit_seen(const struct gate_env *env, struct code *c, int stack, struct limit_jump **dropped)
{
	emit_key(env, c, stack);
	emit_map_and_key(env, c, stack);
	code_call(c, BPF_FUNC_map_lookup_elem);
	drop(c, dropped, code_jump_imm(c, BPF_JNE, BPF_REG_0, 0));
}

/* Adds the key to the map. The value has no meaning: it is the key's first bytes. */
static void emit_remember(const struct gate_env *env, struct code *c, int stack)
{
	emit_map_and_key(env, c, stack);
	code_mov(c, BPF_REG_3, BPF_REG_2);
	code_mov_imm(c, BPF_REG_4, BPF_ANY);
	code_call(c, BPF_FUNC_map_update_elem);
}

/* A task's first hit counts only if the rate accepts it. */
struct limit_jump *limit_emit(const struct limit *l, const struct gate_env *env, struct code *code, int stack)
{
	struct limit_jump *dropped = NULL;

	if (l->once)
		emit_seen(env, code, stack, &dropped);
	if (l->interval_ns)
		emit_rate(l, env, code, &dropped);
	if (l->once)
		emit_remember(env, code, stack);
	return dropped;
}
