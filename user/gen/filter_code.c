// SPDX-License-Identifier: GPL-2.0-only
/*
 * filter_code.c - a filter as BPF: the joints (and, or), and the tests of numbers.
 */
#include "gen/filter_code.h"

#include <stddef.h>

#include "bprobe_abi.h"
#include "gen/context_code.h"
#include "gen/fetch.h"

struct filter_code filter_code_by_record(const struct plan *plan, bool is_long, struct code *code)
{
	return (struct filter_code){ .code = code, .plan = plan, .by_record = true, .is_long = is_long,
				     .record_size = is_long ? plan->layout.long_size : plan->layout.short_size };
}

void filter_jump_add(const struct filter_code *fc, struct filter_jump **list, unsigned jump)
{
	struct filter_jump *j = arena_new(fc->code->arena, struct filter_jump);

	*j = (struct filter_jump){ .next = *list, .jump = jump };
	*list = j;
}

void filter_jump_land(const struct filter_code *fc, struct filter_jump **list)
{
	for (const struct filter_jump *j = *list; j; j = j->next)
		code_land(fc->code, j->jump);
	*list = NULL;
}

void filter_jump_always(const struct filter_code *fc, struct filter_jump **list)
{
	code_mov_imm(fc->code, BPF_REG_0, 0);
	filter_jump_add(fc, list, code_jump_imm(fc->code, BPF_JEQ, BPF_REG_0, 0));
}

static void move_jumps(struct filter_jump **from, struct filter_jump **to)
{
	while (*from) {
		struct filter_jump *j = *from;

		*from = j->next;
		j->next = *to;
		*to = j;
	}
}

/* ---- numbers ---- */

/* BPF's comparison, for signed and unsigned values. */
static unsigned jump_op(enum filter_op op, bool is_signed)
{
	switch (op) {
	case FILTER_LT:
		return is_signed ? BPF_JSLT : BPF_JLT;
	case FILTER_LE:
		return is_signed ? BPF_JSLE : BPF_JLE;
	case FILTER_GT:
		return is_signed ? BPF_JSGT : BPF_JGT;
	case FILTER_GE:
		return is_signed ? BPF_JSGE : BPF_JGE;
	case FILTER_AND:
		return BPF_JSET;
	default:
		return BPF_JEQ;
	}
}

/* The comparison that is true if @op is false; 0: there is none. */
static unsigned opposite(unsigned op)
{
	switch (op) {
	case BPF_JEQ:
		return BPF_JNE;
	case BPF_JLT:
		return BPF_JGE;
	case BPF_JLE:
		return BPF_JGT;
	case BPF_JGT:
		return BPF_JLE;
	case BPF_JGE:
		return BPF_JLT;
	case BPF_JSLT:
		return BPF_JSGE;
	case BPF_JSLE:
		return BPF_JSGT;
	case BPF_JSGT:
		return BPF_JSLE;
	case BPF_JSGE:
		return BPF_JSLT;
	default:
		return 0;
	}
}

/* A jump if r3 @op @value, for all 64 bits or for the low 32 (@half). Uses r2. */
static unsigned jump_where(struct code *c, unsigned op, uint64_t value, bool half)
{
	if (half)
		return code_jump_imm32(c, op, BPF_REG_3, (int32_t)value);
	if ((int64_t)value == (int32_t)value)
		return code_jump_imm(c, op, BPF_REG_3, (int32_t)value);
	code_const(c, BPF_REG_2, value);
	return code_jump_reg(c, op, BPF_REG_3, BPF_REG_2);
}

/* r3 = its low half. This is a number even if r3 is a pointer for the verifier, which does not allow shifts of pointers. */
static void take_half(struct code *c)
{
	code_add(c, (struct bpf_insn){ .code = BPF_ALU | BPF_MOV | BPF_X, .dst_reg = BPF_REG_3, .src_reg = BPF_REG_3 });
}

/* Extends r3's low @size bytes to the whole register. */
static void extend(struct code *c, unsigned size, bool clean, bool is_signed)
{
	if (size == 8)
		return;
	if (!clean)
		take_half(c);
	if (!is_signed) {
		if (!clean && size < 4)
			code_alu_imm(c, BPF_AND, BPF_REG_3, (1 << 8 * size) - 1);
		return;
	}
	code_alu_imm(c, BPF_LSH, BPF_REG_3, (int32_t)(64 - 8 * size));
	code_alu_imm(c, BPF_ARSH, BPF_REG_3, (int32_t)(64 - 8 * size));
}

