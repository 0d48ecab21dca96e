// SPDX-License-Identifier: GPL-2.0-only
/*
 * emit.c - a plan as straight-line BPF: numbers, strings, and the complete code. Registers: emit_priv.h.
 */
#include "gen/emit.h"

#include <errno.h>
#include <stddef.h>

#include "gen/emit_priv.h"
#include "gen/fault_in.h"
#include "gen/filter_code.h"
#include "gen/gate.h"
#include "gen/table_code.h"
#include "plan/fetches.h"
#include "plan/pair.h"

/* The cold code of this kind that the element has already: all reads of a chain share it, because they fail in the same way. */
static struct cold *cold_find(const struct emitter *e, enum cold_kind kind)
{
	for (struct cold *c = e->cold; c && c->field == e->field; c = c->next) {
		if (c->kind == kind && !c->back)
			return c;
	}
	return NULL;
}

struct cold *emit_cold_jump(struct emitter *e, enum cold_kind kind, unsigned jump)
{
	struct cold_jump *j = arena_new(e->code->arena, struct cold_jump);
	struct cold *c = cold_find(e, kind);

	if (!c) {
		c = arena_new(e->code->arena, struct cold);
		*c = (struct cold){ .next = e->cold, .kind = kind, .field = e->field, .fetch = e->fetch,
			     .more = e->left > 1 || e->plan->layout.stacks };
		e->cold = c;
	}
	*j = (struct cold_jump){ .next = c->jumps, .jump = jump };
	c->jumps = j;
	return c;
}

void emit_cold_detour(struct emitter *e, enum cold_kind kind, unsigned jump)
{
	emit_cold_jump(e, kind, jump)->back = e->code->nr;
}

/* All cold paths of the current element that have no place to resume yet resume here. */
static void cold_resume(struct emitter *e, const struct cold *until)
{
	for (struct cold *c = e->cold; c != until; c = c->next) {
		if (!c->back)
			c->back = e->code->nr;
	}
}

/* ---- reads ---- */

/* If fetch.c cannot read a value, its code jumps to cold code of the kind in @e->failing. */
static void read_failed(void *ctx, unsigned jump)
{
	struct emitter *e = ctx;

	emit_cold_jump(e, e->failing, jump);
}

void emit_read(struct emitter *e, unsigned bytes, bool user, enum cold_kind kind)
{
	e->failing = kind;
	fetch_read(&e->fetcher, bytes, user);
}

void emit_address(struct emitter *e, const struct fetch *f, enum cold_kind kind)
{
	e->failing = kind;
	fetch_address(&e->fetcher, f);
}

/* ---- numbers ---- */

void emit_bit_field(struct code *c, const struct layout_field *f)
{
	code_alu_imm(c, BPF_LSH, BPF_REG_1, 64 - f->bit_off - f->bit_width);
	code_alu_imm(c, f->bit_signed ? BPF_ARSH : BPF_RSH, BPF_REG_1, 64 - f->bit_width);
}

/* Replaces the slot's number by the bits that the bit-field names. */
static void emit_bits(struct emitter *e, int16_t to, unsigned from)
{
	const struct layout_field *f = e->field;
	struct code *c = e->code;

	if (from == BPF_REG_10)
		code_load(c, 8, BPF_REG_1, BPF_REG_10, emit_word(e, SPILL));
	else
		code_load(c, f->type.size, BPF_REG_1, BPF_REG_7, to);
	emit_bit_field(c, f);
	code_store(c, f->type.size, BPF_REG_7, to, BPF_REG_1);
}

/* Adds @add to a number that was read into the record. */
static void emit_add(struct emitter *e, int16_t to, int64_t add)
{
	unsigned size = e->field->type.size;
	struct code *c = e->code;

	code_load(c, size, BPF_REG_1, BPF_REG_7, to);
	code_add_const(c, BPF_REG_1, add, BPF_REG_2);
	code_store(c, size, BPF_REG_7, to, BPF_REG_1);
}

/* Turns a number in the record from network byte order to the CPU's. */
static void emit_from_network(struct emitter *e, int16_t to)
{
	unsigned size = e->field->type.size;
	struct code *c = e->code;

	code_load(c, size, BPF_REG_1, BPF_REG_7, to);
	code_from_network(c, BPF_REG_1, size);
	code_store(c, size, BPF_REG_7, to, BPF_REG_1);
}

