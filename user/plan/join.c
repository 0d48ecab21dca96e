// SPDX-License-Identifier: GPL-2.0-only
/*
 * join.c - one more probe of an event that there is.
 */
#include "plan/join.h"

#include <errno.h>
#include <string.h>

/* A bit-field counts as the number that holds it, as in the kernel's listing of fields. */
static struct type plain(const struct type *type)
{
	struct type t = *type;

	if (t.kind == TYPE_BITFIELD)
		t.kind = TYPE_UNSIGNED;
	return t;
}

static bool same_type(const struct type *a, const struct type *b)
{
	return plain(a).kind == plain(b).kind && a->size == b->size && a->count == b->count;
}

static const char *count(unsigned nr)
{
	return nr == 1 ? "" : "s";
}

static int other_number(const struct layout *event, const struct plan *plan, struct diag *diag)
{
	const struct probe_def *def = plan->def;
	unsigned had = event->nr_fields, has = plan->layout.nr_fields;
	struct span last = has ? def->args[has - 1].at : def->place.at;
	/* The first that is too much; or where the next one would stand, behind a space. */
	struct span at = has > had ? def->args[had].at : (struct span){ last.off + last.len + 1, 0 };

	return diag_at(diag, -EEXIST, at, "event %s/%s has %u argument%s, and this probe has %u", def->group, def->event, had,
		       count(had), has);
}

static int other_type(const struct layout_field *was, const struct layout_field *is, const struct plan *plan, struct span at,
		      struct diag *diag)
{
	const struct probe_def *def = plan->def;
	struct type x = plain(&was->type), y = plain(&is->type);
	struct buf a = { 0 }, b = { 0 };
	int err;

	type_print(&x, &a);
	type_print(&y, &b);
	err = diag_at(diag, -EEXIST, at, "argument %s of event %s/%s is of type %s, and this one of type %s", was->name, def->group,
		      def->event, buf_str(&a), buf_str(&b));
	buf_fini(&a);
	buf_fini(&b);
	return err;
}

int join_check(const struct layout *event, const struct plan *plan, struct diag *diag)
{
	const struct probe_def *def = plan->def;
	const struct layout *layout = &plan->layout;

	if (event->is_return != layout->is_return)
		return diag_at(diag, -EEXIST, def->head_at, "event %s/%s has a probe of the other kind already: "
			       "p and r cannot share one", def->group, def->event);
	if (event->nr_fields != layout->nr_fields)
		return other_number(event, plan, diag);
	for (unsigned i = 0; i < layout->nr_fields; i++) {
		const struct layout_field *was = &event->fields[i], *is = &layout->fields[i];

		if (strcmp(was->name, is->name))
			return diag_at(diag, -EEXIST, def->args[i].at, "argument %u of event %s/%s is called %s, and this one %s",
				       i + 1, def->group, def->event, was->name, is->name);
		if (!same_type(&was->type, &is->type))
			return other_type(was, is, plan, def->args[i].at, diag);
	}
	return 0;
}
