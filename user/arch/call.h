/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * call.h - where a function's parameters and its return value are, by the calling convention of the CPU that bprobe is built for.
 *
 * The caller describes each type with call_type_start() and call_type_add(), and then asks for the
 * places of all parameters.
 */
#ifndef ARCH_CALL_H
#define ARCH_CALL_H

#include <stdbool.h>
#include <stdint.h>

enum { CALL_WORDS = 2 };		/* the most words of one value that registers pass */

/* What the convention asks about a type. */
struct call_type {
	uint64_t size;			/* bytes; 0: takes no place */
	unsigned align;			/* bytes */
	bool in_memory;			/* no register passes any part of it */
	bool vector[CALL_WORDS];	/* this word has only floats: a vector register passes it */
	bool general[CALL_WORDS];	/* this word has something else */
};

enum { CALL_NO_REG = -1 };

struct call_place {
	bool on_stack;			/* in memory */
	unsigned word;			/* ... at this word above the stack pointer, at the function's first instruction */
	int reg[CALL_WORDS];		/* else: word n is in the register of this parameter number; CALL_NO_REG: in none that a probe shows */
};

/* A type of @size bytes, before its parts are added. */
void call_type_start(struct call_type *t, uint64_t size);

/*
 * Adds a number, pointer or float of @size bytes (and @align: 0: @size) that is @bits from the start of the type. A bit-field is
 * not added with the size of its type, but with @align 1.
 */
void call_type_add(struct call_type *t, uint64_t bits, uint64_t size, unsigned align, bool is_float);

/* Does a function return a value of this type in memory? Then it gets that memory's address as its first parameter. */
bool call_returns_in_memory(const struct call_type *t);

/* The registers that return a value of type @t: *ret->reg[] is 0 for the first and 1 for the second. on_stack: it is in memory. */
void call_return_place(const struct call_type *t, struct call_place *ret);

/* The places of a function's @nr parameters. @ret: the type that it returns; NULL: none. */
void call_places(const struct call_type *params, unsigned nr, const struct call_type *ret, struct call_place *places);

#endif
