// SPDX-License-Identifier: GPL-2.0-only
/*
 * table_code.c - BPF for histograms with variables and actions.
 *
 * r6 is the context, r7 the record, r8 the words behind it, and r9 an entry.
 */
#include "gen/table_code.h"

#include "bprobe_abi.h"
#include "gen/context_code.h"
#include "gen/count_number.h"
#include "plan/head.h"
#include "plan/plan.h"

_Static_assert((int)COUNT_MADE_MOST == (int)CODE_MADE_MOST, "each synthetic event has its functions");

enum { BASE = BPF_REG_8, ENTRY = BPF_REG_9 };

#define AT_VERSION(member) (int16_t)(sizeof(struct bp_tally) + offsetof(struct bp_version, member))

struct table {
	struct counter k;		/* for numbers; k.full: hits whose smallest or largest number could not be kept */
	const struct gate_env *env;
	const struct count *count;
	struct count_room room;
	struct filter_jump *none;	/* hits that are not counted */
	struct filter_jump *raced;	/* hits that set nothing off */
};

static struct code *code_of(const struct table *t)
{
	return t->k.fc.code;
}

static void add_jump(const struct table *t, struct filter_jump **list, unsigned jump)
{
	filter_jump_add(&t->k.fc, list, jump);
}

/* @reg = the address of the words at @off */
static void emit_base(const struct table *t, unsigned reg, uint32_t off)
{
	code_mov(code_of(t), reg, BASE);
	code_alu_imm(code_of(t), BPF_ADD, reg, (int32_t)off);
}

static void load_word(const struct table *t, unsigned reg, uint32_t off, unsigned i)
{
	code_load(code_of(t), 8, reg, BASE, (int16_t)(off + 8 * i));
}

static void store_word(const struct table *t, uint32_t off, unsigned i, unsigned reg)
{
	code_store(code_of(t), 8, BASE, (int16_t)(off + 8 * i), reg);
}

static void emit_zeroes(const struct table *t, unsigned reg, uint32_t off, uint32_t bytes)
{
	for (uint32_t i = 0; i < bytes; i += 8)
		code_store_imm(code_of(t), 8, reg, (int16_t)(off + i), 0);
}

/* ---- numbers ---- */

static void emit_calc(struct table *t, const struct count_calc *calc, unsigned depth);

static void load_ref(const struct table *t, unsigned reg, unsigned i)
{
	const struct count_ref *ref = &t->count->refs[i];

	if (ref->table)
		load_word(t, reg, t->room.refs, i);
	else
		load_word(t, reg, t->room.vars, ref->var);
}

/* r3 = r1 divided by r3: as the kernel's hist_field_div() */
static void emit_divide(const struct table *t)
{
	struct code *c = code_of(t);
	unsigned zero = code_jump_imm(c, BPF_JEQ, BPF_REG_3, 0), done;

	code_alu(c, BPF_DIV, BPF_REG_1, BPF_REG_3);
	code_mov(c, BPF_REG_3, BPF_REG_1);
	done = code_jump(c);
	code_land(c, zero);
	code_mov_imm(c, BPF_REG_3, -1);
	code_land(c, done);
}

static void emit_operation(struct table *t, const struct count_calc *calc, unsigned depth)
{
	struct code *c = code_of(t);

	emit_calc(t, calc->left, depth);
	store_word(t, t->room.calc, depth, BPF_REG_3);
	emit_calc(t, calc->right, depth + 1);
	load_word(t, BPF_REG_1, t->room.calc, depth);
	switch (calc->kind) {
	case HIST_ADD:
		code_alu(c, BPF_ADD, BPF_REG_3, BPF_REG_1);
		break;
	case HIST_SUB:
		code_alu(c, BPF_SUB, BPF_REG_1, BPF_REG_3);
		code_mov(c, BPF_REG_3, BPF_REG_1);
		break;
	case HIST_MUL:
		code_alu(c, BPF_MUL, BPF_REG_3, BPF_REG_1);
		break;
	default:
		emit_divide(t);
		break;
	}
}

