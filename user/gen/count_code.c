// SPDX-License-Identifier: GPL-2.0-only
/*
 * count_code.c - BPF that counts a hit in tables.
 *
 * Programs nest on a CPU, and CPUs share tables, so all additions are atomic.
 */
#include "gen/count_code.h"

#include <stddef.h>

#include "bprobe_abi.h"
#include "gen/act_code.h"
#include "gen/count_number.h"

enum { EXTREME_TRIES = 8 };

/* ---- the stack ---- */

/* A word for reads is the first one (FILTER_SPILL in gen/filter_code.c). */
static int16_t key_at(const struct counter *k)
{
	return (int16_t)(-k->stack - 8 - COUNT_KEY);
}

/*
 * A key with a string or a stack is too large for the program's stack. With a string it is made behind the record; else in the record,
 * where the stack will be if the hit is recorded.
 */
static unsigned key_base(const struct count *c)
{
	return count_has_stack(c) || count_has_string(c) ? BPF_REG_7 : BPF_REG_10;
}

static int32_t key_start(const struct counter *k, const struct count *c)
{
	if (count_has_string(c))
		return (int32_t)k->fc.record_size;
	return count_has_stack(c) ? (int32_t)ROUND_UP(BP_BODY_OFF + k->fc.plan->layout.dyn_off, 8u) : key_at(k);
}

/* @reg = the address of the key's byte @off */
static void emit_key_address(const struct counter *k, const struct count *count, uint32_t off, unsigned reg)
{
	code_mov(k->fc.code, reg, key_base(count));
	code_alu_imm(k->fc.code, BPF_ADD, reg, key_start(k, count) + (int32_t)off);
}

/* The key's word at @off = @src. Uses r1. */
static void emit_key_word(const struct counter *k, const struct count *count, uint32_t off, unsigned src)
{
	int32_t at = key_start(k, count) + (int32_t)off;

	if (at == (int16_t)at) {
		code_store(k->fc.code, 8, key_base(count), (int16_t)at, src);
		return;
	}
	emit_key_address(k, count, off, BPF_REG_1);
	code_store(k->fc.code, 8, BPF_REG_1, 0, src);
}

static int16_t tally_at(const struct counter *k)
{
	return (int16_t)(key_at(k) - (int)sizeof(struct bp_tally));
}

/* The address of the entry of histogram @i, or 0. */
static int16_t entry_at(const struct counter *k, unsigned i)
{
	return (int16_t)(tally_at(k) - 8 * ((int)i + 1));
}

static int16_t value_at(const struct counter *k, unsigned i, unsigned value)
{
	return (int16_t)(entry_at(k, COUNT_MOST - 1) - 8 * ((int)(i * HIST_MAX_VALUES + value) + 1));
}

/* ---- one histogram ---- */

/* Some kernels leave the bytes behind the NUL as they are (6.1, strscpy()). */
static void emit_comm(struct code *c)
{
	code_store_imm(c, 8, BPF_REG_1, 0, 0);
	code_store_imm(c, 8, BPF_REG_1, 8, 0);
	code_mov_imm(c, BPF_REG_2, BP_COMM_LEN);
	code_call(c, BPF_FUNC_get_current_comm);
}

/* The helper fills the rest with zeroes, or all of it if there is no stack. */
static void emit_frames(struct code *c)
{
	code_mov(c, BPF_REG_2, BPF_REG_1);
	code_mov(c, BPF_REG_1, BPF_REG_6);
	code_mov_imm(c, BPF_REG_3, COUNT_FRAMES_SIZE);
	code_mov_imm(c, BPF_REG_4, 0);
	code_call(c, BPF_FUNC_get_stack);
}

