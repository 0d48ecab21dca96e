// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_json_string.c - hostile strings as JSON: valid, and the same bytes again.
 */
#include "print/json_string.h"

#include "json_reader.h"
#include "tap.h"

/* Valid, and the same bytes again; an object only if the bytes are not UTF-8. */
static bool string_right(const char *s, size_t len)
{
	static struct buf out, back;
	const char *end;

	buf_reset(&out);
	json_string(&out, s, (uint32_t)len, false);
	buf_addc(&out, '\n');
	end = json_value(out.data, 0);
	return end && end == out.data + out.len - 1 && json_bytes(out.data, &back) && back.len == len &&
	       !memcmp(buf_str(&back), s, len) && (*out.data == '"') == utf8_is_valid(s, len);
}

static void test_bytes(void)
{
	static const char edges[] = "\0\x1f \"\\/az\x7f\x80\x8f\x90\x9f\xa0\xbf\xc0\xc1\xc2\xdf\xe0\xe1\xec\xed\xee\xef\xf0\xf1\xf3\xf4\xf5\xf7\xf8\xfe\xff";
	enum { NR = sizeof(edges) - 1 };
	unsigned wrong = 0;
	char s[64];

	for (unsigned a = 0; a < 256; a++) {
		s[0] = (char)a;
		wrong += !string_right(s, 1);
		for (unsigned b = 0; b < 256; b++) {
			s[1] = (char)b;
			wrong += !string_right(s, 2);
		}
	}
	CHECK(!wrong, "every byte, and every two: %u wrong", wrong);
	wrong = 0;
	for (unsigned i = 0; i < NR * NR * NR; i++) {
		for (unsigned k = 1, n = i; k < 4; k++, n /= NR)
			s[k] = edges[n % NR];
		wrong += !string_right(s + 1, 3);
		for (unsigned lead = 0xef; lead < 0xf6; lead++) {
			s[0] = (char)lead;
			wrong += !string_right(s, 4);
		}
	}
	CHECK(!wrong, "three and four bytes at the edges of what UTF-8 allows: %u wrong", wrong);
	wrong = 0;
	for (unsigned place = 0; place < 40; place++) {
		memset(s, 'x', sizeof(s));
		for (unsigned a = 0; a < 256; a++) {
			s[place] = (char)a;
			wrong += !string_right(s, 40) + !string_right(s, place + 1);
		}
	}
	CHECK(!wrong, "every byte at every place: %u wrong", wrong);
}

/* What a reader sees, by the table. */
static void test_strings(void)
{
	static const struct {
		const char *s;
		unsigned len;
		bool cut;
		const char *want;
	} cases[] = {
		{ "", 0, false, "\"\"" },
		{ "/etc/xyz", 8, false, "\"/etc/xyz\"" },
		{ "a\"b\\c/d\x7f", 8, false, "\"a\\\"b\\\\c/d\x7f\"" },
		{ "\n\t\r\b\f", 5, false, "\"\\n\\t\\r\\b\\f\"" },
		{ "\0\x01\x1f", 3, false, "\"\\u0000\\u0001\\u001f\"" },
		{ "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x92\xa9", 14, false, "\"caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x92\xa9\"" },
		{ "\xf4\x8f\xbf\xbf", 4, false, "\"\xf4\x8f\xbf\xbf\"" },
		{ "{\"bytes\":\"00\"}", 14, false, "\"{\\\"bytes\\\":\\\"00\\\"}\"" },
		{ "a\xff\"", 3, false, "{\"bytes\":\"61ff22\"}" },
		{ "\x80", 1, false, "{\"bytes\":\"80\"}" },			/* behind nothing */
		{ "\xc3", 1, false, "{\"bytes\":\"c3\"}" },			/* unfinished */
		{ "\xc0\xaf", 2, false, "{\"bytes\":\"c0af\"}" },		/* longer than necessary */
		{ "\xe0\x80\xaf", 3, false, "{\"bytes\":\"e080af\"}" },
		{ "\xed\xa0\x80", 3, false, "{\"bytes\":\"eda080\"}" },		/* half of a surrogate pair */
		{ "\xf4\x90\x80\x80", 4, false, "{\"bytes\":\"f4908080\"}" },	/* above U+10FFFF */
		{ "\xf8\x88\x80\x80\x80", 5, false, "{\"bytes\":\"f888808080\"}" },
		/* cut, where a character is not whole */
		{ "a\xc3", 2, true, "\"a\"" },
		{ "a\xf0\x9f\x92", 4, true, "\"a\"" },
		{ "a\xc3\xa9", 3, true, "\"a\xc3\xa9\"" },
		{ "a\xed\xa0", 3, true, "{\"bytes\":\"61eda0\"}" },
		{ "\xff\xc3", 2, true, "{\"bytes\":\"ffc3\"}" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct buf out = { 0 };

		json_string(&out, cases[i].s, cases[i].len, cases[i].cut);
		buf_addc(&out, '\0');
		CHECK(!strcmp(out.data, cases[i].want), "string %zu: %s", i, out.data);
		buf_fini(&out);
	}
}

int main(void)
{
	test_bytes();
	test_strings();
	return tap_done();
}
