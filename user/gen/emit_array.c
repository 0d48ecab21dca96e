// SPDX-License-Identifier: GPL-2.0-only
/*
 * emit_array.c - arrays as BPF. Registers: emit_priv.h.
 *
 * Numbers are next to each other in memory, and are read at once. If that fails, they are read one by one, so that
 * each element has its own result. For strings the array holds pointers, and they are read one by one. Reading one by
 * one is a loop, which the verifier walks through for each element. A loop has only one path, apart from the paths that
 * leave it for good: the verifier would follow each path that comes back through all the rest of the loop.
 */
#include "gen/emit_priv.h"

/* ---- numbers ---- */

static bool is_wide(const struct layout_field *f)
{
	return f->bit_off + f->bit_width > 8 * f->type.size;
}

/* @to = the place of element number @index in the record, without the field's own offset. */
static void emit_element(struct code *c, unsigned to, unsigned index, unsigned size)
{
	code_mov(c, to, index);
	if (size & (size - 1))
		code_alu_imm(c, BPF_MUL, to, (int32_t)size);
	else if (size > 1)
		code_alu_imm(c, BPF_LSH, to, __builtin_ctz(size));
	code_alu(c, BPF_ADD, to, BPF_REG_7);
}

/* Takes the bits that the bit-field names from the word on the stack, and stores them as the element. */
static void emit_wide_element(struct emitter *e, const struct layout_field *f)
{
	struct code *c = e->code;

	code_load(c, 8, BPF_REG_1, BPF_REG_10, emit_word(e, SPILL));
	emit_bit_field(c, f);
	emit_element(c, BPF_REG_2, BPF_REG_9, f->type.size);
	code_store(c, f->type.size, BPF_REG_2, emit_slot(f), BPF_REG_1);
}

/* Sets the marks that are in bits 64 - count to 63 of the word on the stack. r1 becomes these marks, from bit 0 on. */
static void emit_collected_marks(struct emitter *e, const struct layout_field *field)
{
	int16_t word = (int16_t)(BP_BODY_OFF + e->plan->layout.marks_off + field->mark / 64 * 8);
	unsigned bit = field->mark % 64;
	struct code *c = e->code;

	code_load(c, 8, BPF_REG_1, BPF_REG_10, emit_word(e, MARKS));
	if (field->count < 64)
		code_alu_imm(c, BPF_RSH, BPF_REG_1, (int32_t)(64 - field->count));
	code_mov(c, BPF_REG_2, BPF_REG_1);
	if (bit)
		code_alu_imm(c, BPF_LSH, BPF_REG_2, (int32_t)bit);
	code_load(c, 8, BPF_REG_3, BPF_REG_7, word);
	code_alu(c, BPF_OR, BPF_REG_3, BPF_REG_2);
	code_store(c, 8, BPF_REG_7, word, BPF_REG_3);
	if (bit + field->count <= 64)
		return;
	code_mov(c, BPF_REG_2, BPF_REG_1);
	code_alu_imm(c, BPF_RSH, BPF_REG_2, (int32_t)(64 - bit));
	code_load(c, 8, BPF_REG_3, BPF_REG_7, (int16_t)(word + 8));
	code_alu(c, BPF_OR, BPF_REG_3, BPF_REG_2);
	code_store(c, 8, BPF_REG_7, (int16_t)(word + 8), BPF_REG_3);
}

/* Collects one more mark: bit 63 of @reg, whose other bits are 0. Uses r2. */
static void emit_collect(struct emitter *e, unsigned reg)
{
	struct code *c = e->code;

	code_load(c, 8, BPF_REG_2, BPF_REG_10, emit_word(e, MARKS));
	code_alu_imm(c, BPF_RSH, BPF_REG_2, 1);
	code_alu(c, BPF_OR, BPF_REG_2, reg);
	code_store(c, 8, BPF_REG_10, emit_word(e, MARKS), BPF_REG_2);
}

/* Moves the address of the array's next element by @bytes. */
static void emit_advance(struct emitter *e, unsigned bytes)
{
	struct code *c = e->code;

	code_load(c, 8, BPF_REG_1, BPF_REG_10, emit_word(e, ARRAY));
	code_alu_imm(c, BPF_ADD, BPF_REG_1, (int32_t)bytes);
	code_store(c, 8, BPF_REG_10, emit_word(e, ARRAY), BPF_REG_1);
}

