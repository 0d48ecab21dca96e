// SPDX-License-Identifier: GPL-2.0-only
/*
 * emit_path.c - paths: a call of bp_path() (bpf/path.bpf.h), and a copy of its text. Registers: emit_priv.h.
 */
#include <stddef.h>

#include "gen/emit_priv.h"

/* @reg = the address of the byte at @off of struct bp_path. It may be too far for an offset of an instruction. */
static void emit_room_address(struct emitter *e, unsigned reg, size_t off)
{
	code_mov(e->code, reg, BPF_REG_7);
	code_alu_imm(e->code, BPF_ADD, reg, emit_path_room(e) + (int32_t)off);
}

void emit_path(struct emitter *e, const struct fetch *f)
{
	uint32_t room = emit_string_room(e);
	struct code *c = e->code;
	struct cold *cold;

	emit_room_check(e);
	emit_address(e, f, COLD_FAULT);
	code_mov(c, BPF_REG_1, BPF_REG_3);
	emit_room_address(e, BPF_REG_2, 0);
	code_mov_imm(c, BPF_REG_3, f->path == FETCH_DENTRY_PATH);
	code_call_function(c, CODE_PATH);
	emit_room_address(e, BPF_REG_1, offsetof(struct bp_path, bytes));
	code_load(c, 8, BPF_REG_0, BPF_REG_1, 0);
	cold = emit_cold_jump(e, COLD_PATH, code_jump_imm(c, BPF_JGT, BPF_REG_0, (int32_t)room));
	cold->store = c->nr;
	emit_cold_jump(e, COLD_FAULT, code_jump_imm(c, BPF_JEQ, BPF_REG_0, 0));
	emit_data_loc(e, BPF_REG_0, BPF_REG_1);
	emit_room_address(e, BPF_REG_3, offsetof(struct bp_path, text) + BP_PATH_TEXT);
	code_alu(c, BPF_SUB, BPF_REG_3, BPF_REG_0);
	code_mov(c, BPF_REG_1, BPF_REG_7);
	if (e->begun)
		code_alu(c, BPF_ADD, BPF_REG_1, BPF_REG_8);
	code_alu_imm(c, BPF_ADD, BPF_REG_1, emit_strings(e));
	code_mov(c, BPF_REG_2, BPF_REG_0);
	emit_take_strings(e, 1);
	code_alu(c, BPF_ADD, BPF_REG_8, BPF_REG_0);
	code_call(c, BPF_FUNC_probe_read_kernel);
}

/*
 * The path is longer than its space in the short record, or names changed meanwhile: the long record is the second try. What is disturbed
 * again is marked.
 */
void emit_long_path(struct emitter *e, const struct cold *cold)
{
	struct code *c = e->code;

	if (e->is_long) {
		emit_marks(e, cold->field);
		code_alu_imm(c, BPF_AND, BPF_REG_0, BP_PATH_CHANGED - 1);
		code_land_at(c, code_jump_imm(c, BPF_JLE, BPF_REG_0, LAYOUT_LONG_STRING), cold->store);
	}
	emit_filled(e, cold);
}
