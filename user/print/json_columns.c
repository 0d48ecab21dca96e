// SPDX-License-Identifier: GPL-2.0-only
/*
 * json_columns.c - the columns that a table for the objects of --json=flat --host needs. It follows json.c member by member.
 */
#include "print/json_columns.h"

#include <string.h>

#include "print/show.h"
#include "print/stack.h"

struct list {
	struct arena *arena;
	struct column *all;
	unsigned nr, size;
};

static void add(struct list *list, struct column column)
{
	list->all = arena_grow(list->arena, list->all, list->nr, &list->size);
	list->all[list->nr++] = column;
}

/* A text, and its bytes if it is not UTF-8. */
static void add_text(struct list *list, const char *name, bool array)
{
	add(list, (struct column){ name, COLUMN_TEXT, 0, true, array });
	add(list, (struct column){ arena_printf(list->arena, "%s_bytes", name), COLUMN_TEXT, 0, true, array });
}

/* ---- what each event has ---- */

static const struct column head[] = {
	{ "schema", COLUMN_UNSIGNED, 1, false, false }, { "host", COLUMN_TEXT, 0, false, false }, { "boot", COLUMN_TEXT, 0, false, false },
	{ "kernel", COLUMN_TEXT, 0, false, false }, { "creation", COLUMN_UNSIGNED, 4, false, false }, { "probe", COLUMN_UNSIGNED, 4, false, false },
};

static const struct column time_and_task[] = {
	{ "seq", COLUMN_UNSIGNED, 8, false, false }, { "time_ns", COLUMN_UNSIGNED, 8, false, false }, { "cpu", COLUMN_UNSIGNED, 2, false, false },
	{ "pid", COLUMN_SIGNED, 4, false, false }, { "tgid", COLUMN_UNSIGNED, 4, false, false },
};

static const struct column names[] = {
	{ "event", COLUMN_TEXT, 0, false, false }, { "group", COLUMN_TEXT, 0, false, false },
};

static const struct column context[] = {
	{ "flags", COLUMN_TEXT, 0, false, true }, { "preempt", COLUMN_UNSIGNED, 4, true, false }, { "migrate", COLUMN_UNSIGNED, 4, true, false },
};

static const struct column found[] = {
	{ "faults", COLUMN_TEXT, 0, false, true }, { "truncated", COLUMN_TEXT, 0, false, true },
};

static const struct column gap[] = {
	{ "lost", COLUMN_UNSIGNED, 8, false, false }, { "skipped", COLUMN_UNSIGNED, 8, false, false }, { "cpu", COLUMN_UNSIGNED, 2, false, false },
	{ "event", COLUMN_TEXT, 0, false, false }, { "group", COLUMN_TEXT, 0, false, false },
	{ "first_seq", COLUMN_UNSIGNED, 8, false, false }, { "last_seq", COLUMN_UNSIGNED, 8, false, false },
};

static void add_all(struct list *list, const struct column *columns, unsigned nr)
{
	for (unsigned i = 0; i < nr; i++)
		add(list, columns[i]);
}

/* ---- the place ---- */

static void add_place(struct list *list, const char *before)
{
	add_text(list, arena_printf(list->arena, "%sfunction", before), false);
	add_text(list, arena_printf(list->arena, "%smodule", before), false);
	add(list, (struct column){ arena_printf(list->arena, "%soffset", before), COLUMN_UNSIGNED, 8, true, false });
	add(list, (struct column){ arena_printf(list->arena, "%saddress", before), COLUMN_TEXT, 0, true, false });
}

/* All probes of an event share a table, so it also has what only the returns among them have. */
static void add_site(struct list *list, const struct layout *l)
{
	if (l->site == SITE_EVENT) {
		add_text(list, "source", false);
		return;
	}
	if (l->is_synthetic)
		return;
	if (l->site == SITE_USER)
		add_text(list, "file", false);
	add_place(list, "");
	add_place(list, "caller_");
}

/* ---- arguments ---- */

