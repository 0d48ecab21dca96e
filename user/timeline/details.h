/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * details.h - what a slice or an instant says besides its time: names and values, in no file's form.
 *
 * A list, and a dictionary, is followed by its members, in the same array. All texts are UTF-8 without control characters: bytes that
 * are not, are \xNN there (base/escape.h).
 */
#ifndef TIMELINE_DETAILS_H
#define TIMELINE_DETAILS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "print/event.h"
#include "print/text.h"

enum detail_kind {
	DETAIL_FAULT,			/* a value that could not be read */
	DETAIL_UNSIGNED, DETAIL_SIGNED, DETAIL_HEX,
	DETAIL_FLAG,			/* true */
	DETAIL_TEXT,
	DETAIL_LIST, DETAIL_DICTIONARY,
};

struct detail {
	enum detail_kind kind;
	uint32_t name;			/* where its name is in details.text, with a NUL; members of a list: DETAIL_NO_NAME */
	uint32_t at;			/* TEXT: where it is in details.text, with a NUL */
	uint64_t n;			/* a number; LIST and DICTIONARY: how many of the next ones are inside, those inside these included */
};

#define DETAIL_NO_NAME	UINT32_MAX

/* Starts as zeroes. */
struct details {
	struct detail *all;
	unsigned nr, room;
	struct buf text;
};

void details_fini(struct details *a);
void details_reset(struct details *a);	/* keeps the memory */

/* Copies @len bytes into ->text, so that they are UTF-8, and a NUL. Returns where they are. */
uint32_t details_copy(struct details *a, const char *s, size_t len);

const char *details_at(const struct details *a, uint32_t at);

void details_number(struct details *a, const char *name, enum detail_kind kind, uint64_t n);
void details_text(struct details *a, const char *name, const char *s);

/* Begins a dictionary or a list; what is added until details_close() is inside. Returns what details_close() wants. */
unsigned details_open(struct details *a, const char *name, enum detail_kind kind);
void details_close(struct details *a, unsigned open);

/* The fields of @ev. A field with one of bprobe's own names (DETAILS_OWN, DETAILS_RETURN) gets an underscore behind it. */
void details_fields(struct details *a, const struct text *t, const struct event *ev);

/* The stacks of @ev: lists of frames, the innermost first. */
void details_stacks(struct details *a, const struct text *t, const struct event *ev);

#define DETAILS_OWN	"bprobe"	/* the dictionary of what bprobe says of an event */
#define DETAILS_RETURN	"return"	/* the dictionary of what the return of a call had */

#endif