/* r3 = the number. Operands of an operation at @depth are in words from there on. */
static void emit_calc(struct table *t, const struct count_calc *calc, unsigned depth)
{
	struct code *c = code_of(t);

	switch (calc->kind) {
	case HIST_FIELD:
		count_emit_number(&t->k, &calc->field, false);
		break;
	case HIST_VAR:
		load_ref(t, BPF_REG_3, calc->ref);
		break;
	case HIST_NUMBER:
		code_const(c, BPF_REG_3, calc->number);
		break;
	case HIST_NEGATE:
		emit_calc(t, calc->left, depth);
		code_add(c, (struct bpf_insn){ .code = BPF_ALU64 | BPF_NEG, .dst_reg = BPF_REG_3 });
		break;
	default:
		emit_operation(t, calc, depth);
		break;
	}
}

static void emit_number(struct table *t, const struct count_number *n)
{
	if (n->calc)
		emit_calc(t, n->calc, 0);
	else
		count_emit_number(&t->k, n, false);
}

/* ---- texts ---- */

/* r3 = the address of the string @f in the record, or of nothing that can be read: 0. */
static void emit_field_text(const struct table *t, const struct layout_field *f)
{
	struct code *c = code_of(t);
	unsigned none;

	/* Its length is 0 if it could not be read; an empty string has a NUL. */
	code_load(c, 4, BPF_REG_3, BPF_REG_7, (int16_t)(BP_BODY_OFF + f->off));
	code_mov(c, BPF_REG_1, BPF_REG_3);
	code_mov_imm(c, BPF_REG_3, 0);
	none = code_jump_imm(c, BPF_JLE, BPF_REG_1, 0xffff);
	code_alu_imm(c, BPF_AND, BPF_REG_1, 0xffff);
	code_mov(c, BPF_REG_3, BPF_REG_7);
	code_alu(c, BPF_ADD, BPF_REG_3, BPF_REG_1);
	code_alu_imm(c, BPF_ADD, BPF_REG_3, BP_BODY_OFF);
	code_land(c, none);
}

static uint32_t text_of_ref(const struct table *t, unsigned i)
{
	uint32_t off = t->room.texts;

	for (unsigned k = 0; k < i; k++)
		off += t->count->refs[k].is_text ? (uint32_t)COUNT_STRING : 0;
	return off;
}

/* The stack of this hit becomes the COUNT_FRAMES_SIZE bytes at @to + @off. */
static void emit_frames(const struct table *t, unsigned to, uint32_t off)
{
	struct code *c = code_of(t);

	code_mov(c, BPF_REG_1, BPF_REG_6);
	code_mov(c, BPF_REG_2, to);
	code_alu_imm(c, BPF_ADD, BPF_REG_2, (int32_t)off);
	code_mov_imm(c, BPF_REG_3, COUNT_FRAMES_SIZE);
	code_mov_imm(c, BPF_REG_4, 0);
	code_call(c, BPF_FUNC_get_stack);
}

/* r3 = the address of the text */
static void emit_source(const struct table *t, const struct count_text *text)
{
	struct code *c = code_of(t);

	if (text->kind == COUNT_TEXT_REF) {
		emit_base(t, BPF_REG_3, text_of_ref(t, text->ref));
	} else if (text->kind == COUNT_TEXT_COMM) {
		code_mov(c, BPF_REG_3, BPF_REG_7);
		code_alu_imm(c, BPF_ADD, BPF_REG_3, offsetof(struct bp_rec, comm));
	} else if (text->field->type.is_stack) {
		code_mov(c, BPF_REG_3, BPF_REG_7);
		code_alu_imm(c, BPF_ADD, BPF_REG_3, BP_BODY_OFF + (int32_t)text->field->off);
	} else {
		emit_field_text(t, text->field);
	}
}

static bool is_copied(const struct table *t, const struct count_text *text)
{
	return text->kind == COUNT_TEXT_REF ? t->count->refs[text->ref].is_stack : text->kind == COUNT_TEXT_FIELD && text->field->type.is_stack;
}

/*
 * Copies the text to @to + @off, where there are COUNT_STRING zeroes. r0 = its bytes with the NUL, or not more than 0: it could not be read.
 * What is behind the NUL of a task's name on some kernels (6.1, strscpy()) is not copied. For a stack, r0 says nothing.
 */