/* Adds to @list the jumps that are taken if the comparison's result is @when. */
static void emit_compare(struct filter_code *fc, const struct filter_leaf *leaf, bool clean, bool when,
			 struct filter_jump **list)
{
	unsigned op = jump_op(leaf->op, leaf->is_signed), spare = 64 - 8 * leaf->size;
	bool ordered = op != BPF_JEQ && op != BPF_JSET, half = leaf->size == 4;
	bool needs_sign = ordered && leaf->is_signed;
	struct code *c = fc->code;
	uint64_t value = leaf->value;
	unsigned over;

	/* Bits outside of the mask need not be clean. */
	if (!half && (needs_sign || (!clean && op != BPF_JSET)))
		extend(c, leaf->size, clean, needs_sign);
	if (needs_sign)
		value = (uint64_t)((int64_t)(value << spare) >> spare);
	if (when) {
		filter_jump_add(fc, list, jump_where(c, op, value, half));
	} else if (opposite(op)) {
		filter_jump_add(fc, list, jump_where(c, opposite(op), value, half));
	} else {
		over = jump_where(c, op, value, half);
		filter_jump_add(fc, list, code_jump(c));
		code_land(c, over);
	}
}

static void emit_ranges(struct filter_code *fc, const struct filter_leaf *leaf, bool clean, bool when,
			struct filter_jump **list)
{
	struct filter_jump *in = NULL;
	struct code *c = fc->code;

	extend(c, leaf->size, clean, false);
	for (unsigned i = 0; i < leaf->nr_ranges; i++) {
		const struct filter_range *range = &leaf->ranges[i];
		unsigned below = range->first ? jump_where(c, BPF_JLT, range->first, false) : 0;

		filter_jump_add(fc, when ? list : &in, jump_where(c, BPF_JLE, range->last, false));
		if (range->first)
			code_land(c, below);
	}
	if (!when && !in)
		filter_jump_always(fc, list);
	else if (!when)
		filter_jump_add(fc, list, code_jump(c));
	filter_jump_land(fc, &in);
}

/* ---- where numbers come from ---- */

static void read_failed(void *ctx, unsigned jump)
{
	struct filter_code *fc = ctx;

	filter_jump_add(fc, &fc->unread, jump);
}

/* r3 = the number of @size bytes that the bit-field of r3 is; the bits above it are 0. */
static void emit_bits(struct code *c, const struct layout_field *f, unsigned size)
{
	if (f->bit_off + f->bit_width <= 32)
		take_half(c);
	code_alu_imm(c, BPF_LSH, BPF_REG_3, 64 - f->bit_off - f->bit_width);
	code_alu_imm(c, f->bit_signed ? BPF_ARSH : BPF_RSH, BPF_REG_3, 64 - f->bit_width);
	if (!f->bit_signed || size == 8)
		return;
	code_alu_imm(c, BPF_LSH, BPF_REG_3, (int32_t)(64 - 8 * size));
	code_alu_imm(c, BPF_RSH, BPF_REG_3, (int32_t)(64 - 8 * size));
}

/* Fetches the value that gen/emit.c stores in the record, but takes it from the context. */
static void emit_fetched(struct filter_code *fc, const struct filter_leaf *leaf, bool *ret_clean)
{
	const struct fetch *f = &fc->plan->fetches[leaf->index];
	struct fetcher fetcher = { .code = fc->code, .plan = fc->plan, .spill = fc->spill ? fc->spill : (int16_t)-8, .saved = fc->saved,
				   .no_record = true, .failed = read_failed, .ctx = fc };
	const struct layout_field *field = leaf->field;
	unsigned bytes = f->read ? f->read : field->bit_off + field->bit_width > 8 * leaf->size ? 8 : leaf->size;
	struct code *c = fc->code;

	fetch_address(&fetcher, f);
	if (f->nr_derefs) {
		code_mov(c, BPF_REG_1, BPF_REG_10);
		code_alu_imm(c, BPF_ADD, BPF_REG_1, fetcher.spill);
		fetch_read(&fetcher, bytes, f->derefs[f->nr_derefs - 1].user);
		code_load(c, bytes, BPF_REG_3, BPF_REG_10, fetcher.spill);
	}
	if (field->bit_width)
		emit_bits(c, field, leaf->size);
	if (field->type.show == SHOW_BIG_ENDIAN) {
		if (!f->nr_derefs)
			take_half(c);
		code_from_network(c, BPF_REG_3, leaf->size);
	}
	*ret_clean = f->nr_derefs || field->bit_width || field->type.show == SHOW_BIG_ENDIAN;
}

void filter_emit_mark(const struct filter_code *fc, const struct layout_field *f, struct filter_jump **list)
{
	if (f->mark == LAYOUT_NO_MARK)
		return;
	code_load(fc->code, 8, BPF_REG_3, BPF_REG_7, (int16_t)(BP_BODY_OFF + fc->plan->layout.marks_off + f->mark / 64 * 8));
	filter_jump_add(fc, list, jump_where(fc->code, BPF_JSET, 1ull << f->mark % 64, false));
}

