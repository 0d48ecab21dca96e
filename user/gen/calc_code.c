// SPDX-License-Identifier: GPL-2.0-only
/*
 * calc_code.c - BPF that calculates a C expression.
 *
 * The result of each node is in r3, as a number of 64 bits. A node with two operands puts the first result aside on the stack, because
 * reads destroy the registers. The operand that needs more words comes first: so 16 operands need four words at most.
 */
#include "gen/calc_code.h"

static void emit(const struct fetcher *f, const struct calc *c, unsigned depth);

/* Extends the lower bits of r3. */
static void emit_extend(struct code *c, const struct calc *of)
{
	unsigned unused = 64 - 8u * of->size;

	if (!unused)
		return;
	code_alu_imm(c, BPF_LSH, BPF_REG_3, (int32_t)unused);
	code_alu_imm(c, of->is_signed ? BPF_ARSH : BPF_RSH, BPF_REG_3, (int32_t)unused);
}

static void emit_bits(struct code *c, const struct calc *of)
{
	code_alu_imm(c, BPF_LSH, BPF_REG_3, 64 - of->bit_off - of->bit_size);
	code_alu_imm(c, of->is_signed ? BPF_ARSH : BPF_RSH, BPF_REG_3, 64 - of->bit_size);
}

static void emit_leaf(const struct fetcher *f, const struct calc *c)
{
	fetch_source(f, c->leaf);
	if (c->bit_size)
		emit_bits(f->code, c);
	else
		emit_extend(f->code, c);
}

static void emit_read(const struct fetcher *f, const struct calc *c, unsigned depth)
{
	struct code *code = f->code;

	if (c->a) {
		emit(f, c->a, depth);
		code_add_const(code, BPF_REG_3, c->off, BPF_REG_1);
	} else {
		code_const(code, BPF_REG_3, (uint64_t)c->off);
	}
	code_mov(code, BPF_REG_1, BPF_REG_10);
	code_alu_imm(code, BPF_ADD, BPF_REG_1, f->spill);
	fetch_read(f, c->size, c->user);
	code_load(code, c->size, BPF_REG_3, BPF_REG_10, f->spill);
	if (c->bit_size)
		emit_bits(code, c);
	else if (c->is_signed)
		emit_extend(code, c);
}

static bool is_short(const struct calc *c)
{
	return c->kind == CALC_NUMBER && c->number == (uint64_t)(int64_t)(int32_t)c->number;
}

static unsigned alu_of(enum c_op op, bool is_signed)
{
	static const unsigned alus[] = {
		[C_ADD] = BPF_ADD, [C_SUB] = BPF_SUB, [C_MUL] = BPF_MUL, [C_AND] = BPF_AND, [C_OR] = BPF_OR, [C_XOR] = BPF_XOR,
		[C_SHL] = BPF_LSH,
	};

	return op == C_SHR ? is_signed ? BPF_ARSH : BPF_RSH : alus[op];
}

static unsigned jump_of(enum c_op op, bool is_signed)
{
	switch (op) {
	case C_LT:
		return is_signed ? BPF_JSLT : BPF_JLT;
	case C_LE:
		return is_signed ? BPF_JSLE : BPF_JLE;
	case C_GT:
		return is_signed ? BPF_JSGT : BPF_JGT;
	case C_GE:
		return is_signed ? BPF_JSGE : BPF_JGE;
	case C_EQ:
		return BPF_JEQ;
	default:
		return BPF_JNE;
	}
}

/* r3 = 1 if the next jump is taken, else 0. The caller adds the jump behind this, and then calls emit_truth_end(). */
static void emit_truth(struct code *c)
{
	code_mov_imm(c, BPF_REG_0, 1);
}

static void emit_truth_end(struct code *c, unsigned jump)
{
	code_mov_imm(c, BPF_REG_0, 0);
	code_land(c, jump);
	code_mov(c, BPF_REG_3, BPF_REG_0);
}

/* The bits of a count that a shift takes. */
static int32_t count_mask(const struct calc *c)
{
	return c->size == 8 ? 63 : 31;
}

/* r3 = r3 op a small constant */
static void emit_with_number(struct code *code, const struct calc *c)
{
	int32_t n = (int32_t)c->b->number;

	if (c_op_compares(c->op)) {
		emit_truth(code);
		emit_truth_end(code, code_jump_imm(code, jump_of(c->op, c->a->is_signed), BPF_REG_3, n));
		return;
	}
	if (c->op == C_SHL || c->op == C_SHR)
		n &= count_mask(c);
	code_alu_imm(code, alu_of(c->op, c->a->is_signed), BPF_REG_3, n);
}

/* r3 = @left op @right, which are r1 and r3 in one order or the other */
static void emit_with_register(struct code *code, const struct calc *c, unsigned left, unsigned right)
{
	if (c_op_compares(c->op)) {
		emit_truth(code);
		emit_truth_end(code, code_jump_reg(code, jump_of(c->op, c->a->is_signed), left, right));
		return;
	}
	if (c->op == C_SHL || c->op == C_SHR)
		code_alu_imm(code, BPF_AND, right, count_mask(c));
	code_alu(code, alu_of(c->op, c->a->is_signed), left, right);
	if (left != BPF_REG_3)
		code_mov(code, BPF_REG_3, left);
}

static void emit_binary(const struct fetcher *f, const struct calc *c, unsigned depth)
{
	bool swap = calc_words(c->b) > calc_words(c->a);
	int16_t aside = (int16_t)(f->words - 8 * (int)depth);
	struct code *code = f->code;

	if (is_short(c->b)) {
		emit(f, c->a, depth);
		emit_with_number(code, c);
		return;
	}
	if (c->b->kind == CALC_NUMBER) {
		emit(f, c->a, depth);
		code_const(code, BPF_REG_1, c->b->number);
		emit_with_register(code, c, BPF_REG_3, BPF_REG_1);
		return;
	}
	emit(f, swap ? c->b : c->a, depth);
	code_store(code, 8, BPF_REG_10, aside, BPF_REG_3);
	emit(f, swap ? c->a : c->b, depth + 1);
	code_load(code, 8, BPF_REG_1, BPF_REG_10, aside);
	emit_with_register(code, c, swap ? BPF_REG_3 : BPF_REG_1, swap ? BPF_REG_1 : BPF_REG_3);
}

static void emit_unary(const struct fetcher *f, const struct calc *c, unsigned depth)
{
	struct code *code = f->code;

	emit(f, c->a, depth);
	if (c->op == C_NEG) {
		code_alu_imm(code, BPF_NEG, BPF_REG_3, 0);
	} else if (c->op == C_NOT) {
		code_alu_imm(code, BPF_XOR, BPF_REG_3, -1);
	} else if (c->op == C_IS_ZERO) {
		emit_truth(code);
		emit_truth_end(code, code_jump_imm(code, BPF_JEQ, BPF_REG_3, 0));
	}
}

static void emit(const struct fetcher *f, const struct calc *c, unsigned depth)
{
	switch (c->kind) {
	case CALC_LEAF:
		emit_leaf(f, c);
		break;
	case CALC_NUMBER:
		code_const(f->code, BPF_REG_3, c->number);
		break;
	case CALC_READ:
		emit_read(f, c, depth);
		break;
	case CALC_OP:
		if (c->b)
			emit_binary(f, c, depth);
		else
			emit_unary(f, c, depth);
		if (!c_op_compares(c->op) && c->op != C_IS_ZERO)
			emit_extend(f->code, c);
		break;
	}
}

void calc_emit(const struct fetcher *fetcher, const struct calc *c)
{
	emit(fetcher, c, 0);
}
