// SPDX-License-Identifier: GPL-2.0-only
/*
 * pair.c - events whose hits begin or end pairs.
 */
#include "plan/pair.h"

#include <errno.h>
#include <string.h>

#include "lang/pair.h"
#include "plan/fetches.h"
#include "plan/filter_plan.h"
#include "plan/limit.h"
#include "plan/resolver.h"

bool plan_has_saved(const struct plan *plan)
{
	return plan_has_saver(plan) || plan->paired.ends;
}

bool pair_needs_record(const struct plan *plan)
{
	return plan->filter && plan->filter->by_record[false];
}

bool pair_is_silent(const struct plan *plan)
{
	return plan->def->silent && !pair_needs_record(plan) && !limit_is_set(plan->limit) && !plan->faults_in;
}

/* Is it a number that is known before there is a record? */
static bool can_be_key(const struct layout_field *f, const struct fetch *fetch)
{
	switch (f->type.kind) {
	case TYPE_UNSIGNED:
	case TYPE_SIGNED:
	case TYPE_HEX:
	case TYPE_CHAR:
	case TYPE_SYMBOL:
	case TYPE_BITFIELD:
		break;
	default:
		return false;
	}
	return !f->type.count && f->type.show != SHOW_BIG_ENDIAN && !fetch_wants_record(fetch) && fetch->src != FETCH_ELAPSED;
}

static int find_field(const struct resolver *r, struct plan *plan)
{
	const struct pair *pair = plan->paired.pair;
	struct diag *diag = r->diag;
	unsigned i = 0;

	while (i < plan->layout.nr_fields && strcmp(plan->layout.fields[i].name, pair->field))
		i++;
	plan->paired.field = i;
	diag->text = pair->text;
	if (i == plan->layout.nr_fields)
		return diag_at(diag, -ENOENT, pair->field_at, "%s has no field '%s'", plan->layout.event, pair->field);
	if (!can_be_key(&plan->layout.fields[i], &plan->fetches[i]))
		return diag_at(diag, -EINVAL, pair->field_at, "'%s' of %s is no number that a pair can have as its key",
			       pair->field, plan->layout.event);
	diag->text = plan->def->text;
	return 0;
}

/* User space sees a record long after the hit. */
static int check_filter(const struct resolver *r, const struct plan *plan)
{
	if (plan->paired.ends || !plan->filter || !filter_needs_user(plan))
		return 0;
	r->diag->text = plan->def->filter->text;
	return diag_at(r->diag, -EINVAL, plan->def->filter->at, "a part of this filter is decided in user space, so in the kernel "
		       "it is not known which hits begin a pair");
}

int pair_resolve(const struct resolver *r, struct plan *plan)
{
	int err;

	if (!plan->paired.pair)
		return 0;
	if (plan->saved.time) {
		err = diag_at(r->diag, -EINVAL, r->def->head_at, "an event with $elapsed cannot begin a pair");
		diag_note(r->diag, "help: give the durations of its calls to another event of the same function");
		return err;
	}
	err = plan->paired.pair->field ? find_field(r, plan) : 0;
	return err ? err : check_filter(r, plan);
}

int pair_check(const struct plan *begin, const struct plan *end, struct diag *diag)
{
	const struct pair *pair = begin->paired.pair;
	const struct layout_field *a, *b;

	if (!pair->field)
		return 0;
	a = &begin->layout.fields[begin->paired.field];
	b = &end->layout.fields[end->paired.field];
	if (a->size == b->size)
		return 0;
	diag->text = pair->text;
	return diag_at(diag, -EINVAL, pair->field_at, "'%s' has %u byte%s in %s and %u in %s, so its values are not the same",
		       pair->field, a->size, a->size == 1 ? "" : "s", begin->layout.event, b->size, end->layout.event);
}
