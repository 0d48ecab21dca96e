/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cexpr.h - C expressions as trees: p->a[i].b, *p, &x, ((struct iphdr *)(skb->head + skb->network_header))->daddr
 *
 * Pure: a name is a name. A source of types (value.h) knows what it means.
 */
#ifndef CEXPR_CEXPR_H
#define CEXPR_CEXPR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/span.h"

/* Operators. The comparisons follow each other. */
enum c_op {
	C_ADD, C_SUB, C_MUL, C_AND, C_OR, C_XOR, C_SHL, C_SHR,
	C_LT, C_LE, C_GT, C_GE, C_EQ, C_NE,
	C_NEG, C_NOT, C_IS_ZERO,	/* - ~ ! of one operand */
	C_CONVERT,			/* no operator: makes a number of another type of it */
	C_OPS
};

enum c_tag { C_TAG_NONE, C_TAG_STRUCT, C_TAG_UNION, C_TAG_ENUM };

/* The name of a type in a cast. */
struct cexpr_type {
	const char *name;		/* "u32", "unsigned long", "iphdr"; "void" */
	enum c_tag tag;
	unsigned pointers;		/* the number of '*' */
	bool user;			/* __user: what the pointer points to is memory of the program */
	bool is_number;			/* C or the kernel has it for a number of @size bytes, whatever a source says */
	bool is_void;
	bool is_bool;			/* what is not 0 becomes 1 */
	uint8_t size;
	bool is_signed;
	struct span at;
};

enum cexpr_kind {
	CEXPR_NUMBER,			/* 42, 0x2a, 42ul, 'a' */
	CEXPR_NAME,			/* a variable or a parameter */
	CEXPR_WORD,			/* a word of the probe language: %REG, $arg1, @SYM, this_cpu_ptr(...), +8(...) */
	CEXPR_FIELD,			/* inner.name */
	CEXPR_ARROW,			/* inner->name */
	CEXPR_INDEX,			/* inner[right] */
	CEXPR_DEREF,			/* *inner */
	CEXPR_ADDRESS,			/* &inner */
	CEXPR_CAST,			/* (type)inner; (type,member)inner */
	CEXPR_UNARY,			/* op inner */
	CEXPR_BINARY,			/* inner op right */
};

struct cexpr {
	enum cexpr_kind kind;
	struct span at;			/* of all of it */
	const struct cexpr *inner, *right;
	const char *name;		/* NAME, WORD, FIELD, ARROW; CAST: the member to which @inner points, or NULL */
	struct span name_at;
	uint64_t n;			/* NUMBER */
	uint8_t size;			/* NUMBER: 4 or 8 bytes */
	bool is_signed;			/* NUMBER */
	enum c_op op;
	const struct cexpr_type *type;	/* CAST */
	void *word;			/* WORD: what the caller's parser made of it */
};

/* What is parsed, and what went wrong. */
struct cexpr_text {
	struct arena *arena;
	const char *text;		/* @len bytes from here are the expression, all of them */
	size_t len;
	uint32_t off;			/* what spans count from: the place of @text in a longer text */
	/* Parses a word of the probe language, and sets e->word. 0, or an error that @ctx knows. NULL: words stay as they are. */
	int (*word)(void *ctx, struct cexpr *e);
	void *ctx;
	/* An error: where, what, and what to do (or NULL). @msg NULL: the error is that of @word. All in @arena. */
	struct span at;
	const char *msg, *help;
};

/* The tree, in @t->arena; NULL: it is none, and @t says why. At most 64 parentheses and operators are inside each other. */
const struct cexpr *cexpr_parse(struct cexpr_text *t);

/* Has the text a sign of C that no other expression of the probe language has? A quick look, for choosing between two errors. */
bool cexpr_looks_like_c(const char *text, size_t len);

/* Does the text begin with a cast to something else than a structure: (u8)..., (void *)..., (enum NAME)...? */
bool cexpr_casts_to_number(const char *text, size_t len);

/* The part that it begins with: a name, a word or a number. */
static inline const struct cexpr *cexpr_innermost(const struct cexpr *e)
{
	while (e->inner)
		e = e->inner;
	return e;
}

/* "+" for C_ADD. "" for C_CONVERT. */
const char *c_op_text(enum c_op op);

static inline bool c_op_compares(enum c_op op)
{
	return op >= C_LT && op <= C_NE;
}

#endif
