// SPDX-License-Identifier: GPL-2.0-only
/*
 * count.c - what a definition's program counts.
 */
#include "plan/count.h"

#include "plan/layout.h"

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
