// SPDX-License-Identifier: GPL-2.0-only
/*
 * buf.c - a text or byte buffer that grows.
 */
#include "base/buf.h"

#include "base/memory.h"

void buf_fini(struct buf *b)
{
	free(b->data);
	*b = (struct buf){ 0 };
}

void buf_reset(struct buf *b)
{
	b->len = 0;
	if (b->data)
		b->data[0] = '\0';
}

void buf_grow(struct buf *b, size_t len)
{
	size_t size = b->size ? b->size : 128;

	if (len >= SIZE_MAX / 4)
		out_of_memory();
	while (size < b->len + len + 1)
		size *= 2;
	b->data = must(realloc(b->data, size));
	b->size = size;
}

void buf_pad(struct buf *b, char c, size_t count)
{
	char *to = buf_room(b, count);

	memset(to, c, count);
	to[count] = '\0';
	b->len += count;
}

void buf_vaddf(struct buf *b, const char *fmt, va_list ap)
{
	va_list again;
	int len;

	va_copy(again, ap);
	len = vsnprintf(NULL, 0, fmt, ap);
	if (len > 0) {
		vsnprintf(buf_room(b, (size_t)len), (size_t)len + 1, fmt, again);
		b->len += (size_t)len;
	}
	va_end(again);
}

void buf_addf(struct buf *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	buf_vaddf(b, fmt, ap);
	va_end(ap);
}

/* Writes two digits at a time, which needs half the divisions. */
void buf_dec(struct buf *b, uint64_t n)
{
	static const char pairs[] =
		"00010203040506070809101112131415161718192021222324252627282930313233343536373839"
		"40414243444546474849505152535455565758596061626364656667686970717273747576777879"
		"8081828384858687888990919293949596979899";
	char digits[20];		/* 2^64 has 20 decimal digits */
	unsigned at = sizeof(digits);

	while (n >= 100) {
		at -= 2;
		memcpy(digits + at, pairs + 2 * (n % 100), 2);
		n /= 100;
	}
	if (n >= 10) {
		at -= 2;
		memcpy(digits + at, pairs + 2 * n, 2);
	} else {
		digits[--at] = (char)('0' + n);
	}
	buf_add(b, digits + at, sizeof(digits) - at);
}

void buf_sdec(struct buf *b, int64_t n)
{
	if (n < 0)
		buf_addc(b, '-');
	buf_dec(b, n < 0 ? 0 - (uint64_t)n : (uint64_t)n);
}

void buf_hex(struct buf *b, uint64_t n)
{
	unsigned digits = n ? (67 - (unsigned)__builtin_clzll(n)) / 4 : 1;
	char text[16];

	for (unsigned i = digits; i--; n >>= 4)
		text[i] = "0123456789abcdef"[n & 15];
	buf_add(b, text, digits);
}

const char *buf_str(const struct buf *b)
{
	return b->data ? b->data : "";
}
