// SPDX-License-Identifier: GPL-2.0-only
/*
 * fault_in.c - BPF that waits for the memory of a program, or counts what would have to be waited for.
 */
#include "gen/fault_in.h"

#include <stddef.h>

#include "bprobe_abi.h"
#include "gen/fetch.h"
#include "kernel/features.h"
#include "plan/cold.h"

/* bpf_get_current_task_btf() is of 5.11, bpf_copy_from_user() of 5.10. VM_READ: include/linux/mm.h. */
enum { PAGE = 4096, VM_READ = 1, HELPER_COPY_FROM_USER = 148, HELPER_CURRENT_TASK_BTF = 158 };

/* Words of the stack. */
enum { WORD = -8, ADDRESS = -16, BASE = -24 };

/* The jumps that leave a value's code. */
struct leave {
	struct leave *next;
	unsigned jump;
};

/* r6 is the context; if it counts, r7 is the record, and r9 the number of cold values. */
struct faulter {
	struct fetcher fetcher;
	struct leave *leaves;
	bool counts;
};

static void leave(void *ctx, unsigned jump)
{
	struct faulter *f = ctx;
	struct leave *l = arena_new(f->fetcher.code->arena, struct leave);

	*l = (struct leave){ .next = f->leaves, .jump = jump };
	f->leaves = l;
}

static void land(struct faulter *f)
{
	for (const struct leave *l = f->leaves; l; l = l->next)
		code_land(f->fetcher.code, l->jump);
	f->leaves = NULL;
}

/* Calls @helper for the word at WORD, @bytes of it, from r3. */
static void call_read(struct faulter *f, int32_t helper, unsigned bytes)
{
	struct code *c = f->fetcher.code;

	code_mov(c, BPF_REG_1, BPF_REG_10);
	code_alu_imm(c, BPF_ADD, BPF_REG_1, WORD);
	code_mov_imm(c, BPF_REG_2, (int32_t)bytes);
	code_call(c, helper);
}

/* @reg = the address at ADDRESS. For the verifier it may be a pointer to the kernel's memory. A copy that a helper makes is a number. */
static void load_address(struct faulter *f, unsigned reg)
{
	struct code *c = f->fetcher.code;

	code_mov(c, BPF_REG_3, BPF_REG_10);
	code_alu_imm(c, BPF_ADD, BPF_REG_3, ADDRESS);
	call_read(f, BPF_FUNC_probe_read_kernel, 8);
	code_load(c, 8, reg, BPF_REG_10, WORD);
}

/* Counts the address at ADDRESS if it is cold. */
static void count(struct faulter *f)
{
	struct code *c = f->fetcher.code;

	load_address(f, BPF_REG_1);
	code_call_function(c, CODE_IS_COLD);
	code_alu(c, BPF_ADD, BPF_REG_9, BPF_REG_0);
}

/*
 * The word at WORD = @bytes at r3, and the word at ADDRESS = r3. Jumps away if they cannot be read. Waits for them, or counts them.
 * @user: it is user memory; else it may be.
 */
static void read(struct faulter *f, unsigned bytes, bool user)
{
	struct code *c = f->fetcher.code;
	unsigned there = 0;

	code_store(c, 8, BPF_REG_10, ADDRESS, BPF_REG_3);
	if (f->counts || !user) {
		call_read(f, user ? BPF_FUNC_probe_read_user : BPF_FUNC_probe_read, bytes);
		there = code_jump_imm(c, BPF_JEQ, BPF_REG_0, 0);
	}
	if (f->counts) {
		count(f);
		leave(f, code_jump(c));
	} else {
		if (!user)
			code_load(c, 8, BPF_REG_3, BPF_REG_10, ADDRESS);
		call_read(f, HELPER_COPY_FROM_USER, bytes);
		leave(f, code_jump_imm(c, BPF_JNE, BPF_REG_0, 0));
	}
	if (there)
		code_land(c, there);
}

/* A string at r3: it may end on the next page. When strings are counted, this one could not be read. */
static void read_string(struct faulter *f, bool user)
{
	struct code *c = f->fetcher.code;

	read(f, 1, user);
	load_address(f, BPF_REG_3);
	code_alu_imm(c, BPF_OR, BPF_REG_3, PAGE - 1);
	code_alu_imm(c, BPF_ADD, BPF_REG_3, 1);
	read(f, 1, user);
}

static unsigned bytes_of(const struct layout_field *field)
{
	if (field->type.kind == TYPE_BLOCK)
		return field->room;
	return field->count * type_slot_size(&field->type) + (field->bit_width ? 1 : 0);
}