/* An argument in the record. It has no value if its mark says that it could not be read. */
static void emit_recorded(struct filter_code *fc, const struct filter_leaf *leaf)
{
	const struct layout_field *f = leaf->field;
	struct code *c = fc->code;

	filter_emit_mark(fc, f, &fc->unread);
	code_load(c, leaf->size, BPF_REG_3, BPF_REG_7, (int16_t)(BP_BODY_OFF + f->off));
}

void filter_emit_number(struct filter_code *fc, const struct filter_leaf *leaf, bool *ret_clean)
{
	struct code *c = fc->code;

	*ret_clean = true;
	switch (leaf->source) {
	case FILTER_PID:
		if (fc->by_record) {
			code_load(c, 4, BPF_REG_3, BPF_REG_7, offsetof(struct bp_rec, common_pid));
			break;
		}
		if (!fc->knows_pid)
			code_call(c, BPF_FUNC_get_current_pid_tgid);
		code_mov(c, BPF_REG_3, fc->knows_pid ? BPF_REG_7 : BPF_REG_0);
		*ret_clean = false;
		break;
	case FILTER_CPU:
		if (fc->by_record) {
			code_load(c, 2, BPF_REG_3, BPF_REG_7, offsetof(struct bp_rec, cpu));
			break;
		}
		code_call(c, BPF_FUNC_get_smp_processor_id);
		code_mov(c, BPF_REG_3, BPF_REG_0);
		break;
	case FILTER_PLACE:
		if (fc->by_record)
			code_load(c, 8, BPF_REG_3, BPF_REG_7, BP_BODY_OFF + LAYOUT_COMMON);
		else
			fetch_place(&(struct fetcher){ .code = c, .plan = fc->plan });
		break;
	case FILTER_FLAGS:
		context_emit_flags(fc);
		break;
	case FILTER_COUNT:
		context_emit_count(fc);
		break;
	case FILTER_CONSTANT:
		code_const(c, BPF_REG_3, leaf->value);
		break;
	case FILTER_CALLER:
		code_load(c, 8, BPF_REG_3, BPF_REG_7, BP_BODY_OFF + LAYOUT_COMMON + 8);
		break;
	case FILTER_TIME:
		if (leaf->clock == HIST_CLOCK_MONO)
			code_load(c, 8, BPF_REG_3, BPF_REG_7, offsetof(struct bp_rec, ts));
		else
			code_load(c, 8, BPF_REG_3, BPF_REG_10, fc->time);
		break;
	default:
		if (fc->by_record)
			emit_recorded(fc, leaf);
		else
			emit_fetched(fc, leaf, ret_clean);
		break;
	}
}

/* ---- joints ---- */

/* Notes that the leaf's value could not be read. Then its test is false. */
static void emit_note(struct filter_code *fc)
{
	unsigned over;

	if (!fc->notes || !fc->unread)
		return;
	over = code_jump(fc->code);
	filter_jump_land(fc, &fc->unread);
	code_mov_imm(fc->code, BPF_REG_8, 1);
	filter_jump_add(fc, &fc->failed, code_jump(fc->code));
	code_land(fc->code, over);
}

/* Adds to @list the jumps that are taken if the leaf, with its negation, is @when. */
static void emit_leaf(struct filter_code *fc, const struct filter_leaf *leaf, bool when, struct filter_jump **list)
{
	bool clean, want = when != leaf->negated;	/* @when for the test without its negation */

	if (!leaf->size) {
		filter_emit_string(fc, leaf);
		if (want && !fc->failed && !fc->unread)
			filter_jump_always(fc, list);
		else if (want)
			filter_jump_add(fc, list, code_jump(fc->code));
	} else {
		filter_emit_number(fc, leaf, &clean);
		if (leaf->test == FILTER_IN)
			emit_ranges(fc, leaf, clean, want, list);
		else
			emit_compare(fc, leaf, clean, want, list);
	}
	emit_note(fc);
	if (fc->hopes && when)
		move_jumps(&fc->unread, list);
	else if (fc->hopes)
		filter_jump_land(fc, &fc->unread);
	else
		move_jumps(&fc->unread, &fc->failed);
	if (want)
		filter_jump_land(fc, &fc->failed);
	else
		move_jumps(&fc->failed, list);
}

