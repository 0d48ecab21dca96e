// SPDX-License-Identifier: GPL-2.0-only
/*
 * count.c - when a histogram can be counted by the definition's program.
 */
#include "plan/count.h"

#include "plan/act.h"
#include "plan/plan.h"

static enum count_time at_least(enum count_time a, enum count_time b)
{
	return a > b ? a : b;
}

static enum count_time time_of_class(enum filter_class class)
{
	switch (class) {
	case FILTER_EARLY:
		return COUNT_EARLY;
	case FILTER_LATE:
		return COUNT_LATE;
	default:
		return COUNT_NEVER;
	}
}

/* The program can fetch a number before there is a record, too, but not what only the record has. */
static enum count_time number_time(const struct plan *plan, const struct filter_leaf *leaf)
{
	enum count_time time = time_of_class(filter_class(plan, leaf));
	const struct fetch *f = leaf->source == FILTER_FIELD ? &plan->fetches[leaf->index] : NULL;
	bool by_context = f ? leaf->size && !fetch_wants_record(f) && !f->add && !(plan->faults_in && f->nr_derefs)
			    : leaf->source == FILTER_PID || leaf->source == FILTER_CPU || leaf->source == FILTER_PLACE ||
			      leaf->source == FILTER_CONSTANT;

	return time == COUNT_LATE && by_context ? COUNT_PROGRAM : time;
}

static enum count_time filter_time(const struct plan *plan, const struct filter *filter)
{
	enum count_time time = COUNT_EARLY;

	for (unsigned i = 0; filter && i < filter->nr_leaves; i++)
		time = at_least(time, number_time(plan, filter->leaves[i]));
	return time;
}

/*
 * A string that may be longer than its short record has room for can be decided in the short record only: the filter could be
 * undecided.
 */
static bool is_whole(const struct plan *plan, const struct filter *filter)
{
	struct plan trial = *plan;

	trial.filter = (struct filter *)filter;
	return !filter_needs_user(&trial);
}

enum count_time count_filter_time(const struct plan *plan, const struct filter *filter)
{
	return is_whole(plan, filter) ? filter_time(plan, filter) : COUNT_NEVER;
}

bool count_has_stack(const struct count *c)
{
	for (unsigned i = 0; i < c->nr_keys; i++) {
		if (c->keys[i].is_stack)
			return true;
	}
	return false;
}

bool count_has_string(const struct count *c)
{
	for (unsigned i = 0; i < c->nr_keys; i++) {
		if (c->keys[i].string)
			return true;
	}
	return false;
}

uint32_t count_key_room(const struct count *counts)
{
	uint32_t room = 0;

	for (const struct count *c = counts; c; c = c->next) {
		if (count_has_string(c))
			room = MAX(room, c->table->key_size);
	}
	return ROUND_UP(room, 8u);
}

uint32_t count_string_size(const struct layout_field *field)
{
	return field->grows ? (uint32_t)COUNT_STRING : MIN(ROUND_UP(field->room, 8u), (uint32_t)COUNT_STRING);
}

bool count_key_is_number(const struct count_key *key)
{
	return !key->is_comm && !key->is_stack && !key->string;
}

/*
 * Without a string, the key takes the place of the record's stack, and strings would be in front of that. A stack that the entry
 * has kept is read once.
 */
static enum count_time stack_time(const struct plan *plan, const struct count *c)
{
	bool has_place = count_has_string(c) || (plan->layout.stacks == 1u << STACK_KERNEL && !plan->layout.nr_strings);

	return has_place && !plan->saves_stack ? COUNT_LATE : COUNT_NEVER;
}

enum count_time count_time(const struct plan *plan, const struct count *counts)
{
	enum count_time time = filter_time(plan, plan->filter);

	/* The definition's own filter is in the gate, or behind the record. */
	if (time == COUNT_PROGRAM)
		time = COUNT_LATE;

	if (!is_whole(plan, plan->filter))
		return COUNT_NEVER;
	/* Such a program runs at the entry too, with the same gate. */
	if (plan->layout.backend->hit.shows_one)
		time = at_least(time, COUNT_PROGRAM);
	if (plan_has_saver(plan))	/* it has no gate */
		time = at_least(time, COUNT_PROGRAM);
	if (plan->acts)			/* they act first */
		time = at_least(time, act_time(plan));
	if (plan->pair)			/* a hit begins its pair with its record's time, and ends one before that is made */
		time = at_least(time, COUNT_LATE);
	for (const struct count *c = counts; c; c = c->next) {
		if (count_has_stack(c))
			time = at_least(time, stack_time(plan, c));
		if (count_has_string(c))
			time = at_least(time, COUNT_LATE);
		time = at_least(time, filter_time(plan, c->filter));
		if (!is_whole(plan, c->filter))
			return COUNT_NEVER;
		for (unsigned i = 0; i < c->nr_keys; i++) {
			if (count_key_is_number(&c->keys[i]))
				time = at_least(time, number_time(plan, &c->keys[i].number.leaf));
		}
		for (unsigned i = 0; i < c->nr_values; i++)
			time = at_least(time, number_time(plan, &c->values[i].leaf));
	}
	return time;
}

bool count_uses_pid(const struct count *counts)
{
	bool uses = false;

	for (const struct count *c = counts; c; c = c->next) {
		for (unsigned i = 0; i < c->nr_keys; i++)
			uses |= count_key_is_number(&c->keys[i]) && c->keys[i].number.leaf.source == FILTER_PID;
		for (unsigned i = 0; i < c->nr_values; i++)
			uses |= c->values[i].leaf.source == FILTER_PID;
		for (unsigned i = 0; c->filter && i < c->filter->nr_leaves; i++)
			uses |= c->filter->leaves[i]->source == FILTER_PID;
	}
	return uses;
}
