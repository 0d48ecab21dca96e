/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * number.h - whole-text number parsing, as the kernel's kstrto*() do it.
 */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <stddef.h>
#include <stdint.h>

/*
 * Parse exactly the @len bytes at @s. @base 0 detects 0x and 0 prefixes, as
 * kstrtoull() does; an optional '+' (and '-' for the signed one) may stand first.
 * Return 0, -EINVAL (not a number) or -ERANGE (does not fit in 64 bits);
 * *ret is untouched on failure.
 */
int number_u64(const char *s, size_t len, unsigned base, uint64_t *ret);
int number_s64(const char *s, size_t len, unsigned base, int64_t *ret);

#endif