/* Adds to @list the jumps that are taken if @cond is @when. If it is not, the code falls through. */
static void emit_cond(struct filter_code *fc, const struct filter_cond *cond, bool when, struct filter_jump **list)
{
	bool deciding = cond->joint == FILTER_EITHER;	/* one child with this result decides the whole condition */
	struct filter_jump *decided = NULL;

	if (cond->joint == FILTER_LEAF) {
		emit_leaf(fc, cond->leaf, when, list);
		return;
	}
	for (const struct filter_cond *child = cond->child; child; child = child->next) {
		if (deciding == when)
			emit_cond(fc, child, when, list);
		else if (child->next)
			emit_cond(fc, child, deciding, &decided);
		else
			emit_cond(fc, child, when, list);
	}
	filter_jump_land(fc, &decided);
}

/* ---- the complete code ---- */

void filter_emit_root(struct filter_code *fc, const struct filter *filter, struct filter_jump **list)
{
	emit_cond(fc, filter->root, false, list);
}

void filter_emit_value(struct filter_code *fc, const struct filter_leaf *leaf)
{
	bool clean;

	filter_emit_number(fc, leaf, &clean);
	if (!clean || leaf->is_signed)
		extend(fc->code, leaf->size, clean, leaf->is_signed);
}

/* Is there a leaf in @cond whose value may be one that cannot be read? Then marks of the record, or the string's length, say so. */
static bool may_be_unread(const struct filter_cond *cond)
{
	const struct layout_field *f = cond->joint == FILTER_LEAF && cond->leaf->source == FILTER_FIELD ? cond->leaf->field : NULL;

	if (cond->joint == FILTER_LEAF)
		return f && (f->mark != LAYOUT_NO_MARK || type_is_dynamic(&f->type));
	for (const struct filter_cond *child = cond->child; child; child = child->next) {
		if (may_be_unread(child))
			return true;
	}
	return false;
}

/*
 * A rejected hit goes on here. If a value could not be read, the filter is decided once more, with such values as those that were wanted.
 * If the hit still is not, the values do not matter.
 */
static void emit_gate_exit(struct gate *g, struct filter_code *fc, const struct filter_cond *part, struct filter_jump *out)
{
	struct filter_code again = { .code = g->code, .plan = g->plan, .hopes = true };
	struct filter_jump *rejected = NULL;
	unsigned accepted = code_jump(g->code);

	filter_jump_land(fc, &out);
	gate_leave(g, GATE_FILTERED, code_jump_imm(g->code, BPF_JEQ, BPF_REG_8, 0));
	emit_cond(&again, part, false, &rejected);
	gate_leave(g, GATE_UNDECIDED, code_jump(g->code));
	for (; rejected; rejected = rejected->next)
		gate_leave(g, GATE_FILTERED, rejected->jump);
	code_land(g->code, accepted);
}

void filter_emit_gate(struct gate *g)
{
	struct filter_code fc = { .code = g->code, .plan = g->plan };
	const struct filter_cond *part = g->plan->filter ? g->plan->filter->in_gate : NULL;
	struct filter_jump *out = NULL;

	if (!part)
		return;
	fc.notes = may_be_unread(part);
	if (fc.notes)
		code_mov_imm(g->code, BPF_REG_8, 0);
	emit_cond(&fc, part, false, &out);
	if (fc.notes) {
		emit_gate_exit(g, &fc, part, out);
		return;
	}
	for (; out; out = out->next)
		gate_leave(g, GATE_FILTERED, out->jump);
}

/* r9 gets BP_FETCH_UNDECIDED if the hit would be wanted with the values that could not be read. */
static void emit_doubt(const struct filter_code *fc, const struct filter_cond *part)
{
	struct filter_code again = *fc;
	struct filter_jump *rejected = NULL;

	again.hopes = true;
	emit_cond(&again, part, false, &rejected);
	code_alu_imm(fc->code, BPF_OR, BPF_REG_9, BP_FETCH_UNDECIDED);
	filter_jump_land(fc, &rejected);
}

void filter_emit_sieve(const struct plan *plan, bool is_long, struct code *code)
{
	struct filter_code fc = filter_code_by_record(plan, is_long, code);
	const struct filter_cond *part = plan->filter ? plan->filter->by_record[is_long] : NULL;
	struct filter_jump *passed = NULL;
	unsigned whole;

	if (!part)
		return;
	emit_cond(&fc, part, true, &passed);
	code_alu_imm(code, BPF_OR, BPF_REG_9, BP_FETCH_FILTERED);
	if (may_be_unread(part)) {
		whole = code_jump_imm(code, BPF_JSET, BPF_REG_9, BP_FETCH_FAULT);
		filter_jump_add(&fc, &passed, code_jump(code));
		code_land(code, whole);
		emit_doubt(&fc, part);
	}
	filter_jump_land(&fc, &passed);
}
