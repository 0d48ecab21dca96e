// SPDX-License-Identifier: GPL-2.0-only
/*
 * escape_line.c - makes a text a part of a line.
 */
#include "base/escape_line.h"

void escape_line(struct buf *out, const char *s, uint32_t len, char quote)
{
	static const char hex[] = "0123456789abcdef";

	for (uint32_t i = 0; i < len; i++) {
		uint32_t plain = escape_copy_plain(buf_room(out, len - i), s + i, len - i, quote);
		unsigned char c;

		out->len += plain;
		out->data[out->len] = '\0';
		i += plain;
		if (i == len)
			break;
		c = (unsigned char)s[i];
		if (c == '\\' || (quote && c == (unsigned char)quote)) {
			buf_addc(out, '\\');
			buf_addc(out, (char)c);
		} else if (c == '\n') {
			buf_adds(out, "\\n");
		} else if (c == '\t') {
			buf_adds(out, "\\t");
		} else if (c == '\r') {
			buf_adds(out, "\\r");
		} else {
			char text[4] = { '\\', 'x', hex[c >> 4], hex[c & 15] };

			buf_add(out, text, sizeof(text));
		}
	}
}