static void emit_text(const struct table *t, const struct count_text *text, unsigned to, uint32_t off)
{
	const struct count_ref *ref = text->kind == COUNT_TEXT_REF ? &t->count->refs[text->ref] : NULL;
	struct code *c = code_of(t);

	if (ref && !ref->table) {
		emit_text(t, &t->count->vars[ref->var].text, to, off);
		return;
	}
	if (text->kind == COUNT_TEXT_STACK) {
		emit_frames(t, to, off);
		return;
	}
	emit_source(t, text);
	code_mov(c, BPF_REG_1, to);
	code_alu_imm(c, BPF_ADD, BPF_REG_1, (int32_t)off);
	code_mov_imm(c, BPF_REG_2, text->kind == COUNT_TEXT_COMM ? (int)BP_COMM_LEN : (int)COUNT_STRING);
	code_call(c, is_copied(t, text) ? BPF_FUNC_probe_read_kernel : BPF_FUNC_probe_read_kernel_str);
}

/* ---- the key ---- */

static struct count_text text_of_key(const struct count_key *key)
{
	struct count_text text = { .kind = COUNT_TEXT_FIELD, .field = key->string };

	if (!key->string)
		text.kind = key->is_comm ? COUNT_TEXT_COMM : COUNT_TEXT_STACK;
	return text;
}

static void emit_key(struct table *t)
{
	const struct count *count = t->count;
	uint32_t end = count->table->key_size;

	for (unsigned i = 0; i < count->nr_keys; i++) {
		const struct count_key *key = &count->keys[i];
		struct count_text text = text_of_key(key);

		if (count_key_is_number(key)) {
			emit_number(t, &key->number);
			store_word(t, t->room.key + key->off, 0, BPF_REG_3);
			continue;
		}
		if (!key->is_stack)
			emit_zeroes(t, BASE, t->room.key + key->off, key->size);
		emit_text(t, &text, BASE, t->room.key + key->off);
	}
	emit_zeroes(t, BASE, t->room.key + end, t->room.entry - end);
}

/* The key becomes one of @table's present generation. */
static void emit_generation(const struct table *t, const struct count_table *table)
{
	struct code *c = code_of(t);

	if (!table->generations)
		return;
	code_map_value(c, BPF_REG_1, table->state_fd, offsetof(struct bp_count_state, generation));
	code_load(c, 8, BPF_REG_2, BPF_REG_1, 0);
	store_word(t, t->room.key, 0, BPF_REG_2);
}

/* r0 = the entry of @table, or 0 */
static void emit_lookup(const struct table *t, const struct count_table *table)
{
	struct code *c = code_of(t);

	code_map(c, BPF_REG_1, table->fd);
	emit_base(t, BPF_REG_2, t->room.key);
	code_call(c, BPF_FUNC_map_lookup_elem);
}

/* ---- versions ---- */

static void emit_unlock(const struct table *t)
{
	code_mov_imm(code_of(t), BPF_REG_1, -1);
	count_emit_add(code_of(t), ENTRY, (size_t)AT_VERSION(lock), BPF_REG_1);
}

/*
 * r2 = the upper half of the lock, which is this program's now. Else the hit goes to @raced. @changes: then the version is not valid any
 * more, because this hit should have changed it.
 */
static void emit_lock(struct table *t, bool changes, struct filter_jump **raced)
{
	struct code *c = code_of(t);
	unsigned alone;

	code_mov_imm(c, BPF_REG_1, 1);
	count_emit_add(c, ENTRY, (size_t)AT_VERSION(lock), BPF_REG_1);
	code_load(c, 8, BPF_REG_2, ENTRY, AT_VERSION(lock));
	alone = code_jump_imm32(c, BPF_JEQ, BPF_REG_2, 1);
	if (changes)
		code_const(c, BPF_REG_1, (1ull << 32) - 1);
	else
		code_mov_imm(c, BPF_REG_1, -1);
	count_emit_add(c, ENTRY, (size_t)AT_VERSION(lock), BPF_REG_1);
	add_jump(t, raced, code_jump(c));
	code_land(c, alone);
	code_alu_imm(c, BPF_RSH, BPF_REG_2, 32);
}

/* The version is of a hit that is later than this one: programs do not run in the order of their times. Adds the jump to @list. */
static void emit_order(const struct table *t, struct filter_jump **list)
{
	struct code *c = code_of(t);

	code_load(c, 8, BPF_REG_1, BPF_REG_7, offsetof(struct bp_rec, ts));
	code_load(c, 8, BPF_REG_3, ENTRY, AT_VERSION(time));
	add_jump(t, list, code_jump_reg(c, BPF_JGT, BPF_REG_3, BPF_REG_1));
}

