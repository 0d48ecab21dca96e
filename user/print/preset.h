/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * preset.h - programs that read ftrace's text: the columns that each of them accepts, and the events that it cannot read.
 */
#ifndef PRINT_PRESET_H
#define PRINT_PRESET_H

#include "base/buf.h"
#include "print/columns.h"

struct layout;

struct preset {
	const char *name;
	struct columns columns;
	/* A sentence about what the program does with events like this one; NULL: it reads them correctly. */
	const char *(*doubt)(const struct layout *l);
};

/* NULL: no preset has this name. */
const struct preset *preset_find(const char *name);

/* Appends the names, separated by commas, with "or" before the last one. */
void preset_names(struct buf *out);

#endif
