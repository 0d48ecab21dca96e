/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * macros.h - the handful of macros that every layer uses.
 */
#ifndef BASE_MACROS_H
#define BASE_MACROS_H

#include <stddef.h>

#include "base/banned.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define MIN(a, b)	((a) < (b) ? (a) : (b))
#define MAX(a, b)	((a) > (b) ? (a) : (b))

/* Rounds @n up to a multiple of @to, a power of two, whose type may be narrower: the mask must have all bits of @n. */
#define ROUND_UP(n, to)	(((n) + (to) - 1) & ~((__typeof__((n) + (to)))(to) - 1))

/* For a rare part of a frequent function: as a function of its own, it lets the frequent one save fewer registers. */
#define NOINLINE	__attribute__((noinline))

#define PRINTF_LIKE(fmt, args)	__attribute__((format(printf, fmt, args), nonnull(fmt)))

#endif