/* r1 = the word of bp_skips at @slot. The hit goes to @list if there is none. */
static void load_skip(struct table *t, int32_t slot, struct filter_jump **list)
{
	struct code *c = code_of(t);

	code_store_imm(c, 4, BASE, (int16_t)t->room.calc, slot);
	code_map(c, BPF_REG_1, t->env->skips_fd);
	emit_base(t, BPF_REG_2, t->room.calc);
	code_call(c, BPF_FUNC_map_lookup_elem);
	add_jump(t, list, code_jump_imm(c, BPF_JEQ, BPF_REG_0, 0));
	code_load(c, 8, BPF_REG_1, BPF_REG_0, 0);
}

/*
 * Was every hit since the version's seen? On a CPU whose bpf_prog_active is set, tasks miss programs: see pair_is_sure() of
 * bpf/pair.bpf.h. Any task may hit the other event with the same key, so no CPU may be in that state, and none may have been since then.
 */
static void emit_sure(struct table *t, struct filter_jump **list)
{
	struct code *c = code_of(t);

	if (!t->env || t->env->skips_fd < 0)
		return;
	load_skip(t, BP_SKIPS_UNSURE, list);
	add_jump(t, list, code_jump_imm(c, BPF_JNE, BPF_REG_1, 0));
	load_skip(t, BP_SKIPS_SURE, list);
	code_load(c, 8, BPF_REG_3, ENTRY, AT_VERSION(time));
	add_jump(t, list, code_jump_reg(c, BPF_JGE, BPF_REG_1, BPF_REG_3));
}

/* Jumps of hits that have locked the entry: it is given back, and they go on with those of @to. */
static void leave_locked(struct table *t, struct filter_jump **from, struct filter_jump **to)
{
	struct code *c = code_of(t);
	unsigned over;

	if (!*from)
		return;
	over = code_jump(c);
	filter_jump_land(&t->k.fc, from);
	emit_unlock(t);
	add_jump(t, to, code_jump(c));
	code_land(c, over);
}

static int16_t slot_at(const struct count_table *table, unsigned slot)
{
	return (int16_t)table->slots[slot].off;
}

static int16_t data_at(const struct count_table *table, unsigned slot)
{
	return (int16_t)(table->slots[slot].off + sizeof(struct bp_slot));
}

/* ---- variables of others ---- */

/* The references of @table, whose entry is locked: all of them at once, so they are of one version. */
static void emit_copies(struct table *t, const struct count_table *table, struct filter_jump **unset)
{
	struct code *c = code_of(t);

	for (unsigned i = 0; i < t->count->nr_refs; i++) {
		const struct count_ref *ref = &t->count->refs[i];

		if (ref->table != table)
			continue;
		code_load(c, 8, BPF_REG_1, ENTRY, slot_at(ref->table, ref->slot));
		add_jump(t, unset, code_jump_imm(c, BPF_JEQ, BPF_REG_1, 0));
		if (ref->is_text) {
			emit_base(t, BPF_REG_1, text_of_ref(t, i));
			code_mov_imm(c, BPF_REG_2, COUNT_STRING);
			code_mov(c, BPF_REG_3, ENTRY);
			code_alu_imm(c, BPF_ADD, BPF_REG_3, data_at(ref->table, ref->slot));
			code_call(c, BPF_FUNC_probe_read_kernel);
		} else {
			code_load(c, 8, BPF_REG_1, ENTRY, data_at(ref->table, ref->slot));
			store_word(t, t->room.refs, i, BPF_REG_1);
		}
		if (ref->once)
			code_store_imm(c, 8, ENTRY, slot_at(ref->table, ref->slot), 0);
	}
}

/* Is reference @i the first one of its table? */
static bool is_first(const struct count *count, unsigned i)
{
	for (unsigned k = 0; k < i; k++) {
		if (count->refs[k].table == count->refs[i].table)
			return false;
	}
	return true;
}

static bool takes(const struct count *count, const struct count_table *table)
{
	bool once = false;

	for (unsigned i = 0; i < count->nr_refs; i++)
		once |= count->refs[i].table == table && count->refs[i].once;
	return once;
}

