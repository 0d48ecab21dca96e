// SPDX-License-Identifier: GPL-2.0-only
/*
 * act_code.c - BPF for triggers that switch something, ask for a snapshot or for the stack.
 *
 * A number that each CPU writes in the same way needs no atomic store. A count may be taken by two CPUs at once: then both write
 * the same.
 */
#include "gen/act_code.h"

#include <stddef.h>

#include "bprobe_abi.h"
#include "plan/plan.h"

unsigned act_code_tests(const struct plan *plan)
{
	if (!plan->sets_off.acts)
		return BP_SWITCHED_BOTH;
	if (stage_of_acts(plan) != STAGE_RECORD)
		return BP_SWITCHED_NEITHER;
	for (const struct act *a = plan->sets_off.acts; a; a = a->next) {
		if (a->trigger->kind != TRIGGER_TRACEOFF)
			return BP_SWITCHED_NEITHER;
	}
	return BP_SWITCHED_TRACING;
}

/* reg = the `off` of a bp_switch */
static void load_switch(struct code *c, unsigned reg, const struct act_word *at)
{
	code_map_value(c, BPF_REG_1, at->fd, at->off + (uint32_t)offsetof(struct bp_switch, off));
	code_load(c, 8, reg, BPF_REG_1, 0);
}

/* *r1 -= 1 */
static void emit_take(struct code *c)
{
	code_mov_imm(c, BPF_REG_2, -1);
	code_add(c, (struct bpf_insn){ .code = BPF_STX | BPF_ATOMIC | BPF_DW, .dst_reg = BPF_REG_1, .src_reg = BPF_REG_2,
				       .imm = BPF_ADD });
}

/*
 * Takes one of the trigger's count. A hit goes to @skip if the count is used up, or if the switch already has this value. It does
 * not lower the count (6.12, traceon_count_trigger(), event_enable_count_trigger()).
 */
static void emit_count(struct act_code *a, const struct act *act, struct filter_jump **skip)
{
	struct code *c = a->fc.code;
	int fd = act->state->state_fd;

	if (act->trigger->kind < TRIGGER_ENABLE_HIST && act->nr_words) {
		code_map_value(c, BPF_REG_1, act->words[0].fd, act->words[0].off);
		code_load(c, 8, BPF_REG_2, BPF_REG_1, 0);
		filter_jump_add(&a->fc, skip, code_jump_imm(c, BPF_JEQ, BPF_REG_2, (int32_t)act_value(act->trigger->kind)));
	}
	code_map_value(c, BPF_REG_1, fd, offsetof(struct bp_count_state, left));
	code_load(c, 8, BPF_REG_2, BPF_REG_1, 0);
	filter_jump_add(&a->fc, skip, code_jump_imm(c, BPF_JSLE, BPF_REG_2, 0));
	emit_take(c);
}

/* A reader waits for the bell. If it is full, somebody else has rung it. */
static void emit_bell(const struct act_code *a)
{
	struct code *c = a->fc.code;
	int16_t nothing = (int16_t)(a->was + 8);

	code_store_imm(c, 8, BPF_REG_10, nothing, 0);
	code_map(c, BPF_REG_1, a->env->bell_fd);
	code_mov(c, BPF_REG_2, BPF_REG_10);
	code_alu_imm(c, BPF_ADD, BPF_REG_2, nothing);
	code_mov_imm(c, BPF_REG_3, 8);
	code_mov_imm(c, BPF_REG_4, BPF_RB_FORCE_WAKEUP);
	code_call(c, BPF_FUNC_ringbuf_output);
}

/* Until the stack is taken, the record's word for its place says whether it is wanted. */
static int16_t wish_at(const struct plan *plan)
{
	return (int16_t)(BP_BODY_OFF + plan->layout.stack_off[STACK_KERNEL]);
}

static void store_wish(const struct act_code *a, int32_t wish)
{
	code_store_imm(a->fc.code, 4, BPF_REG_7, wish_at(a->fc.plan), wish);
}

void act_load_wish(const struct plan *plan, unsigned reg, struct code *c)
{
	code_load(c, 4, reg, BPF_REG_7, wish_at(plan));
}

/* The kernel writes a stack after all triggers have acted, so there is none if one of them stops all (6.12, event_triggers_post_call()). */
static void emit_last_wish(const struct act_code *a)
{
	struct code *c = a->fc.code;
	unsigned on;

	load_switch(c, BPF_REG_3, &a->env->tracing);
	on = code_jump_imm(c, BPF_JEQ, BPF_REG_3, 0);
	store_wish(a, 0);
	code_land(c, on);
}

static void emit_one(struct act_code *a, const struct act *act)
{
	struct filter_jump *skip = NULL;
	struct code *c = a->fc.code;

	if (act->filter)
		filter_emit_root(&a->fc, act->filter, &skip);
	if (act->trigger->counted)
		emit_count(a, act, &skip);
	for (unsigned i = 0; i < act->nr_words; i++) {
		code_map_value(c, BPF_REG_1, act->words[i].fd, act->words[i].off);
		code_store_imm(c, 8, BPF_REG_1, 0, (int32_t)act_value(act->trigger->kind));
	}
	if (act->trigger->kind == TRIGGER_SNAPSHOT)
		emit_bell(a);
	if (act->trigger->kind == TRIGGER_STACKTRACE)
		store_wish(a, 1);
	filter_jump_land(&a->fc, &skip);
}

/* Which of the two is asked before the triggers act: see act_code.h. */
static const struct act_word *asked_before(const struct act_code *a)
{
	return a->fc.plan->sets_off.acts_conditional ? &a->env->tracing : &a->env->event;
}

static const struct act_word *asked_behind(const struct act_code *a)
{
	return a->fc.plan->sets_off.acts_conditional ? &a->env->event : &a->env->tracing;
}

void act_emit(struct act_code *a)
{
	struct code *c = a->fc.code;

	load_switch(c, BPF_REG_2, asked_before(a));
	code_store(c, 8, BPF_REG_10, a->was, BPF_REG_2);
	if (act_takes_stack(a->fc.plan->sets_off.acts))
		store_wish(a, 0);
	for (const struct act *act = a->fc.plan->sets_off.acts; act; act = act->next)
		emit_one(a, act);
	if (act_takes_stack(a->fc.plan->sets_off.acts))
		emit_last_wish(a);
}

void act_emit_off(const struct act_code *a)
{
	struct code *c = a->fc.code;

	load_switch(c, BPF_REG_3, asked_behind(a));
	code_load(c, 8, BPF_REG_2, BPF_REG_10, a->was);
	code_alu(c, BPF_OR, BPF_REG_3, BPF_REG_2);
}
