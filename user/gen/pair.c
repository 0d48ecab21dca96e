// SPDX-License-Identifier: GPL-2.0-only
/*
 * pair.c - BPF that finds the key of a pair.
 */
#include "gen/pair.h"

#include "gen/fetch.h"

struct key {
	struct code *code;
	struct pair_jump {
		struct pair_jump *next;
		unsigned jump;
	} *failed;
};

static void read_failed(void *ctx, unsigned jump)
{
	struct key *key = ctx;
	struct pair_jump *j = arena_new(key->code->arena, struct pair_jump);

	*j = (struct pair_jump){ .next = key->failed, .jump = jump };
	key->failed = j;
}

/* r3 = @f's value, as gen/emit.c stores it in the record. */
static void emit_value(const struct fetcher *fetcher, const struct layout_field *field, const struct fetch *f)
{
	bool wide = field->bit_off + field->bit_width > 8 * field->type.size;
	unsigned bytes = f->read ? f->read : wide ? 8 : field->type.size;
	struct code *c = fetcher->code;
	unsigned unused;

	fetch_address(fetcher, f);
	if (f->nr_derefs) {
		code_mov(c, BPF_REG_1, BPF_REG_10);
		code_alu_imm(c, BPF_ADD, BPF_REG_1, fetcher->spill);
		fetch_read(fetcher, bytes, f->derefs[f->nr_derefs - 1].user);
		code_load(c, bytes, BPF_REG_3, BPF_REG_10, fetcher->spill);
	}
	code_add_const(c, BPF_REG_3, f->add, BPF_REG_1);
	unused = 64 - layout_bits(field);
	if (!unused)
		return;
	code_alu_imm(c, BPF_LSH, BPF_REG_3, (int32_t)unused - field->bit_off);
	code_alu_imm(c, field->bit_signed ? BPF_ARSH : BPF_RSH, BPF_REG_3, (int32_t)unused);
}

void pair_emit_key(const struct plan *plan, unsigned stack, struct code *code)
{
	struct key key = { .code = code };
	struct fetcher fetcher = { .code = code, .plan = plan, .spill = (int16_t)(-8 - (int)stack),
				   .saved = (int16_t)(-16 - (int)stack), .words = (int16_t)(-24 - (int)stack), .failed = read_failed, .ctx = &key };

	code_store(code, 8, BPF_REG_10, fetcher.saved, BPF_REG_8);
	code_mov_imm(code, BPF_REG_8, 0);
	code_mov_imm(code, BPF_REG_9, 0);
	emit_value(&fetcher, &plan->layout.fields[plan->paired.field], &plan->fetches[plan->paired.field]);
	code_mov(code, BPF_REG_8, BPF_REG_3);
	code_mov_imm(code, BPF_REG_9, 1);
	for (const struct pair_jump *j = key.failed; j; j = j->next)
		code_land(code, j->jump);
}