/* The version in the entry r0 is not valid any more, because this hit should have changed it. */
static void emit_spoil(const struct table *t)
{
	code_const(code_of(t), BPF_REG_1, 1ull << 32);
	count_emit_add(code_of(t), BPF_REG_0, (size_t)AT_VERSION(lock), BPF_REG_1);
}

/* Hits that could not read go on with those that are raced. What their own entry keeps is of an earlier hit then. */
static void leave_unread(struct table *t, struct filter_jump **unread)
{
	struct code *c = code_of(t);
	unsigned over, none;

	if (!*unread || !t->count->table->nr_slots) {
		while (*unread) {
			struct filter_jump *j = *unread;

			*unread = j->next;
			j->next = t->raced;
			t->raced = j;
		}
		return;
	}
	over = code_jump(c);
	filter_jump_land(&t->k.fc, unread);
	emit_generation(t, t->count->table);
	emit_lookup(t, t->count->table);
	none = code_jump_imm(c, BPF_JEQ, BPF_REG_0, 0);
	emit_spoil(t);
	code_land(c, none);
	add_jump(t, &t->raced, code_jump(c));
	code_land(c, over);
}

static void emit_refs(struct table *t)
{
	const struct count *count = t->count;
	struct filter_jump *unread = NULL;
	struct code *c = code_of(t);

	for (unsigned i = 0; i < count->nr_refs; i++) {
		struct filter_jump *unset = NULL, *raced = NULL;

		if (!count->refs[i].table || !is_first(count, i))
			continue;
		emit_generation(t, count->refs[i].table);
		emit_lookup(t, count->refs[i].table);
		add_jump(t, &t->none, code_jump_imm(c, BPF_JEQ, BPF_REG_0, 0));
		code_mov(c, ENTRY, BPF_REG_0);
		emit_lock(t, takes(count, count->refs[i].table), &unread);
		code_load(c, 8, BPF_REG_1, ENTRY, AT_VERSION(number));
		add_jump(t, &raced, code_jump_reg(c, BPF_JNE, BPF_REG_1, BPF_REG_2));
		emit_order(t, &raced);
		emit_sure(t, &raced);
		emit_copies(t, count->refs[i].table, &unset);
		emit_unlock(t);
		leave_locked(t, &unset, &t->none);
		leave_locked(t, &raced, &unread);
	}
	leave_unread(t, &unread);
}

/* ---- the entry ---- */

static void emit_new_entry(const struct table *t)
{
	const struct count *count = t->count;
	struct code *c = code_of(t);

	emit_zeroes(t, BASE, t->room.entry, count_value_size(count->table));
	for (unsigned v = 0; v < count->nr_values; v++) {
		if (!count_is_extreme(&count->values[v]))
			continue;
		code_const(c, BPF_REG_1, count_farthest(&count->values[v]));
		store_word(t, t->room.entry + (uint32_t)offsetof(struct bp_tally, sums), v, BPF_REG_1);
	}
	for (unsigned i = 0; count->keeps_comm && i < BP_COMM_LEN; i += 8) {
		code_load(c, 8, BPF_REG_1, BPF_REG_7, (int16_t)(offsetof(struct bp_rec, comm) + i));
		store_word(t, t->room.entry + (uint32_t)offsetof(struct bp_tally, comm) + i, 0, BPF_REG_1);
	}
}

static void emit_state_add(const struct table *t, size_t off)
{
	struct code *c = code_of(t);

	code_map_value(c, BPF_REG_1, t->count->table->state_fd, (uint32_t)off);
	code_mov_imm(c, BPF_REG_2, 1);
	count_emit_add(c, BPF_REG_1, 0, BPF_REG_2);
}

/* r9 = the entry. Another CPU may make it at the same time. So the update may fail, and the second look finds it. */
static void emit_find(struct table *t)
{
	struct code *c = code_of(t);
	unsigned found, made;

	emit_generation(t, t->count->table);		/* once: the entry must be found where it was made */
	emit_lookup(t, t->count->table);
	found = code_jump_imm(c, BPF_JNE, BPF_REG_0, 0);
	emit_new_entry(t);
	code_map(c, BPF_REG_1, t->count->table->fd);
	emit_base(t, BPF_REG_2, t->room.key);
	emit_base(t, BPF_REG_3, t->room.entry);
	code_mov_imm(c, BPF_REG_4, BPF_NOEXIST);
	code_call(c, BPF_FUNC_map_update_elem);
	emit_lookup(t, t->count->table);
	made = code_jump_imm(c, BPF_JNE, BPF_REG_0, 0);
	emit_state_add(t, offsetof(struct bp_count_state, dropped));
	add_jump(t, &t->none, code_jump(c));
	code_land(c, found);
	code_land(c, made);
	code_mov(c, ENTRY, BPF_REG_0);
}

