// SPDX-License-Identifier: GPL-2.0-only
/*
 * gate.c - the code in front of a program that rejects hits.
 */
#include "gen/gate.h"

#include <errno.h>
#include <stddef.h>

#include "bprobe_abi.h"
#include "gen/count_code.h"
#include "gen/depth.h"
#include "gen/filter_code.h"
#include "gen/limit.h"
#include "gen/tasks.h"
#include "kernel/ktask.h"

void gate_leave(struct gate *g, enum gate_exit how, unsigned jump)
{
	struct gate_jump *j = arena_new(g->code->arena, struct gate_jump);

	*j = (struct gate_jump){ .next = g->jumps[how], .jump = jump };
	g->jumps[how] = j;
}

static bool has_limits(const struct plan *plan, bool saver)
{
	return !saver && plan->limit_stage == STAGE_GATE;
}

static bool counts(const struct plan *plan, bool saver)
{
	return !saver && stage_of_counts(plan) == STAGE_GATE;
}

static bool checks_depth(const struct plan *plan, const struct gate_env *env, bool saver)
{
	return !saver && depth_is_checked(plan, env->task);
}

bool gate_is_needed(const struct plan *plan, const struct gate_env *env, bool saver)
{
	bool filters = !saver && plan->filter && plan->filter->in_gate;

	return filters || !tasks_is_all(env->tasks) || has_limits(plan, saver) || counts(plan, saver) || checks_depth(plan, env, saver);
}

/*
 * Tests whether the task is bprobe's own, like is_self() of bpf/capture.bpf.h. This tests only the process number; the program
 * tests to which process that number belongs now. Emits two jumps. @keeps: r7 becomes what bpf_get_current_pid_tgid() returns.
 */
static void emit_self(struct gate *g, unsigned jumps[2], bool keeps)
{
	const struct ktask *task = g->env->task;
	struct code *c = g->code;

	if (keeps) {
		code_call(c, BPF_FUNC_get_current_pid_tgid);
		code_mov(c, BPF_REG_7, BPF_REG_0);
		code_alu_imm(c, BPF_RSH, BPF_REG_0, 32);
	} else if (task->plain && task->tgid >= 0) {
		code_call(c, BPF_FUNC_get_current_task_btf);
		code_load(c, 4, BPF_REG_0, BPF_REG_0, (int16_t)task->tgid);
	} else {
		code_call(c, BPF_FUNC_get_current_pid_tgid);
		code_alu_imm(c, BPF_RSH, BPF_REG_0, 32);
	}
	code_map_value(c, BPF_REG_1, g->env->selves_fd, 0);
	code_mov(c, BPF_REG_2, BPF_REG_0);
	code_alu_imm(c, BPF_AND, BPF_REG_2, BP_SELF_ROWS - 1);
	code_alu_imm(c, BPF_LSH, BPF_REG_2, __builtin_ctz(sizeof(struct bp_self[2])));
	code_alu(c, BPF_ADD, BPF_REG_1, BPF_REG_2);
	for (unsigned i = 0; i < 2; i++) {
		code_load(c, 4, BPF_REG_2, BPF_REG_1, (int16_t)(i * sizeof(struct bp_self)));
		jumps[i] = code_jump_reg(c, BPF_JEQ, BPF_REG_2, BPF_REG_0);
	}
}