/* Goes on only if the record has element @i of @field, and that could not be read. Returns the jumps of others in @ret. */
static unsigned test_string(struct faulter *f, const struct layout_field *field, unsigned i, unsigned ret[2])
{
	struct code *c = f->fetcher.code;
	unsigned nr = 0;

	code_load(c, 4, BPF_REG_1, BPF_REG_7, (int16_t)(BP_BODY_OFF + field->off + 4 * i));
	if (field->type.until_null)		/* 0: the array has ended before */
		ret[nr++] = code_jump_imm(c, BPF_JEQ, BPF_REG_1, 0);
	/* A buffer of no bytes has a place. */
	ret[nr++] = field->type.kind == TYPE_BUFFER ? code_jump_imm(c, BPF_JNE, BPF_REG_1, 0) : code_jump_imm(c, BPF_JGT, BPF_REG_1, 0xffff);
	return nr;
}

/* The pointers of an array of strings at r3, and the strings behind them. */
static void read_strings(struct faulter *f, const struct layout_field *field, bool user)
{
	struct code *c = f->fetcher.code;
	struct leave *ends = f->leaves;

	code_store(c, 8, BPF_REG_10, BASE, BPF_REG_3);
	for (unsigned i = 0; i < field->count; i++) {
		unsigned fine[2], nr = f->counts ? test_string(f, field, i, fine) : 0;

		f->leaves = NULL;
		code_load(c, 8, BPF_REG_3, BPF_REG_10, BASE);
		code_add_const(c, BPF_REG_3, 8 * (int64_t)i, BPF_REG_1);
		read(f, 8, user);
		code_load(c, 8, BPF_REG_3, BPF_REG_10, WORD);
		if (field->type.until_null) {
			struct leave *own = f->leaves;

			f->leaves = ends;
			leave(f, code_jump_imm(c, BPF_JEQ, BPF_REG_3, 0));
			ends = f->leaves;
			f->leaves = own;
		}
		read_string(f, user);
		land(f);
		while (nr)
			code_land(c, fine[--nr]);
	}
	f->leaves = ends;
}

/* Leaves if all elements of a number could be read. */
static void test_marks(struct faulter *f, const struct layout_field *field)
{
	struct code *c = f->fetcher.code;
	unsigned some[2], nr = 0;

	if (field->mark == LAYOUT_NO_MARK)
		return;
	for (uint32_t bit = field->mark, end = bit + field->count, bits; bit < end && nr < ARRAY_SIZE(some); bit += bits) {
		bits = MIN(end - bit, 64 - bit % 64);
		code_load(c, 8, BPF_REG_1, BPF_REG_7, (int16_t)(BP_BODY_OFF + f->fetcher.plan->layout.marks_off + bit / 64 * 8));
		code_const(c, BPF_REG_2, (~0ull >> (64 - bits)) << (bit % 64));
		some[nr++] = code_jump_reg(c, BPF_JSET, BPF_REG_1, BPF_REG_2);
	}
	leave(f, code_jump(c));
	while (nr)
		code_land(c, some[--nr]);
}

/* Leaves if the record has what @field fetches. */
static void test_field(struct faulter *f, const struct layout_field *field)
{
	unsigned fine[2], nr;

	if (type_is_dynamic(&field->type)) {
		if (field->type.count)		/* each is tested for itself */
			return;
		for (nr = test_string(f, field, 0, fine); nr;)
			leave(f, fine[--nr]);
	} else {
		test_marks(f, field);
	}
}

static void emit_field(struct faulter *f, const struct layout_field *field, const struct fetch *fetch)
{
	bool user = fetch->derefs[fetch->nr_derefs - 1].user || field->type.kind == TYPE_USTRING;
	struct code *c = f->fetcher.code;

	if (f->counts)
		test_field(f, field);
	fetch_source(&f->fetcher, fetch);
	for (unsigned i = 0; i < fetch->nr_derefs; i++) {
		if (i) {
			read(f, 8, fetch->derefs[i - 1].user);
			code_load(c, 8, BPF_REG_3, BPF_REG_10, WORD);
		}
		code_add_const(c, BPF_REG_3, fetch->derefs[i].off, BPF_REG_1);
	}
	if (type_is_dynamic(&field->type) && field->type.kind != TYPE_BLOCK && field->type.kind != TYPE_SYMSTR) {
		if (field->type.count)
			read_strings(f, field, user);
		else
			read_string(f, user);
	} else {
		read(f, 1, user);
		code_load(c, 8, BPF_REG_3, BPF_REG_10, ADDRESS);
		code_add_const(c, BPF_REG_3, (int64_t)bytes_of(field) - 1, BPF_REG_1);
		read(f, 1, user);
	}
	land(f);
}

