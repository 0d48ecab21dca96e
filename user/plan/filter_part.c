// SPDX-License-Identifier: GPL-2.0-only
/*
 * filter_part.c - the parts of a filter that are decided at one stage.
 *
 * A part is what must be true no matter what the leaves are that are not in it. Such a leaf counts as
 * true. This is correct because negations are at the leaves only.
 */
#include "plan/filter_plan.h"
#include "plan/plan.h"

bool filter_is_short_only(const struct filter_leaf *leaf)
{
	return leaf->field && leaf->field->grows && leaf->glob->nr > 2;
}

/* Is there a leaf in @cond that could not be decided by the gate? */
static bool is_late(const struct filter_cond *cond)
{
	if (cond->joint == FILTER_LEAF)
		return cond->leaf->stage > STAGE_GATE;
	for (const struct filter_cond *child = cond->child; child; child = child->next) {
		if (is_late(child))
			return true;
	}
	return false;
}

struct part {
	enum stage up_to;		/* the last stage whose leaves are known */
	bool is_long;			/* decided in the record for long strings */
	struct arena *arena;
};

static bool is_known(const struct part *p, const struct filter_leaf *leaf)
{
	return leaf->stage <= p->up_to && !(p->is_long && filter_is_short_only(leaf));
}

/* NULL: the part is true no matter what the omitted leaves are. */
static struct filter_cond *part_of(const struct part *p, const struct filter_cond *cond)
{
	struct filter_cond *part = arena_new(p->arena, struct filter_cond), **last = &part->child;

	*part = (struct filter_cond){ .joint = cond->joint, .leaf = cond->leaf };
	if (cond->joint == FILTER_LEAF)
		return is_known(p, cond->leaf) ? part : NULL;
	for (const struct filter_cond *child = cond->child; child; child = child->next) {
		*last = part_of(p, child);
		if (*last)
			last = &(*last)->next;
		else if (cond->joint == FILTER_EITHER)
			return NULL;
	}
	if (part->child && !part->child->next)
		return part->child;
	return part->child ? part : NULL;
}

static struct filter_cond *gate_part(const struct filter *filter, struct arena *arena)
{
	return part_of(&(struct part){ .up_to = STAGE_GATE, .arena = arena }, filter->root);
}

/* Without what the gate has decided. */
static struct filter_cond *record_part(const struct filter *filter, bool is_long, struct arena *arena)
{
	struct part p = { .up_to = STAGE_RECORD, .is_long = is_long, .arena = arena };
	struct filter_cond *all = part_of(&p, filter->root), **last;

	if (!all || !is_late(all))
		return NULL;
	if (all->joint != FILTER_BOTH)
		return all;
	last = &all->child;
	for (struct filter_cond *child = all->child; child; child = child->next) {
		if (is_late(child)) {
			*last = child;
			last = &child->next;
		}
	}
	*last = NULL;
	return all->child->next ? all : all->child;
}

void filter_split(struct filter *filter, struct arena *arena)
{
	filter->in_gate = gate_part(filter, arena);
	filter->by_record[false] = record_part(filter, false, arena);
	filter->by_record[true] = record_part(filter, true, arena);
}

bool filter_needs_user(const struct plan *plan)
{
	return plan->filter && plan->filter->stage == STAGE_USER;
}