/* A string that could not be read is empty, as in user space (hist_value_string()), or with @exact user space counts the hit. */
static void emit_string(struct counter *k, const struct count_key *key, bool exact)
{
	const struct layout_field *f = key->string;
	struct filter_jump *failed = NULL;
	struct code *c = k->fc.code;

	for (uint32_t i = 0; i < key->size; i += 8)
		code_store_imm(c, 8, BPF_REG_1, (int16_t)i, 0);
	/* Its length is 0 then; an empty string has a NUL. A mark says only that the string was cut. */
	code_load(c, 4, BPF_REG_3, BPF_REG_7, (int16_t)(BP_BODY_OFF + f->off));
	filter_jump_add(&k->fc, &failed, code_jump_imm(c, BPF_JLE, BPF_REG_3, 0xffff));
	code_alu_imm(c, BPF_AND, BPF_REG_3, 0xffff);
	code_alu(c, BPF_ADD, BPF_REG_3, BPF_REG_7);
	code_alu_imm(c, BPF_ADD, BPF_REG_3, BP_BODY_OFF);
	code_mov_imm(c, BPF_REG_2, (int32_t)key->size);
	code_call(c, BPF_FUNC_probe_read_kernel_str);
	if (exact)
		count_leave_to_user(k, &failed);
	filter_jump_land(&k->fc, &failed);
}

static void emit_key(struct counter *k, const struct count *count)
{
	for (unsigned i = 0; i < count->nr_keys; i++) {
		const struct count_key *key = &count->keys[i];

		if (count_key_is_number(key)) {
			count_emit_number(k, &key->number, count->exact);
			emit_key_word(k, count, key->off, BPF_REG_3);
			continue;
		}
		emit_key_address(k, count, key->off, BPF_REG_1);
		if (key->is_comm)
			emit_comm(k->fc.code);
		else if (key->is_stack)
			emit_frames(k->fc.code);
		else
			emit_string(k, key, count->exact);
	}
}

static void emit_lookup(const struct counter *k, const struct count *count)
{
	struct code *c = k->fc.code;

	code_map(c, BPF_REG_1, count->table->fd);
	emit_key_address(k, count, 0, BPF_REG_2);
	code_call(c, BPF_FUNC_map_lookup_elem);
}

static void add_cold(struct counter *k, const struct count *count, unsigned jump)
{
	struct count_cold *cold = arena_new(k->fc.code->arena, struct count_cold);

	*cold = (struct count_cold){ .next = k->cold, .count = count, .jump = jump, .back = k->fc.code->nr };
	k->cold = cold;
}

/* Hits that the histogram found last does not want go on here. */
static void land_unwanted(struct counter *k)
{
	filter_jump_land(&k->fc, &k->none);
	k->cold->skip = k->fc.code->nr;
}

bool count_is_extreme(const struct count_number *n)
{
	return n->modifier == HIST_MIN || n->modifier == HIST_MAX;
}

/*
 * User space counts the hit if its number r3 is beyond +-2^32. So what the program adds up cannot wrap before 2^31 hits of the largest
 * such numbers, and user space adds up in 128 bits. Uses r1.
 */
static void emit_range(struct counter *k, const struct count_number *n)
{
	enum { SUM_BITS = 32 };
	struct code *c = k->fc.code;

	code_mov(c, BPF_REG_1, BPF_REG_3);
	if (n->leaf.is_signed)
		code_add_const(c, BPF_REG_1, 1ll << SUM_BITS, BPF_REG_2);
	code_alu_imm(c, BPF_RSH, BPF_REG_1, n->leaf.is_signed ? SUM_BITS + 1 : SUM_BITS);
	filter_jump_add(&k->fc, &k->full, code_jump_imm(c, BPF_JNE, BPF_REG_1, 0));
}

/* r0 = the entry. A hit that the histogram does not want goes to k->none. */
static void emit_find(struct counter *k, const struct count *count, unsigned i)
{
	struct code *c = k->fc.code;

	if (count->table->pauses || count->table->generations)
		code_map_value(c, BPF_REG_1, count->table->state_fd, 0);
	if (count->table->pauses) {
		code_load(c, 8, BPF_REG_2, BPF_REG_1, offsetof(struct bp_count_state, paused));
		filter_jump_add(&k->fc, &k->none, code_jump_imm(c, BPF_JNE, BPF_REG_2, 0));
	}
	if (count->table->generations) {
		code_load(c, 8, BPF_REG_2, BPF_REG_1, offsetof(struct bp_count_state, generation));
		emit_key_word(k, count, 0, BPF_REG_2);
	}
	if (count->filter)
		filter_emit_root(&k->fc, count->filter, &k->none);
	for (unsigned v = 0; v < count->nr_values; v++) {
		count_emit_number(k, &count->values[v], count->exact);
		if (count->exact && !count_is_extreme(&count->values[v]))
			emit_range(k, &count->values[v]);
		code_store(c, 8, BPF_REG_10, value_at(k, i, v), BPF_REG_3);
	}
	emit_key(k, count);
	emit_lookup(k, count);
	add_cold(k, count, code_jump_imm(c, BPF_JEQ, BPF_REG_0, 0));
}

