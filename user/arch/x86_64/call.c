// SPDX-License-Identifier: GPL-2.0-only
/*
 * call.c - x86-64: where parameters and return values are (System V psABI 1.0, 3.2.3 "Parameter Passing").
 */
#include "arch/call.h"

#include "arch/regs.h"
#include "base/macros.h"

enum { WORD = 8, VECTOR_PARAMS = 8 };

void call_type_start(struct call_type *t, uint64_t size)
{
	*t = (struct call_type){ .size = size, .align = 1, .in_memory = size > CALL_WORDS * WORD };
}

/* "If the size of an object is larger than eight eightbytes, or it contains unaligned fields, it has class MEMORY." */
void call_type_add(struct call_type *t, uint64_t bits, uint64_t size, unsigned align, bool is_float)
{
	align = align ? align : (unsigned)MIN(size, 2 * WORD);
	if (align > t->align)
		t->align = align;
	if (bits % (8 * align) || (is_float && size > WORD))
		t->in_memory = true;
	for (uint64_t word = bits / 64; size && word < CALL_WORDS && word * 64 < bits + 8 * size; word++)
		(is_float ? t->vector : t->general)[word] = true;
}

bool call_returns_in_memory(const struct call_type *t)
{
	return t->in_memory;
}

static unsigned words_of(const struct call_type *t)
{
	return (unsigned)((t->size + WORD - 1) / WORD);
}

/* The registers of @t, the first ones being the free ones *general and *vector. False: there are not enough of them. */
static bool take_registers(const struct call_type *t, unsigned max_general, unsigned max_vector, unsigned *general, unsigned *vector,
			   struct call_place *ret)
{
	unsigned nr_general = *general, nr_vector = *vector;

	for (unsigned i = 0; i < CALL_WORDS; i++)
		ret->reg[i] = CALL_NO_REG;
	for (unsigned i = 0; i < words_of(t); i++) {
		if (t->general[i])		/* whatever else is in the word */
			ret->reg[i] = (int)nr_general++;
		else if (t->vector[i])
			nr_vector++;
	}
	if (nr_general > max_general || nr_vector > max_vector)
		return false;
	*general = nr_general;
	*vector = nr_vector;
	return true;
}

void call_return_place(const struct call_type *t, struct call_place *ret)
{
	unsigned general = 0, vector = 0;

	*ret = (struct call_place){ .on_stack = t->in_memory };
	if (!t->in_memory)
		take_registers(t, CALL_WORDS, CALL_WORDS, &general, &vector, ret);
}

void call_places(const struct call_type *params, unsigned nr, const struct call_type *ret, struct call_place *places)
{
	unsigned general = ret && call_returns_in_memory(ret), vector = 0, word = 0;

	for (unsigned i = 0; i < nr; i++) {
		const struct call_type *t = &params[i];

		places[i] = (struct call_place){ 0 };
		if (!t->in_memory && take_registers(t, REG_PARAMS, VECTOR_PARAMS, &general, &vector, &places[i]))
			continue;
		/* Behind the return address, which is word 0. */
		if (t->align > WORD)
			word += word % 2;
		places[i] = (struct call_place){ .on_stack = true, .word = word + 1, .reg = { CALL_NO_REG, CALL_NO_REG } };
		word += words_of(t);
	}
}
