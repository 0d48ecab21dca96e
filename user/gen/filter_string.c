// SPDX-License-Identifier: GPL-2.0-only
/*
 * filter_string.c - the tests of strings in the record.
 *
 *	r1  offset of the text from the body's start	r4, r5  positions in the text
 *	r2  size of the text, with the NUL		r0, r8  the values being compared
 *	r3  address of the bytes being compared
 *
 * A comparison before each load proves to the verifier that the load is inside the record.
 */
#include <stddef.h>

#include "bprobe_abi.h"
#include "gen/filter_code.h"

static void fail_where(struct filter_code *fc, unsigned op, unsigned reg, int32_t imm)
{
	filter_jump_add(fc, &fc->failed, code_jump_imm(fc->code, op, reg, imm));
}

/* Adds to @to the jumps that are taken if r0 is not in the set. */
static void emit_class(struct filter_code *fc, const uint32_t *set, struct filter_jump **to)
{
	const struct glob_element element = { .kind = GLOB_CLASS, .set = set };
	struct filter_jump *in = NULL;

	for (unsigned first = 0; first < 256; first++) {
		unsigned last = first, below;

		if (!glob_element_matches(&element, (unsigned char)first))
			continue;
		while (last < 255 && glob_element_matches(&element, (unsigned char)(last + 1)))
			last++;
		below = code_jump_imm(fc->code, BPF_JLT, BPF_REG_0, (int32_t)first);
		filter_jump_add(fc, &in, code_jump_imm(fc->code, BPF_JLE, BPF_REG_0, (int32_t)last));
		code_land(fc->code, below);
		first = last;
	}
	if (in)
		filter_jump_add(fc, to, code_jump(fc->code));
	else				/* an empty set, such as [b-a] */
		filter_jump_always(fc, to);
	filter_jump_land(fc, &in);
}

/* The number of literal elements from @i on that one load can compare. It is a power of two. */
static unsigned literal_run(const struct glob_segment *s, uint32_t i)
{
	unsigned run = 0, size = 1;

	while (i + run < s->len && run < 8 && s->elements[i + run].kind == GLOB_LITERAL)
		run++;
	while (size * 2 <= run)
		size *= 2;
	return size;
}

/*
 * Adds to @to the jumps that are taken if the bytes at r3 + @off do not match @s. @has_nul: the text may end among
 * these bytes.
 */
static void emit_segment(struct filter_code *fc, const struct glob_segment *s, int16_t off, bool has_nul,
			 struct filter_jump **to)
{
	struct code *c = fc->code;

	for (uint32_t i = 0; i < s->len;) {
		const struct glob_element *e = &s->elements[i];
		int16_t at = (int16_t)(off + (int)i);
		unsigned bytes = 1;
		uint64_t want = 0;

		if (e->kind == GLOB_LITERAL) {
			bytes = literal_run(s, i);
			for (unsigned k = 0; k < bytes; k++)
				want |= (uint64_t)e[k].byte << 8 * k;
		}
		if (e->kind != GLOB_ANY || has_nul)
			code_load(c, bytes, BPF_REG_0, BPF_REG_3, at);
		if (e->kind == GLOB_CLASS) {
			emit_class(fc, e->set, to);
		} else if (e->kind == GLOB_ANY) {
			if (has_nul)
				filter_jump_add(fc, to, code_jump_imm(c, BPF_JEQ, BPF_REG_0, 0));
		} else if ((int64_t)want == (int32_t)want) {
			filter_jump_add(fc, to, code_jump_imm(c, BPF_JNE, BPF_REG_0, (int32_t)want));
		} else {
			code_const(c, BPF_REG_8, want);
			filter_jump_add(fc, to, code_jump_reg(c, BPF_JNE, BPF_REG_0, BPF_REG_8));
		}
		i += bytes;
	}
}

/* The task's name: at most 16 bytes, the last one is a NUL. */
static void emit_comm(struct filter_code *fc, const struct filter_leaf *leaf)
{
	const struct glob_segment *s = leaf->glob->segments;

	if (s->len >= BP_COMM_LEN) {
		filter_jump_always(fc, &fc->failed);
		return;
	}
	code_mov(fc->code, BPF_REG_3, BPF_REG_7);
	emit_segment(fc, s, offsetof(struct bp_rec, comm), true, &fc->failed);
	if (leaf->glob->nr > 1)
		return;
	code_load(fc->code, 1, BPF_REG_0, BPF_REG_3, (int16_t)(offsetof(struct bp_rec, comm) + s->len));
	fail_where(fc, BPF_JNE, BPF_REG_0, 0);
}

/* r3 = the address of offset @reg in the record. Fails if fewer than @bytes of the record are behind it. */
static void emit_place(struct filter_code *fc, unsigned reg, uint32_t bytes)
{
	fail_where(fc, BPF_JGT, reg, (int32_t)(fc->record_size - BP_BODY_OFF - bytes));
	code_mov(fc->code, BPF_REG_3, BPF_REG_7);
	code_alu(fc->code, BPF_ADD, BPF_REG_3, reg);
}

