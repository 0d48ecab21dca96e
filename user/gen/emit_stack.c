// SPDX-License-Identifier: GPL-2.0-only
/*
 * emit_stack.c - the stacks of a hit. Registers: emit_priv.h.
 *
 * The frames are in the record itself, behind the strings. In a map of stacks two could have one place, and a full map would lose them.
 */
#include "gen/emit_priv.h"

/*
 * One stack, r8 bytes behind the start of the strings; r8 is moved behind it. The helper fills its room with zeroes, so it
 * comes before anything that is behind it. If there is no such stack (a kernel thread has none of user space), it has no frames.
 */
static void emit_stack(struct emitter *e, enum stack_kind kind)
{
	static const int32_t flags[STACK_KINDS] = {
		[STACK_USER] = BPF_F_USER_STACK, [STACK_USER_IDS] = BPF_F_USER_STACK | BPF_F_USER_BUILD_ID,
	};
	const struct layout *l = &e->plan->layout;
	struct code *c = e->code;
	unsigned some;

	code_mov(c, BPF_REG_1, BPF_REG_6);
	code_mov(c, BPF_REG_2, BPF_REG_7);
	code_alu(c, BPF_ADD, BPF_REG_2, BPF_REG_8);
	code_alu_imm(c, BPF_ADD, BPF_REG_2, emit_strings(e));
	code_mov_imm(c, BPF_REG_3, (int32_t)layout_stack_room(kind));
	code_mov_imm(c, BPF_REG_4, flags[kind]);
	code_call(c, BPF_FUNC_get_stack);
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

void emit_stacks(struct emitter *e)
{
	const struct layout *l = &e->plan->layout;
	struct code *c = e->code;
	unsigned unwanted = 0;

	if (e->plan->filter) {		/* a hit that a limit rejects does not come here */
		unwanted = code_jump_imm(c, BPF_JSET, BPF_REG_9, BP_FETCH_FILTERED);
		code_load(c, 8, BPF_REG_8, BPF_REG_10, emit_word(e, KEPT));
	}
	for (unsigned i = 0; i < STACK_KINDS; i++) {
		if (l->stacks & 1u << i)
			emit_stack(e, (enum stack_kind)i);
	}
	code_alu_imm(c, BPF_LSH, BPF_REG_8, BP_FETCH_USED_SHIFT);
	code_alu(c, BPF_OR, BPF_REG_9, BPF_REG_8);
	if (unwanted)
		code_land(c, unwanted);
}