void count_emit_add(struct code *c, unsigned dst, size_t off, unsigned src)
{
	code_add(c, (struct bpf_insn){ .code = BPF_STX | BPF_ATOMIC | BPF_DW, .dst_reg = (uint8_t)(dst & 15),
				       .src_reg = (uint8_t)(src & 15), .off = (int16_t)off, .imm = BPF_ADD });
}

/* The comparison that is true if the old number stays. */
static unsigned stays(const struct count_number *n)
{
	if (n->modifier == HIST_MIN)
		return n->leaf.is_signed ? BPF_JSLE : BPF_JLE;
	return n->leaf.is_signed ? BPF_JSGE : BPF_JGE;
}

void count_emit_extreme(struct counter *k, const struct count_number *n, unsigned v)
{
	int16_t off = (int16_t)(offsetof(struct bp_tally, sums) + 8 * v);
	unsigned done[2 * EXTREME_TRIES], nr = 0;
	struct code *c = k->fc.code;

	code_mov(c, BPF_REG_4, BPF_REG_0);
	code_load(c, 8, BPF_REG_0, BPF_REG_4, off);
	for (unsigned t = 0; t < EXTREME_TRIES; t++) {
		done[nr++] = code_jump_reg(c, stays(n), BPF_REG_0, BPF_REG_3);
		code_mov(c, BPF_REG_1, BPF_REG_0);
		code_add(c, (struct bpf_insn){ .code = BPF_STX | BPF_ATOMIC | BPF_DW, .dst_reg = BPF_REG_4, .src_reg = BPF_REG_3,
					       .off = off, .imm = BPF_CMPXCHG });
		done[nr++] = code_jump_reg(c, BPF_JEQ, BPF_REG_0, BPF_REG_1);
	}
	filter_jump_add(&k->fc, &k->full, code_jump(c));
	while (nr)
		code_land(c, done[--nr]);
	code_mov(c, BPF_REG_0, BPF_REG_4);
}

static bool has_extreme(const struct count *count)
{
	bool has = false;

	for (unsigned v = 0; v < count->nr_values; v++)
		has |= count_is_extreme(&count->values[v]);
	return has;
}

static void emit_extremes(struct counter *k, const struct count *count, unsigned i)
{
	for (unsigned v = 0; v < count->nr_values; v++) {
		if (!count_is_extreme(&count->values[v]))
			continue;
		code_load(k->fc.code, 8, BPF_REG_3, BPF_REG_10, value_at(k, i, v));
		count_emit_extreme(k, &count->values[v], v);
	}
}

/* Adds the hit to the entry in r0. Uses r1. */
static void emit_add(const struct counter *k, const struct count *count, unsigned i)
{
	struct code *c = k->fc.code;

	code_mov_imm(c, BPF_REG_1, 1);
	count_emit_add(c, BPF_REG_0, offsetof(struct bp_tally, hits), BPF_REG_1);
	for (unsigned v = 0; v < count->nr_values; v++) {
		if (count_is_extreme(&count->values[v]))
			continue;
		code_load(c, 8, BPF_REG_1, BPF_REG_10, value_at(k, i, v));
		count_emit_add(c, BPF_REG_0, offsetof(struct bp_tally, sums) + 8 * v, BPF_REG_1);
	}
}