static void emit_sums(struct table *t)
{
	const struct count *count = t->count;
	struct code *c = code_of(t);

	code_mov_imm(c, BPF_REG_1, 1);
	count_emit_add(c, ENTRY, offsetof(struct bp_tally, hits), BPF_REG_1);
	for (unsigned v = 0; v < count->nr_values; v++) {
		load_word(t, BPF_REG_3, t->room.values, v);
		if (count_is_extreme(&count->values[v])) {
			code_mov(c, BPF_REG_0, ENTRY);
			count_emit_extreme(&t->k, &count->values[v], v);
		} else {
			count_emit_add(c, ENTRY, offsetof(struct bp_tally, sums) + 8 * v, BPF_REG_3);
		}
	}
	if (t->k.full) {
		unsigned over = code_jump(c);

		filter_jump_land(&t->k.fc, &t->k.full);
		code_mov(c, BPF_REG_0, ENTRY);
		if (count->table->nr_slots)
			emit_spoil(t);
		add_jump(t, &t->raced, code_jump(c));
		code_land(c, over);
	}
}

/* ---- what the entry keeps ---- */

/* The slot becomes the variable's value. @ready: a number is in its word. */
static void emit_set(struct table *t, const struct count_var *var, const unsigned *ready)
{
	const struct count_table *table = t->count->table;
	struct code *c = code_of(t);

	if (var->text.kind != COUNT_TEXT_NONE) {
		emit_zeroes(t, ENTRY, (uint32_t)data_at(table, var->slot), COUNT_STRING);
		emit_text(t, &var->text, ENTRY, (uint32_t)data_at(table, var->slot));
	} else {
		if (ready)
			load_word(t, BPF_REG_3, t->room.vars, *ready);
		else
			emit_number(t, &var->number);
		code_store(c, 8, ENTRY, data_at(table, var->slot), BPF_REG_3);
	}
	code_store_imm(c, 8, ENTRY, slot_at(table, var->slot), 1);
}

/*
 * onmax() and onchange(): is this value a new maximum, or another one than before? The kernel starts at 0 and compares without a sign. A
 * signed value is compared as one here, and the first one is a maximum.
 */
static void emit_track(struct table *t, unsigned i)
{
	const struct count_action *a = &t->count->actions[i];
	const struct count_table *table = t->count->table;
	unsigned first = 0, same, comparison = BPF_JLE;
	struct code *c = code_of(t);

	code_store_imm(c, 8, BASE, (int16_t)(t->room.fired + 8 * i), 0);
	load_ref(t, BPF_REG_3, a->tracked);
	if (a->handler == HIST_ONCHANGE)
		comparison = BPF_JEQ;
	else if (a->is_signed)
		comparison = BPF_JSLE;
	if (comparison == BPF_JSLE) {
		code_load(c, 8, BPF_REG_1, ENTRY, slot_at(table, a->slot));
		first = code_jump_imm(c, BPF_JEQ, BPF_REG_1, 0);
	}
	code_load(c, 8, BPF_REG_1, ENTRY, data_at(table, a->slot));
	same = code_jump_reg(c, comparison, BPF_REG_3, BPF_REG_1);
	if (first)
		code_land(c, first);
	code_store(c, 8, ENTRY, data_at(table, a->slot), BPF_REG_3);
	code_store_imm(c, 8, ENTRY, slot_at(table, a->slot), 1);
	code_store_imm(c, 8, BASE, (int16_t)(t->room.fired + 8 * i), 1);
	for (unsigned k = 0; a->kind == HIST_SAVE && k < a->nr_params; k++)
		emit_set(t, &a->saved[k], NULL);
	code_land(c, same);
}

