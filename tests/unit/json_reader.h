/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * json_reader.h - reads JSON strictly, as RFC 8259 defines it, to check what bprobe writes. Shares nothing with
 * user/print/json.c: UTF-8 is checked by its code points.
 */
#ifndef JSON_READER_H
#define JSON_READER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

enum { JSON_DEPTH = 16 };

/* The code point that begins at @s, and its number of bytes; 0: no code point begins there. */
static unsigned utf8_read(const unsigned char *s, size_t len, uint32_t *ret)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	unsigned size = s[0] < 0x80 ? 1 : s[0] >> 5 == 6 ? 2 : s[0] >> 4 == 14 ? 3 : s[0] >> 3 == 30 ? 4 : 0;
	uint32_t c = size == 1 ? s[0] : s[0] & (0xffu >> (size + 1));

	if (!size || size > len)
		return 0;
	for (unsigned i = 1; i < size; i++) {
		if (s[i] >> 6 != 2)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	if ((size > 1 && c < least[size]) || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return 0;
	*ret = c;
	return size;
}

static bool utf8_is_valid(const char *s, size_t len)
{
	uint32_t c;

	for (size_t i = 0, n; i < len; i += n) {
		n = utf8_read((const unsigned char *)s + i, len - i, &c);
		if (!n)
			return false;
	}
	return true;
}

static void utf8_add(struct buf *out, uint32_t c)
{
	if (c < 0x80) {
		buf_addc(out, (char)c);
	} else if (c < 0x800) {
		buf_addc(out, (char)(0xc0 | c >> 6));
		buf_addc(out, (char)(0x80 | (c & 0x3f)));
	} else {
		buf_addc(out, (char)(0xe0 | c >> 12));
		buf_addc(out, (char)(0x80 | (c >> 6 & 0x3f)));
		buf_addc(out, (char)(0x80 | (c & 0x3f)));
	}
}

static const char *json_value(const char *p, unsigned depth);

/* Each returns the rest after what it read; NULL: it is not JSON. @out, if not NULL, gets the string's bytes. */
static const char *json_read_string(const char *p, struct buf *out)
{
	const char *simple = "\"\"\\\\//b\bf\fn\nr\rt\t", *at;
	uint32_t c;

	if (*p++ != '"')
		return NULL;
	while (*p != '"') {
		unsigned n;

		if ((unsigned char)*p < 0x20)
			return NULL;
		if (*p != '\\') {
			n = utf8_read((const unsigned char *)p, strnlen(p, 4), &c);
			if (!n)
				return NULL;
			if (out)
				buf_add(out, p, n);
			p += n;
			continue;
		}
		if (p[1] == 'u') {
			if (strspn(p + 2, "0123456789abcdefABCDEF") < 4)
				return NULL;
			c = (uint32_t)strtoul((char[]){ p[2], p[3], p[4], p[5], 0 }, NULL, 16);
			if (c >= 0xd800 && c < 0xe000)	/* bprobe never writes pairs */
				return NULL;
			if (out)
				utf8_add(out, c);
			p += 6;
			continue;
		}
		for (at = simple; *at && *at != p[1]; at += 2)
			;
		if (!*at)
			return NULL;
		if (out)
			buf_addc(out, at[1]);
		p += 2;
	}
	return p + 1;
}

/* Lines of --json have whole numbers only. */
static bool json_takes_fractions;

static const char *json_read_digits(const char *p)
{
	const char *end = p + strspn(p, "0123456789");

	return end == p ? NULL : end;
}

static const char *json_read_number(const char *p)
{
	const char *end;

	p += *p == '-';
	end = json_read_digits(p);
	if (!end || (*p == '0' && end > p + 1))
		return NULL;
	if (!json_takes_fractions)
		return end;
	if (*end == '.')
		end = json_read_digits(end + 1);
	if (end && (*end == 'e' || *end == 'E'))
		end = json_read_digits(end + 1 + (end[1] == '+' || end[1] == '-'));
	return end;
}

static const char *json_members(const char *p, char close, unsigned depth)
{
	if (*++p == close)
		return p + 1;
	for (;;) {
		if (close == '}') {
			p = json_read_string(p, NULL);
			if (!p || *p++ != ':')
				return NULL;
		}
		p = json_value(p, depth + 1);
		if (!p)
			return NULL;
		if (*p == close)
			return p + 1;
		if (*p++ != ',')
			return NULL;
	}
}

static const char *json_value(const char *p, unsigned depth)
{
	static const char *const words[] = { "null", "true", "false" };

	if (depth > JSON_DEPTH)
		return NULL;
	if (*p == '"')
		return json_read_string(p, NULL);
	if (*p == '{' || *p == '[')
		return json_members(p, *p == '{' ? '}' : ']', depth);
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (!strncmp(p, words[i], strlen(words[i])))
			return p + strlen(words[i]);
	}
	return json_read_number(p);
}

/* Is it one object without blanks, and then a newline? */
static bool json_is_line(const char *line)
{
	const char *end = *line == '{' ? json_value(line, 0) : NULL;

	return end && !strcmp(end, "\n");
}

/* The value of @name in the valid object @p; NULL: the object has none, or more than one. */
static const char *json_member(const char *p, const char *name)
{
	const char *found = NULL;

	if (!p || *p != '{')
		return NULL;
	for (p++; *p != '}'; p += *p == ',') {
		struct buf key = { 0 };
		bool same;

		p = json_read_string(p, &key) + 1;
		same = key.len == strlen(name) && !memcmp(buf_str(&key), name, key.len);
		buf_fini(&key);
		if (same && found)
			return NULL;
		if (same)
			found = p;
		p = json_value(p, 0);
	}
	return found;
}

/* The element @n of the valid array @p; NULL: it has fewer. */
static const char *json_element(const char *p, unsigned n)
{
	if (!p || *p != '[' || p[1] == ']')
		return NULL;
	for (p++; n; n--, p++) {
		p = json_value(p, 0);
		if (*p == ']')
			return NULL;
	}
	return p;
}

/* The bytes that @p means: a string, or {"bytes":"HEX"}. False: it is neither. */
static bool json_bytes(const char *p, struct buf *out)
{
	struct buf hex = { 0 };
	bool good = true;

	buf_reset(out);
	if (p && *p == '"')
		return json_read_string(p, out);
	p = json_member(p, "bytes");
	if (!p || *p != '"' || !json_read_string(p, &hex) || hex.len % 2)
		good = false;
	for (size_t i = 0; good && i < hex.len; i += 2) {
		char *end, digits[3] = { hex.data[i], hex.data[i + 1], 0 };

		buf_addc(out, (char)strtoul(digits, &end, 16));
		good = !*end;
	}
	buf_fini(&hex);
	return good;
}

#endif