/* A number: r3 is its value, or with derefs its address. */
static void emit_number_at(struct emitter *e, const struct fetch *f)
{
	const struct layout_field *field = e->field;
	/* A structure's bit-field may begin in the last byte of its type, so it may extend beyond it. */
	bool wide = field->bit_off + field->bit_width > 8 * field->type.size;
	int16_t to = emit_slot(field);
	struct code *c = e->code;

	if (!f->nr_derefs) {
		code_add_const(c, BPF_REG_3, f->add, BPF_REG_1);
		code_store(c, field->type.size, BPF_REG_7, to, BPF_REG_3);
	} else {
		code_mov(c, BPF_REG_1, wide ? BPF_REG_10 : BPF_REG_7);
		code_alu_imm(c, BPF_ADD, BPF_REG_1, wide ? emit_word(e, SPILL) : to);
		emit_read(e, f->read ? f->read : wide ? 8 : field->type.size, emit_reads_user(f), COLD_FAULT);
	}
	if (f->nr_derefs && f->add)
		emit_add(e, to, f->add);
	if (field->bit_width)
		emit_bits(e, to, wide ? BPF_REG_10 : BPF_REG_7);
	if (field->type.show == SHOW_BIG_ENDIAN)
		emit_from_network(e, to);
}

/* ---- strings ---- */

uint32_t emit_string_room(const struct emitter *e)
{
	return e->is_long && e->field->grows ? LAYOUT_LONG_STRING : e->field->room;
}

int32_t emit_string_limit(const struct emitter *e)
{
	const struct layout *l = &e->plan->layout;
	uint32_t window = l->long_size - l->stack_size - BP_BODY_OFF - l->dyn_off, all = 0;

	for (unsigned i = 0; e->is_long && i < layout_all(l); i++) {
		const struct layout_field *f = &l->fields[i];

		if (type_is_dynamic(&f->type))
			all += f->count * (f->grows ? (uint32_t)LAYOUT_LONG_STRING : f->room);
	}
	return all <= window || !e->is_long ? -1 : (int32_t)(window - 8 - e->fixed - emit_string_room(e));
}

void emit_take_strings(struct emitter *e, unsigned count)
{
	e->begun = true;
	e->left -= count;
	if (!e->field->grows)
		e->fixed -= count * e->field->room;
}

void emit_data_loc(struct emitter *e, unsigned bytes, unsigned scratch)
{
	struct code *c = e->code;

	code_mov(c, scratch, bytes);
	code_alu_imm(c, BPF_LSH, scratch, 16);
	if (e->begun)
		code_alu(c, BPF_ADD, scratch, BPF_REG_8);
	code_alu_imm(c, BPF_ADD, scratch, (int32_t)e->plan->layout.dyn_off);
	code_store(c, 4, BPF_REG_7, emit_slot(e->field), scratch);
}

void emit_room_check(struct emitter *e)
{
	int32_t limit = emit_string_limit(e);

	if (e->field->grows && limit >= 0) {
		e->may_be_full = true;
		emit_cold_jump(e, COLD_FULL, code_jump_imm(e->code, BPF_JGT, BPF_REG_8, limit));
	}
}

/*
 * Reads a string of up to r2 bytes from r3 to r1. An address in the user half is read as user
 * memory, as the kernel's own fetch does. probe_read_str makes the same decision, but takes longer.
 * Neither helper can read addresses between the two halves.
 */
static void emit_read_string(struct emitter *e, const struct fetch *f)
{
	struct code *c = e->code;

	if (f->src == FETCH_COMM) {
		code_call(c, BPF_FUNC_probe_read_kernel_str);
	} else if (e->field->type.kind == TYPE_USTRING || emit_reads_user(f)) {
		code_call(c, BPF_FUNC_probe_read_user_str);
	} else {
		struct cold *kernel = emit_cold_jump(e, COLD_KERNEL_STRING, code_jump_imm(c, BPF_JSLT, BPF_REG_3, 0));

		code_call(c, BPF_FUNC_probe_read_user_str);
		kernel->back = c->nr;
	}
}

