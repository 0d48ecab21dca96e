/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * show.h - types whose values are printed as names or network addresses. A row for each.
 */
#ifndef PRINT_SHOW_H
#define PRINT_SHOW_H

#include "base/buf.h"
#include "print/event.h"

struct show {
	/*
	 * Appends the value as a line has it, without blanks and control characters. Only for values that could be read. It is also
	 * what a filter compares with a text.
	 */
	void (*text)(const struct event *ev, const struct layout_field *f, unsigned element, struct buf *out);
	/* The same as a JSON value; NULL: the text in quotes. */
	void (*json)(const struct event *ev, const struct layout_field *f, unsigned element, struct buf *out);
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

/* The rows. */
extern const struct show show_errno, show_enum;				/* show_names.c; show_enum: system calls, too */
extern const struct show show_ip4, show_ip6, show_mac;			/* show_address.c */
extern const struct show show_sockaddr;					/* show_sockaddr.c */

/* Addresses as the kernel prints them with %pI4 and %pI6c; @at: 4 or 16 bytes. */
void show_put_ip4(const unsigned char *at, struct buf *out);
void show_put_ip6(const unsigned char *at, struct buf *out);

#endif