/* Tests whether the task is marked, like task_traced() of bpf/capture.bpf.h. */
static void emit_marked(struct gate *g)
{
	enum { ENTRY = -8 };
	struct code *c = g->code;

	code_call(c, BPF_FUNC_get_current_pid_tgid);
	code_mov(c, BPF_REG_7, BPF_REG_0);
	code_alu_imm(c, BPF_LSH, BPF_REG_0, 32);
	code_alu_imm(c, BPF_RSH, BPF_REG_0, 32);
	code_alu_imm(c, BPF_RSH, BPF_REG_0, __builtin_ctz(BP_TASKS_PER_ENTRY));
	code_store(c, 4, BPF_REG_10, ENTRY, BPF_REG_0);
	code_map(c, BPF_REG_1, g->env->marks_fd);
	code_mov(c, BPF_REG_2, BPF_REG_10);
	code_alu_imm(c, BPF_ADD, BPF_REG_2, ENTRY);
	code_call(c, BPF_FUNC_map_lookup_elem);
	gate_leave(g, GATE_OUT, code_jump_imm(c, BPF_JEQ, BPF_REG_0, 0));
	code_alu_imm(c, BPF_AND, BPF_REG_7, BP_TASKS_PER_ENTRY - 1);
	code_alu(c, BPF_ADD, BPF_REG_0, BPF_REG_7);
	code_load(c, 1, BPF_REG_1, BPF_REG_0, 0);
	gate_leave(g, GATE_OUT, code_jump_imm(c, BPF_JEQ, BPF_REG_1, 0));
}

/* The stack words that tasks_emit() used are free again. */
static void emit_limits(struct gate *g)
{
	const struct limit_jump *j = limit_emit(g->plan->limit, g->env, g->code, -(int)sizeof(struct limit_once_key));

	for (; j; j = j->next)
		gate_leave(g, GATE_LIMITED, j->jump);
}

unsigned gate_stat(const struct gate_env *env, struct code *c)
{
	bool power = !(env->nr_cpus & (env->nr_cpus - 1));	/* a power of two: a mask is shorter than a jump */
	unsigned never = 0;

	code_call(c, BPF_FUNC_get_smp_processor_id);
	/* Verifiers before 6.10 do not know the largest CPU number. */
	if (power)
		code_alu_imm(c, BPF_AND, BPF_REG_0, (int32_t)env->nr_cpus - 1);
	else
		never = code_jump_imm(c, BPF_JGE, BPF_REG_0, (int32_t)env->nr_cpus);
	code_alu_imm(c, BPF_LSH, BPF_REG_0, (int32_t)env->shift);
	code_map_value(c, BPF_REG_1, env->stats_fd, env->stat_offset);
	code_alu(c, BPF_ADD, BPF_REG_1, BPF_REG_0);
	return never;
}

void gate_count(struct code *c, const struct gate_env *env, size_t offset)
{
	unsigned never = gate_stat(env, c);

	code_load(c, 8, BPF_REG_2, BPF_REG_1, (int16_t)offset);
	code_alu_imm(c, BPF_ADD, BPF_REG_2, 1);
	code_store(c, 8, BPF_REG_1, (int16_t)offset, BPF_REG_2);
	if (never)
		code_land(c, never);
}

static void emit_exit(struct gate *g, enum gate_exit how)
{
	static const size_t offsets[GATE_EXITS] = {
		[GATE_FILTERED] = offsetof(struct bp_stat, filtered), [GATE_UNDECIDED] = offsetof(struct bp_stat, filtered),
		[GATE_LIMITED] = offsetof(struct bp_stat, limited),
	};
	struct code *c = g->code;

	if (!g->jumps[how])
		return;
	for (const struct gate_jump *j = g->jumps[how]; j; j = j->next)
		code_land(c, j->jump);
	if (offsets[how])
		gate_count(c, g->env, offsets[how]);
	if (how == GATE_UNDECIDED)
		gate_count(c, g->env, offsetof(struct bp_stat, undecided));
	code_mov_imm(c, BPF_REG_0, g->plan->layout.backend->program.rejects_by_one);
	code_exit(c);
}

/* The stack words that tasks_emit() used are free again. */
static void emit_depth(struct gate *g)
{
	unsigned above[DEPTH_JUMPS];
	unsigned nr = depth_emit(g->env->task, g->code, above);

	gate_count(g->code, g->env, offsetof(struct bp_stat, deepest));
	while (nr)
		code_land(g->code, above[--nr]);
}

