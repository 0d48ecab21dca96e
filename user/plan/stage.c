// SPDX-License-Identifier: GPL-2.0-only
/*
 * stage.c - settles who decides and counts a hit, and when.
 */
#include "plan/stage.h"

#include "plan/act.h"
#include "plan/cold.h"
#include "plan/count.h"
#include "plan/fetches.h"
#include "plan/limit.h"
#include "plan/plan.h"

/*
 * Two stars have one piece of text between them. BPF can search for one such piece, in the 63 bytes of a short
 * string. User space handles patterns with more stars.
 */
enum { MAX_STARS = 2 };

static enum stage later(enum stage a, enum stage b)
{
	return a > b ? a : b;
}

/* ---- what a leaf compares ---- */

/*
 * Where a number of the context is known first. A return probe has no gate if an entry probe saves parameters for it, because its
 * program must remove them at each return. Each hit of an event that ends pairs ends one, so it has none either.
 */
static enum stage context_stage(const struct plan *plan)
{
	return plan_has_saver(plan) || plan->paired.ends ? STAGE_PROGRAM : STAGE_GATE;
}

static enum stage field_stage(const struct plan *plan, const struct filter_leaf *leaf)
{
	const struct fetch *f = plan->fetches ? &plan->fetches[leaf->index] : NULL;

	if (leaf->field->type.kind == TYPE_SYMSTR || leaf->by_text)
		return STAGE_USER;		/* the record has only the address, or other bytes than the text */
	if (!leaf->size)
		return leaf->glob->nr > MAX_STARS + 1 ? STAGE_USER : STAGE_RECORD;
	if (!f)				/* of a synthetic event */
		return STAGE_RECORD;
	if (fetch_wants_record(f) || f->src == FETCH_CALC || f->add || cold_is_waited_for(plan, f))
		return STAGE_RECORD;
	return context_stage(plan);
}

/* BPF does not know where the name ends. */
static bool is_name_known(const struct glob *glob)
{
	return glob->nr == 1 || (glob->nr == 2 && !glob->segments[1].len);
}

/* The first stage at which what @leaf compares is known. */
static enum stage known(const struct plan *plan, const struct filter_leaf *leaf)
{
	if (leaf->in_user)
		return STAGE_USER;
	switch (leaf->source) {
	case FILTER_FIELD:
		return field_stage(plan, leaf);
	case FILTER_PLACE:
		return plan->layout.backend->hit.places[plan->layout.is_return] == PLACE_UTASK ? STAGE_PROGRAM : context_stage(plan);
	case FILTER_PID:
	case FILTER_CPU:
	case FILTER_CONSTANT:
		return context_stage(plan);
	case FILTER_COMM:
		return is_name_known(leaf->glob) ? STAGE_RECORD : STAGE_USER;
	case FILTER_CALLER:
	case FILTER_TIME:
		return STAGE_RECORD;
	default:
		return STAGE_USER;
	}
}

/* ---- filters ---- */

/* The filter of a trigger stands where the trigger does, so all of it must be known there, also in a record of either size. */
static enum stage trigger_filter_stage(const struct plan *plan, struct filter *filter)
{
	enum stage stage = STAGE_GATE;

	if (!filter)
		return stage;
	for (unsigned i = 0; i < filter->nr_leaves; i++) {
		struct filter_leaf *leaf = filter->leaves[i];

		leaf->stage = known(plan, leaf);
		stage = later(stage, filter_is_short_only(leaf) ? STAGE_USER : leaf->stage);
	}
	filter->stage = stage;
	return stage;
}

/* The definition's filter is decided in parts, by the gate, by the record and in user space, and by nothing between these. */
static void settle_filter(struct plan *plan)
{
	struct filter *filter = plan->filter;

	if (trigger_filter_stage(plan, filter) == STAGE_PROGRAM)
		filter->stage = STAGE_RECORD;
	for (unsigned i = 0; i < filter->nr_leaves; i++) {
		if (filter->leaves[i]->stage == STAGE_PROGRAM)
			filter->leaves[i]->stage = STAGE_RECORD;
	}
	filter_split(filter, plan->arena);
}

