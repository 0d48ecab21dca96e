/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * value.h - what a C expression means: one set of rules for all sources of types.
 *
 * A source says what names, members and types are: BTF (plan/resolve_c.c), debug information (elf/dwarf/values.c). The rules of C stand in
 * value.c: what '->' follows, how far an index goes, which type a sum has.
 */
#ifndef CEXPR_VALUE_H
#define CEXPR_VALUE_H

#include "cexpr/calc.h"

enum c_kind { C_VOID, C_NUMBER, C_POINTER, C_STRUCT, C_ARRAY, C_OTHER };

struct c_type {
	enum c_kind kind;
	uint64_t size;			/* bytes; 0: not known */
	bool is_signed;			/* NUMBER */
	bool is_char;			/* NUMBER: a character */
	bool is_enum, is_bool;		/* NUMBER */
	bool user;			/* POINTER: to memory of the program */
	const struct c_type *to;	/* POINTER that a cast or an address made: to this. NULL: the source knows */
	const void *own;		/* the source's; NULL: C's own */
	uint64_t own_id;
};

struct c_member {
	struct c_type type;
	uint64_t off;			/* bytes from the start of the structure */
	unsigned bit_off, bit_size;	/* in the number of @bit_bytes bytes at @off; bit_size 0: no bit-field */
	unsigned bit_bytes;
};

enum c_where {
	C_RESULT,			/* @base is the value */
	C_MEMORY,			/* it is in memory at @base + @off; without @base at @off */
	C_PARTS,			/* only the source knows where its bytes are: a structure in registers */
};

struct c_value {
	enum c_where where;
	const struct calc *base;
	int64_t off;			/* MEMORY; PARTS: bytes from the start */
	struct c_type type;
	bool is_known;			/* the type is known; else it is a number of 64 bits */
	bool user;			/* MEMORY: it is the program's, and so is what it points to. RESULT: what it points to is */
	bool to_user;			/* MEMORY: only what it points to is */
	unsigned bit_off, bit_size, bit_bytes;	/* as in struct c_member */
	const void *parts;		/* PARTS: the source's */
};

struct c_look;

/* What a source of types knows. Each function returns false after c_fails(), with its reason. */
struct c_source {
	bool (*operand)(struct c_look *l, const struct cexpr *e, struct c_value *ret);	/* a NAME or a WORD */
	bool (*target)(struct c_look *l, const struct c_type *t, const struct cexpr *e, struct c_type *ret);	/* what it points to; an array's element */
	bool (*member)(struct c_look *l, const struct c_type *t, const struct cexpr *e, const char *name, struct span at, struct c_member *ret);
	bool (*type)(struct c_look *l, const struct cexpr_type *name, struct c_type *ret);	/* what a cast names, without its '*' */
	/* Makes a RESULT or MEMORY of a PARTS: the @size bytes at v->off. Keeps the type. */
	bool (*part)(struct c_look *l, const struct cexpr *e, uint64_t size, struct c_value *v);
	/* Called for each operand and member: what a reference of C++ refers to. NULL: there are none. */
	bool (*settle)(struct c_look *l, const struct cexpr *e, struct c_value *v);
	void (*fail)(struct c_look *l, struct span at, const char *msg, const char *help);	/* @help may be NULL */
	bool dot_follows;		/* '.' behind a pointer is taken for '->', as perf probe does */
};

struct c_look {
	const struct c_source *source;
	struct arena *arena;
	void *own;
	bool failed;
};

/* Reports why, unless something else failed before; false. */
bool c_fails(struct c_look *l, struct span at, const char *help, const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* What @e is. False: l->source->fail() has got the reason. */
bool c_evaluate(struct c_look *l, const struct cexpr *e, struct c_value *ret);

/* The value as a number or an address that can be calculated with. An array becomes its address. */
bool c_calculate(struct c_look *l, const struct cexpr *e, struct c_value *v);

/* A number of C itself, and a pointer to @to. */
struct c_type c_number_type(uint8_t size, bool is_signed);
struct c_type c_pointer_type(struct c_look *l, const struct c_type *to, bool user);

/* What @v points to is the value now. */
bool c_follow(struct c_look *l, const struct cexpr *e, struct c_value *v);

#endif
