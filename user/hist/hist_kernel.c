// SPDX-License-Identifier: GPL-2.0-only
/*
 * hist_kernel.c - histograms that programs count.
 */
#include "hist/hist_kernel.h"

#include "plan/place_id.h"
#include "plan/plan.h"

/* ---- which ones ---- */

static bool leaf_of_field(const struct hist_value *v, const struct layout *l, struct filter_leaf *ret)
{
	const struct layout_field *f = v->field;

	*ret = (struct filter_leaf){ .source = FILTER_FIELD, .field = f, .index = (unsigned)(f - l->fields), .size = f->type.size,
				     .is_signed = f->type.kind == TYPE_SIGNED };
	return !v->is_string && !f->type.count;
}

static bool leaf_of(const struct hist_value *v, const struct layout *l, struct filter_leaf *ret)
{
	*ret = (struct filter_leaf){ .size = 8 };
	switch (v->source) {
	case HIST_FROM_ARGUMENT:
		return leaf_of_field(v, l, ret);
	case HIST_FROM_PID:
		*ret = (struct filter_leaf){ .source = FILTER_PID, .size = 4 };		/* never below 0 */
		return true;
	case HIST_FROM_CPU:
		*ret = (struct filter_leaf){ .source = FILTER_CPU, .size = 4 };
		return true;
	case HIST_FROM_PLACE:
		ret->source = hist_value_is_place_id(v, l) ? FILTER_CONSTANT : FILTER_PLACE;
		ret->value = place_id(l);
		return true;
	case HIST_FROM_TYPE:
		*ret = (struct filter_leaf){ .source = FILTER_CONSTANT, .size = 2, .value = 0 };	/* as in records */
		return true;
	case HIST_FROM_HITS:
		ret->source = FILTER_CONSTANT;
		ret->value = 1;
		return true;
	case HIST_FROM_CALLER:
		ret->source = FILTER_CALLER;
		return true;
	default:
		return false;
	}
}

static bool number_of(const struct hist_node *n, const struct layout *l, struct count_number *ret)
{
	if (n->kind != HIST_NODE_VALUE)
		return false;
	*ret = (struct count_number){ .modifier = n->value.modifier, .buckets = n->value.buckets, .exact = n->value.exact };
	return leaf_of(&n->value, l, &ret->leaf);
}

/* Is it the name of the current task, which no record needs to say? */
static bool is_comm(const struct hist_node *n, const struct plan *plan)
{
	if (n->kind != HIST_NODE_VALUE || n->value.source == HIST_FROM_COMM)
		return n->kind == HIST_NODE_VALUE;
	return n->value.source == HIST_FROM_ARGUMENT && n->value.is_string &&
	       plan->fetches[n->value.field - plan->layout.fields].src == FETCH_COMM;
}

/* Of a symbol and of a buffer the record has no text. */
static bool is_string(const struct hist_node *n)
{
	const struct layout_field *f = n->value.field;

	return n->kind == HIST_NODE_VALUE && n->value.source == HIST_FROM_ARGUMENT && n->value.is_string && f->type.kind != TYPE_SYMSTR &&
	       f->type.kind != TYPE_BUFFER && !f->type.count;
}

static uint32_t key_part(const struct count_key *key)
{
	if (key->is_stack)
		return COUNT_FRAMES_SIZE;
	if (key->is_comm)
		return COUNT_COMM;
	return key->string ? count_string_size(key->string) : 8;
}

static bool take_keys(const struct histogram *h, const struct plan *plan, bool generations, struct count *c)
{
	uint32_t off = generations ? COUNT_GENERATION : 0;

	for (unsigned i = 0; i < h->trigger->hist->nr_keys; i++) {
		const struct hist_node *n = h->keys[i].node;
		struct count_key *key = &c->keys[c->nr_keys++];

		key->off = off;
		key->is_stack = n->is_stack;
		key->is_comm = !n->is_stack && is_comm(n, plan);
		key->string = !key->is_stack && !key->is_comm && is_string(n) ? n->value.field : NULL;
		key->size = key_part(key);
		if (count_key_is_number(key) && !number_of(n, &plan->layout, &key->number))
			return false;
		off += key->size;
	}
	return off <= COUNT_MAX_KEY;
}

static uint32_t key_size(const struct count *c)
{
	return c->nr_keys ? c->keys[c->nr_keys - 1].off + c->keys[c->nr_keys - 1].size : 0;
}

struct count *hist_kernel_count(struct arena *arena, const struct histogram *h, const struct plan *plan, struct filter *filter,
				const struct hist_kernel_opts *opts)
{
	struct count *c = arena_new(arena, struct count);

	*c = (struct count){ .filter = filter, .keeps_comm = h->has_execname, .exact = h->trigger->hist->exact };
	if (h->paused && !opts->acts)		/* nobody can continue it */
		return NULL;
	if (h->nr_vars || h->nr_refs || h->trigger->hist->nr_actions || !take_keys(h, plan, opts->generations, c))
		return NULL;
	for (unsigned i = 0; i < h->trigger->hist->nr_values; i++) {
		const struct count_number *n = &c->values[c->nr_values++];

		if (!number_of(h->values[i], &plan->layout, &c->values[i]))
			return NULL;
		if (!opts->atomics && (n->modifier == HIST_MIN || n->modifier == HIST_MAX))
			return NULL;
	}
	c->table = arena_new(arena, struct count_table);
	*c->table = (struct count_table){
		.key_size = key_size(c), .pauses = opts->acts, .generations = opts->generations, .fd = -1, .state_fd = -1,
	};
	if (!stage_can_count(plan, c))
		return NULL;
	c->drops = opts->drops;
	return c;
}

const struct count *hist_kernel_keys(struct arena *arena, const struct histogram *h)
{
	struct count *c = arena_new(arena, struct count);
	uint32_t off = 0;

	*c = (struct count){ .nr_keys = h->trigger->hist->nr_keys, .nr_values = h->trigger->hist->nr_values };
	for (unsigned i = 0; i < c->nr_keys; i++) {
		const struct hist_node *n = h->keys[i].node;

		c->keys[i].is_stack = n->is_stack;
		c->keys[i].is_comm = n->is_string && !is_string(n);
		c->keys[i].string = is_string(n) ? n->value.field : NULL;	/* $comm has the same size */
		c->keys[i].off = off;
		c->keys[i].size = key_part(&c->keys[i]);
		off += c->keys[i].size;
	}
	c->table = arena_new(arena, struct count_table);
	*c->table = (struct count_table){ .key_size = off, .pauses = true, .fd = -1, .state_fd = -1 };
	return c;
}

/* ---- reading ---- */

void hist_kernel_add(const struct histogram *h, const struct count *count, const unsigned char *key, const struct bp_tally *tally,
		     struct hist_table *to)
{
	unsigned char wide[HISTOGRAM_MAX_KEY] = { 0 };
	struct hist_entry *e;
	bool is_new;

	if (!tally->hits)
		return;
	for (unsigned i = 0; i < count->nr_keys; i++)
		memcpy(wide + h->keys[i].off, key + count->keys[i].off, count->keys[i].size);
	e = hist_table_get(to, wide, &is_new);
	if (!e)
		return;
	to->hits += tally->hits - 1;	/* one was counted by hist_table_get() */
	e->hits += tally->hits;
	for (unsigned i = 0; i < count->nr_values; i++)
		histogram_add(h, i, e, tally->sums[i], tally->hits);
	if (is_new)
		memcpy(e->comm, tally->comm, sizeof(e->comm));
}
