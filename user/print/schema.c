// SPDX-License-Identifier: GPL-2.0-only
/*
 * schema.c - tables for events, in the languages of databases.
 */
#include "print/schema.h"

#include <string.h>

#include "print/json_columns.h"

/* ---- ClickHouse: as its version 18.16 understands it, which Debian 12 has ---- */

static void add_type(const struct column *c, struct buf *out)
{
	struct buf type = { 0 };

	if (c->kind == COLUMN_TEXT)
		buf_adds(&type, "String");
	else if (c->kind == COLUMN_TRUE)
		buf_adds(&type, "UInt8");
	else
		buf_addf(&type, "%sInt%u", c->kind == COLUMN_UNSIGNED ? "U" : "", c->bytes * 8);
	if (c->array)
		buf_addf(out, c->optional ? "Array(Nullable(%s))" : "Array(%s)", buf_str(&type));
	else
		buf_addf(out, c->optional ? "Nullable(%s)" : "%s", buf_str(&type));
	buf_fini(&type);
}

/* Names of events and arguments have no quotes in them. */
static void add_columns(const struct column *columns, unsigned nr, struct buf *out)
{
	for (unsigned i = 0; i < nr; i++) {
		buf_addf(out, "%s    `%s` ", i ? ",\n" : "", columns[i].name);
		add_type(&columns[i], out);
	}
}

static void clickhouse_table(const struct layout *l, struct buf *out)
{
	buf_addf(out, "%s_%s", l->group, l->event);
}

/* A row that comes twice has the same key twice, so merges and FINAL leave one of them. */
static void clickhouse_event(const struct layout *l, struct buf *out)
{
	struct arena arena = { 0 };
	const struct column *columns;
	unsigned nr = json_columns(&arena, l, &columns);

	buf_adds(out, "CREATE TABLE IF NOT EXISTS `");
	clickhouse_table(l, out);
	buf_adds(out, "` (\n");
	add_columns(columns, nr, out);
	buf_adds(out, "\n) ENGINE = ReplacingMergeTree()\n"
		 "PARTITION BY toDate(toDateTime(intDiv(time_ns, 1000000000)))\n"
		 "ORDER BY (host, boot, creation, probe, cpu, seq);\n");
	arena_fini(&arena);
}

static void clickhouse_gaps(struct buf *out)
{
	struct arena arena = { 0 };
	const struct column *columns;
	unsigned nr = json_gap_columns(&arena, &columns);

	buf_adds(out, "CREATE TABLE IF NOT EXISTS `bprobe_gaps` (\n");
	add_columns(columns, nr, out);
	buf_adds(out, "\n) ENGINE = ReplacingMergeTree()\nORDER BY (host, boot, creation, probe, cpu, first_seq, last_seq);\n");
	arena_fini(&arena);
}

/* ---- the table ---- */

static const struct schema schemas[] = {
	{ "clickhouse", clickhouse_table, clickhouse_event, clickhouse_gaps },
};

const struct schema *schema_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(schemas); i++) {
		if (!strcmp(schemas[i].name, name))
			return &schemas[i];
	}
	return NULL;
}

void schema_names(struct buf *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(schemas); i++)
		buf_addf(out, "%s%s", i ? ", " : "", schemas[i].name);
}
