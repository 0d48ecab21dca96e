/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * put.h - writes the pieces of a line to memory that has room for them.
 *
 * Each function writes at @p and returns where the next piece goes. It may also overwrite up to 16 bytes
 * behind that.
 */
#ifndef PRINT_PUT_H
#define PRINT_PUT_H

#include <stdint.h>
#include <string.h>

#include "base/scan.h"

enum { PUT_SLACK = 16, PUT_DEC = 20, PUT_HEX = 16 };	/* the longest numbers */

static inline void put_copy16(char *p, const char *s)
{
	scan_copy(p, s);
}

/* Copies 16 bytes of @s, and replaces control characters, also NUL, by '?'. */
static inline void put_printable16(char *p, const char *s)
{
	scan_copy_printable(p, s);
}

/* Copies @len bytes of @s. @s must be readable up to the next multiple of 16. */
static inline char *put_padded(char *p, const char *s, uint32_t len)
{
	for (uint32_t i = 0; i < len; i += 16)
		put_copy16(p + i, s + i);
	return p + len;
}

/* The same for texts that usually have up to 48 bytes. 48 bytes of @s must be readable, and @p must have room for them. */
static inline char *put_padded48(char *p, const char *s, uint32_t len)
{
	put_copy16(p, s);
	put_copy16(p + 16, s + 16);
	put_copy16(p + 32, s + 32);
	for (uint32_t i = 48; i < len; i += 16)
		put_copy16(p + i, s + i);
	return p + len;
}

/* Two digits. */
static inline char *put_pair(char *p, unsigned n)
{
	static const char pairs[] =
		"00010203040506070809101112131415161718192021222324252627282930313233343536373839"
		"40414243444546474849505152535455565758596061626364656667686970717273747576777879"
		"8081828384858687888990919293949596979899";

	memcpy(p, pairs + 2 * n, 2);
	return p + 2;
}

static inline char *put_dec(char *p, uint64_t n)
{
	uint64_t limit = 10;
	unsigned len = 1;
	char *end;

	for (; len < PUT_DEC && n >= limit; limit *= 10)	/* the last limit, 10^20, is not compared */
		len++;
	end = p + len;
	for (p = end; n >= 100; n /= 100)
		put_pair(p -= 2, (unsigned)(n % 100));
	if (n >= 10)
		put_pair(p - 2, (unsigned)n);
	else
		p[-1] = (char)('0' + n);
	return end;
}

/*
 * Six digits, with leading zeroes. The upper half of @n * 2^32 / 10^4 is the first pair; what is behind the point gives the others.
 * The rounded factor is exact enough for all 10^6 numbers: test_text.c looks at them.
 */
static inline char *put_six(char *p, uint32_t n)
{
	uint64_t point = (uint64_t)n * 429497;

	p = put_pair(p, (unsigned)(point >> 32));
	point = (uint64_t)(uint32_t)point * 100;
	p = put_pair(p, (unsigned)(point >> 32));
	point = (uint64_t)(uint32_t)point * 100;
	return put_pair(p, (unsigned)(point >> 32));
}

/* Three digits, with leading zeroes. */
static inline char *put_three(char *p, uint32_t n)
{
	*p++ = (char)('0' + n / 100);
	return put_pair(p, n % 100);
}

/* The hex digits of 32 bits as eight characters; the first digit is in the lowest byte. */
static inline uint64_t put_nibbles(uint32_t n)
{
	uint64_t x = n;

	x = (x << 16 | x) & 0x0000ffff0000ffff;
	x = (x << 8 | x) & 0x00ff00ff00ff00ff;
	x = (x << 4 | x) & 0x0f0f0f0f0f0f0f0f;
	x += 0x3030303030303030 + ((x + 0x0606060606060606) >> 4 & 0x0101010101010101) * ('a' - '9' - 1);
	return __builtin_bswap64(x);
}

/* Hex digits without leading zeroes. */
static inline char *put_hex(char *p, uint64_t n)
{
	uint32_t high = (uint32_t)(n >> 32), first = high ? high : (uint32_t)n;
	unsigned spare = first ? (unsigned)__builtin_clz(first) / 4 : 7;
	uint64_t digits = put_nibbles(first) >> 8 * spare;

	memcpy(p, &digits, sizeof(digits));
	p += 8 - spare;
	if (high) {
		digits = put_nibbles((uint32_t)n);
		memcpy(p, &digits, sizeof(digits));
		p += sizeof(digits);
	}
	return p;
}

/* Copies @s without its NUL. Inlined, so that the length of a literal is a constant. */
static inline __attribute__((always_inline)) char *put_literal(char *p, const char *s)
{
	size_t len = strlen(s);

	memcpy(p, s, len);
	return p + len;
}

#endif
