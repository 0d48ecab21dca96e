// SPDX-License-Identifier: GPL-2.0-only
/*
 * fault_in.c - BPF that waits for the memory of a program.
 */
#include "gen/fault_in.h"

#include "gen/act_code.h"
#include "gen/count_code.h"
#include "gen/fetch.h"

enum { PAGE = 4096, WORD = -8, ADDRESS = -16, HELPER_COPY_FROM_USER = 148 };	/* bpf_copy_from_user(), since 5.10 */

/* The jumps that leave a field's code. */
struct leave {
	struct leave *next;
	unsigned jump;
};

struct faulter {
	struct fetcher fetcher;
	struct leave *leaves;
};

static void leave(void *ctx, unsigned jump)
{
	struct faulter *f = ctx;
	struct leave *l = arena_new(f->fetcher.code->arena, struct leave);

	*l = (struct leave){ .next = f->leaves, .jump = jump };
	f->leaves = l;
}

/* The word at WORD = @bytes at r3, of which all may be waited for. Jumps away if they cannot be read. */
static void copy(struct faulter *f, unsigned bytes)
{
	struct code *c = f->fetcher.code;

	code_mov(c, BPF_REG_1, BPF_REG_10);
	code_alu_imm(c, BPF_ADD, BPF_REG_1, WORD);
	code_mov_imm(c, BPF_REG_2, (int32_t)bytes);
	code_call(c, HELPER_COPY_FROM_USER);
	leave(f, code_jump_imm(c, BPF_JNE, BPF_REG_0, 0));
}

/* Waits for the page of the byte at @off from the address at ADDRESS. */
static void touch(struct faulter *f, int64_t off)
{
	struct code *c = f->fetcher.code;

	code_load(c, 8, BPF_REG_3, BPF_REG_10, ADDRESS);
	code_add_const(c, BPF_REG_3, off, BPF_REG_1);
	copy(f, 1);
}

/* Waits for a string at the address at ADDRESS: it may end on the next page. */
static void touch_string(struct faulter *f)
{
	struct code *c = f->fetcher.code;

	touch(f, 0);
	code_load(c, 8, BPF_REG_3, BPF_REG_10, ADDRESS);
	code_alu_imm(c, BPF_OR, BPF_REG_3, PAGE - 1);
	code_alu_imm(c, BPF_ADD, BPF_REG_3, 1);
	copy(f, 1);
}

static unsigned bytes_of(const struct layout_field *field)
{
	if (field->type.kind == TYPE_BLOCK)
		return field->room;
	return field->count * type_slot_size(&field->type) + (field->bit_width ? 1 : 0);
}

/* The pointers of an array of strings, and the strings behind them. */
static void touch_strings(struct faulter *f, const struct layout_field *field)
{
	struct code *c = f->fetcher.code;
	enum { BASE = -24 };

	code_load(c, 8, BPF_REG_3, BPF_REG_10, ADDRESS);
	code_store(c, 8, BPF_REG_10, BASE, BPF_REG_3);
	for (unsigned i = 0; i < field->count; i++) {
		code_load(c, 8, BPF_REG_3, BPF_REG_10, BASE);
		code_add_const(c, BPF_REG_3, 8 * (int64_t)i, BPF_REG_1);
		copy(f, 8);
		code_load(c, 8, BPF_REG_3, BPF_REG_10, WORD);
		code_store(c, 8, BPF_REG_10, ADDRESS, BPF_REG_3);
		touch_string(f);
	}
}

static void emit_field(struct faulter *f, const struct layout_field *field, const struct fetch *fetch)
{
	struct code *c = f->fetcher.code;

	f->leaves = NULL;
	fetch_source(&f->fetcher, fetch);
	for (unsigned i = 0; i < fetch->nr_derefs; i++) {
		if (i) {
			copy(f, 8);
			code_load(c, 8, BPF_REG_3, BPF_REG_10, WORD);
		}
		code_add_const(c, BPF_REG_3, fetch->derefs[i].off, BPF_REG_1);
	}
	code_store(c, 8, BPF_REG_10, ADDRESS, BPF_REG_3);
	if (type_is_dynamic(&field->type) && field->type.kind != TYPE_BLOCK) {
		if (field->type.count)
			touch_strings(f, field);
		else
			touch_string(f);
	} else {
		touch(f, 0);
		touch(f, (int64_t)bytes_of(field) - 1);
	}
	for (const struct leave *l = f->leaves; l; l = l->next)
		code_land(c, l->jump);
}

/* The task that a chain may begin at is the kernel's memory, which is always there. So is nothing that only the record has. */
static bool is_user(const struct plan *plan, const struct fetch *f)
{
	bool knows_place = plan->layout.backend->hit.places[plan->target.is_return] != PLACE_UTASK;

	return f->nr_derefs && f->derefs[0].user && (f->src == FETCH_REG || f->src == FETCH_VALUE || (f->src == FETCH_PLACE && knows_place));
}

void fault_in_emit(const struct plan *plan, struct code *c)
{
	struct faulter f = { .fetcher = { .code = c, .plan = plan, .spill = WORD, .no_record = true, .failed = leave } };

	f.fetcher.ctx = &f;
	code_mov(c, BPF_REG_6, BPF_REG_1);
	for (unsigned i = 0; i < layout_all(&plan->layout); i++) {
		if (is_user(plan, &plan->fetches[i]))
			emit_field(&f, &plan->layout.fields[i], &plan->fetches[i]);
	}
	code_mov_imm(c, BPF_REG_0, 0);
	code_exit(c);
}

bool fault_in_is_used(const struct plan *plan)
{
	return plan->faults_in && plan->limit_stage != STAGE_RECORD && !plan->sets_off.acts && !plan->sets_off.counts;
}
