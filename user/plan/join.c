// SPDX-License-Identifier: GPL-2.0-only
/*
 * join.c - one more probe for an event that exists already.
 */
#include "plan/join.h"

#include <errno.h>

static const char *count(unsigned nr)
{
	return nr == 1 ? "" : "s";
}

static int other_number(const struct layout *event, const struct plan *plan, struct diag *diag)
{
	const struct probe_def *def = plan->def;
	unsigned had = event->nr_fields, has = plan->layout.nr_fields;
	struct span last = has ? def->args[has - 1].at : def->place.at;
	/* The first superfluous argument; or the place of the missing one, behind a space. */
	struct span at = has > had ? def->args[had].at : (struct span){ last.off + last.len + 1, 0 };

	return diag_at(diag, -EEXIST, at, "event %s/%s has %u argument%s, and this probe has %u", def->group, def->event, had,
		       count(had), has);
}

static int other_name(const struct layout_field *was, const struct layout_field *is, const struct plan *plan, unsigned i,
		      struct diag *diag)
{
	const struct probe_def *def = plan->def;

	return diag_at(diag, -EEXIST, def->args[i].at, "argument %u of event %s/%s is called %s, and this one %s", i + 1,
		       def->group, def->event, was->name, is->name);
}

static int other_type(const struct layout_field *was, const struct layout_field *is, const struct plan *plan, unsigned i,
		      struct diag *diag)
{
	const struct probe_def *def = plan->def;
	struct type x = layout_shared_type(&was->type), y = layout_shared_type(&is->type);
	struct buf a = { 0 }, b = { 0 };
	int err;

	type_print(&x, &a);
	type_print(&y, &b);
	err = diag_at(diag, -EEXIST, def->args[i].at, "argument %s of event %s/%s is of type %s, and this one of type %s",
		      was->name, def->group, def->event, buf_str(&a), buf_str(&b));
	buf_fini(&a);
	buf_fini(&b);
	return err;
}

int join_check(const struct layout *event, const struct plan *plan, struct diag *diag)
{
	const struct probe_def *def = plan->def;
	const struct layout *layout = &plan->layout;
	unsigned i = 0;

	switch (layout_compare(event, layout, &i)) {
	case LAYOUT_OTHER_KIND:
		return diag_at(diag, -EEXIST, def->head_at, "event %s/%s has a probe of the other kind already: "
			       "p and r cannot share one", def->group, def->event);
	case LAYOUT_OTHER_NUMBER:
		return other_number(event, plan, diag);
	case LAYOUT_OTHER_NAME:
		return other_name(&event->fields[i], &layout->fields[i], plan, i, diag);
	case LAYOUT_OTHER_TYPE:
		return other_type(&event->fields[i], &layout->fields[i], plan, i, diag);
	default:
		return 0;
	}
}
