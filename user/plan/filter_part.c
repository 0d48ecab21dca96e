// SPDX-License-Identifier: GPL-2.0-only
/*
 * filter_part.c - where each part of a filter is decided.
 *
 * A part is what must be true no matter what the leaves are that are not in it. Such a leaf counts as
 * true. This is correct because negations are at the leaves only.
 */
#include "plan/filter_plan.h"
#include "plan/plan.h"

/*
 * Two stars have one piece of text between them. BPF can search for one such piece, in the 63 bytes of a short
 * string. User space handles patterns with more stars.
 */
enum { MAX_STARS = 2 };

/*
 * Does @plan's program have a gate? A return probe has none if an entry probe saves parameters for it, because its
 * program must remove them at each return. Each hit of an event that ends pairs ends one, so it has none either.
 */
static bool is_gated(const struct plan *plan)
{
	return !plan_has_saver(plan) && !plan->ends_pair;
}

static enum filter_class field_class(const struct plan *plan, const struct filter_leaf *leaf)
{
	const struct fetch *f = &plan->fetches[leaf->index];

	if (leaf->field->type.kind == TYPE_SYMSTR || leaf->by_text)
		return FILTER_USER;		/* the record has only the address, or other bytes than the text */
	if (!leaf->size)
		return leaf->glob->nr > MAX_STARS + 1 ? FILTER_USER : FILTER_LATE;
	if (fetch_wants_record(f) || f->add || !is_gated(plan) || (plan->faults_in && f->nr_derefs))
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
	case FILTER_PLACE:
		if (plan->layout.backend->hit.places[plan->layout.is_return] == PLACE_UTASK)
			return FILTER_LATE;
		return is_gated(plan) ? FILTER_EARLY : FILTER_LATE;
	case FILTER_PID:
	case FILTER_CPU:
	case FILTER_CONSTANT:
		return is_gated(plan) ? FILTER_EARLY : FILTER_LATE;
	case FILTER_COMM:		/* BPF does not know where the name ends */
		return leaf->glob->nr == 1 || (leaf->glob->nr == 2 && !leaf->glob->segments[1].len) ? FILTER_LATE
												     : FILTER_USER;
	case FILTER_CALLER:
		return FILTER_LATE;
	default:
		return FILTER_USER;
	}
}

/* Is the leaf decided in BPF only if the string fits its short space? */
static bool is_short_only(const struct filter_leaf *leaf)
{
	return leaf->field && leaf->field->grows && leaf->glob->nr > 2;
}

/* Is there a leaf in @cond that could not be decided early? */
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
	enum filter_class up_to;	/* the last class that can be decided there */
	bool is_long;			/* decided in the record for long strings */
	struct arena *arena;
};

static bool is_known(const struct part *p, const struct filter_leaf *leaf)
{
	return filter_class(p->plan, leaf) <= p->up_to && !(p->is_long && is_short_only(leaf));
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
	bool begins_pair = plan->pair && !plan->ends_pair;	/* user space would decide too late which hits do */
	bool any = false;

	for (unsigned i = 0; plan->filter && !begins_pair && i < plan->filter->nr_leaves; i++) {
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
