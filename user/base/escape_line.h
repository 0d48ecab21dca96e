/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * escape_line.h - makes a text a part of a line: no control character stays in it.
 *
 * Bytes from 0x80 on stay as they are. What is printed to a terminal goes through escape.h, too.
 */
#ifndef BASE_ESCAPE_LINE_H
#define BASE_ESCAPE_LINE_H

#include <stdint.h>

#include "base/buf.h"
#include "base/scan.h"

/* Appends @s with a '\\' before each '\\' and @quote (0: none), and with \n, \t, \r or \xNN for control characters. */
void escape_line(struct buf *out, const char *s, uint32_t len, char quote);

/*
 * Copies the leading characters that escape_line() leaves as they are. Returns their number. There must be room for @len bytes. Inline,
 * because most strings have no others.
 */
static inline __attribute__((always_inline)) uint32_t escape_copy_plain(char *p, const char *s, uint32_t len, char quote)
{
	uint32_t i;

	for (i = 0; i + 16 <= len; i += 16) {
		unsigned odd = scan_copy_line(p + i, s + i, quote);

		if (odd)
			return i + (uint32_t)__builtin_ctz(odd);
	}
	if (i && i < len) {		/* the last 16 bytes; some of them for the second time */
		unsigned odd = scan_copy_line(p + len - 16, s + len - 16, quote);

		return odd ? len - 16 + (uint32_t)__builtin_ctz(odd) : len;
	}
	for (; i < len; i++) {
		unsigned char c = (unsigned char)s[i];

		if (c < 0x20 || c == 0x7f || c == '\\' || c == (unsigned char)quote)
			break;
		p[i] = (char)c;
	}
	return i;
}

#endif
