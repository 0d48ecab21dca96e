// SPDX-License-Identifier: GPL-2.0-only
/*
 * call.c - arm64: the calling convention (AAPCS64) is not followed yet: no place of a typed parameter is known.
 */
#include "arch/call.h"

void call_type_start(struct call_type *t, uint64_t size)
{
	*t = (struct call_type){ .size = size, .align = 1 };
}

void call_type_add(struct call_type *t, uint64_t bits, uint64_t size, unsigned align, bool is_float)
{
	(void)t;
	(void)bits;
	(void)size;
	(void)align;
	(void)is_float;
}

bool call_returns_in_memory(const struct call_type *t)
{
	(void)t;
	return false;
}

static const struct call_place nowhere = { .reg = { CALL_NO_REG, CALL_NO_REG } };

void call_return_place(const struct call_type *t, struct call_place *ret)
{
	(void)t;
	*ret = nowhere;
}

void call_places(const struct call_type *params, unsigned nr, const struct call_type *ret, struct call_place *places)
{
	(void)params;
	(void)ret;
	for (unsigned i = 0; i < nr; i++)
		places[i] = nowhere;
}
