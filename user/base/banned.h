/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * banned.h - makes the use of functions that cannot be used safely a compile error.
 *
 * Each has a replacement: arena_strdup and buf_add* for the copies, number_u64 and number_s64 (base/number.h) for the
 * conversions, a cursor for the scanners.
 */
#ifndef BASE_BANNED_H
#define BASE_BANNED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* With _FORTIFY_SOURCE and clang, glibc has a macro of this name. */
#undef sprintf

#pragma GCC poison strcpy strcat sprintf vsprintf strncpy strncat strtok sscanf atoi atol

#endif