/* Fetches the text at r3. */
static void emit_string_at(struct emitter *e, const struct fetch *f)
{
	struct code *c = e->code;
	uint32_t room = emit_string_room(e);
	struct cold *none;

	code_mov(c, BPF_REG_1, BPF_REG_7);
	if (e->begun)
		code_alu(c, BPF_ADD, BPF_REG_1, BPF_REG_8);
	code_alu_imm(c, BPF_ADD, BPF_REG_1, emit_strings(e));
	code_mov_imm(c, BPF_REG_2, (int32_t)room);
	emit_read_string(e, f);
	none = emit_cold_jump(e, COLD_NO_STRING, code_jump_imm(c, BPF_JSLE, BPF_REG_0, 0));
	if (e->field->grows)		/* if the space is full, it may hold only a part of the string */
		emit_cold_detour(e, e->is_long ? COLD_CUT : COLD_FILLED, code_jump_imm(c, BPF_JEQ, BPF_REG_0, (int32_t)room));
	none->store = c->nr;
	emit_data_loc(e, BPF_REG_0, BPF_REG_1);
	emit_take_strings(e, 1);
	if (e->left || emit_shrinks(e))
		code_alu(c, BPF_ADD, BPF_REG_8, BPF_REG_0);
}

/* @len bytes at r8 in the strings' part have been filled. */
static void emit_taken(struct emitter *e, uint32_t len)
{
	code_mov_imm(e->code, BPF_REG_0, (int32_t)len);
	emit_data_loc(e, BPF_REG_0, BPF_REG_1);
	code_alu_imm(e->code, BPF_ADD, BPF_REG_8, (int32_t)len);
	emit_take_strings(e, 1);
}

/* An immediate string: one instruction for each four bytes. */
static void emit_text(struct emitter *e, const char *text)
{
	uint32_t len = (uint32_t)strlen(text) + 1, done = 0;
	int16_t at = emit_strings(e);
	struct code *c = e->code;

	code_mov(c, BPF_REG_1, BPF_REG_7);
	code_alu(c, BPF_ADD, BPF_REG_1, BPF_REG_8);
	for (; done + 4 <= len; done += 4) {
		int32_t word;

		memcpy(&word, text + done, sizeof(word));
		code_store_imm(c, 4, BPF_REG_1, (int16_t)(at + done), word);
	}
	for (; done < len; done++)
		code_store_imm(c, 1, BPF_REG_1, (int16_t)(at + done), text[done]);
	emit_taken(e, len);
}

/* A symstr: the record has the address; the name is looked up when the line is printed. */
static void emit_symstr(struct emitter *e, const struct fetch *f)
{
	struct code *c = e->code;

	emit_address(e, f, COLD_FAULT);
	if (f->nr_derefs)
		fetch_follow(&e->fetcher, emit_reads_user(f));
	code_mov(c, BPF_REG_1, BPF_REG_7);
	code_alu(c, BPF_ADD, BPF_REG_1, BPF_REG_8);
	code_store(c, 8, BPF_REG_1, emit_strings(e), BPF_REG_3);
	emit_taken(e, sizeof(uint64_t));
}

/* ---- blocks ---- */

void emit_block_read(struct emitter *e, const struct fetch *f, unsigned bytes)
{
	struct code *c = e->code;

	code_mov(c, BPF_REG_1, BPF_REG_7);
	code_alu(c, BPF_ADD, BPF_REG_1, BPF_REG_8);
	code_alu_imm(c, BPF_ADD, BPF_REG_1, emit_strings(e));
	code_mov_imm(c, BPF_REG_2, (int32_t)bytes);
	code_load(c, 8, BPF_REG_3, BPF_REG_10, emit_word(e, ARRAY));
	code_call(c, emit_reads_user(f) ? BPF_FUNC_probe_read_user : BPF_FUNC_probe_read);
}

void emit_block_size(struct emitter *e, unsigned bytes)
{
	struct code *c = e->code;

	code_mov(c, BPF_REG_1, BPF_REG_7);
	code_alu(c, BPF_ADD, BPF_REG_1, BPF_REG_8);
	code_store_imm(c, 1, BPF_REG_1, (int16_t)(emit_strings(e) + (int)e->field->room - 1), (int32_t)bytes);
}

/* A struct sockaddr: its size depends on its family. All of the largest one is read, or as much as can be. */
static void emit_block(struct emitter *e, const struct fetch *f)
{
	struct code *c = e->code;
	struct cold *less;

	emit_address(e, f, COLD_FAULT);
	code_store(c, 8, BPF_REG_10, emit_word(e, ARRAY), BPF_REG_3);
	emit_block_read(e, f, EMIT_BLOCK_MOST);
	less = emit_cold_jump(e, COLD_BLOCK, code_jump_imm(c, BPF_JNE, BPF_REG_0, 0));
	emit_block_size(e, EMIT_BLOCK_MOST);
	less->store = c->nr;
	emit_taken(e, e->field->room);
}

