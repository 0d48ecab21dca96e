/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * schema.h - a table for the events of a definition, in the language of a database: a row for each language.
 */
#ifndef PRINT_SCHEMA_H
#define PRINT_SCHEMA_H

#include "base/buf.h"
#include "plan/layout.h"

struct schema {
	const char *name;
	/* Appends the name of the table for the events of @l. Two events can have one: a_b/c and a/b_c. */
	void (*table)(const struct layout *l, struct buf *out);
	/* Appends the statement that creates it. The arguments have no json_columns_clash(). */
	void (*event)(const struct layout *l, struct buf *out);
	/* The same for numbers without an event. It is one table for all events. */
	void (*gaps)(struct buf *out);
};

/* NULL: there is no such language. */
const struct schema *schema_find(const char *name);

/* Appends the names: "clickhouse". */
void schema_names(struct buf *out);

#endif