void counter_emit(struct counter *k)
{
	struct code *c = k->fc.code;
	const struct count *count;
	unsigned i = 0, none;

	if (!k->counts->next) {
		emit_find(k, k->counts, 0);
		emit_extremes(k, k->counts, 0);
		emit_add(k, k->counts, 0);
		land_unwanted(k);
		return;
	}
	for (count = k->counts, i = 0; count; count = count->next, i++) {
		code_store_imm(c, 8, BPF_REG_10, entry_at(k, i), 0);
		emit_find(k, count, i);
		code_store(c, 8, BPF_REG_10, entry_at(k, i), BPF_REG_0);
		land_unwanted(k);
	}
	/* These can fail, so they come before the first hit is counted. To do them twice changes nothing. */
	for (count = k->counts, i = 0; count; count = count->next, i++) {
		if (!has_extreme(count))
			continue;
		code_load(c, 8, BPF_REG_0, BPF_REG_10, entry_at(k, i));
		none = code_jump_imm(c, BPF_JEQ, BPF_REG_0, 0);
		emit_extremes(k, count, i);
		code_land(c, none);
	}
	for (count = k->counts, i = 0; count; count = count->next, i++) {
		code_load(c, 8, BPF_REG_0, BPF_REG_10, entry_at(k, i));
		none = code_jump_imm(c, BPF_JEQ, BPF_REG_0, 0);
		emit_add(k, count, i);
		code_land(c, none);
	}
}

/* ---- an entry that is not there yet ---- */

/* What each number is smaller than, or larger than, or equal to. */
uint64_t count_farthest(const struct count_number *n)
{
	if (n->modifier == HIST_MIN)
		return n->leaf.is_signed ? INT64_MAX : UINT64_MAX;
	return n->leaf.is_signed ? (uint64_t)INT64_MIN : 0;
}

static void emit_tally(const struct counter *k, const struct count *count)
{
	struct code *c = k->fc.code;

	for (unsigned i = 0; i < sizeof(struct bp_tally) / 8; i++)
		code_store_imm(c, 8, BPF_REG_10, (int16_t)(tally_at(k) + 8 * (int)i), 0);
	for (unsigned v = 0; v < count->nr_values; v++) {
		if (!count_is_extreme(&count->values[v]))
			continue;
		code_const(c, BPF_REG_1, count_farthest(&count->values[v]));
		code_store(c, 8, BPF_REG_10, (int16_t)(tally_at(k) + (int)offsetof(struct bp_tally, sums) + 8 * (int)v), BPF_REG_1);
	}
	if (!count->keeps_comm)
		return;
	code_mov(c, BPF_REG_1, BPF_REG_10);
	code_alu_imm(c, BPF_ADD, BPF_REG_1, tally_at(k) + (int)offsetof(struct bp_tally, comm));
	code_mov_imm(c, BPF_REG_2, BP_COMM_LEN);
	code_call(c, BPF_FUNC_get_current_comm);
}

static void emit_dropped(const struct counter *k, const struct count *count)
{
	struct code *c = k->fc.code;

	code_map_value(c, BPF_REG_1, count->table->state_fd, offsetof(struct bp_count_state, dropped));
	code_mov_imm(c, BPF_REG_2, 1);
	count_emit_add(c, BPF_REG_1, 0, BPF_REG_2);
}

/* A hit without room in the table of @count goes on without it, or else to @full. */
static bool is_dropped(const struct counter *k, const struct count *count)
{
	return k->fc.by_record && count->drops;
}

/* Another CPU may make the entry at the same time. So the update may fail, and the second look finds the entry. */
static void emit_make(struct counter *k, const struct count_cold *cold, unsigned full)
{
	struct code *c = k->fc.code;

	code_land(c, cold->jump);
	emit_tally(k, cold->count);
	code_map(c, BPF_REG_1, cold->count->table->fd);
	emit_key_address(k, cold->count, 0, BPF_REG_2);
	code_mov(c, BPF_REG_3, BPF_REG_10);
	code_alu_imm(c, BPF_ADD, BPF_REG_3, tally_at(k));
	code_mov_imm(c, BPF_REG_4, BPF_NOEXIST);
	code_call(c, BPF_FUNC_map_update_elem);
	emit_lookup(k, cold->count);
	if (!is_dropped(k, cold->count)) {
		code_land_at(c, code_jump_imm(c, BPF_JEQ, BPF_REG_0, 0), full);
		code_land_at(c, code_jump(c), cold->back);
		return;
	}
	code_land_at(c, code_jump_imm(c, BPF_JNE, BPF_REG_0, 0), cold->back);
	emit_dropped(k, cold->count);
	code_land_at(c, code_jump(c), cold->skip);
}