/* The stack words of the tests are free again. */
static void emit_counts(struct gate *g, bool knows_pid)
{
	struct code *c = g->code;

	if (g->env->apart == APART_ALL) {
		code_mov(c, BPF_REG_1, BPF_REG_6);
		code_call_function(c, CODE_COUNT);
		gate_leave(g, GATE_COUNTED, code_jump_imm(c, BPF_JNE, BPF_REG_0, 0));
		return;
	}
	g->counter = arena_new(g->code->arena, struct counter);
	*g->counter = (struct counter){ .fc = { .code = g->code, .plan = g->plan, .knows_pid = knows_pid }, .counts = g->plan->sets_off.counts };
	counter_emit(g->counter);
	gate_leave(g, GATE_COUNTED, code_jump(g->code));
}

static void emit_tests(struct gate *g, bool saver)
{
	unsigned jumps[2];
	bool keeps_pid;

	if (!tasks_is_all(g->env->tasks))
		tasks_emit(g);
	if (g->env->marks)
		emit_marked(g);
	if (checks_depth(g->plan, g->env, saver))
		emit_depth(g);
	if (!saver)
		filter_emit_gate(g);
	if (!has_limits(g->plan, saver) && !counts(g->plan, saver))
		return;
	keeps_pid = g->env->leaves_out && counts(g->plan, saver) && count_uses_pid(g->plan->sets_off.counts);
	/* The program drops bprobe's own hits. They must not take the tokens of other hits, or be counted. */
	if (g->env->leaves_out)
		emit_self(g, jumps, keeps_pid);
	if (has_limits(g->plan, saver))
		emit_limits(g);
	if (counts(g->plan, saver))
		emit_counts(g, keeps_pid);
	for (unsigned i = 0; g->env->leaves_out && i < ARRAY_SIZE(jumps); i++)
		code_land(g->code, jumps[i]);
}

/* Do the tests need r6? They do not if none of them calls a helper or uses r1: then r1 remains the context. */
static bool tests_keep_context(const struct gate *g, bool saver)
{
	struct code code = { .arena = g->code->arena };
	struct gate trial = { .code = &code, .plan = g->plan, .env = g->env };

	emit_tests(&trial, saver);
	for (unsigned i = 0; i < code.nr; i++) {
		const struct bpf_insn *insn = &code.insns[i];

		if (insn->code == (BPF_JMP | BPF_CALL) || insn->dst_reg == BPF_REG_1 || insn->src_reg == BPF_REG_1)
			return true;
	}
	return false;
}

/*
 * Emits the tests. The context is in r6 while they run and in r1 behind them. Without r6 a rejected hit takes four
 * instructions less, because the kernel's JIT compiler need not save that register for the caller.
 */
static void emit_tests_and_context(struct gate *g, bool saver)
{
	bool keep = tests_keep_context(g, saver);
	struct code *c = g->code;

	if (keep)
		code_mov(c, BPF_REG_6, BPF_REG_1);
	emit_tests(g, saver);
	g->program = c->nr;
	if (keep) {
		code_mov(c, BPF_REG_1, BPF_REG_6);
		return;
	}
	for (unsigned i = 0; i < c->nr; i++) {
		if (c->insns[i].src_reg == BPF_REG_6)
			c->insns[i].src_reg = BPF_REG_1;
	}
}

int gate_emit(const struct plan *plan, const struct gate_env *env, bool saver, struct code *code, struct diag *diag)
{
	struct gate g = { .code = code, .plan = plan, .env = env };
	unsigned call;

	emit_tests_and_context(&g, saver);
	call = code_add(code, (struct bpf_insn){ .code = BPF_JMP | BPF_CALL, .src_reg = BPF_PSEUDO_CALL });
	code_exit(code);
	for (unsigned i = 0; i < GATE_EXITS; i++)
		emit_exit(&g, (enum gate_exit)i);
	if (g.counter)
		counter_emit_cold(g.counter, g.program);
	if (code_link(code, CODE_COUNT))
		counter_emit_function(plan, CODE_COUNT, code);
	code->insns[call].imm = (int32_t)(code->nr - call - 1);
	if (code->overflow)
		return diag_at(diag, -E2BIG, plan->def->head_at, "the filter and the choice of tasks need more code than one BPF "
			       "program can hold");
	return 0;
}