/* The first stage at which it is known that the definition's filter takes the hit. */
static enum stage wanted_stage(const struct plan *plan)
{
	return plan->filter ? plan->filter->stage : STAGE_GATE;
}

/* ---- limits ---- */

/* A hit that the filter rejects takes no token, and the program has work to do for one that a limit drops. */
static enum stage limit_stage(const struct plan *plan)
{
	if (!limit_is_set(plan->limit))
		return STAGE_NONE;
	return (plan->filter && plan->filter->by_record[false]) || plan_has_saver(plan) || plan->paired.pair ? STAGE_RECORD : STAGE_GATE;
}

/* ---- triggers ---- */

static void settle_acts(struct plan *plan)
{
	enum stage stage = later(later(wanted_stage(plan), plan->limit_stage), STAGE_PROGRAM);

	if (act_takes_stack(plan->sets_off.acts))
		stage = later(stage, STAGE_RECORD);
	for (const struct act *a = plan->sets_off.acts; a; a = a->next)
		stage = later(stage, trigger_filter_stage(plan, a->filter));
	for (struct act *a = plan->sets_off.acts; a; a = a->next)
		a->stage = stage;
}

/*
 * Without a string, the key takes the place of the record's stack, and strings would be in front of that. A stack that the entry
 * has kept is read once.
 */
static enum stage stack_stage(const struct plan *plan, const struct count *c)
{
	bool has_place = count_has_string(c) || c->is_table || (plan->layout.stacks == 1u << STACK_KERNEL && !plan->layout.nr_strings);

	return has_place && !plan->saved.stack ? STAGE_RECORD : STAGE_USER;
}

static enum stage number_stage(const struct plan *plan, const struct count_number *n);

static enum stage calc_stage(const struct plan *plan, const struct count_calc *c)
{
	if (c->kind == HIST_FIELD)
		return number_stage(plan, &c->field);
	return later(c->left ? calc_stage(plan, c->left) : STAGE_GATE, c->right ? calc_stage(plan, c->right) : STAGE_GATE);
}

/* What a filter compares in the context is left to user space; a histogram has it from the record. */
static enum stage number_stage(const struct plan *plan, const struct count_number *n)
{
	if (!n->calc && (n->leaf.source == FILTER_FLAGS || n->leaf.source == FILTER_COUNT))
		return STAGE_RECORD;
	return n->calc ? calc_stage(plan, n->calc) : known(plan, &n->leaf);
}

static enum stage var_stage(const struct plan *plan, const struct count_var *v)
{
	return v->text.kind == COUNT_TEXT_NONE ? number_stage(plan, &v->number) : STAGE_RECORD;
}

/* What is done with the record by a function of its own. */
static enum stage table_stage(const struct plan *plan, const struct count *c)
{
	enum stage stage = STAGE_RECORD;

	for (unsigned i = 0; i < c->nr_vars; i++)
		stage = later(stage, var_stage(plan, &c->vars[i]));
	for (unsigned i = 0; i < c->nr_actions; i++) {
		for (unsigned k = 0; c->actions[i].saved && k < c->actions[i].nr_params; k++)
			stage = later(stage, var_stage(plan, &c->actions[i].saved[k]));
	}
	return stage;
}

/* The first stage at which all is known that @c counts. */
static enum stage count_stage(const struct plan *plan, const struct count *c)
{
	enum stage stage = trigger_filter_stage(plan, c->filter);

	if (c->is_table)
		stage = later(stage, table_stage(plan, c));
	if (count_takes_stack(c))
		stage = later(stage, stack_stage(plan, c));
	if (count_has_string(c))
		stage = later(stage, STAGE_RECORD);
	for (unsigned i = 0; i < c->nr_keys; i++) {
		if (count_key_is_number(&c->keys[i]))
			stage = later(stage, number_stage(plan, &c->keys[i].number));
	}
	for (unsigned i = 0; i < c->nr_values; i++)
		stage = later(stage, number_stage(plan, &c->values[i]));
	return stage;
}

