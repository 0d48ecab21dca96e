/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * columns.h - which columns a line of today has in front of its event, and the header that names them.
 *
 * What the kernel's options choose (irq-info, record-tgid), what 5.10 had, and what a reader may want.
 */
#ifndef PRINT_COLUMNS_H
#define PRINT_COLUMNS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

enum column_flags {
	COLUMN_FLAGS_5,		/* as 6.12 */
	COLUMN_FLAGS_4,		/* as kernels before 5.17, in the letters of 3.x: context_flags4() */
	COLUMN_FLAGS_NONE,	/* as with the kernel's option noirq-info */
};

/* As zeroes what 6.12 prints by default. */
struct columns {
	enum column_flags flags;
	bool tgid;		/* as with the kernel's option record-tgid */
	bool ns;		/* nine digits of a second, which the kernel never prints */
};

/* "5", "4", "none". False: it is none of these. */
bool columns_find_flags(const char *name, enum column_flags *ret);

/* "us", "ns". False: it is none of these. */
bool columns_find_time(const char *name, bool *ret_ns);

/* ftrace's header without the entries line, which a stream cannot know. */
void columns_header(const struct columns *c, struct buf *out);

/* And with it: records that the buffers hold and that were ever written, CPUs that are online. */
void columns_header_entries(const struct columns *c, uint64_t in_buffer, uint64_t written, unsigned cpus,
			    struct buf *out);

#endif
