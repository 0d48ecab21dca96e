// SPDX-License-Identifier: GPL-2.0-only
/*
 * synthetic.c - the layout of a synthetic event's records.
 *
 * It is that of an entry probe whose place is 0. So whatever reads a record finds the same head in it.
 */
#include "plan/synthetic.h"

#include "plan/backend.h"
#include "plan/count.h"

struct plan *synthetic_plan(struct arena *arena, const struct synthetic_def *def)
{
	struct plan *plan = arena_new(arena, struct plan);
	struct probe_def *named = arena_new(arena, struct probe_def);
	struct layout *l = &plan->layout;

	*named = (struct probe_def){ .text = def->text, .kind = DEF_ENTRY, .group = SYNTHETIC_GROUP, .event = def->name,
				    .filter = def->filter };
	plan->arena = arena;
	plan->def = named;
	*l = (struct layout){ .group = SYNTHETIC_GROUP, .event = def->name, .dialect = DIALECT_KPROBE, .is_synthetic = true,
			      .backend = &backend_none, .fields = arena_array(arena, struct layout_field, def->nr_fields),
			      .nr_fields = def->nr_fields };
	for (unsigned i = 0; i < def->nr_fields; i++) {
		const struct synthetic_field *f = &def->fields[i];

		l->fields[i] = (struct layout_field){ .name = f->name, .own_type = f->type, .typed = true,
						      .type = { .kind = f->kind, .size = f->size }, .count = 1, .mark = LAYOUT_NO_MARK };
		if (f->kind == TYPE_STRING)
			l->fields[i].room = SYNTHETIC_MAX_STRING;
		if (!f->is_stack)
			continue;
		l->fields[i].type.is_stack = true;
		l->fields[i].type.count = COUNT_FRAMES;
		l->fields[i].count = COUNT_FRAMES;
	}
	layout_compute(l);		/* cannot be too large: 64 fields of 256 bytes */
	return plan;
}
