// SPDX-License-Identifier: GPL-2.0-only
/*
 * data_strings.c - the texts of a page.
 */
#include "report/data_strings.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/escape.h"
#include "base/memory.h"
#include "report/data.h"
#include "report/report.h"

enum { FRAME = 64 };			/* bytes around the texts */

void data_strings_init(struct data_strings *s, const struct strings *names, const struct strings *texts)
{
	*s = (struct data_strings){ .names = names, .texts = texts };
	s->name_numbers = must(calloc(names->nr + 1, sizeof(uint32_t)));
	s->text_numbers = must(calloc(texts->nr + 1, sizeof(uint32_t)));
}

void data_strings_fini(struct data_strings *s)
{
	free(s->name_numbers);
	free(s->text_numbers);
	free(s->all);
	*s = (struct data_strings){ 0 };
}

static uint32_t use(struct data_strings *s, const struct strings *of, uint32_t *numbers, uint32_t nr)
{
	if (!numbers[nr]) {
		s->all = heap_grow(s->all, s->nr, &s->size);
		s->all[s->nr] = &of->all[nr];
		numbers[nr] = ++s->nr;
	}
	return numbers[nr] - 1;
}

uint32_t data_strings_name(struct data_strings *s, uint32_t name)
{
	return use(s, s->names, s->name_numbers, name);
}

uint32_t data_strings_text(struct data_strings *s, uint32_t text)
{
	return use(s, s->texts, s->text_numbers, text);
}

/*
 * Writes one character's bytes as JSON to @out, at most ESCAPED of them; *ret_used of the @left bytes at @s are done. '<', '>' and '&' end no
 * element and begin no reference in HTML this way; U+2028 and U+2029 are ends of lines in some scripts.
 */
enum { ESCAPED = 6 };

static unsigned escape(const char *s, size_t left, char *out, unsigned *ret_used)
{
	static const char digits[] = "0123456789abcdef";
	unsigned char c = (unsigned char)*s;

	*ret_used = 1;
	if (c == '"' || c == '\\') {
		out[0] = '\\';
		out[1] = *s;
		return 2;
	}
	if (c < ' ' || c == 0x7f || c == '<' || c == '>' || c == '&') {
		memcpy(out, "\\u00", 4);
		out[4] = digits[c >> 4];
		out[5] = digits[c & 15];
		return ESCAPED;
	}
	if (c == 0xe2 && left > 2 && s[1] == '\x80' && (s[2] == '\xa8' || s[2] == '\xa9')) {
		memcpy(out, s[2] == '\xa8' ? "\\u2028" : "\\u2029", ESCAPED);
		*ret_used = 3;
		return ESCAPED;
	}
	out[0] = *s;
	return 1;
}

static size_t shown_of(const char *s, size_t len, size_t cut)
{
	return cut < len ? cut - escape_unfinished(s, cut) : len;
}

#define ELLIPSIS	"\u2026"

void data_put_string(struct buf *out, const char *s, size_t len, size_t cut)
{
	size_t shown = shown_of(s, len, cut);
	unsigned used;

	buf_addc(out, '"');
	for (size_t i = 0; i < shown; i += used) {
		char *to = buf_room(out, ESCAPED);

		out->len += escape(s + i, shown - i, to, &used);
	}
	buf_adds(out, shown < len ? ELLIPSIS "\"" : "\"");
}

/* The bytes that data_put_string() appends. */
static size_t size_of(const char *s, size_t len, size_t cut)
{
	size_t shown = shown_of(s, len, cut), size = 2 + (shown < len ? strlen(ELLIPSIS) : 0);
	char scratch[ESCAPED];
	unsigned used;

	for (size_t i = 0; i < shown; i += used)
		size += escape(s + i, shown - i, scratch, &used);
	return size;
}

void data_put_html(struct buf *out, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		switch (text[i]) {
		case '<':
			buf_adds(out, "&lt;");
			break;
		case '>':
			buf_adds(out, "&gt;");
			break;
		case '&':
			buf_adds(out, "&amp;");
			break;
		case '"':
			buf_adds(out, "&quot;");
			break;
		default:
			buf_addc(out, text[i]);
		}
	}
}

static size_t bytes_of(const struct data_strings *s, size_t cut)
{
	size_t bytes = FRAME;

	for (unsigned i = 0; i < s->nr; i++)
		bytes += size_of(s->all[i]->text, s->all[i]->len, cut) + 1;
	return bytes;
}

/* The largest number of bytes with which all have room. */
static size_t find_cut(const struct data_strings *s, size_t most)
{
	size_t low = 0, high = 2 * REPORT_TEXT;		/* longer than any text */

	if (bytes_of(s, SIZE_MAX) <= most)
		return SIZE_MAX;
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (bytes_of(s, middle) <= most)
			low = middle;
		else
			high = middle;
	}
	return low;
}

void data_strings_put(const struct data_strings *s, size_t most, struct buf *out)
{
	size_t cut = find_cut(s, most);

	buf_addf(out, ",\"cut\":%zu,\"strings\":[", cut == SIZE_MAX ? 0 : cut);
	for (unsigned i = 0; i < s->nr; i++) {
		if (i)
			buf_addc(out, ',');
		data_put_string(out, s->all[i]->text, s->all[i]->len, cut);
	}
	buf_addc(out, ']');
}