void emit_elements(struct emitter *e, const struct layout_field *field, const struct fetch *f)
{
	unsigned size = field->type.size, loop, none;
	struct code *c = e->code;

	code_store(c, 8, BPF_REG_10, emit_word(e, ASIDE), BPF_REG_9);
	code_store_imm(c, 8, BPF_REG_10, emit_word(e, MARKS), 0);
	code_mov_imm(c, BPF_REG_9, 0);
	loop = c->nr;
	if (is_wide(field))
		code_mov(c, BPF_REG_1, BPF_REG_10);
	else
		emit_element(c, BPF_REG_1, BPF_REG_9, size);
	code_alu_imm(c, BPF_ADD, BPF_REG_1, is_wide(field) ? emit_word(e, SPILL) : emit_slot(field));
	code_mov_imm(c, BPF_REG_2, is_wide(field) ? 8 : (int32_t)size);
	code_load(c, 8, BPF_REG_3, BPF_REG_10, emit_word(e, ARRAY));
	/* An element that cannot be read becomes 0. */
	code_call(c, emit_reads_user(f) ? BPF_FUNC_probe_read_user : BPF_FUNC_probe_read);
	code_alu_imm(c, BPF_RSH, BPF_REG_0, 63);
	code_alu_imm(c, BPF_LSH, BPF_REG_0, 63);
	emit_collect(e, BPF_REG_0);
	emit_advance(e, size);
	if (is_wide(field))
		emit_wide_element(e, field);
	code_alu_imm(c, BPF_ADD, BPF_REG_9, 1);
	code_land_at(c, code_jump_imm(c, BPF_JLT, BPF_REG_9, (int32_t)field->count), loop);

	code_load(c, 8, BPF_REG_9, BPF_REG_10, emit_word(e, ASIDE));
	emit_collected_marks(e, field);
	none = code_jump_imm(c, BPF_JEQ, BPF_REG_1, 0);
	code_alu_imm(c, BPF_OR, BPF_REG_9, BP_FETCH_FAULT);
	code_land(c, none);
}

/* Replaces all elements by the bits that the bit-field names, as many elements at a time as a register holds. */
static void emit_array_bits(struct emitter *e)
{
	const struct layout_field *f = e->field;
	uint64_t part = ~0ull >> (64 - f->bit_width), mask = 0;
	struct code *c = e->code;

	for (unsigned bit = 0; bit < 64; bit += 8u * f->type.size)
		mask |= part << bit;
	code_const(c, BPF_REG_2, mask);
	for (uint32_t done = 0, size; done < f->size; done += size) {
		int16_t at = (int16_t)(emit_slot(f) + (int)done);

		for (size = 8; size > f->size - done; size /= 2)
			;
		code_load(c, size, BPF_REG_1, BPF_REG_7, at);
		if (f->bit_off)
			code_alu_imm(c, BPF_RSH, BPF_REG_1, f->bit_off);
		code_alu(c, BPF_AND, BPF_REG_1, BPF_REG_2);
		code_store(c, size, BPF_REG_7, at, BPF_REG_1);
	}
}

static void emit_array_add(struct emitter *e, int64_t add)
{
	const struct layout_field *f = e->field;
	struct code *c = e->code;

	for (uint32_t i = 0; i < f->count; i++) {
		int16_t at = (int16_t)(emit_slot(f) + (int)(i * f->type.size));

		code_load(c, f->type.size, BPF_REG_1, BPF_REG_7, at);
		code_add_const(c, BPF_REG_1, add, BPF_REG_2);
		code_store(c, f->type.size, BPF_REG_7, at, BPF_REG_1);
	}
}

/* Turns the numbers in the record from network byte order to the CPU's. */
static void emit_array_from_network(struct emitter *e)
{
	const struct layout_field *f = e->field;
	struct code *c = e->code;

	for (uint32_t i = 0; i < f->count; i++) {
		int16_t at = (int16_t)(emit_slot(f) + (int)(i * f->type.size));

		code_load(c, f->type.size, BPF_REG_1, BPF_REG_7, at);
		code_from_network(c, BPF_REG_1, f->type.size);
		code_store(c, f->type.size, BPF_REG_7, at, BPF_REG_1);
	}
}

