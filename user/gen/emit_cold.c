// SPDX-License-Identifier: GPL-2.0-only
/*
 * emit_cold.c - code for rare cases: faults, and strings without space. Registers: emit_priv.h.
 */
#include "gen/emit_priv.h"

void emit_marks(struct emitter *e, const struct layout_field *field)
{
	struct code *c = e->code;

	for (uint32_t bit = field->mark, end = bit + field->count, nr; bit < end; bit += nr) {
		int16_t word = (int16_t)(BP_BODY_OFF + e->plan->layout.marks_off + bit / 64 * 8);

		nr = MIN(end - bit, 64 - bit % 64);
		code_load(c, 8, BPF_REG_1, BPF_REG_7, word);
		code_const(c, BPF_REG_2, (~0ull >> (64 - nr)) << (bit % 64));
		code_alu(c, BPF_OR, BPF_REG_1, BPF_REG_2);
		code_store(c, 8, BPF_REG_7, word, BPF_REG_1);
	}
}

static void emit_zeroes(struct emitter *e, int16_t at, uint32_t bytes)
{
	for (uint32_t done = 0, size; done < bytes; done += size) {
		for (size = 8; size > bytes - done; size /= 2)
			;
		code_store_imm(e->code, size, BPF_REG_7, (int16_t)(at + (int)done), 0);
	}
}

/*
 * A string that could not be read has length 0, but occupies the smallest space of a string, filled with 0. So the
 * next string is at a place where it could also be behind a string that was read.
 */
static void emit_no_string(struct emitter *e, const struct cold *cold)
{
	enum type_kind kind = cold->field->type.kind;
	uint32_t least = kind == TYPE_SYMSTR || kind == TYPE_BLOCK ? cold->field->room : 1;
	struct code *c = e->code;

	if (kind == TYPE_BUFFER) {		/* an empty one has a place */
		code_store_imm(c, 4, BPF_REG_7, emit_slot(cold->field), 0);
		return;
	}
	code_mov(c, BPF_REG_1, BPF_REG_8);
	code_alu_imm(c, BPF_ADD, BPF_REG_1, (int32_t)e->plan->layout.dyn_off);
	for (uint32_t i = 0; i < cold->field->count; i++) {
		if (i && cold->field->type.until_null)
			code_store_imm(c, 4, BPF_REG_7, (int16_t)(emit_slot(cold->field) + 4 * (int)i), 0);
		else
			code_store(c, 4, BPF_REG_7, (int16_t)(emit_slot(cold->field) + 4 * (int)i), BPF_REG_1);
	}
	if (!cold->more || cold->kind == COLD_ARRAY_FAULT)	/* strings of an array have no smallest space */
		return;
	code_mov(c, BPF_REG_1, BPF_REG_7);
	code_alu(c, BPF_ADD, BPF_REG_1, BPF_REG_8);
	for (uint32_t at = 0, step = MIN(least, 8u); at < least; at += step)
		code_store_imm(c, step, BPF_REG_1, (int16_t)(emit_strings(e) + (int)at), 0);
	code_alu_imm(c, BPF_ADD, BPF_REG_8, (int32_t)least);
}

void emit_fault(struct emitter *e, const struct cold *cold)
{
	const struct layout_field *field = cold->field;

	if (type_is_dynamic(&field->type)) {
		emit_no_string(e, cold);
	} else {
		emit_zeroes(e, emit_slot(field), field->size);
		emit_marks(e, field);
	}
	code_alu_imm(e->code, BPF_OR, BPF_REG_9, BP_FETCH_FAULT);
}

/* As many bytes as one of the shorter structures has: sockaddr_in6, sockaddr_in, sockaddr_nl, or the family alone. */
static void emit_less(struct emitter *e, const struct cold *cold)
{
	static const unsigned sizes[] = { 28, 16, 12, 2 };
	struct code *c = e->code;

	e->field = cold->field;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		unsigned failed;

		emit_block_read(e, cold->fetch, sizes[i]);
		failed = code_jump_imm(c, BPF_JNE, BPF_REG_0, 0);
		emit_block_size(e, sizes[i]);
		code_land_at(c, code_jump(c), cold->store);
		code_land(c, failed);
	}
	emit_fault(e, cold);
}

/* Stores an empty string that is marked as cut. It has a NUL, and a buffer has not. */
static void emit_full(struct emitter *e, const struct cold *cold)
{
	uint32_t bytes = cold->field->type.kind != TYPE_BUFFER;
	struct code *c = e->code;

	emit_marks(e, cold->field);
	code_mov(c, BPF_REG_1, BPF_REG_7);
	code_alu(c, BPF_ADD, BPF_REG_1, BPF_REG_8);
	code_store_imm(c, 1, BPF_REG_1, emit_strings(e), 0);
	code_mov(c, BPF_REG_1, BPF_REG_8);
	code_alu_imm(c, BPF_ADD, BPF_REG_1, (int32_t)(e->plan->layout.dyn_off + (bytes << 16)));
	code_store(c, 4, BPF_REG_7, emit_slot(cold->field), BPF_REG_1);
}

void emit_filled(struct emitter *e, const struct cold *cold)
{
	struct code *c = e->code;

	if (cold->kind == COLD_FILLED_ARRAY)
		code_load(c, 8, BPF_REG_6, BPF_REG_10, emit_word(e, ASIDE));
	code_mov_imm(c, BPF_REG_9, BP_FETCH_FILLED);
	code_land_at(c, code_jump(c), e->end);
}

void emit_cold(struct emitter *e, const struct cold *cold)
{
	struct code *c = e->code;
	unsigned error;

	for (const struct cold_jump *j = cold->jumps; j; j = j->next)
		code_land(c, j->jump);
	switch (cold->kind) {
	case COLD_NO_STRING:
		/*
		 * Up to 7.x the helper returns 0 instead of 1 for an empty user string
		 * (mm/maccess.c, strncpy_from_user_nofault()). Its NUL has been written.
		 */
		error = code_jump_imm(c, BPF_JNE, BPF_REG_0, 0);
		code_mov_imm(c, BPF_REG_0, 1);
		code_land_at(c, code_jump(c), cold->store);
		code_land(c, error);
		emit_fault(e, cold);
		break;
	case COLD_FAULT:
	case COLD_ARRAY_FAULT:
		emit_fault(e, cold);
		break;
	case COLD_ELEMENTS:
		emit_elements(e, cold->field, cold->fetch);
		break;
	case COLD_BLOCK:
		emit_less(e, cold);
		break;
	case COLD_CUT:
		emit_marks(e, cold->field);
		break;
	case COLD_NO_LENGTH:
		code_mov_imm(c, BPF_REG_3, 0);
		break;
	case COLD_LONGER:
		emit_marks(e, cold->field);
		code_mov_imm(c, BPF_REG_3, LAYOUT_MAX_BYTES);
		break;
	case COLD_BUFFER:
		emit_buffer_part(e, cold);
		break;
	case COLD_FULL:
		emit_full(e, cold);
		break;
	case COLD_KERNEL_STRING:
		code_call(c, BPF_FUNC_probe_read_kernel_str);
		break;
	case COLD_PATH:
		emit_long_path(e, cold);
		return;
	case COLD_FILLED:
	case COLD_FILLED_ARRAY:
		emit_filled(e, cold);
		return;
	}
	code_land_at(c, code_jump(c), cold->back);
}
