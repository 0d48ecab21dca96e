/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * buf.h - a text or byte buffer that grows.
 *
 * Without memory the process ends, as in arena.h. The functions that write numbers exist because every printed event
 * uses them, so they must be fast. buf_addf is for everything else.
 */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/macros.h"

struct buf {
	char *data;		/* NUL-terminated after the first addition */
	size_t len, size;	/* bytes in use (without the NUL), bytes allocated */
};

/* A buffer starts as all zeroes. fini frees and zeroes; reset keeps the memory. */
void buf_fini(struct buf *b);
void buf_reset(struct buf *b);

void buf_grow(struct buf *b, size_t len);	/* for buf_room(), when there is no room */

/* Inline functions, because every printed byte passes through them. */

/* Makes room for @len more bytes and the NUL; returns where they go. */
static inline char *buf_room(struct buf *b, size_t len)
{
	if (b->size - b->len <= len)
		buf_grow(b, len);
	return b->data + b->len;
}

static inline void buf_add(struct buf *b, const void *data, size_t len)
{
	if (b->size - b->len <= len)
		buf_grow(b, len);
	if (len)
		memcpy(b->data + b->len, data, len);
	b->len += len;
	b->data[b->len] = '\0';
}

static inline void buf_adds(struct buf *b, const char *s)
{
	buf_add(b, s, strlen(s));
}

static inline void buf_addc(struct buf *b, char c)
{
	if (b->size - b->len <= 1)
		buf_grow(b, 1);
	b->data[b->len++] = c;
	b->data[b->len] = '\0';
}

void buf_pad(struct buf *b, char c, size_t count);
void buf_addf(struct buf *b, const char *fmt, ...) PRINTF_LIKE(2, 3);
void buf_vaddf(struct buf *b, const char *fmt, va_list ap) PRINTF_LIKE(2, 0);
void buf_dec(struct buf *b, uint64_t n);
void buf_sdec(struct buf *b, int64_t n);
void buf_hex(struct buf *b, uint64_t n);	/* digits only, without 0x */

/* The text so far; "" for an empty buffer, never NULL. */
const char *buf_str(const struct buf *b);

#endif