/* r3 and the word on the stack are the address of the numbers. */
static void emit_numbers(struct emitter *e, const struct fetch *f)
{
	const struct layout_field *field = e->field;
	struct code *c = e->code;

	if (is_wide(field)) {
		emit_elements(e, field, f);
	} else {
		code_mov(c, BPF_REG_1, BPF_REG_7);
		code_alu_imm(c, BPF_ADD, BPF_REG_1, emit_slot(field));
		emit_read(e, field->size, emit_reads_user(f), COLD_ELEMENTS);
		e->cold->back = c->nr;
	}
	if (f->add)
		emit_array_add(e, f->add);
	if (field->bit_width && !is_wide(field))
		emit_array_bits(e);
	if (field->type.show == SHOW_BIG_ENDIAN)
		emit_array_from_network(e);
}

/* ---- strings ---- */

/* string[*]: behind the end, the size of the next read becomes 0. r2 is the size. */
static void emit_only_alive(struct emitter *e)
{
	struct code *c = e->code;

	code_load(c, 8, BPF_REG_2, BPF_REG_10, emit_word(e, LIVE));
	code_alu_imm(c, BPF_AND, BPF_REG_2, sizeof(uint64_t));
}

/*
 * string[*]: r3 is the pointer, r0 what its read returned. There is a string unless the array has ended, or ends here. A pointer
 * that cannot be read is a string that cannot be read, and the last one.
 */
static void emit_present(struct emitter *e)
{
	struct code *c = e->code;

	code_mov_imm(c, BPF_REG_1, 0);
	code_alu(c, BPF_SUB, BPF_REG_1, BPF_REG_3);
	code_alu(c, BPF_OR, BPF_REG_1, BPF_REG_3);
	code_alu_imm(c, BPF_ARSH, BPF_REG_1, 63);	/* NULL: 0, else -1 */
	code_load(c, 8, BPF_REG_2, BPF_REG_10, emit_word(e, LIVE));
	code_alu(c, BPF_AND, BPF_REG_1, BPF_REG_2);
	code_store(c, 8, BPF_REG_10, emit_word(e, PRESENT), BPF_REG_1);
	code_alu_imm(c, BPF_ARSH, BPF_REG_0, 63);
	code_alu_imm(c, BPF_XOR, BPF_REG_0, -1);
	code_alu(c, BPF_AND, BPF_REG_1, BPF_REG_0);
	code_store(c, 8, BPF_REG_10, emit_word(e, LIVE), BPF_REG_1);
}

/* @reg &= the word PRESENT. Uses r4. */
static void emit_if_present(struct emitter *e, unsigned reg)
{
	if (!e->field->type.until_null)
		return;
	code_load(e->code, 8, BPF_REG_4, BPF_REG_10, emit_word(e, PRESENT));
	code_alu(e->code, BPF_AND, reg, BPF_REG_4);
}

/* r2, the size of the next string's space, becomes 0 where string[*] has no string: then the helper returns at once. */
static void emit_no_space(struct emitter *e, uint32_t room)
{
	if (!e->field->type.until_null)
		return;
	emit_if_present(e, BPF_REG_2);
	code_alu_imm(e->code, BPF_AND, BPF_REG_2, (int32_t)room);	/* for the verifier: the upper limit */
}

/* r3 = the next string's address. If that cannot be read, r3 is an invalid address. */
static void emit_next_pointer(struct emitter *e, const struct fetch *f)
{
	struct code *c = e->code;

	code_mov(c, BPF_REG_1, BPF_REG_10);
	code_alu_imm(c, BPF_ADD, BPF_REG_1, emit_word(e, SPILL));
	code_mov_imm(c, BPF_REG_2, 8);
	code_load(c, 8, BPF_REG_3, BPF_REG_10, emit_word(e, ARRAY));
	if (e->field->type.until_null)
		emit_only_alive(e);
	code_call(c, emit_reads_user(f) ? BPF_FUNC_probe_read_user : BPF_FUNC_probe_read);
	emit_advance(e, sizeof(uint64_t));
	code_load(c, 8, BPF_REG_3, BPF_REG_10, emit_word(e, SPILL));
	code_alu(c, BPF_OR, BPF_REG_3, BPF_REG_0);	/* -EFAULT gives the last page, which has no memory */
	if (e->field->type.until_null)
		emit_present(e);
}

