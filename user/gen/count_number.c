// SPDX-License-Identifier: GPL-2.0-only
/*
 * count_number.c - BPF for the numbers that histograms have as keys and values.
 */
#include "gen/count_number.h"

#include "bprobe_abi.h"

/*
 * r3 = the exponent of the smallest power of two that is not below r3; 0 for 0 and 1, and 64 above 2^63, as the kernel's
 * fls64(n - 1). Uses r1.
 */
static void emit_log2(struct code *c)
{
	unsigned small = code_jump_imm(c, BPF_JLE, BPF_REG_3, 1), done;

	code_alu_imm(c, BPF_SUB, BPF_REG_3, 1);
	code_mov_imm(c, BPF_REG_1, 1);
	for (int bits = 32; bits; bits /= 2) {
		unsigned less;

		if (bits == 32) {
			code_mov(c, BPF_REG_2, BPF_REG_3);
			code_alu_imm(c, BPF_RSH, BPF_REG_2, 32);
			less = code_jump_imm(c, BPF_JEQ, BPF_REG_2, 0);
		} else {
			less = code_jump_imm(c, BPF_JLT, BPF_REG_3, 1 << bits);
		}
		code_alu_imm(c, BPF_RSH, BPF_REG_3, bits);
		code_alu_imm(c, BPF_ADD, BPF_REG_1, bits);
		code_land(c, less);
	}
	code_mov(c, BPF_REG_3, BPF_REG_1);
	done = code_jump(c);
	code_land(c, small);
	code_mov_imm(c, BPF_REG_3, 0);
	code_land(c, done);
}

/* @apart: all negative numbers are in one bucket. */
static void emit_exponent(struct code *c, bool apart)
{
	unsigned positive, done;

	if (!apart) {
		emit_log2(c);
		return;
	}
	positive = code_jump_imm(c, BPF_JSGE, BPF_REG_3, 0);
	code_mov_imm(c, BPF_REG_3, HIST_LOG2_NEGATIVE);
	done = code_jump(c);
	code_land(c, positive);
	emit_log2(c);
	code_land(c, done);
}

/* r3 -= r3 modulo @width. Uses r1 and r2. */
static void emit_floor(struct code *c, uint64_t width)
{
	code_mov(c, BPF_REG_1, BPF_REG_3);
	if (width <= INT32_MAX) {
		code_alu_imm(c, BPF_MOD, BPF_REG_1, (int32_t)width);
	} else {
		code_const(c, BPF_REG_2, width);
		code_alu(c, BPF_MOD, BPF_REG_1, BPF_REG_2);
	}
	code_alu(c, BPF_SUB, BPF_REG_3, BPF_REG_1);
}

/* The lower end of the bucket. Below zero the buckets go on: -1 is in the one from -width to -1. */
static void emit_bucket(struct code *c, uint64_t width, bool is_signed)
{
	unsigned positive, done, last;

	if (!is_signed || width > INT64_MAX) {
		emit_floor(c, width);
		return;
	}
	positive = code_jump_imm(c, BPF_JSGE, BPF_REG_3, 0);
	/* -n - 1 is rounded down, and -(that + 1) - (width - 1) is the end that is farther from zero */
	code_alu_imm(c, BPF_XOR, BPF_REG_3, -1);
	emit_floor(c, width);
	code_alu_imm(c, BPF_XOR, BPF_REG_3, -1);
	code_add_const(c, BPF_REG_3, 1 - (int64_t)width, BPF_REG_1);
	done = code_jump_imm(c, BPF_JSLT, BPF_REG_3, 0);
	code_const(c, BPF_REG_3, (uint64_t)INT64_MIN);		/* the lowest bucket ends where the numbers do */
	last = code_jump(c);
	code_land(c, positive);
	emit_floor(c, width);
	code_land(c, done);
	code_land(c, last);
}

void count_leave_to_user(struct counter *k, struct filter_jump **jumps)
{
	while (*jumps) {
		struct filter_jump *j = *jumps;

		*jumps = j->next;
		j->next = k->full;
		k->full = j;
	}
}

void count_emit_number(struct counter *k, const struct count_number *n, bool exact)
{
	struct code *c = k->fc.code;
	unsigned read;

	filter_emit_value(&k->fc, &n->leaf);
	if (exact) {
		count_leave_to_user(k, &k->fc.unread);
	} else if (k->fc.unread) {
		read = code_jump(c);
		filter_jump_land(&k->fc, &k->fc.unread);
		code_mov_imm(c, BPF_REG_3, 0);
		code_land(c, read);
	}
	if (n->leaf.source == FILTER_TIME && n->usecs) {		/* 6.12, hist_field_timestamp() */
		code_alu_imm(c, BPF_ADD, BPF_REG_3, 500);
		code_alu_imm(c, BPF_DIV, BPF_REG_3, 1000);
	}
	if (n->modifier == HIST_LOG2)
		emit_exponent(c, n->exact && n->leaf.is_signed);
	else if (n->modifier == HIST_BUCKETS)
		emit_bucket(c, n->buckets, n->leaf.is_signed);
}