/* Tests whether the text ends with @s: its bytes are directly in front of the NUL. */
static void emit_suffix(struct filter_code *fc, const struct glob_segment *s)
{
	struct code *c = fc->code;

	code_mov(c, BPF_REG_4, BPF_REG_1);
	code_alu(c, BPF_ADD, BPF_REG_4, BPF_REG_2);
	code_alu_imm(c, BPF_SUB, BPF_REG_4, (int32_t)s->len + 1);
	emit_place(fc, BPF_REG_4, s->len);
	emit_segment(fc, s, BP_BODY_OFF, false, &fc->failed);
}

/* Must the segment be searched for? Not if any text of its length matches: the text is known to be long enough. */
static bool is_looked_for(const struct glob_segment *s)
{
	for (uint32_t i = 0; i < s->len; i++) {
		if (s->elements[i].kind != GLOB_ANY)
			return true;
	}
	return false;
}

/*
 * Searches for the segment between two stars, at each position behind the first segment. r4 is the
 * position, r5 the last one. The record has @room bytes from the text's start on.
 */
static void emit_middle(struct filter_code *fc, const struct glob *glob, uint32_t room)
{
	const struct glob_segment *s = &glob->segments[1];
	uint32_t first = glob->segments[0].len;
	struct filter_jump *differs = NULL;
	struct code *c = fc->code;
	unsigned again, found;

	code_mov(c, BPF_REG_5, BPF_REG_2);
	code_alu_imm(c, BPF_SUB, BPF_REG_5, (int32_t)(glob->segments[2].len + s->len + 1));
	fail_where(fc, BPF_JGT, BPF_REG_1, (int32_t)(fc->record_size - BP_BODY_OFF - room));
	code_mov_imm(c, BPF_REG_4, (int32_t)first);
	again = c->nr;
	filter_jump_add(fc, &fc->failed, code_jump_reg(c, BPF_JGT, BPF_REG_4, BPF_REG_5));
	fail_where(fc, BPF_JGT, BPF_REG_4, (int32_t)(room - s->len));
	code_mov(c, BPF_REG_3, BPF_REG_7);
	code_alu(c, BPF_ADD, BPF_REG_3, BPF_REG_1);
	code_alu(c, BPF_ADD, BPF_REG_3, BPF_REG_4);
	emit_segment(fc, s, BP_BODY_OFF, false, &differs);
	found = code_jump(c);
	filter_jump_land(fc, &differs);
	code_alu_imm(c, BPF_ADD, BPF_REG_4, 1);
	code_land_at(c, code_jump(c), again);
	code_land(c, found);
}

void filter_emit_string(struct filter_code *fc, const struct filter_leaf *leaf)
{
	const struct layout_field *f = leaf->field;
	const struct glob *glob = leaf->glob;
	const struct glob_segment *first = glob->segments, *last = first + glob->nr - 1;
	struct code *c = fc->code;
	uint32_t room;

	if (leaf->source == FILTER_COMM) {
		emit_comm(fc, leaf);
		return;
	}
	room = fc->is_long && f->grows ? LAYOUT_LONG_STRING : f->room;
	if (glob->min_len >= room) {
		filter_jump_always(fc, &fc->failed);
		return;
	}
	code_load(c, 4, BPF_REG_1, BPF_REG_7, (int16_t)(BP_BODY_OFF + f->off));
	code_mov(c, BPF_REG_2, BPF_REG_1);
	code_alu_imm(c, BPF_RSH, BPF_REG_2, 16);
	if (fc->hopes)
		filter_jump_add(fc, &fc->unread, code_jump_imm(c, BPF_JEQ, BPF_REG_2, 0));
	fail_where(fc, glob->nr == 1 ? BPF_JNE : BPF_JLT, BPF_REG_2, (int32_t)glob->min_len + 1);
	/* Of a string that was cut, the record keeps this many bytes. */
	if (room > LAYOUT_MAX_STRING + 1 && glob->nr > 1 && last->len) {
		unsigned whole = code_jump_imm(c, BPF_JLE, BPF_REG_2, LAYOUT_MAX_STRING + 1);

		code_mov_imm(c, BPF_REG_2, LAYOUT_MAX_STRING + 1);
		code_land(c, whole);
	}
	code_alu_imm(c, BPF_AND, BPF_REG_1, 0xffff);
	if (first->len) {
		emit_place(fc, BPF_REG_1, first->len);
		emit_segment(fc, first, BP_BODY_OFF, false, &fc->failed);
	}
	if (glob->nr > 1 && last->len)
		emit_suffix(fc, last);
	if (glob->nr > 2 && is_looked_for(&glob->segments[1]))
		emit_middle(fc, glob, room);
}