/* r1 = the place for the string, r2 = its largest size in bytes. */
static void emit_place(struct emitter *e, uint32_t room)
{
	struct code *c = e->code;

	code_mov(c, BPF_REG_1, BPF_REG_7);
	code_alu(c, BPF_ADD, BPF_REG_1, BPF_REG_8);
	code_alu_imm(c, BPF_ADD, BPF_REG_1, emit_strings(e));
	code_mov_imm(c, BPF_REG_2, (int32_t)room);
}

/*
 * Like emit_place(), but r8 may be larger than @limit. In that case the size is 0, and an empty string is stored
 * before. The verifier does not see that r8 is small enough: jumps that are never taken prove it.
 */
static void emit_place_or_full(struct emitter *e, uint32_t room, int32_t limit)
{
	struct code *c = e->code;

	e->may_be_full = true;
	code_mov(c, BPF_REG_1, BPF_REG_7);
	code_alu(c, BPF_ADD, BPF_REG_1, BPF_REG_8);
	code_store_imm(c, 1, BPF_REG_1, emit_strings(e), 0);
	code_mov_imm(c, BPF_REG_2, limit);
	code_alu(c, BPF_SUB, BPF_REG_2, BPF_REG_8);
	code_alu_imm(c, BPF_ARSH, BPF_REG_2, 63);
	code_store(c, 8, BPF_REG_10, emit_word(e, FULL), BPF_REG_2);
	code_alu_imm(c, BPF_XOR, BPF_REG_2, -1);
	code_mov(c, BPF_REG_1, BPF_REG_8);
	code_alu(c, BPF_AND, BPF_REG_1, BPF_REG_2);
	emit_cold_jump(e, COLD_FILLED_ARRAY, code_jump_imm(c, BPF_JGT, BPF_REG_1, limit));
	code_alu(c, BPF_ADD, BPF_REG_1, BPF_REG_7);
	code_alu_imm(c, BPF_ADD, BPF_REG_1, emit_strings(e));
	code_alu_imm(c, BPF_AND, BPF_REG_2, (int32_t)room);
}

/* r0 is the helper's result. It becomes the size of the string with its NUL, or 0 if there is no string. */
static void emit_length(struct emitter *e)
{
	struct code *c = e->code;

	code_mov(c, BPF_REG_1, BPF_REG_0);
	code_alu_imm(c, BPF_ARSH, BPF_REG_1, 63);	/* an error: -1 */
	code_mov(c, BPF_REG_2, BPF_REG_0);
	code_alu_imm(c, BPF_SUB, BPF_REG_2, 1);
	code_alu_imm(c, BPF_RSH, BPF_REG_2, 63);
	code_alu(c, BPF_ADD, BPF_REG_0, BPF_REG_2);	/* a result of 0 means 1: see COLD_NO_STRING */
	/* Not -1 & BP_FETCH_FAULT: verifiers from 6.12 on would follow two paths. */
	code_mov(c, BPF_REG_2, BPF_REG_1);
	code_alu_imm(c, BPF_RSH, BPF_REG_2, 63);
	code_alu_imm(c, BPF_LSH, BPF_REG_2, __builtin_ctz(BP_FETCH_FAULT));
	emit_if_present(e, BPF_REG_2);
	code_alu(c, BPF_OR, BPF_REG_9, BPF_REG_2);
	code_alu_imm(c, BPF_XOR, BPF_REG_1, -1);
	code_alu(c, BPF_AND, BPF_REG_0, BPF_REG_1);
	emit_if_present(e, BPF_REG_0);
}

/* Stores the __data_loc of string number r6, whose size is r0 bytes. */
static void emit_store_string(struct emitter *e)
{
	struct code *c = e->code;

	code_mov(c, BPF_REG_1, BPF_REG_0);
	code_alu_imm(c, BPF_LSH, BPF_REG_1, 16);
	code_alu(c, BPF_ADD, BPF_REG_1, BPF_REG_8);
	code_alu_imm(c, BPF_ADD, BPF_REG_1, (int32_t)e->plan->layout.dyn_off);
	emit_if_present(e, BPF_REG_1);			/* 0: string[*] has no such string */
	emit_element(c, BPF_REG_2, BPF_REG_6, sizeof(uint32_t));
	code_store(c, 4, BPF_REG_2, emit_slot(e->field), BPF_REG_1);
}

