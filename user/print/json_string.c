// SPDX-License-Identifier: GPL-2.0-only
/*
 * json_string.c - a text as JSON: a string with escapes, or its bytes if it is not UTF-8.
 */
#include "print/json_string.h"

#include "base/utf8.h"
#include "print/put.h"

enum { MAX_ESCAPE = 6 };		/* bytes for one byte */

static inline bool is_plain(unsigned char c)
{
	return c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
}

/* Copies the leading characters that need no change. Returns their number. There must be room for @len bytes. */
static inline uint32_t put_plain(char *p, const char *s, uint32_t len)
{
	uint32_t i;

	for (i = 0; i + 16 <= len; i += 16) {
		unsigned odd = scan_copy_json(p + i, s + i);

		if (odd)
			return i + (uint32_t)__builtin_ctz(odd);
	}
	for (; i < len && is_plain((unsigned char)s[i]); i++)
		p[i] = s[i];
	return i;
}

/* Is it UTF-8? If the string was @cut, an incomplete last character is removed from @len. */
static bool is_utf8(const char *s, uint32_t *len, bool cut)
{
	uint32_t i = 0;

	while (i < *len) {
		unsigned size = utf8_size(s + i, *len - i);

		if (!size || (size > *len - i && !cut))
			return false;
		if (size > *len - i)
			*len = i;
		else
			i += size;
	}
	return true;
}

static char *put_escaped(char *p, const char *s, uint32_t len)
{
	static const char names[0x20] = { ['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r' };

	for (uint32_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)s[i];
		char name = c < sizeof(names) ? names[c] : c == '"' || c == '\\' ? (char)c : 0;

		if (name) {
			*p++ = '\\';
			*p++ = name;
		} else if (c < 0x20) {
			p = put_literal(p, c < 0x10 ? "\\u000" : "\\u001");
			*p++ = "0123456789abcdef"[c & 15];
		} else {
			*p++ = (char)c;
		}
	}
	return p;
}

static void add_bytes(struct buf *out, const char *s, uint32_t len)
{
	char *p = put_literal(buf_room(out, 2 * (size_t)len + 32), "{\"bytes\":\"");

	for (uint32_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)s[i];

		*p++ = "0123456789abcdef"[c >> 4];
		*p++ = "0123456789abcdef"[c & 15];
	}
	p = put_literal(p, "\"}");
	out->len = (size_t)(p - out->data);
}

void json_string(struct buf *out, const char *s, uint32_t len, bool cut)
{
	char *p = buf_room(out, (size_t)len + 2);
	uint32_t plain, rest;

	*p++ = '"';
	plain = put_plain(p, s, len);
	rest = len - plain;
	if (rest && !is_utf8(s + plain, &rest, cut)) {
		add_bytes(out, s, len);
		return;
	}
	p += plain;
	if (rest) {
		out->len += 1 + plain;
		p = put_escaped(buf_room(out, MAX_ESCAPE * (size_t)rest + 1), s + plain, rest);
	}
	*p++ = '"';
	out->len = (size_t)(p - out->data);
}
