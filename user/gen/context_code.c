// SPDX-License-Identifier: GPL-2.0-only
/*
 * context_code.c - BPF for the context of a hit.
 */
#include "gen/context_code.h"

#include "arch/kernel.h"
#include "bprobe_abi.h"
#include "plan/backend.h"
#include "plan/context.h"
#include "plan/plan.h"

/* r1 = the preempt_count, without what the exception of a breakpoint adds. Returns the jump that is taken if it is not known. */
static unsigned load_count(const struct layout *l, struct code *c, unsigned reg, int16_t at)
{
	unsigned unknown, none, set;

	code_load(c, 4, BPF_REG_1, reg, at);
	unknown = code_jump_imm32(c, BPF_JEQ, BPF_REG_1, -1);	/* BP_PREEMPT_UNKNOWN */
	if (!l->at_breakpoint)
		return unknown;
	none = code_jump_imm(c, BPF_JSET, BPF_REG_1, COUNT_NMI);
	set = code_jump(c);
	code_land(c, none);
	code_alu_imm(c, BPF_SUB, BPF_REG_1, ONE_NMI + ONE_HARDIRQ);
	code_land(c, set);
	return unknown;
}

void context_emit_settle(const struct layout *layout, unsigned adds, struct code *c, unsigned reg, int16_t at)
{
	unsigned unknown, deep, set, unsure = 0, over;

	if (!adds && !layout->at_breakpoint)
		return;
	unknown = load_count(layout, c, reg, at);
	code_mov(c, BPF_REG_2, BPF_REG_1);
	code_alu_imm(c, BPF_AND, BPF_REG_2, COUNT_PREEMPT);
	if (layout->backend->hit.depth_unsure && !layout->is_return)
		unsure = code_jump_imm(c, BPF_JEQ, BPF_REG_2, (int32_t)adds + 1);
	deep = code_jump_imm(c, BPF_JGE, BPF_REG_2, (int32_t)adds);
	code_alu(c, BPF_SUB, BPF_REG_1, BPF_REG_2);
	set = code_jump(c);
	code_land(c, deep);
	code_alu_imm(c, BPF_SUB, BPF_REG_1, (int32_t)adds);
	if (unsure) {
		over = code_jump(c);
		code_land(c, unsure);
		code_mov_imm(c, BPF_REG_1, -1);
		code_land(c, over);
	}
	code_land(c, set);
	code_store(c, 4, reg, at, BPF_REG_1);
	code_land(c, unknown);
}

/* r3 |= @flag if r1 & @mask; with @unless, if not */
static void emit_flag(struct code *c, uint32_t mask, bool unless, int32_t flag)
{
	unsigned set = code_jump_imm(c, BPF_JSET, BPF_REG_1, (int32_t)mask), over = unless ? set : code_jump(c);

	if (!unless)
		code_land(c, set);
	code_alu_imm(c, BPF_OR, BPF_REG_3, flag);
	code_land(c, over);
}

static void emit_interrupts(struct code *c)
{
	unsigned known, done;

	code_load(c, 2, BPF_REG_1, BPF_REG_7, offsetof(struct bp_rec, eflags));
	known = code_jump_imm(c, BPF_JNE, BPF_REG_1, BP_EFLAGS_UNKNOWN);
	code_alu_imm(c, BPF_OR, BPF_REG_3, CONTEXT_IRQS_UNKNOWN);
	done = code_jump(c);
	code_land(c, known);
	emit_flag(c, FLAGS_INTERRUPTS, FLAGS_INTERRUPTS_ON != 0, CONTEXT_IRQS_OFF);
	code_land(c, done);
}

void context_emit_flags(const struct filter_code *fc)
{
	struct code *c = fc->code;
	unsigned unknown, few;

	code_mov_imm(c, BPF_REG_3, 0);
	unknown = load_count(&fc->plan->layout, c, BPF_REG_7, offsetof(struct bp_rec, preempt));
	emit_flag(c, COUNT_HARDIRQ, false, CONTEXT_HARDIRQ);
	emit_flag(c, COUNT_SERVING, false, CONTEXT_SOFTIRQ);
	emit_flag(c, COUNT_NO_RESCHED, true, CONTEXT_PREEMPT_RESCHED);
	emit_flag(c, COUNT_NMI, false, CONTEXT_NMI);
	code_alu_imm(c, BPF_AND, BPF_REG_1, COUNT_SOFTIRQ);
	few = code_jump_imm(c, BPF_JLE, BPF_REG_1, COUNT_SERVING);
	code_alu_imm(c, BPF_OR, BPF_REG_3, CONTEXT_BH_OFF);
	code_land(c, few);
	code_load(c, 2, BPF_REG_1, BPF_REG_7, offsetof(struct bp_rec, tif));
	emit_flag(c, fc->env ? fc->env->tif_resched : 0, false, CONTEXT_NEED_RESCHED);
	emit_interrupts(c);
	code_land(c, unknown);
}

/* The register becomes at most @most. */
static void emit_most(struct code *c, unsigned reg, int32_t most)
{
	unsigned fits = code_jump_imm(c, BPF_JLE, reg, most);

	code_mov_imm(c, reg, most);
	code_land(c, fits);
}

/* The register becomes smaller by @by, but not less than 0. */
static void emit_less(struct code *c, unsigned reg, int32_t by)
{
	unsigned more;

	if (!by)
		return;
	more = code_jump_imm(c, BPF_JGE, reg, by);
	code_mov_imm(c, reg, by);
	code_land(c, more);
	code_alu_imm(c, BPF_SUB, reg, by);
}

void context_emit_count(const struct filter_code *fc)
{
	const struct layout *l = &fc->plan->layout;
	struct code *c = fc->code;
	unsigned unknown;

	code_mov_imm(c, BPF_REG_3, 0);
	unknown = load_count(l, c, BPF_REG_7, offsetof(struct bp_rec, preempt));
	code_mov(c, BPF_REG_3, BPF_REG_1);
	code_alu_imm(c, BPF_AND, BPF_REG_3, COUNT_PREEMPT);
	emit_less(c, BPF_REG_3, fc->env && !l->is_synthetic ? (int32_t)fc->env->adds_depth : 0);
	emit_most(c, BPF_REG_3, CONTEXT_MOST_LEVELS);
	code_load(c, 2, BPF_REG_1, BPF_REG_7, offsetof(struct bp_rec, migrate));
	emit_less(c, BPF_REG_1, CONTEXT_MIGRATE_BIAS);
	emit_most(c, BPF_REG_1, CONTEXT_MOST_LEVELS);
	code_alu_imm(c, BPF_LSH, BPF_REG_1, 4);
	code_alu(c, BPF_OR, BPF_REG_3, BPF_REG_1);
	code_land(c, unknown);
}
