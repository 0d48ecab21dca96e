/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * json_columns.h - the columns that a table for the objects of --json=flat --host needs.
 */
#ifndef PRINT_JSON_COLUMNS_H
#define PRINT_JSON_COLUMNS_H

#include <stdbool.h>

#include "base/arena.h"
#include "plan/layout.h"

enum column_kind { COLUMN_TEXT, COLUMN_UNSIGNED, COLUMN_SIGNED, COLUMN_TRUE };	/* COLUMN_TRUE: true, or it is not there */

struct column {
	const char *name;
	enum column_kind kind;
	unsigned bytes;			/* of a number: 1, 2, 4 or 8 */
	bool optional;			/* some objects do not have it, or elements of its array are null */
	bool array;
};

/* A part of a value that is shown as an object: see struct show. */
struct column_part {
	const char *name;
	enum column_kind kind;
	unsigned bytes;
};

/* The columns of events with this layout, in the order of the object. They live in @arena, with their names. */
unsigned json_columns(struct arena *arena, const struct layout *l, const struct column **ret);

/*
 * An argument whose name is also that of a part of another argument: comm_bytes beside comm. Which of the two json_flatten() numbers depends on
 * what an object has, so no table fits. NULL: there is none. It lives in @arena.
 */
const char *json_columns_clash(struct arena *arena, const struct layout *l);

/* The columns of objects about numbers without an event: "lost" and "skipped". */
unsigned json_gap_columns(struct arena *arena, const struct column **ret);

#endif
