// SPDX-License-Identifier: GPL-2.0-only
/*
 * gate.c - the code in front of a program that turns hits away.
 */
#include "plan/gate.h"

#include <errno.h>
#include <stddef.h>

#include "bprobe_abi.h"
#include "plan/filter_code.h"

void gate_leave(struct gate *g, enum gate_exit how, unsigned jump)
{
	struct gate_jump *j = arena_new(g->code->arena, struct gate_jump);

	*j = (struct gate_jump){ .next = g->jumps[how], .jump = jump };
	g->jumps[how] = j;
}

bool gate_is_needed(const struct plan *plan, const struct gate_env *env, bool saver)
{
	struct arena arena = { 0 };
	bool filters = !saver && filter_early_part(plan, &arena);

	(void)env;
	arena_fini(&arena);
	return filters;
}

/* One more in this definition's counter at @offset of its bp_stat, on this CPU. */
static void count(struct code *c, const struct gate_env *env, size_t offset)
{
	bool power = !(env->nr_cpus & (env->nr_cpus - 1));	/* ... of two: a mask is shorter than a jump */
	unsigned never = 0;

	code_call(c, BPF_FUNC_get_smp_processor_id);
	/* How large that is at most verifiers before 6.10 do not know. */
	if (power)
		code_alu_imm(c, BPF_AND, BPF_REG_0, (int32_t)env->nr_cpus - 1);
	else
		never = code_jump_imm(c, BPF_JGE, BPF_REG_0, (int32_t)env->nr_cpus);
	code_alu_imm(c, BPF_LSH, BPF_REG_0, (int32_t)env->shift);
	code_map_value(c, BPF_REG_1, env->stats_fd, env->stat_offset);
	code_alu(c, BPF_ADD, BPF_REG_1, BPF_REG_0);
	code_load(c, 8, BPF_REG_2, BPF_REG_1, (int16_t)offset);
	code_alu_imm(c, BPF_ADD, BPF_REG_2, 1);
	code_store(c, 8, BPF_REG_1, (int16_t)offset, BPF_REG_2);
	if (!power)
		code_land(c, never);
}

static void emit_exit(struct gate *g, enum gate_exit how)
{
	static const size_t offsets[GATE_EXITS] = {
		[GATE_FILTERED] = offsetof(struct bp_stat, filtered), [GATE_LIMITED] = offsetof(struct bp_stat, limited),
	};
	struct code *c = g->code;

	if (!g->jumps[how])
		return;
	for (const struct gate_jump *j = g->jumps[how]; j; j = j->next)
		code_land(c, j->jump);
	if (offsets[how])
		count(c, g->env, offsets[how]);
	code_mov_imm(c, BPF_REG_0, 0);
	code_exit(c);
}

static void emit_tests(struct gate *g, bool saver)
{
	if (!saver)
		filter_emit_gate(g);
}

/* Do the tests need r6? Not if none of them calls a helper or uses r1: that is the context then. */
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
 * The tests, with the context in r6 while they run and in r1 behind them. Without r6 a hit that is turned away
 * takes four instructions less: the kernel's compiler saves that register for the caller.
 */
static void emit_tests_and_context(struct gate *g, bool saver)
{
	bool keep = tests_keep_context(g, saver);
	struct code *c = g->code;

	if (keep)
		code_mov(c, BPF_REG_6, BPF_REG_1);
	emit_tests(g, saver);
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
	code->insns[call].imm = (int32_t)(code->nr - call - 1);
	if (code->overflow)
		return diag_at(diag, -E2BIG, plan->def->head_at, "the tests need more code than one BPF program can hold");
	return 0;
}
