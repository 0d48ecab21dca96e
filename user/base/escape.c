// SPDX-License-Identifier: GPL-2.0-only
/*
 * escape.c - makes text from elsewhere safe: a terminal finds no command in it.
 */
#include "base/escape.h"

#include "base/utf8.h"

/* U+202A to U+202E are e2 80 aa to e2 80 ae, U+2066 to U+2069 are e2 81 a6 to e2 81 a9. */
static bool is_bidi(const char *s, unsigned size)
{
	unsigned char last;

	if (size != 3 || (unsigned char)s[0] != 0xe2)
		return false;
	last = (unsigned char)s[2];
	return (unsigned char)s[1] == 0x80 ? last >= 0xaa && last <= 0xae : (unsigned char)s[1] == 0x81 && last >= 0xa6 && last <= 0xa9;
}

static bool is_control(const char *s, unsigned size)
{
	unsigned char c = (unsigned char)s[0];

	return c < 0x20 || c == 0x7f || (size == 2 && c == 0xc2 && (unsigned char)s[1] < 0xa0) || is_bidi(s, size);
}

static void add_escaped(struct buf *out, char c)
{
	buf_addf(out, "\\x%02x", (unsigned char)c);
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
		add_escaped(out, s[i]);
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

static bool is_high(char c)
{
	return (unsigned char)c >= 0x80;
}

void escape_high(struct buf *out, size_t from, bool utf8)
{
	struct buf raw = { 0 };
	unsigned columns;

	while (from < out->len && !is_high(out->data[from]))
		from++;
	if (from == out->len)
		return;
	buf_add(&raw, out->data + from, out->len - from);
	out->len = from;
	for (size_t i = 0; i < raw.len;) {
		if (is_high(raw.data[i]) && utf8) {
			i += escape_character(out, raw.data + i, raw.len - i, &columns);
			continue;
		}
		if (is_high(raw.data[i]))
			add_escaped(out, raw.data[i]);
		else
			buf_addc(out, raw.data[i]);
		i++;
	}
	buf_fini(&raw);
}

size_t escape_unfinished(const char *s, size_t len)
{
	for (size_t back = 1; back <= 3 && back <= len; back++) {
		if (utf8_size(s + len - back, back) > back)
			return back;
	}
	return 0;
}
