/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * preset.h - programs that read ftrace's text: the columns that each of them takes, and what it cannot take.
 */
#ifndef PRINT_PRESET_H
#define PRINT_PRESET_H

#include "base/buf.h"
#include "print/columns.h"

struct layout;

struct preset {
	const char *name;
	struct columns columns;
	/* What the reader makes of events like this one, as a sentence; NULL: it takes them. */
	const char *(*doubt)(const struct layout *l);
};

/* NULL: there is none of that name. */
const struct preset *preset_find(const char *name);

/* Appends the names with a comma between them, and "or" in front of the last. */
void preset_names(struct buf *out);

#endif