/* ---- the complete code ---- */

/* The number of values in this plan whose fetch can fail. 2 means two or more. */
static unsigned can_fail(const struct plan *plan)
{
	unsigned nr = 0;

	for (unsigned i = 0; i < layout_all(&plan->layout) && nr < 2; i++)
		nr += fetch_can_fail(&plan->fetches[i]);
	return nr;
}

static void emit_start(struct emitter *e)
{
	const struct layout *l = &e->plan->layout;
	struct code *c = e->code;

	if (e->is_long) {
		code_mov(c, BPF_REG_6, BPF_REG_1);
		code_mov(c, BPF_REG_7, BPF_REG_2);
		code_mov(c, BPF_REG_8, BPF_REG_3);
	}
	if (plan_has_saved(e->plan))
		code_store(c, 8, BPF_REG_10, emit_word(e, SAVED), BPF_REG_8);
	code_mov_imm(c, BPF_REG_8, 0);
	/* Both set r9 to 0. But a loaded value is unknown to the verifier, so it includes all bits that are set later. */
	if (can_fail(e->plan) < 2 && !fault_in_acts_once(e->plan))
		code_mov_imm(c, BPF_REG_9, 0);
	else
		code_load(c, 4, BPF_REG_9, BPF_REG_7, offsetof(struct bp_rec, common_type));
	if (fault_in_acts_once(e->plan))	/* the word has told whether it is the last try */
		code_store_imm(c, 4, BPF_REG_7, offsetof(struct bp_rec, common_type), 0);
	/* A ring's memory still has the bytes of an old record. */
	for (uint32_t i = 0; i < ROUND_UP(l->nr_marks, 64u) / 64; i++)
		code_store_imm(c, 8, BPF_REG_7, (int16_t)(BP_BODY_OFF + l->marks_off + 8 * i), 0);
}

static void emit_scalar(struct emitter *e, const struct fetch *f)
{
	enum type_kind kind = e->field->type.kind;

	if (f->src == FETCH_TEXT) {
		emit_text(e, f->text);
	} else if (kind == TYPE_SYMSTR) {
		emit_symstr(e, f);
	} else if (kind == TYPE_BLOCK) {
		emit_block(e, f);
	} else if (f->path) {
		emit_path(e, f);
	} else if (kind == TYPE_BUFFER) {
		emit_buffer(e, f);
	} else if (type_is_dynamic(&e->field->type)) {
		emit_room_check(e);
		emit_address(e, f, COLD_FAULT);
		emit_string_at(e, f);
	} else {
		emit_address(e, f, COLD_FAULT);
		emit_number_at(e, f);
	}
}

static void emit_field(struct emitter *e, const struct layout_field *field, const struct fetch *f)
{
	const struct cold *before = e->cold;

	e->field = field;
	e->fetch = f;
	if (field->type.count)
		emit_array(e, f);
	else
		emit_scalar(e, f);
	cold_resume(e, before);
}

_Static_assert(ARRAY + (int)sizeof(struct limit_once_key) <= 0, "a key takes the words of numbers and arrays");

/* The words used by the limits are free at this point. r6 to r9 keep their values. */
static void emit_limits(struct emitter *e, const struct gate_env *env)
{
	unsigned unwanted;

	if (e->plan->limit_stage != STAGE_RECORD)
		return;
	/* A hit that the filter rejects takes no token. */
	unwanted = code_jump_imm(e->code, BPF_JSET, BPF_REG_9, BP_FETCH_FILTERED);
	e->limited = limit_emit(e->plan->limit, env, e->code, emit_word(e, ARRAY));
	code_land(e->code, unwanted);
}

/*
 * A value could not be read, and the task has not waited for it yet. So all comes again, and nothing acts now. Returns the jump; 0: nothing
 * would act.
 */
static unsigned emit_waits(struct emitter *e)
{
	struct code *c = e->code;

	if (!fault_in_acts_once(e->plan))
		return 0;
	code_mov(c, BPF_REG_1, BPF_REG_9);
	code_alu_imm(c, BPF_AND, BPF_REG_1, BP_FETCH_FAULT | BP_FETCH_AGAIN);
	return code_jump_imm(c, BPF_JEQ, BPF_REG_1, BP_FETCH_FAULT);
}