/* In the long record: collects the mark that the string was cut, because it is longer or because there was no space. */
static void emit_was_cut(struct emitter *e, bool may_be_full)
{
	struct code *c = e->code;

	code_mov(c, BPF_REG_1, BPF_REG_0);
	code_alu_imm(c, BPF_SUB, BPF_REG_1, LAYOUT_LONG_STRING);
	code_alu_imm(c, BPF_ARSH, BPF_REG_1, 63);
	code_alu_imm(c, BPF_XOR, BPF_REG_1, -1);
	if (may_be_full) {
		code_load(c, 8, BPF_REG_2, BPF_REG_10, emit_word(e, FULL));
		code_alu(c, BPF_OR, BPF_REG_1, BPF_REG_2);
		code_alu_imm(c, BPF_XOR, BPF_REG_2, -1);
		code_alu(c, BPF_AND, BPF_REG_0, BPF_REG_2);	/* a missing string takes no space */
	}
	code_alu_imm(c, BPF_LSH, BPF_REG_1, 63);
	emit_collect(e, BPF_REG_1);
}

/* Fetches one string in the loop. */
static void emit_one_string(struct emitter *e, const struct fetch *f, int32_t limit)
{
	bool user = e->field->type.kind == TYPE_USTRING || emit_reads_user(f);
	uint32_t room = emit_string_room(e);
	struct code *c = e->code;

	emit_next_pointer(e, f);
	if (limit >= 0)
		emit_place_or_full(e, room, limit);
	else
		emit_place(e, room);
	emit_no_space(e, room);
	code_call(c, user ? BPF_FUNC_probe_read_user_str : BPF_FUNC_probe_read_str);
	emit_length(e);
	/* If the space is full, it may hold only a part of the string. In a long record there cannot be more space. */
	emit_cold_jump(e, COLD_FILLED_ARRAY, code_jump_imm(c, BPF_JGT, BPF_REG_0, (int32_t)room - !e->is_long));
	emit_store_string(e);
	if (e->is_long)
		emit_was_cut(e, limit >= 0);
	code_alu(c, BPF_ADD, BPF_REG_8, BPF_REG_0);
	if (limit >= 0)
		emit_cold_jump(e, COLD_FILLED_ARRAY, code_jump_imm(c, BPF_JGT, BPF_REG_8, limit + (int32_t)room));
}

/* The word on the stack is the address of the array of pointers. */
static void emit_string_loop(struct emitter *e, const struct fetch *f)
{
	int32_t limit = emit_string_limit(e);
	struct code *c = e->code;
	unsigned loop;

	code_store(c, 8, BPF_REG_10, emit_word(e, ASIDE), BPF_REG_6);
	if (e->is_long)
		code_store_imm(c, 8, BPF_REG_10, emit_word(e, MARKS), 0);
	if (e->field->type.until_null)
		code_store_imm(c, 8, BPF_REG_10, emit_word(e, LIVE), -1);
	code_mov_imm(c, BPF_REG_6, 0);
	loop = c->nr;
	emit_one_string(e, f, limit);
	code_alu_imm(c, BPF_ADD, BPF_REG_6, 1);
	code_land_at(c, code_jump_imm(c, BPF_JLT, BPF_REG_6, (int32_t)e->field->count), loop);
	code_load(c, 8, BPF_REG_6, BPF_REG_10, emit_word(e, ASIDE));
	if (e->is_long)
		emit_collected_marks(e, e->field);
	emit_take_strings(e, e->field->count);
}

void emit_array(struct emitter *e, const struct fetch *f)
{
	emit_address(e, f, COLD_ARRAY_FAULT);
	code_store(e->code, 8, BPF_REG_10, emit_word(e, ARRAY), BPF_REG_3);
	if (type_is_dynamic(&e->field->type))
		emit_string_loop(e, f);
	else
		emit_numbers(e, f);
}