bool fault_in_acts_once(const struct plan *plan)
{
	return plan->faults_in && (plan->limit_stage == STAGE_RECORD || plan->sets_off.acts || plan->sets_off.counts);
}

/*
 * Of strings in arrays only so many are counted: one array of the largest size, or several smaller ones. The verifier looks at the code of
 * each: with eight of the largest arrays it took 3 seconds, not 0.5 (6.12).
 */
enum { MOST_COUNTED = LANG_MAX_VECTOR + 1 };

static void emit_fields(struct faulter *f)
{
	const struct plan *plan = f->fetcher.plan;
	unsigned left = MOST_COUNTED;

	f->fetcher.ctx = f;
	for (unsigned i = 0; i < layout_all(&plan->layout); i++) {
		const struct layout_field *field = &plan->layout.fields[i];
		bool many = f->counts && field->type.count && type_is_dynamic(&field->type);

		if (!cold_may_be_user(plan, &plan->fetches[i]) || (many && field->count > left))
			continue;
		left -= many ? field->count : 0;
		emit_field(f, field, &plan->fetches[i]);
	}
}

void fault_in_emit(const struct plan *plan, struct code *c)
{
	struct faulter f = { .fetcher = { .code = c, .plan = plan, .spill = WORD, .no_record = true, .failed = leave } };

	code_mov(c, BPF_REG_6, BPF_REG_1);
	emit_fields(&f);
	code_mov_imm(c, BPF_REG_0, 0);
	code_exit(c);
}

void fault_in_emit_count(const struct plan *plan, const struct gate_env *env, struct code *c)
{
	struct faulter f = { .fetcher = { .code = c, .plan = plan, .spill = WORD, .no_record = true, .failed = leave }, .counts = true };
	unsigned never;

	code_mov(c, BPF_REG_6, BPF_REG_1);
	code_mov(c, BPF_REG_7, BPF_REG_2);
	code_mov_imm(c, BPF_REG_9, 0);
	emit_fields(&f);
	never = gate_stat(env, c);
	code_load(c, 4, BPF_REG_2, BPF_REG_1, offsetof(struct bp_stat, cold));
	code_alu(c, BPF_ADD, BPF_REG_2, BPF_REG_9);
	code_store(c, 4, BPF_REG_1, offsetof(struct bp_stat, cold), BPF_REG_2);
	if (never)
		code_land(c, never);
	code_mov_imm(c, BPF_REG_0, 0);
	code_exit(c);
}

/* The iterator of a task's mappings begins with the first one that ends behind the address (6.12, kernel/bpf/task_iter.c). */
void fault_in_emit_is_cold(const struct feature_ids *ids, struct code *c)
{
	enum { ITERATOR = -8, ANSWER = -16 };
	unsigned kernel, none, below, unreadable;

	code_store_imm(c, 8, BPF_REG_10, ANSWER, 0);
	kernel = code_jump_imm(c, BPF_JSLT, BPF_REG_1, 0);
	code_mov(c, BPF_REG_6, BPF_REG_1);
	code_call(c, HELPER_CURRENT_TASK_BTF);
	code_mov(c, BPF_REG_2, BPF_REG_0);
	code_mov(c, BPF_REG_3, BPF_REG_6);
	code_mov(c, BPF_REG_1, BPF_REG_10);
	code_alu_imm(c, BPF_ADD, BPF_REG_1, ITERATOR);
	code_call_kernel(c, ids->vma_new);
	code_mov(c, BPF_REG_1, BPF_REG_10);
	code_alu_imm(c, BPF_ADD, BPF_REG_1, ITERATOR);
	code_call_kernel(c, ids->vma_next);
	none = code_jump_imm(c, BPF_JEQ, BPF_REG_0, 0);
	code_load(c, 8, BPF_REG_1, BPF_REG_0, (int16_t)ids->vma_start);
	below = code_jump_reg(c, BPF_JGT, BPF_REG_1, BPF_REG_6);
	code_load(c, 8, BPF_REG_1, BPF_REG_0, (int16_t)ids->vma_flags);
	code_alu_imm(c, BPF_AND, BPF_REG_1, VM_READ);
	unreadable = code_jump_imm(c, BPF_JEQ, BPF_REG_1, 0);
	code_store_imm(c, 8, BPF_REG_10, ANSWER, 1);
	code_land(c, none);
	code_land(c, below);
	code_land(c, unreadable);
	code_mov(c, BPF_REG_1, BPF_REG_10);
	code_alu_imm(c, BPF_ADD, BPF_REG_1, ITERATOR);
	code_call_kernel(c, ids->vma_destroy);
	code_land(c, kernel);
	code_load(c, 8, BPF_REG_0, BPF_REG_10, ANSWER);
	code_exit(c);
}
