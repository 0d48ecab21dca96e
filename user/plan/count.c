// SPDX-License-Identifier: GPL-2.0-only
/*
 * count.c - what a definition's program counts.
 */
#include "plan/count.h"

#include "bprobe_abi.h"
#include "plan/act.h"
#include "plan/layout.h"
#include "plan/plan.h"

bool count_has_stack(const struct count *c)
{
	for (unsigned i = 0; i < c->nr_keys; i++) {
		if (c->keys[i].is_stack)
			return true;
	}
	return false;
}

bool count_takes_stack(const struct count *c)
{
	bool takes = count_has_stack(c);

	for (unsigned i = 0; i < c->nr_vars; i++)
		takes |= c->vars[i].text.kind == COUNT_TEXT_STACK;
	return takes;
}

bool count_has_string(const struct count *c)
{
	for (unsigned i = 0; i < c->nr_keys; i++) {
		if (c->keys[i].string)
			return true;
	}
	return false;
}

uint32_t count_value_size(const struct count_table *table)
{
	uint32_t size = sizeof(struct bp_tally) + (table->nr_slots ? sizeof(struct bp_version) : 0);

	for (unsigned i = 0; i < table->nr_slots; i++)
		size += (uint32_t)sizeof(struct bp_slot) + (table->slots[i].is_text ? (uint32_t)COUNT_STRING : 8u);
	return size;
}

/* The record of the synthetic event @made, with the words of its own histograms. */
static uint32_t made_size(const struct count_made *made)
{
	return ROUND_UP(made->plan->layout.short_size, 8u) + count_key_room(made->plan);
}

struct count_room count_room(const struct count *c)
{
	uint32_t key_size = c->table->key_size, made = 0;
	struct count_room r = { 0 };

	for (unsigned i = 0; i < c->nr_refs; i++) {
		if (c->refs[i].table)
			key_size = MAX(key_size, c->refs[i].table->key_size);
	}
	for (unsigned i = 0; i < c->nr_actions; i++) {
		if (c->actions[i].made)
			made = MAX(made, made_size(c->actions[i].made));
	}
	r.entry = ROUND_UP(key_size, 8u);
	r.values = r.entry + count_value_size(c->table);
	r.vars = r.values + 8 * HIST_MAX_VALUES;
	r.calc = r.vars + 8 * c->nr_vars;
	r.fired = r.calc + 8 * COUNT_CALC;
	r.refs = r.fired + 8 * c->nr_actions;
	r.texts = r.refs + 8 * c->nr_refs;
	r.made = r.texts;
	for (unsigned i = 0; i < c->nr_refs; i++)
		r.made += c->refs[i].is_text ? (uint32_t)COUNT_STRING : 0;
	r.size = r.made + made;
	return r;
}

uint32_t count_key_room(const struct plan *plan)
{
	bool table = false;
	uint32_t room = 0;

	for (const struct count *c = plan->sets_off.counts; c; c = c->next)
		table |= c->is_table;
	for (const struct count *c = plan->sets_off.counts; c; c = c->next) {
		if (table)
			room = MAX(room, count_room(c).size);
		else if (count_has_string(c))
			room = MAX(room, c->table->key_size);
	}
	return ROUND_UP(room, 8u);
}

/* All are counted in the same way: one after the other, or all together. */
bool count_has_tables(const struct plan *plan)
{
	for (const struct count *c = plan->sets_off.counts; c; c = c->next) {
		if (c->is_table)
			return true;
	}
	return false;
}

bool count_is_all(const struct plan *plan)
{
	return count_has_tables(plan) && !plan->paired.pair && !act_takes_stack(plan->sets_off.acts);
}

bool count_records_stacks(const struct plan *plan)
{
	return plan->layout.stacks && (!count_is_all(plan) || plan->saved.stack);
}

bool count_gives_back(const struct plan *plan)
{
	return count_records_stacks(plan) || (!count_is_all(plan) && plan_room(plan));
}

uint32_t count_string_size(const struct layout_field *field)
{
	return field->grows ? (uint32_t)COUNT_STRING : MIN(ROUND_UP(field->room, 8u), (uint32_t)COUNT_STRING);
}

bool count_key_is_number(const struct count_key *key)
{
	return !key->is_comm && !key->is_stack && !key->string;
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
