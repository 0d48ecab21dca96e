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
	/* Appends the statement that creates a table for the events of @l, which begins with the record's number. */
	void (*event)(const struct layout *l, struct buf *out);
	/* The same for numbers without an event. It is one table for all events. */
	void (*gaps)(struct buf *out);
};

/* NULL: there is no such language. */
const struct schema *schema_find(const char *name);

/* Appends the names: "clickhouse". */
void schema_names(struct buf *out);

#endif
