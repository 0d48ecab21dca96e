/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * show.h - types whose values are printed as names or network addresses. A row for each.
 */
#ifndef PRINT_SHOW_H
#define PRINT_SHOW_H

#include "base/buf.h"
#include "print/event.h"
#include "print/json_columns.h"

struct show {
	/*
	 * Appends the value as a line has it, without blanks and control characters. Only for values that could be read. It is also
	 * what a filter compares with a text.
	 */
	void (*text)(const struct event *ev, const struct layout_field *f, unsigned element, struct buf *out);
	/* The same as a JSON value; NULL: the text in quotes. */
	void (*json)(const struct event *ev, const struct layout_field *f, unsigned element, struct buf *out);
	/* The members of ->json's object, or of all that it can be; a row of zeroes ends them. NULL: it is one text. */
	const struct column_part *parts;
	bool is_text;			/* ->json makes what json_string() makes */
	bool quoted;			/* a line has quotes around the text, as around a string */
	/*
	 * For the format text of an event: its conversion, and the arguments for it, where @ref is the value ("REC->ret"). NULL:
	 * those of the type's kind.
	 */
	const char *(*conversion)(const struct type *type);
	void (*arguments)(const struct layout_field *f, const char *ref, struct buf *out);
	bool by_element;		/* libtraceevent cannot print an element of an array: each is a field of its own */
};

/* NULL: the value is shown as its kind says. */
const struct show *show_of(const struct type *type);

/* The rows: show_names.c, show_address.c, show_sockaddr.c, show_buffer.c. show_number is that of types whose kind says it. */
#define ROW(id, kept, names, btf, print, ...)	extern const struct show show_##print;
SHOWN_TYPES(ROW)
#undef ROW

/* Addresses as the kernel prints them with %pI4 and %pI6c; @at: 4 or 16 bytes. */
void show_put_ip4(const unsigned char *at, struct buf *out);
void show_put_ip6(const unsigned char *at, struct buf *out);

#endif