/* The hit's values become the entry's version, unless that is of a later hit. */
static void emit_version(struct table *t)
{
	const struct count *count = t->count;
	struct filter_jump *raced = NULL;
	struct code *c = code_of(t);

	if (!count->table->nr_slots)
		return;
	emit_lock(t, true, &t->raced);
	emit_order(t, &raced);
	code_store(c, 8, ENTRY, AT_VERSION(number), BPF_REG_2);
	code_store(c, 8, ENTRY, AT_VERSION(time), BPF_REG_1);
	for (unsigned i = 0; i < count->nr_vars; i++)
		emit_set(t, &count->vars[i], &i);
	for (unsigned i = 0; i < count->nr_actions; i++) {
		if (count->actions[i].handler != HIST_ONMATCH)
			emit_track(t, i);
	}
	emit_unlock(t);
	leave_locked(t, &raced, &t->raced);
}

/* ---- synthetic events ---- */

static void emit_param(const struct table *t, const struct layout_field *f, unsigned ref, uint32_t record, uint32_t text)
{
	const struct count_text from = { .kind = COUNT_TEXT_REF, .ref = ref };
	struct code *c = code_of(t);
	unsigned some;

	if (f->type.is_stack) {
		emit_text(t, &from, BASE, record + BP_BODY_OFF + f->off);
		return;
	}
	if (!type_is_dynamic(&f->type)) {
		load_ref(t, BPF_REG_3, ref);
		code_store(c, f->type.size, BASE, (int16_t)(record + BP_BODY_OFF + f->off), BPF_REG_3);
		return;
	}
	emit_zeroes(t, BASE, record + BP_BODY_OFF + text, COUNT_STRING);
	emit_text(t, &from, BASE, record + BP_BODY_OFF + text);
	some = code_jump_imm(c, BPF_JSGT, BPF_REG_0, 0);
	code_mov_imm(c, BPF_REG_0, 1);			/* an empty text */
	code_land(c, some);
	code_alu_imm(c, BPF_LSH, BPF_REG_0, 16);
	code_alu_imm(c, BPF_OR, BPF_REG_0, (int32_t)text);
	code_store(c, 4, BASE, (int16_t)(record + BP_BODY_OFF + f->off), BPF_REG_0);
}

/* The head of this record becomes that of the one at @record, as far as somebody reads it. */
static void emit_head(const struct table *t, uint32_t record, unsigned parts)
{
	enum { PID = BP_BODY_OFF, CPU = offsetof(struct bp_rec, cpu) & ~7, TIME = offsetof(struct bp_rec, ts),
	       COMM = offsetof(struct bp_rec, comm) };
	struct code *c = code_of(t);

	for (uint32_t off = 0; off < sizeof(struct bp_rec); off += 8) {
		bool is_comm = off >= COMM && off < COMM + BP_COMM_LEN;

		if (!(parts & HEAD_LINE) && off != PID && off != CPU && !(off == TIME && parts & HEAD_TIME) && !(is_comm && parts & HEAD_COMM))
			continue;
		code_load(c, 8, BPF_REG_1, BPF_REG_7, (int16_t)off);
		code_store(c, 8, BASE, (int16_t)(record + off), BPF_REG_1);
	}
	if (parts & HEAD_LINE && !t->k.fc.plan->layout.is_synthetic)
		context_emit_settle(&t->k.fc.plan->layout, t->env ? t->env->adds_depth : 0, c, BASE,
				    (int16_t)(record + offsetof(struct bp_rec, preempt)));
}

/* Its record has the head of this one. Each string has its own place. */
static void emit_make(const struct table *t, unsigned i)
{
	const struct count_action *a = &t->count->actions[i];
	const struct layout *l = &a->made->plan->layout;
	uint32_t text = ROUND_UP(BP_BODY_OFF + l->dyn_off, 8u) - BP_BODY_OFF, record = t->room.made;
	struct code *c = code_of(t);
	unsigned fired = 0;

	if (a->handler != HIST_ONMATCH) {
		load_word(t, BPF_REG_1, t->room.fired, i);
		fired = code_jump_imm(c, BPF_JEQ, BPF_REG_1, 0);
	}
	emit_head(t, record, head_parts_made(a->made));
	if (a->made->is_line)		/* no byte of it may be of an earlier hit */
		emit_zeroes(t, BASE, record + (uint32_t)sizeof(struct bp_rec), BP_BODY_OFF + text - (uint32_t)sizeof(struct bp_rec));
	for (unsigned p = 0; p < a->nr_params; p++) {
		emit_param(t, &l->fields[p], a->params[p], record, text);
		text += type_is_dynamic(&l->fields[p].type) ? (uint32_t)COUNT_STRING : 0;
	}
	code_mov(c, BPF_REG_1, BPF_REG_6);
	emit_base(t, BPF_REG_2, record);
	code_call_function(c, CODE_MADE + (int)a->made->nr);
	if (fired)
		code_land(c, fired);
}