void counter_emit_cold(struct counter *k, unsigned full)
{
	for (const struct count_cold *cold = k->cold; cold; cold = cold->next)
		emit_make(k, cold, full);
	for (const struct filter_jump *j = k->full; j; j = j->next)
		code_land_at(k->fc.code, j->jump, full);
}

/* ---- in the program, before the record ---- */

bool counter_in_program(const struct plan *plan)
{
	return stage_of_counts(plan) == STAGE_PROGRAM || stage_of_acts(plan) == STAGE_PROGRAM;
}

/* r9 = 1 if the hit needs no record. What is counted behind the record needs one. */
static void emit_acts(const struct counter *k, const struct gate_env *env)
{
	struct code *c = k->fc.code;
	struct act_code act = { .fc = k->fc, .env = env, .was = (int16_t)(8 - k->stack) };
	unsigned wanted;

	act_emit(&act);
	if (k->fc.plan->sets_off.counts) {
		code_mov_imm(c, BPF_REG_9, 0);
		return;
	}
	act_emit_off(&act);
	code_mov_imm(c, BPF_REG_9, 0);
	wanted = code_jump_imm(c, BPF_JEQ, BPF_REG_3, 0);
	code_mov_imm(c, BPF_REG_9, 1);
	code_land(c, wanted);
}

/* For code that stands before the record. The word for what was saved at the entry lies below @stack, above the other words. */
static struct counter *new_counter(const struct plan *plan, unsigned stack, struct code *code)
{
	struct counter *k = arena_new(code->arena, struct counter);
	int16_t saved = (int16_t)(-(int)stack - 8);

	*k = (struct counter){ .fc = { .code = code, .plan = plan, .saved = saved, .spill = (int16_t)(saved - 8) },
			       .stack = (int)stack + 8 };
	code_store(code, 8, BPF_REG_10, saved, BPF_REG_8);
	return k;
}

struct counter *counter_emit_hot(const struct plan *plan, const struct gate_env *env, unsigned stack, struct code *code)
{
	bool acts = stage_of_acts(plan) == STAGE_PROGRAM;
	struct counter *k = new_counter(plan, stack + (acts ? ACT_STACK : 0), code);

	if (acts)
		emit_acts(k, env);
	if (stage_of_counts(plan) != STAGE_PROGRAM)
		return k;
	if (env && env->apart == APART_ALL) {
		code_mov(code, BPF_REG_1, BPF_REG_6);
		code_mov(code, BPF_REG_2, BPF_REG_8);
		code_call_function(code, CODE_COUNT);
		code_mov(code, BPF_REG_9, BPF_REG_0);
		return k;
	}
	k->counts = plan->sets_off.counts;
	counter_emit(k);
	code_mov_imm(code, BPF_REG_9, 1);
	k->end = code->nr;
	return k;
}

void counter_emit_rest(struct counter *k)
{
	struct code *c = k->fc.code;
	unsigned full = c->nr;

	if (!k->counts)
		return;
	code_mov_imm(c, BPF_REG_9, 0);
	code_land_at(c, code_jump(c), k->end);
	counter_emit_cold(k, full);
}

/* ---- functions ---- */

void counter_emit_function(const struct plan *plan, enum code_function which, struct code *code)
{
	struct counter *k;
	unsigned full = 0;

	code_mov(code, BPF_REG_6, BPF_REG_1);
	if (which == CODE_COUNT && stage_of_counts(plan) == STAGE_GATE) {
		k = arena_new(code->arena, struct counter);
		k->fc = (struct filter_code){ .code = code, .plan = plan };
	} else if (which == CODE_COUNT) {
		code_mov(code, BPF_REG_8, BPF_REG_2);
		k = new_counter(plan, 0, code);
	} else {
		code_mov(code, BPF_REG_7, BPF_REG_2);
		k = arena_new(code->arena, struct counter);
		k->fc = filter_code_by_record(plan, which == CODE_COUNT_LONG, code);
	}
	k->counts = plan->sets_off.counts;
	counter_emit(k);
	code_mov_imm(code, BPF_REG_0, 1);
	code_exit(code);
	if (k->full || !is_dropped(k, plan->sets_off.counts)) {		/* the verifier refuses code that is never reached */
		full = code_mov_imm(code, BPF_REG_0, 0);
		code_exit(code);
	}
	counter_emit_cold(k, full);
}
