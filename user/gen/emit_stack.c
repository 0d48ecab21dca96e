// SPDX-License-Identifier: GPL-2.0-only
/*
 * emit_stack.c - the stacks of a hit. Registers: emit_priv.h.
 *
 * The frames are in the record itself, behind the strings. In a map of stacks two could have one place, and a full map would lose them.
 */
#include <stddef.h>

#include "gen/act_code.h"
#include "gen/emit_priv.h"
#include "gen/gate.h"

/* r1 = where the stack goes: r8 bytes behind the start of the strings. */
static void emit_place(struct emitter *e, unsigned reg)
{
	code_mov(e->code, reg, BPF_REG_7);
	code_alu(e->code, BPF_ADD, reg, BPF_REG_8);
	code_alu_imm(e->code, BPF_ADD, reg, emit_strings(e));
}

void emit_unwind(struct code *c, enum stack_kind kind)
{
	static const int32_t flags[STACK_KINDS] = {
		[STACK_USER] = BPF_F_USER_STACK, [STACK_USER_IDS] = BPF_F_USER_STACK | BPF_F_USER_BUILD_ID,
	};

	code_mov(c, BPF_REG_1, BPF_REG_6);
	code_mov_imm(c, BPF_REG_3, (int32_t)layout_stack_room(kind));
	code_mov_imm(c, BPF_REG_4, flags[kind]);
	code_call(c, BPF_FUNC_get_stack);
}

static void emit_unwind_here(struct emitter *e, enum stack_kind kind)
{
	emit_place(e, BPF_REG_2);
	emit_unwind(e->code, kind);
}

_Static_assert(ARRAY + (int)sizeof(struct bp_saved_key) <= 0, "the key takes the words of numbers and arrays");

/* r1 = bp_stacks, r2 = the call's key, which emit_saved() has put on the stack. */
static void emit_map_and_key(struct emitter *e, const struct gate_env *env)
{
	code_map(e->code, BPF_REG_1, env ? env->stacks_fd : -1);
	code_mov(e->code, BPF_REG_2, BPF_REG_10);
	code_alu_imm(e->code, BPF_ADD, BPF_REG_2, emit_word(e, ARRAY));
}

/*
 * r0 = bytes of the stack that the entry of this call has saved (save_stack() in bpf/probe.bpf.c), or 0. It is removed. The word ASIDE
 * has the address of the map's value, and then the number of bytes.
 */
static void emit_saved(struct emitter *e, const struct gate_env *env)
{
	int16_t key = emit_word(e, ARRAY), aside = emit_word(e, ASIDE);
	struct code *c = e->code;
	unsigned none, some, fits;

	code_load(c, 8, BPF_REG_1, BPF_REG_6, 8 * REG_SP);
	code_store(c, 8, BPF_REG_10, key, BPF_REG_1);
	code_call(c, BPF_FUNC_get_current_pid_tgid);
	code_store(c, 4, BPF_REG_10, (int16_t)(key + offsetof(struct bp_saved_key, pid)), BPF_REG_0);
	code_mov_imm(c, BPF_REG_1, (int32_t)(env ? env->id : 0));
	code_store(c, 4, BPF_REG_10, (int16_t)(key + offsetof(struct bp_saved_key, probe)), BPF_REG_1);
	emit_map_and_key(e, env);
	code_call(c, BPF_FUNC_map_lookup_elem);
	none = code_jump_imm(c, BPF_JEQ, BPF_REG_0, 0);
	code_store(c, 8, BPF_REG_10, aside, BPF_REG_0);
	emit_place(e, BPF_REG_1);
	code_mov_imm(c, BPF_REG_2, (int32_t)layout_stack_room(STACK_KERNEL));
	code_mov(c, BPF_REG_3, BPF_REG_0);
	code_alu_imm(c, BPF_ADD, BPF_REG_3, offsetof(struct bp_saved_stack, frames));
	code_call(c, BPF_FUNC_probe_read_kernel);
	code_load(c, 8, BPF_REG_1, BPF_REG_10, aside);
	code_load(c, 8, BPF_REG_1, BPF_REG_1, offsetof(struct bp_saved_stack, len));
	code_store(c, 8, BPF_REG_10, aside, BPF_REG_1);
	emit_map_and_key(e, env);
	code_call(c, BPF_FUNC_map_delete_elem);
	code_load(c, 8, BPF_REG_0, BPF_REG_10, aside);
	fits = code_jump_imm(c, BPF_JLE, BPF_REG_0, (int32_t)layout_stack_room(STACK_KERNEL));
	code_mov_imm(c, BPF_REG_0, 0);
	code_land(c, fits);
	some = code_jump(c);
	code_land(c, none);
	code_mov_imm(c, BPF_REG_0, 0);
	code_land(c, some);
}

