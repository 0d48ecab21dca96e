// SPDX-License-Identifier: GPL-2.0-only
/*
 * emit_buffer.c - as many bytes as a number says, as BPF. Registers: emit_priv.h.
 *
 * The record says where the bytes are and how many, before they are read: so r8 is moved on in one place. A buffer that could not be
 * read has 0 there. A mark says that there are more bytes than the record has.
 */
#include "gen/emit_priv.h"

enum { PAGE = 4096 };

/* Jumps to cold code if the length could not be read. */
static void emit_length_check(struct emitter *e, const struct layout_field *length)
{
	struct code *c = e->code;

	if (length->mark == LAYOUT_NO_MARK)
		return;
	code_load(c, 1, BPF_REG_1, BPF_REG_7, (int16_t)(BP_BODY_OFF + e->plan->layout.marks_off + length->mark / 8));
	emit_cold_jump(e, COLD_FAULT, code_jump_imm(c, BPF_JSET, BPF_REG_1, 1 << length->mark % 8));
}

/* r3 = the length, at most as long as the space. The rare cases are cold code, so that the verifier sees the widest range first. */
static void emit_length(struct emitter *e)
{
	const struct layout_field *length = &e->plan->layout.fields[e->field->length - 1];
	bool is_signed = length->type.kind == TYPE_SIGNED || length->bit_signed;
	unsigned spare = 64 - 8u * length->type.size;
	struct code *c = e->code;

	emit_length_check(e, length);
	code_load(c, length->type.size, BPF_REG_3, BPF_REG_7, emit_slot(length));
	if (is_signed && spare) {
		code_alu_imm(c, BPF_LSH, BPF_REG_3, (int32_t)spare);
		code_alu_imm(c, BPF_ARSH, BPF_REG_3, (int32_t)spare);
	}
	if (is_signed || !spare)		/* nothing has 2^63 bytes: it is an error number */
		emit_cold_detour(e, COLD_NO_LENGTH, code_jump_imm(c, BPF_JSLT, BPF_REG_3, 0));
	if (e->is_long)
		emit_cold_detour(e, COLD_LONGER, code_jump_imm(c, BPF_JGT, BPF_REG_3, LAYOUT_MAX_BYTES));
	else
		emit_cold_jump(e, COLD_FILLED, code_jump_imm(c, BPF_JGT, BPF_REG_3, (int32_t)e->field->room));
}

static uint32_t room_of(const struct emitter *e, const struct layout_field *f)
{
	return e->is_long && f->length ? (uint32_t)LAYOUT_MAX_BYTES : f->room;
}

/* r2 = the length: a number, or the word on the stack. 5.10's verifier does not know the range of a word any more. */
static void emit_load_length(struct emitter *e)
{
	struct code *c = e->code;

	if (!e->field->length) {
		code_mov_imm(c, BPF_REG_2, e->field->room);
		return;
	}
	code_load(c, 8, BPF_REG_2, BPF_REG_10, emit_word(e, LENGTH));
	emit_cold_jump(e, COLD_FAULT, code_jump_imm(c, BPF_JGT, BPF_REG_2, (int32_t)room_of(e, e->field)));
}

void emit_buffer(struct emitter *e, const struct fetch *f)
{
	struct code *c = e->code;

	emit_room_check(e);
	if (e->field->length) {
		emit_length(e);
		code_store(c, 8, BPF_REG_10, emit_word(e, LENGTH), BPF_REG_3);
	}
	emit_address(e, f, COLD_FAULT);
	code_store(c, 8, BPF_REG_10, emit_word(e, ARRAY), BPF_REG_3);
	emit_load_length(e);
	emit_data_loc(e, BPF_REG_2, BPF_REG_4);
	code_mov(c, BPF_REG_1, BPF_REG_7);
	if (e->begun)
		code_alu(c, BPF_ADD, BPF_REG_1, BPF_REG_8);
	code_alu_imm(c, BPF_ADD, BPF_REG_1, emit_strings(e));
	emit_take_strings(e, 1);
	if (e->left || emit_shrinks(e))
		code_alu(c, BPF_ADD, BPF_REG_8, BPF_REG_2);
	code_call(c, emit_reads_user(f) ? BPF_FUNC_probe_read_user : BPF_FUNC_probe_read);
	emit_cold_jump(e, COLD_BUFFER, code_jump_imm(c, BPF_JNE, BPF_REG_0, 0));
}

/* r1 = the place of the bytes. Jumps to the fault if it is not in the record, which never happens: it is for the verifier. */
static unsigned emit_place_again(struct emitter *e, const struct cold *cold)
{
	const struct layout *l = &e->plan->layout;
	uint32_t size = (e->is_long ? l->long_size : l->short_size) - l->stack_size - BP_BODY_OFF;
	struct code *c = e->code;
	unsigned outside;

	code_load(c, 2, BPF_REG_1, BPF_REG_7, emit_slot(cold->field));
	outside = code_jump_imm(c, BPF_JGT, BPF_REG_1, (int32_t)(size - room_of(e, cold->field)));
	code_alu(c, BPF_ADD, BPF_REG_1, BPF_REG_7);
	code_alu_imm(c, BPF_ADD, BPF_REG_1, BP_BODY_OFF);
	return outside;
}

/*
 * The bytes may end behind a page that can be read: then the record gets those of this page, and a mark. The helper has filled all of
 * the place with zeroes. If there are no bytes, it does not matter that their address may not be read.
 */
void emit_buffer_part(struct emitter *e, const struct cold *cold)
{
	const struct layout_field *f = cold->field;
	unsigned none, in_page, outside, large, failed, done;
	struct code *c = e->code;

	code_load(c, 2, BPF_REG_2, BPF_REG_7, (int16_t)(emit_slot(f) + 2));
	none = code_jump_imm(c, BPF_JEQ, BPF_REG_2, 0);
	code_load(c, 8, BPF_REG_3, BPF_REG_10, emit_word(e, ARRAY));
	code_mov(c, BPF_REG_4, BPF_REG_3);
	code_alu_imm(c, BPF_OR, BPF_REG_4, PAGE - 1);
	code_alu_imm(c, BPF_ADD, BPF_REG_4, 1);
	code_alu(c, BPF_SUB, BPF_REG_4, BPF_REG_3);	/* bytes up to the next page */
	in_page = code_jump_reg(c, BPF_JGE, BPF_REG_4, BPF_REG_2);
	code_store(c, 8, BPF_REG_10, emit_word(e, LENGTH), BPF_REG_4);
	code_mov(c, BPF_REG_2, BPF_REG_4);
	outside = emit_place_again(e, cold);
	large = code_jump_imm(c, BPF_JGT, BPF_REG_2, (int32_t)room_of(e, f));
	code_call(c, emit_reads_user(cold->fetch) ? BPF_FUNC_probe_read_user : BPF_FUNC_probe_read);
	code_load(c, 8, BPF_REG_1, BPF_REG_10, emit_word(e, LENGTH));
	code_store(c, 2, BPF_REG_7, (int16_t)(emit_slot(f) + 2), BPF_REG_1);
	failed = code_jump_imm(c, BPF_JNE, BPF_REG_0, 0);
	emit_marks(e, f);
	/* The rest may be there after the task has waited for it. If it is not, the value counts as one that could not be read. */
	if (e->plan->faults_in)
		code_alu_imm(c, BPF_OR, BPF_REG_9, BP_FETCH_FAULT);
	done = code_jump(c);
	code_land(c, in_page);
	code_land(c, outside);
	code_land(c, large);
	code_land(c, failed);
	emit_fault(e, cold);
	code_land(c, done);
	code_land(c, none);
}