static void add_part(struct list *list, const char *name, const struct column_part *part, bool array)
{
	add(list, (struct column){ arena_printf(list->arena, "%s_%s", name, part->name), part->kind, part->bytes, true, array });
}

static void add_symbol(struct list *list, const char *name, bool array)
{
	add_text(list, arena_printf(list->arena, "%s_symbol", name), array);
	add(list, (struct column){ arena_printf(list->arena, "%s_address", name), COLUMN_TEXT, 0, true, array });
}

static void add_field(struct list *list, const struct layout_field *f)
{
	const char *name = arena_printf(list->arena, "args_%s", f->name);
	const struct show *show = show_of(&f->type);
	bool array = f->type.count != 0;

	if (show && show->is_text) {
		add_text(list, name, array);
	} else if (show && show->parts) {
		for (const struct column_part *part = show->parts; part->name; part++)
			add_part(list, name, part, array);
	} else if (show) {
		add(list, (struct column){ name, COLUMN_TEXT, 0, true, array });
	} else if (f->type.kind == TYPE_SYMBOL || f->type.kind == TYPE_SYMSTR) {
		add_symbol(list, name, array);
	} else if (type_is_dynamic(&f->type) || f->type.kind == TYPE_CHAR) {
		add_text(list, name, array);
	} else {
		add(list, (struct column){ name, f->type.kind == TYPE_SIGNED ? COLUMN_SIGNED : COLUMN_UNSIGNED, f->type.size, true, array });
	}
}

/* Only --containers fills it. */
static void add_container(struct list *list)
{
	static const char *const parts[] = { "runtime", "id", "pod", "unit", "cgroup" };

	for (unsigned i = 0; i < ARRAY_SIZE(parts); i++)
		add(list, (struct column){ arena_printf(list->arena, "container_%s", parts[i]), COLUMN_TEXT, 0, true, false });
}

static void add_stack(struct list *list, enum stack_kind kind)
{
	static const char *const of_programs[] = { "file", "offset", "build_id" };
	const char *name = stack_name(kind);

	add_symbol(list, name, true);
	for (unsigned i = 0; kind != STACK_KERNEL && i < ARRAY_SIZE(of_programs); i++)
		add(list, (struct column){ arena_printf(list->arena, "%s_%s", name, of_programs[i]), COLUMN_TEXT, 0, true, true });
}

const char *json_columns_clash(struct arena *arena, const struct layout *l)
{
	struct list list = { .arena = arena };

	for (unsigned i = 0; i < l->nr_fields; i++)
		add_field(&list, &l->fields[i]);
	for (unsigned i = 0; i < list.nr; i++) {
		for (unsigned k = 0; k < i; k++) {
			if (!strcmp(list.all[i].name, list.all[k].name))
				return list.all[i].name + strlen("args_");
		}
	}
	return NULL;
}

unsigned json_columns(struct arena *arena, const struct layout *l, const struct column **ret)
{
	struct list list = { .arena = arena };

	add_all(&list, head, ARRAY_SIZE(head));
	add_all(&list, time_and_task, ARRAY_SIZE(time_and_task));
	add_text(&list, "task", false);
	add_all(&list, names, ARRAY_SIZE(names));
	add_site(&list, l);
	add_all(&list, context, ARRAY_SIZE(context));
	for (unsigned i = 0; i < l->nr_fields; i++)
		add_field(&list, &l->fields[i]);
	add_all(&list, found, ARRAY_SIZE(found));
	for (unsigned i = 0; i < l->nr_fields; i++) {
		if (!strcmp(l->fields[i].name, LAYOUT_CGROUP))
			add_container(&list);
	}
	for (unsigned i = 0; i < STACK_KINDS; i++) {
		if (l->stacks >> i & 1)
			add_stack(&list, (enum stack_kind)i);
	}
	*ret = list.all;
	return list.nr;
}

unsigned json_gap_columns(struct arena *arena, const struct column **ret)
{
	struct list list = { .arena = arena };

	add_all(&list, head, ARRAY_SIZE(head));
	add_all(&list, gap, ARRAY_SIZE(gap));
	*ret = list.all;
	return list.nr;
}
