// SPDX-License-Identifier: GPL-2.0-only
/*
 * escape.c - makes text from elsewhere safe: a terminal finds no command in it.
 */
#include "base/escape.h"

#include <stdbool.h>

#include "base/utf8.h"

static bool is_control(const char *s, unsigned size)
{
	unsigned char c = (unsigned char)s[0];

	return c < 0x20 || c == 0x7f || (size == 2 && c == 0xc2 && (unsigned char)s[1] < 0xa0);
}

size_t escape_character(struct buf *out, const char *s, size_t len, unsigned *ret_columns)
{
	unsigned size = utf8_size(s, len);

	if (size && size <= len && !is_control(s, size)) {
		buf_add(out, s, size);
		*ret_columns = 1;
		return size;
	}
	if (!size || size > len)
		size = 1;
	for (unsigned i = 0; i < size; i++)
		buf_addf(out, "\\x%02x", (unsigned char)s[i]);
	*ret_columns = 4 * size;
	return size;
}

void escape_text(struct buf *out, const char *s, size_t len, const char *keep)
{
	unsigned columns;

	for (size_t i = 0; i < len;) {
		size_t plain = 0;

		while (i + plain < len && ((s[i + plain] >= ' ' && s[i + plain] < 0x7f) ||
					   (s[i + plain] && strchr(keep, s[i + plain]))))
			plain++;
		buf_add(out, s + i, plain);
		i += plain;
		if (i < len)
			i += escape_character(out, s + i, len - i, &columns);
	}
}

size_t escape_unfinished(const char *s, size_t len)
{
	for (size_t back = 1; back <= 3 && back <= len; back++) {
		if (utf8_size(s + len - back, back) > back)
			return back;
	}
	return 0;
}
