/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * roll.h - numbers by chance for tests: the same ones everywhere, until a test sets @seed, which must not be 0.
 */
#ifndef TESTS_ROLL_H
#define TESTS_ROLL_H

#include <stdint.h>

static uint64_t seed = 0x9e3779b97f4a7c15u;

/* A number below @sides: xorshift64* (Vigna 2014). */
static inline uint32_t roll(uint32_t sides)
{
	seed ^= seed >> 12;
	seed ^= seed << 25;
	seed ^= seed >> 27;
	return (uint32_t)((seed * 0x2545f4914f6cdd1du) >> 33) % sides;
}

#endif
