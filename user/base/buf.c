// SPDX-License-Identifier: GPL-2.0-only
/*
 * buf.c - a text or byte buffer that grows.
 */
#include "base/buf.h"

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

static void buf_grow(struct buf *b, size_t len)
{
	size_t size = b->size ? b->size : 128;
	char *data = NULL;

	while (size < b->len + len + 1)
		size *= 2;
	if (len < SIZE_MAX / 4)
		data = realloc(b->data, size);
	if (!data) {
		fputs("bprobe: out of memory\n", stderr);
		abort();
	}
	b->data = data;
	b->size = size;
}

char *buf_room(struct buf *b, size_t len)
{
	if (b->size - b->len <= len)
		buf_grow(b, len);
	return b->data + b->len;
}

void buf_add(struct buf *b, const void *data, size_t len)
{
	char *to = buf_room(b, len);

	if (len)
		memcpy(to, data, len);
	to[len] = '\0';
	b->len += len;
}

void buf_adds(struct buf *b, const char *s)
{
	buf_add(b, s, strlen(s));
}

void buf_addc(struct buf *b, char c)
{
	buf_add(b, &c, 1);
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

static void buf_number(struct buf *b, uint64_t n, unsigned base)
{
	char digits[20];		/* 2^64 has 20 decimal digits */
	unsigned at = sizeof(digits);

	do {
		digits[--at] = "0123456789abcdef"[n % base];
		n /= base;
	} while (n);
	buf_add(b, digits + at, sizeof(digits) - at);
}

void buf_dec(struct buf *b, uint64_t n)
{
	buf_number(b, n, 10);
}

void buf_sdec(struct buf *b, int64_t n)
{
	if (n < 0)
		buf_addc(b, '-');
	buf_number(b, n < 0 ? 0 - (uint64_t)n : (uint64_t)n, 10);
}

void buf_hex(struct buf *b, uint64_t n)
{
	buf_number(b, n, 16);
}

const char *buf_str(const struct buf *b)
{
	return b->data ? b->data : "";
}