/* Earlier code leaves a hit to this if a table is full, or if the task has the number of one that is left out. */
static bool count_by_record(const struct plan *plan)
{
	enum stage stage = stage_of_counts(plan);

	return stage == STAGE_RECORD || (plan->sets_off.counts && stage < STAGE_RECORD && plan->sets_off.counts->drops);
}

static bool acts_by_record(const struct plan *plan)
{
	return stage_of_acts(plan) == STAGE_RECORD;
}

/* --explain has nowhere to count. */
static bool counts_cold(const struct plan *plan, const struct gate_env *env)
{
	return plan->counts_cold && !plan->faults_in && env && env->stats_fd >= 0;
}

/* The hit needs no record, and so no stack; unless stacktrace acts. */
static void emit_counted(struct emitter *e)
{
	unsigned wanted = 0;

	if (act_takes_stack(e->plan->sets_off.acts)) {
		act_load_wish(e->plan, BPF_REG_1, e->code);
		wanted = code_jump_imm(e->code, BPF_JNE, BPF_REG_1, 0);
	}
	code_alu_imm(e->code, BPF_OR, BPF_REG_9, BP_FETCH_COUNTED);
	if (count_records_stacks(e->plan))
		e->counted = code_jump(e->code);
	if (wanted)
		code_land(e->code, wanted);
}

static void emit_acts(struct emitter *e, const struct gate_env *env, const struct filter_code *fc)
{
	struct act_code act = { .fc = *fc, .env = env, .was = (int16_t)(-e->stack - EMIT_STACK - ACT_STACK) };
	unsigned wanted;

	act_emit(&act);
	if (e->plan->sets_off.counts)
		return;
	act_emit_off(&act);
	wanted = code_jump_imm(e->code, BPF_JEQ, BPF_REG_3, 0);
	emit_counted(e);
	code_land(e->code, wanted);
}

/* The code uses r8 and r9. Of such a hit nobody needs to know how long its strings are. */
static void emit_tables(struct emitter *e, const struct gate_env *env, const struct filter_code *fc)
{
	bool keeps = counts_cold(e->plan, env);		/* the bits */
	struct filter_code here = *fc;

	here.time = emit_word(e, PRESENT);
	if (keeps)
		code_store(e->code, 8, BPF_REG_10, emit_word(e, LIVE), BPF_REG_9);
	table_emit_all(&here, env);
	if (keeps)
		code_load(e->code, 8, BPF_REG_9, BPF_REG_10, emit_word(e, LIVE));
	else
		code_mov_imm(e->code, BPF_REG_9, 0);
	emit_counted(e);
}

static void emit_counts(struct emitter *e, const struct gate_env *env, const struct filter_code *fc)
{
	bool is_rare = stage_of_counts(e->plan) != STAGE_RECORD;
	int acts = acts_by_record(e->plan) ? ACT_STACK : 0;
	struct code *c = e->code;
	unsigned full;

	if (count_has_tables(e->plan)) {
		emit_tables(e, env, fc);
		return;
	}
	if (env && env->apart >= (is_rare ? APART_RARE : APART_ALL)) {
		code_mov(c, BPF_REG_1, BPF_REG_6);
		code_mov(c, BPF_REG_2, BPF_REG_7);
		code_call_function(c, e->is_long ? CODE_COUNT_LONG : CODE_COUNT_SHORT);
		full = code_jump_imm(c, BPF_JEQ, BPF_REG_0, 0);
		emit_counted(e);
		code_land(c, full);
		return;
	}
	e->counter = arena_new(c->arena, struct counter);
	*e->counter = (struct counter){ .fc = *fc, .counts = e->plan->sets_off.counts, .stack = e->stack + EMIT_STACK + acts };
	counter_emit(e->counter);
	emit_counted(e);
}

/* What the hit sets off, unless it was rejected, or comes again with the long record. */
static void emit_triggers(struct emitter *e, const struct gate_env *env)
{
	const struct plan *plan = e->plan;
	bool comes_again = !e->is_long && plan->layout.long_size;
	struct filter_code fc = filter_code_by_record(plan, e->is_long, e->code);
	struct code *c = e->code;
	unsigned not_now;

	fc.env = env;

	if (!count_by_record(plan) && !acts_by_record(plan))
		return;
	not_now = code_jump_imm(c, BPF_JSET, BPF_REG_9, comes_again ? BP_FETCH_FILTERED | BP_FETCH_FILLED : BP_FETCH_FILTERED);
	if (acts_by_record(plan))
		emit_acts(e, env, &fc);
	if (count_by_record(plan))
		emit_counts(e, env, &fc);
	code_land(c, not_now);
	e->uncounted = c->nr;
}

