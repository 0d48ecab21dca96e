// SPDX-License-Identifier: GPL-2.0-only
/*
 * filter_part.c - which part of a filter is decided where.
 *
 * A part is what must be true whatever the leaves are that it does not have: negations are at the
 * leaves, so such a leaf counts as true.
 */
#include "plan/filter.h"
#include "plan/plan.h"

/*
 * Stars with text between: one such piece can be looked for in BPF, in the 63 bytes of a short string. More is
 * user space's.
 */
enum { MAX_STARS = 2 };

/*
 * Does a gate stand in front of @plan's program? Not of a return probe for which an entry probe keeps parameters:
 * its program takes them out at each return.
 */
static bool is_gated(const struct plan *plan)
{
	return !plan_has_saver(plan);
}

static enum filter_class field_class(const struct plan *plan, const struct filter_leaf *leaf)
{
	const struct fetch *f = &plan->fetches[leaf->index];

	if (leaf->field->type.kind == TYPE_SYMSTR)
		return FILTER_USER;		/* the record has its address */
	if (!leaf->size)
		return leaf->glob->nr > MAX_STARS + 1 ? FILTER_USER : FILTER_LATE;
	if (f->src == FETCH_COMM || f->src == FETCH_TEXT || f->src == FETCH_CALLER || f->add || !is_gated(plan))
		return FILTER_LATE;
	return FILTER_EARLY;
}

enum filter_class filter_class(const struct plan *plan, const struct filter_leaf *leaf)
{
	if (leaf->in_user)
		return FILTER_USER;
	switch (leaf->source) {
	case FILTER_FIELD:
		return field_class(plan, leaf);
	case FILTER_PID:
	case FILTER_CPU:
		return is_gated(plan) ? FILTER_EARLY : FILTER_LATE;
	case FILTER_COMM:		/* where it ends is not known */
		return leaf->glob->nr == 1 || (leaf->glob->nr == 2 && !leaf->glob->segments[1].len) ? FILTER_LATE
												     : FILTER_USER;
	case FILTER_PLACE:
	case FILTER_CALLER:
		return FILTER_LATE;
	default:
		return FILTER_USER;
	}
}

/* Is the leaf only decided where the string fits its short room? */
static bool is_short_only(const struct filter_leaf *leaf)
{
	return leaf->field && leaf->field->grows && leaf->glob->nr > 2;
}

/* Is there anything in @cond that could not be decided before? */
static bool is_late(const struct plan *plan, const struct filter_cond *cond)
{
	if (cond->joint == FILTER_LEAF)
		return filter_class(plan, cond->leaf) > FILTER_EARLY;
	for (const struct filter_cond *child = cond->child; child; child = child->next) {
		if (is_late(plan, child))
			return true;
	}
	return false;
}

struct part {
	const struct plan *plan;
	enum filter_class up_to;	/* what can be decided there */
	bool is_long;			/* ... in the record for long strings */
	struct arena *arena;
};

static bool is_known(const struct part *p, const struct filter_leaf *leaf)
{
	return filter_class(p->plan, leaf) <= p->up_to && !(p->is_long && is_short_only(leaf));
}

/* NULL: true whatever the leaves are that are left out. */
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

const struct filter_cond *filter_early_part(const struct plan *plan, struct arena *arena)
{
	struct part p = { .plan = plan, .up_to = FILTER_EARLY, .arena = arena };

	return plan->filter ? part_of(&p, plan->filter->root) : NULL;
}

const struct filter_cond *filter_late_part(const struct plan *plan, bool is_long, struct arena *arena)
{
	struct part p = { .plan = plan, .up_to = FILTER_LATE, .is_long = is_long, .arena = arena };
	struct filter_cond *all = plan->filter ? part_of(&p, plan->filter->root) : NULL, **last;

	if (!all || !is_late(plan, all))
		return NULL;
	if (all->joint != FILTER_BOTH)
		return all;
	last = &all->child;
	for (struct filter_cond *child = all->child; child; child = child->next) {
		if (is_late(plan, child)) {
			*last = child;
			last = &child->next;
		}
	}
	*last = NULL;
	return all->child->next ? all : all->child;
}

bool filter_needs_user(const struct plan *plan)
{
	for (unsigned i = 0; plan->filter && i < plan->filter->nr_leaves; i++) {
		const struct filter_leaf *leaf = plan->filter->leaves[i];

		if (filter_class(plan, leaf) == FILTER_USER || is_short_only(leaf))
			return true;
	}
	return false;
}

bool filter_leave_to_user(struct plan *plan)
{
	bool any = false;

	for (unsigned i = 0; plan->filter && i < plan->filter->nr_leaves; i++) {
		struct filter_leaf *leaf = plan->filter->leaves[i];

		if (!leaf->size && filter_class(plan, leaf) == FILTER_LATE)
			leaf->in_user = any = true;
	}
	return any;
}

void filter_take_back(struct plan *plan)
{
	for (unsigned i = 0; plan->filter && i < plan->filter->nr_leaves; i++)
		plan->filter->leaves[i]->in_user = false;
}