static unsigned reads_duration(const struct plan *plan, const struct filter_leaf *leaf)
{
	return leaf->source == FILTER_FIELD && plan->fetches && fetch_has_source(&plan->fetches[leaf->index], FETCH_ELAPSED);
}

/* How often the duration is read for @c, without what is calculated: that needs a record. */
static unsigned durations_read(const struct plan *plan, const struct count *c)
{
	unsigned nr = 0;

	for (unsigned i = 0; c->filter && i < c->filter->nr_leaves; i++)
		nr += reads_duration(plan, c->filter->leaves[i]);
	for (unsigned i = 0; i < c->nr_keys; i++)
		nr += count_key_is_number(&c->keys[i]) && reads_duration(plan, &c->keys[i].number.leaf);
	for (unsigned i = 0; i < c->nr_values; i++)
		nr += reads_duration(plan, &c->values[i].leaf);
	return nr;
}

/*
 * A hit begins its pair with its record's time. It ends one before it has a record; then each read of the duration reads the clock, so a
 * duration that is read twice is the record's.
 */
static enum stage pair_stage(const struct plan *plan)
{
	unsigned nr = 0;

	if (!plan->paired.ends)
		return STAGE_RECORD;
	for (const struct count *c = plan->sets_off.counts; c; c = c->next)
		nr += durations_read(plan, c);
	return nr > 1 ? STAGE_RECORD : STAGE_PROGRAM;
}

static void settle_counts(struct plan *plan)
{
	enum stage stage = later(wanted_stage(plan), plan->limit_stage);

	/* A program that keeps one value runs at the entry too, with the same gate; one with a saver has no gate. */
	if (plan->layout.backend->hit.shows_one || plan_has_saver(plan))
		stage = later(stage, STAGE_PROGRAM);
	if (plan->paired.pair)
		stage = later(stage, pair_stage(plan));
	stage = later(stage, stage_of_acts(plan));	/* they act first */
	for (const struct count *c = plan->sets_off.counts; c; c = c->next)
		stage = later(stage, count_stage(plan, c));
	for (struct count *c = plan->sets_off.counts; c; c = c->next)
		c->stage = stage;
}

void stage_settle(struct plan *plan)
{
	if (plan->filter)
		settle_filter(plan);
	plan->limit_stage = limit_stage(plan);
	settle_acts(plan);
	settle_counts(plan);
}

bool stage_can_count(const struct plan *plan, const struct count *c)
{
	return later(wanted_stage(plan), count_stage(plan, c)) < STAGE_USER;
}

bool stage_can_act(const struct plan *plan, struct filter *filter)
{
	return later(wanted_stage(plan), trigger_filter_stage(plan, filter)) < STAGE_USER;
}

enum stage stage_of_counts(const struct plan *plan)
{
	return plan->sets_off.counts ? plan->sets_off.counts->stage : STAGE_NONE;
}

enum stage stage_of_acts(const struct plan *plan)
{
	return plan->sets_off.acts ? plan->sets_off.acts->stage : STAGE_NONE;
}

/* ---- refused programs ---- */

bool stage_filter_to_user(struct plan *plan)
{
	bool begins_pair = plan->paired.pair && !plan->paired.ends;	/* user space would decide too late which hits do */
	bool any = false;

	for (unsigned i = 0; plan->filter && !begins_pair && i < plan->filter->nr_leaves; i++) {
		struct filter_leaf *leaf = plan->filter->leaves[i];

		if (!leaf->size && leaf->stage == STAGE_RECORD)
			leaf->in_user = any = true;
	}
	if (any)
		stage_settle(plan);
	return any;
}

void stage_filter_back(struct plan *plan)
{
	for (unsigned i = 0; plan->filter && i < plan->filter->nr_leaves; i++)
		plan->filter->leaves[i]->in_user = false;
	stage_settle(plan);
}

void stage_counts_to_user(struct plan *plan)
{
	plan->sets_off.counts = NULL;
	stage_settle(plan);
}