/*
 * Adds to the bits how many bytes the strings took, or stores it for emit_stacks(), before the sieve uses r8. An empty string without
 * space has its NUL behind them.
 */
static void emit_used(const struct emitter *e)
{
	struct code *c = e->code;

	if (e->plan->layout.nr_strings || !count_records_stacks(e->plan)) {
		code_alu_imm(c, BPF_ADD, BPF_REG_8, e->may_be_full ? 8 : 7);
		code_alu_imm(c, BPF_AND, BPF_REG_8, -8);
	}
	if (count_records_stacks(e->plan)) {		/* stacks come behind the strings */
		if (e->tests)
			code_store(c, 8, BPF_REG_10, emit_word(e, ASIDE), BPF_REG_8);
		return;
	}
	code_alu_imm(c, BPF_LSH, BPF_REG_8, BP_FETCH_USED_SHIFT);
	code_alu(c, BPF_OR, BPF_REG_9, BPF_REG_8);
}

static void count_strings(struct emitter *e)
{
	const struct layout *l = &e->plan->layout;

	for (unsigned i = 0; i < layout_all(l); i++) {
		const struct layout_field *f = &l->fields[i];

		if (!type_is_dynamic(&f->type))
			continue;
		e->left += f->count;
		e->fixed += f->grows ? 0 : f->count * f->room;
	}
}

/* Lengths come first: what they are the lengths of looks at them in the record. */
static void emit_fields(struct emitter *e, bool lengths)
{
	for (unsigned i = 0; i < layout_all(&e->plan->layout); i++) {
		if (e->plan->layout.fields[i].is_length == lengths)
			emit_field(e, &e->plan->layout.fields[i], &e->plan->fetches[i]);
	}
}

static void emit_count_cold(const struct emitter *e)
{
	code_land(e->code, e->faulted);
	code_mov(e->code, BPF_REG_1, BPF_REG_6);
	code_mov(e->code, BPF_REG_2, BPF_REG_7);
	code_call_function(e->code, CODE_COUNT_COLD);
	code_land_at(e->code, code_jump(e->code), e->end);
}

struct emitter *emit_hot(const struct plan *plan, const struct gate_env *env, bool is_long, unsigned stack,
			 struct code *code)
{
	struct emitter *e = arena_new(code->arena, struct emitter);
	unsigned comes_again;

	*e = (struct emitter){ .code = code, .plan = plan, .is_long = is_long, .stack = (int)stack,
			       .tests = plan->filter || plan->sets_off.acts || count_by_record(plan) };
	e->fetcher = (struct fetcher){ .code = code, .plan = plan, .spill = emit_word(e, SPILL), .saved = emit_word(e, SAVED), .words = emit_word(e, MARKS),
				       .failed = read_failed, .ctx = e };
	emit_start(e);
	count_strings(e);
	emit_fields(e, true);
	emit_fields(e, false);
	if (emit_shrinks(e))
		emit_used(e);
	filter_emit_sieve(plan, is_long, code);
	comes_again = emit_waits(e);
	emit_limits(e, env);
	emit_triggers(e, env);
	if (comes_again)
		code_land(code, comes_again);
	if (count_records_stacks(plan))
		emit_stacks(e, env);
	if (e->counted)
		code_land(code, e->counted);
	if (counts_cold(plan, env))
		e->faulted = code_jump_imm(code, BPF_JSET, BPF_REG_9, BP_FETCH_FAULT);
	e->end = code->nr;
	if (is_long) {
		code_mov(code, BPF_REG_0, BPF_REG_9);
		code_exit(code);
	}
	return e;
}

int emit_rest(struct emitter *e, struct diag *diag)
{
	for (const struct cold *c = e->cold; c; c = c->next)
		emit_cold(e, c);
	for (const struct limit_jump *j = e->limited; j; j = j->next)
		code_land(e->code, j->jump);
	if (e->limited) {
		code_alu_imm(e->code, BPF_OR, BPF_REG_9, BP_FETCH_LIMITED);
		code_land_at(e->code, code_jump(e->code), e->end);
	}
	if (e->counter)
		counter_emit_cold(e->counter, e->uncounted);
	if (e->faulted)
		emit_count_cold(e);
	if (e->code->overflow)
		return diag_at(diag, -E2BIG, e->plan->def->head_at,
			       "the arguments need more code than one BPF program can hold");
	return 0;
}
