// SPDX-License-Identifier: GPL-2.0-only
/*
 * show_buffer.c - bytes(LENGTH) and hex(LENGTH).
 *
 *	bytes	"GET / HTTP/1.1\r\n\x00\xff"	a text in quotes. What is no printable ASCII is escaped, so each text stands for one row of bytes
 *	hex	474554202f			two digits for each byte
 */
#include "print/show.h"

#include "print/json_string.h"

static const char digits[] = "0123456789abcdef";

/* One byte of a text in quotes. Returns the place behind it. */
static char *put_byte(char *p, unsigned char c)
{
	static const char names[0x20] = { ['\t'] = 't', ['\n'] = 'n', ['\r'] = 'r' };
	char name = c < sizeof(names) ? names[c] : c == '"' || c == '\\' ? (char)c : 0;

	if (!name && c >= 0x20 && c < 0x7f) {
		*p++ = (char)c;
		return p;
	}
	*p++ = '\\';
	if (name) {
		*p++ = name;
		return p;
	}
	*p++ = 'x';
	*p++ = digits[c >> 4];
	*p++ = digits[c & 15];
	return p;
}

static void end_text(struct buf *out, char *p)
{
	*p = '\0';
	out->len = (size_t)(p - out->data);
}

static void add_bytes(const struct event *ev, const struct layout_field *f, unsigned element, struct buf *out)
{
	uint32_t len;
	const unsigned char *at = event_buffer(ev, f, &len);
	char *p = buf_room(out, 4 * (size_t)len);

	(void)element;
	for (uint32_t i = 0; at && i < len; i++)
		p = put_byte(p, at[i]);
	end_text(out, p);
}

static void add_hex(const struct event *ev, const struct layout_field *f, unsigned element, struct buf *out)
{
	uint32_t len;
	const unsigned char *at = event_buffer(ev, f, &len);
	char *p = buf_room(out, 2 * (size_t)len);

	(void)element;
	for (uint32_t i = 0; at && i < len; i++) {
		*p++ = digits[at[i] >> 4];
		*p++ = digits[at[i] & 15];
	}
	end_text(out, p);
}

/* Nothing is lost: a cut buffer keeps an incomplete last character, and so is no UTF-8. */
static void add_json(const struct event *ev, const struct layout_field *f, unsigned element, struct buf *out)
{
	uint32_t len;
	const unsigned char *at = event_buffer(ev, f, &len);

	(void)element;
	json_string(out, at ? (const char *)at : "", at ? len : 0, false);
}

static const char *conversion(const struct type *type)
{
	(void)type;
	return "%s";
}

/* libtraceevent and the kernel print bytes in hexadecimal. */
static void arguments(const struct layout_field *f, const char *ref, struct buf *out)
{
	(void)ref;
	buf_addf(out, ", __print_hex_str(__get_dynamic_array(%s), __get_dynamic_array_len(%s))", f->name, f->name);
}

const struct show show_bytes = { .text = add_bytes, .json = add_json, .quoted = true, .is_text = true, .conversion = conversion,
				 .arguments = arguments };
const struct show show_hex = { .text = add_hex, .conversion = conversion, .arguments = arguments };
