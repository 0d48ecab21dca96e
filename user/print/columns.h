/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * columns.h - the columns in front of the event in a line of today's style, and the header that names them.
 *
 * They follow the kernel's options (irq-info, record-tgid), the form of 5.10, and the wishes of readers.
 */
#ifndef PRINT_COLUMNS_H
#define PRINT_COLUMNS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

enum column_flags {
	COLUMN_FLAGS_5,		/* as in 6.12 */
	COLUMN_FLAGS_4,		/* as in kernels before 5.17, with the letters of 3.x: context_flags4() */
	COLUMN_FLAGS_NONE,	/* as with the kernel's option noirq-info */
};

/* All zeroes: what 6.12 prints by default. */
struct columns {
	enum column_flags flags;
	bool tgid;		/* as with the kernel's option record-tgid */
	bool ns;		/* nine digits after the second; the kernel never prints this */
};

/* Parses "5", "4" or "none". False: it is none of these. */
bool columns_find_flags(const char *name, enum column_flags *ret);

/* Parses "us" or "ns". False: it is none of these. */
bool columns_find_time(const char *name, bool *ret_ns);

/* What ftrace's header says about buffers. A stream cannot know it. */
struct entries {
	uint64_t in_buffer, written;	/* records that the buffers hold, and that were ever written */
	unsigned cpus;			/* that are online */
};

/* Prints ftrace's header. Without @entries (NULL) it has no line about them. */
void columns_header(const struct columns *c, const struct entries *entries, struct buf *out);

/* That line, with the one behind it. */
void columns_entries(const struct entries *entries, struct buf *out);

#endif
