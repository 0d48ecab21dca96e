// SPDX-License-Identifier: GPL-2.0-only
/*
 * head.c - which parts of a record's head somebody reads.
 */
#include "plan/head.h"

#include "plan/count.h"
#include "plan/layout.h"
#include "plan/plan.h"

static unsigned of_leaf(const struct filter_leaf *leaf)
{
	switch (leaf->source) {
	case FILTER_FIELD:		/* fetched: of_fetch() */
	case FILTER_CPU:
	case FILTER_TYPE:
	case FILTER_CONSTANT:
		return 0;
	case FILTER_PID:
		return HEAD_PID;
	case FILTER_COMM:
		return HEAD_COMM;
	case FILTER_TIME:
		return HEAD_TIME;
	case FILTER_PLACE:
	case FILTER_CALLER:
		return HEAD_PLACE;
	default:
		return HEAD_ALL;
	}
}

static unsigned of_fetch(const struct fetch *f)
{
	switch (f->src) {
	case FETCH_REG:
	case FETCH_STACKN:
	case FETCH_VALUE:
	case FETCH_TEXT:
	case FETCH_TASK:
	case FETCH_SAVED:
	case FETCH_WORD:
	case FETCH_FIELD:
	case FETCH_PERCPU:
		return 0;
	case FETCH_COMM:
		return HEAD_COMM;
	case FETCH_ELAPSED:
		return HEAD_TIME;
	case FETCH_PLACE:
	case FETCH_CALLER:
		return HEAD_PLACE;
	default:
		return HEAD_ALL;
	}
}

static unsigned of_filter(const struct filter *filter)
{
	unsigned parts = 0;

	for (unsigned i = 0; filter && i < filter->nr_leaves; i++)
		parts |= of_leaf(filter->leaves[i]);
	return parts;
}

static unsigned of_number(const struct count_number *n);

static unsigned of_calc(const struct count_calc *c)
{
	if (c->kind == HIST_FIELD)
		return of_number(&c->field);
	return (c->left ? of_calc(c->left) : 0) | (c->right ? of_calc(c->right) : 0);
}

static unsigned of_number(const struct count_number *n)
{
	return n->calc ? of_calc(n->calc) : of_leaf(&n->leaf);
}

static unsigned of_var(const struct count_var *v)
{
	if (v->text.kind == COUNT_TEXT_NONE)
		return of_number(&v->number);
	return v->text.kind == COUNT_TEXT_COMM ? HEAD_COMM : 0;
}

static unsigned of_key(const struct count_key *key)
{
	if (count_key_is_number(key))
		return of_number(&key->number);
	return key->is_comm ? HEAD_COMM : 0;
}

static unsigned of_action(const struct count_action *a)
{
	unsigned parts = a->made ? head_parts_made(a->made) : 0;

	for (unsigned i = 0; a->saved && i < a->nr_params; i++)
		parts |= of_var(&a->saved[i]);
	return parts;
}

static unsigned of_count(const struct count *c)
{
	unsigned parts = of_filter(c->filter);

	if (c->keeps_comm)
		parts |= HEAD_COMM;
	if (c->table->nr_slots || c->nr_refs)	/* versions are ordered by their times */
		parts |= HEAD_TIME;
	for (unsigned i = 0; i < c->nr_keys; i++)
		parts |= of_key(&c->keys[i]);
	for (unsigned i = 0; i < c->nr_values; i++)
		parts |= of_number(&c->values[i]);
	for (unsigned i = 0; i < c->nr_vars; i++)
		parts |= of_var(&c->vars[i]);
	for (unsigned i = 0; i < c->nr_actions; i++)
		parts |= of_action(&c->actions[i]);
	return parts;
}

static unsigned of_counts(const struct plan *plan)
{
	unsigned parts = 0;

	for (const struct count *c = plan->sets_off.counts; c; c = c->next)
		parts |= of_count(c);
	return parts;
}

unsigned head_parts(const struct plan *plan)
{
	unsigned parts = of_filter(plan->filter);

	if (!count_is_all(plan))
		return HEAD_ALL;
	for (unsigned i = 0; i < layout_all(&plan->layout); i++)
		parts |= of_fetch(&plan->fetches[i]);
	return parts | of_counts(plan);
}

unsigned head_parts_made(const struct count_made *made)
{
	return made->is_line ? (unsigned)HEAD_ALL : of_filter(made->plan->filter) | of_counts(made->plan);
}