/* ---- one histogram ---- */

static void emit_paused(struct table *t)
{
	struct code *c = code_of(t);

	if (!t->count->table->pauses)
		return;
	code_map_value(c, BPF_REG_1, t->count->table->state_fd, offsetof(struct bp_count_state, paused));
	code_load(c, 8, BPF_REG_2, BPF_REG_1, 0);
	add_jump(t, &t->none, code_jump_imm(c, BPF_JNE, BPF_REG_2, 0));
}

/* All time stamps of a hit are one, so another clock than the record's is read once. */
static void emit_clock(const struct filter_code *fc, enum hist_clock clock)
{
	if (clock == HIST_CLOCK_MONO)
		return;
	code_call(fc->code, clock == HIST_CLOCK_BOOT ? BPF_FUNC_ktime_get_boot_ns : BPF_FUNC_ktime_get_tai_ns);
	code_store(fc->code, 8, BPF_REG_10, fc->time, BPF_REG_0);
}

static void emit_one(const struct filter_code *fc, const struct gate_env *env, const struct count *count)
{
	struct table t = { .k = { .fc = *fc }, .env = env, .count = count, .room = count_room(count) };
	struct code *c = fc->code;

	/* The offsets of loads and stores have 16 bits. */
	c->overflow |= t.room.size > INT16_MAX || count_value_size(count->table) > INT16_MAX;
	emit_paused(&t);
	if (count->filter)
		filter_emit_root(&t.k.fc, count->filter, &t.none);
	emit_clock(&t.k.fc, count->clock);
	code_mov(c, BASE, BPF_REG_7);
	code_alu_imm(c, BPF_ADD, BASE, (int32_t)ROUND_UP(fc->record_size, 8u));
	emit_key(&t);
	emit_refs(&t);
	for (unsigned v = 0; v < count->nr_values; v++) {
		emit_number(&t, &count->values[v]);
		store_word(&t, t.room.values, v, BPF_REG_3);
	}
	for (unsigned i = 0; i < count->nr_vars; i++) {
		if (count->vars[i].text.kind != COUNT_TEXT_NONE)
			continue;
		emit_number(&t, &count->vars[i].number);
		store_word(&t, t.room.vars, i, BPF_REG_3);
	}
	emit_find(&t);
	emit_sums(&t);
	emit_version(&t);
	for (unsigned i = 0; i < count->nr_actions; i++) {
		if (count->actions[i].made)
			emit_make(&t, i);
	}
	if (t.raced) {
		unsigned over = code_jump(c);

		filter_jump_land(&t.k.fc, &t.raced);
		emit_state_add(&t, offsetof(struct bp_count_state, raced));
		code_land(c, over);
	}
	filter_jump_land(&t.k.fc, &t.none);
}

void table_emit_all(const struct filter_code *fc, const struct gate_env *env)
{
	for (const struct count *count = fc->plan->sets_off.counts; count; count = count->next)
		emit_one(fc, env, count);
}

void table_emit_made(const struct count_made *made, const struct gate_env *env, const struct gate_env *own, struct code *code)
{
	struct filter_code fc = filter_code_by_record(made->plan, false, code);
	struct filter_jump *unwanted = NULL;

	fc.time = -8;
	fc.env = env;
	code_mov(code, BPF_REG_6, BPF_REG_1);
	code_mov(code, BPF_REG_7, BPF_REG_2);
	if (made->plan->filter)
		filter_emit_root(&fc, made->plan->filter, &unwanted);
	table_emit_all(&fc, env);
	if (made->is_line) {
		code_mov(code, BPF_REG_1, BPF_REG_7);
		code_call_function(code, CODE_WRITE + (int)made->nr);
	}
	code_mov_imm(code, BPF_REG_0, 0);
	code_exit(code);
	if (!unwanted)
		return;
	filter_jump_land(&fc, &unwanted);
	gate_count(code, own, offsetof(struct bp_stat, filtered));
	code_mov_imm(code, BPF_REG_0, 0);
	code_exit(code);
}
