/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * number.h - parses a text that is one whole number, as the kernel's kstrto*() do it.
 */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

/*
 * Parse exactly the @len bytes at @s. With @base 0, the prefixes 0x and 0 choose the base, as in kstrtoull(). The first
 * character may be a '+' (number_s64(): also a '-'). Return 0, -EINVAL (not a number) or -ERANGE (does not fit in 64
 * bits). A failure leaves *ret unchanged.
 */
int number_u64(const char *s, size_t len, unsigned base, uint64_t *ret);
int number_s64(const char *s, size_t len, unsigned base, int64_t *ret);

/*
 * Parses a size in bytes, also written as 256K, 4M or 1G. It may be at most @max; @most is @max as text. @option is the
 * option that takes the size. -EINVAL with a sentence in @diag.
 */
int number_size(const char *option, const char *text, uint64_t max, const char *most, uint64_t *ret, struct diag *diag);

#endif
