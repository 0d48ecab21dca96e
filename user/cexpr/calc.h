/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * calc.h - what must be fetched and calculated for a C expression, as a tree.
 *
 * Each node is a number of 64 bits: one of fewer bytes is extended as its sign says.
 */
#ifndef CEXPR_CALC_H
#define CEXPR_CALC_H

#include "base/buf.h"
#include "cexpr/cexpr.h"

enum calc_kind {
	CALC_LEAF,			/* what only the source knows how to fetch: a register, a word of the context */
	CALC_NUMBER,
	CALC_READ,			/* the memory at a + off; without @a at @off */
	CALC_OP,			/* a op b; of one operand: op a */
};

struct calc {
	enum calc_kind kind;
	uint8_t size;			/* bytes: 1, 2, 4 or 8 */
	bool is_signed;
	uint8_t bit_off, bit_size;	/* LEAF, READ: only these bits of it; 0: all */
	bool user;			/* READ: only the program's memory; else kernel or user, as the address says */
	const void *leaf;
	uint64_t number;		/* NUMBER */
	int64_t off;			/* READ */
	enum c_op op;
	const struct calc *a, *b;
};

const struct calc *calc_leaf(struct arena *arena, const void *leaf, uint8_t size, bool is_signed);
const struct calc *calc_number(struct arena *arena, uint64_t n, uint8_t size, bool is_signed);
const struct calc *calc_read(struct arena *arena, const struct calc *at, int64_t off, uint8_t size, bool is_signed, bool user);

/* A number of @size bytes. What is known now is calculated now. @b NULL: of one operand. */
const struct calc *calc_op(struct arena *arena, enum c_op op, const struct calc *a, const struct calc *b, uint8_t size, bool is_signed);

/* @c as a number of @size bytes: @c itself, if that is the same number. */
const struct calc *calc_convert(struct arena *arena, const struct calc *c, uint8_t size, bool is_signed);

/*
 * *@c + *@off means the same address before and after: a constant that is added moves into *@off. *@c becomes NULL if nothing is left
 * but the constant.
 */
void calc_split(const struct calc **c, int64_t *off);

/* How many words must be put aside while it is calculated, if the part that needs more of them comes first. 0: none. */
unsigned calc_words(const struct calc *c);

/* Calls @each for each leaf. Stops at the first true, and returns it. */
bool calc_any_leaf(const struct calc *c, bool (*each)(void *ctx, const struct calc *leaf), void *ctx);

/* Does it read memory? */
bool calc_reads(const struct calc *c);

/* Prints a leaf, as an operand of 64 bits without a sign. */
typedef void calc_leaf_fn(void *ctx, const void *leaf, struct buf *out);

/* Appends it as a C expression that gives the same number, of the same type. */
void calc_print(const struct calc *c, calc_leaf_fn *leaf, void *ctx, struct buf *out);

/* The same of the memory of a number: *(u32 *)(REG + 8). */
void calc_print_memory(const struct calc *at, int64_t off, uint8_t size, bool is_signed, bool user,
		       calc_leaf_fn *leaf, void *ctx, struct buf *out);

#endif