void emit_no_stack(struct emitter *e, enum stack_kind kind)
{
	code_store_imm(e->code, 4, BPF_REG_7, (int16_t)(BP_BODY_OFF + e->plan->layout.stack_off[kind]), 0);
}

void emit_stack(struct emitter *e, enum stack_kind kind, const struct gate_env *env)
{
	const struct layout *l = &e->plan->layout;
	struct code *c = e->code;
	unsigned some;

	if (kind == STACK_KERNEL && e->plan->saved.stack)
		emit_saved(e, env);
	else
		emit_unwind_here(e, kind);
	some = code_jump_imm(c, BPF_JSGT, BPF_REG_0, 0);
	code_mov_imm(c, BPF_REG_0, 0);
	code_land(c, some);
	code_mov(c, BPF_REG_1, BPF_REG_0);
	code_alu_imm(c, BPF_LSH, BPF_REG_1, 16);
	code_alu(c, BPF_ADD, BPF_REG_1, BPF_REG_8);
	code_alu_imm(c, BPF_ADD, BPF_REG_1, (int32_t)l->dyn_off);
	code_store(c, 4, BPF_REG_7, (int16_t)(BP_BODY_OFF + l->stack_off[kind]), BPF_REG_1);
	code_alu(c, BPF_ADD, BPF_REG_8, BPF_REG_0);
}

/* Has the record this stack only if stacktrace acts, and does the program know that? */
static bool is_asked(const struct emitter *e, enum stack_kind kind)
{
	return e->plan->def->trigger_stacks & 1u << kind && act_takes_stack(e->plan->sets_off.acts);
}

/* The record says already that there is no stack. What the entry has saved is taken away all the same. */
static void emit_if_asked(struct emitter *e, enum stack_kind kind, const struct gate_env *env)
{
	struct code *c = e->code;
	unsigned asked, done;

	act_load_wish(e->plan, BPF_REG_1, c);
	asked = code_jump_imm(c, BPF_JNE, BPF_REG_1, 0);
	if (e->plan->saved.stack)
		emit_saved(e, env);
	done = code_jump(c);
	code_land(c, asked);
	emit_stack(e, kind, env);
	code_land(c, done);
}

void emit_stacks(struct emitter *e, const struct gate_env *env)
{
	const struct layout *l = &e->plan->layout;
	struct code *c = e->code;
	unsigned unwanted = 0;

	if (e->tests) {		/* a hit that a limit rejects does not come here */
		unwanted = code_jump_imm(c, BPF_JSET, BPF_REG_9, BP_FETCH_FILTERED);
		code_load(c, 8, BPF_REG_8, BPF_REG_10, emit_word(e, ASIDE));
	}
	for (unsigned i = 0; i < STACK_KINDS; i++) {
		if (!(l->stacks & 1u << i))
			continue;
		if (is_asked(e, (enum stack_kind)i))
			emit_if_asked(e, (enum stack_kind)i, env);
		else
			emit_stack(e, (enum stack_kind)i, env);
	}
	code_alu_imm(c, BPF_LSH, BPF_REG_8, BP_FETCH_USED_SHIFT);
	code_alu(c, BPF_OR, BPF_REG_9, BPF_REG_8);
	if (unwanted)
		code_land(c, unwanted);
}
