/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bar.h - bars of characters, and the names of the powers of two beside them.
 */
#ifndef PRINT_BAR_H
#define PRINT_BAR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

enum { BAR_MIN = 8, BAR_MAX = 64 };

/* How many columns a bar behind @used columns has, if a line has @width: BAR_MIN to BAR_MAX. */
unsigned bar_width(unsigned width, unsigned used);

/*
 * Appends " |####    |": the bar of @n, if that of @max has @width columns. With @utf8 it has parts of a character, and what is not 0 has at
 * least a trace of a bar.
 */
void bar_put(struct buf *out, uint64_t n, uint64_t max, unsigned width, bool utf8);

/* The number of the bucket with @n: 0 has 0 and 1, each other bucket the numbers in (2^(bucket - 1), 2^bucket]. */
unsigned bar_bucket(uint64_t n);

/* Appends the interval of such a bucket: "(4, 8]", "(1K, 2K]" with K 1024. */
void bar_put_bucket(struct buf *out, unsigned bucket);

#endif
