// SPDX-License-Identifier: GPL-2.0-only
/*
 * hist_kernel.c - histograms that programs count.
 */
#include "hist/hist_kernel.h"

#include <string.h>

#include "base/arena.h"
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
	case HIST_FROM_FLAGS:
		*ret = (struct filter_leaf){ .source = FILTER_FLAGS, .size = 1 };
		return true;
	case HIST_FROM_COUNT:
		*ret = (struct filter_leaf){ .source = FILTER_COUNT, .size = 1 };
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
	case HIST_FROM_TIME:
		ret->source = FILTER_TIME;
		ret->clock = v->clock;
		return true;
	default:
		return false;
	}
}

static bool field_number(const struct hist_node *n, const struct histogram *h, const struct layout *l, struct count_number *ret)
{
	*ret = (struct count_number){ .modifier = n->value.modifier, .buckets = n->value.buckets, .exact = n->value.exact, .usecs = h->usecs };
	return leaf_of(&n->value, l, &ret->leaf);
}

/* NULL: no program knows a part of it. */
static const struct count_calc *calc_of(struct arena *arena, const struct hist_node *n, const struct histogram *h, const struct layout *l)
{
	struct count_calc *c = arena_new(arena, struct count_calc);

	*c = (struct count_calc){ .kind = HIST_FIELD };
	switch (n->kind) {
	case HIST_NODE_VALUE:
		return field_number(n, h, l, &c->field) ? c : NULL;
	case HIST_NODE_REF:
		*c = (struct count_calc){ .kind = HIST_VAR, .ref = n->ref };
		return c;
	case HIST_NODE_CONSTANT:
		*c = (struct count_calc){ .kind = HIST_NUMBER, .number = n->constant };
		return c;
	default:
		*c = (struct count_calc){ .kind = n->expr->kind, .left = calc_of(arena, n->left, h, l),
					  .right = n->right ? calc_of(arena, n->right, h, l) : NULL };
		return c->left && (!n->right || c->right) ? c : NULL;
	}
}

static bool number_of(struct arena *arena, const struct hist_node *n, const struct histogram *h, const struct layout *l,
		      struct count_number *ret)
{
	if (n->kind == HIST_NODE_VALUE)
		return field_number(n, h, l, ret);
	*ret = (struct count_number){ .calc = calc_of(arena, n, h, l) };
	return ret->calc;
}

/* Is it the name of the current task, which no record needs to say? */
static bool is_comm(const struct hist_node *n, const struct plan *plan)
{
	if (n->kind != HIST_NODE_VALUE || n->value.source == HIST_FROM_COMM)
		return n->kind == HIST_NODE_VALUE;
	return n->value.source == HIST_FROM_ARGUMENT && n->value.is_string && plan->fetches &&
	       plan->fetches[n->value.field - plan->layout.fields].src == FETCH_COMM;
}

/* Of a symbol and of a buffer the record has no text. */
static bool is_string(const struct hist_node *n)
{
	const struct layout_field *f = n->value.field;

	return n->kind == HIST_NODE_VALUE && n->value.source == HIST_FROM_ARGUMENT && n->value.is_string && f->type.kind != TYPE_SYMSTR &&
	       f->type.kind != TYPE_BUFFER && !f->type.count;
}

/* ---- tables with variables ---- */

bool hist_kernel_is_table(const struct histogram *h)
{
	return h->layout->is_synthetic || hist_is_for_programs(h->trigger->hist);
}

static void note_text(struct count_slot *slots, const struct hist_assignment *a)
{
	slots[a->slot].is_text = a->node->is_string || a->node->is_stack;
	slots[a->slot].is_stack = a->node->is_stack;
}

static const struct count_slot *slots_of(struct arena *arena, const struct histogram *h)
{
	struct count_slot *slots = arena_array(arena, struct count_slot, h->table.nr_slots);
	uint32_t off = sizeof(struct bp_tally) + sizeof(struct bp_version);

	for (unsigned i = 0; i < h->nr_vars; i++)
		note_text(slots, &h->vars[i]);
	for (unsigned i = 0; i < h->trigger->hist->nr_actions; i++) {
		for (unsigned k = 0; h->dos[i].saved && k < h->dos[i].action->nr_params; k++)
			note_text(slots, &h->dos[i].saved[k]);
	}
	for (unsigned i = 0; i < h->table.nr_slots; i++) {
		slots[i].off = off;
		off += (uint32_t)sizeof(struct bp_slot) + (slots[i].is_text ? (uint32_t)COUNT_STRING : 8u);
	}
	return slots;
}

/*
 * Tables whose keys are looked up by other events have texts of one size. So the size of their keys follows from the histogram alone: the
 * table is there before the plan of its event is asked.
 */
static struct count_table *table_of(struct arena *arena, struct histogram *h, const struct hist_kernel_opts *opts)
{
	struct histogram *owner = h->shared ? h->shared : h;
	struct count_table *t = owner->in_kernel;

	if (t)
		return t;
	t = arena_new(arena, struct count_table);
	*t = (struct count_table){ .pauses = opts->pauses, .generations = opts->generations, .fd = -1, .state_fd = -1,
				   .nr_slots = owner->table.nr_slots, .key_size = opts->generations ? COUNT_GENERATION : 0 };
	if (t->nr_slots)
		t->slots = slots_of(arena, owner);
	for (unsigned i = 0; i < owner->trigger->hist->nr_keys; i++) {
		const struct hist_node *n = owner->keys[i].node;

		t->key_size += n->is_stack ? (uint32_t)COUNT_FRAMES_SIZE : n->is_string ? (uint32_t)COUNT_STRING : 8u;
	}
	owner->in_kernel = t;
	return t;
}

static bool text_of(const struct hist_node *n, struct count_text *ret)
{
	*ret = (struct count_text){ 0 };
	if (n->kind == HIST_NODE_REF) {
		*ret = (struct count_text){ .kind = COUNT_TEXT_REF, .ref = n->ref };
	} else if (n->kind == HIST_NODE_VALUE && (n->value.source == HIST_FROM_COMM || n->value.modifier == HIST_EXECNAME)) {
		ret->kind = COUNT_TEXT_COMM;
	} else if (n->kind == HIST_NODE_VALUE && n->value.source == HIST_FROM_STACK) {
		ret->kind = COUNT_TEXT_STACK;
	} else if (is_string(n) || (n->kind == HIST_NODE_VALUE && n->is_stack)) {
		*ret = (struct count_text){ .kind = COUNT_TEXT_FIELD, .field = n->value.field };
	}
	return ret->kind != COUNT_TEXT_NONE;
}

static bool var_of(struct arena *arena, const struct hist_assignment *a, const struct histogram *h, const struct layout *l,
		   struct count_var *ret)
{
	*ret = (struct count_var){ .slot = a->slot };
	return a->node->is_string || a->node->is_stack ? text_of(a->node, &ret->text) : number_of(arena, a->node, h, l, &ret->number);
}

static bool take_vars(struct arena *arena, const struct histogram *h, const struct layout *l, struct count *c)
{
	struct count_var *vars = arena_array(arena, struct count_var, h->nr_vars);

	c->vars = vars;
	c->nr_vars = h->nr_vars;
	for (unsigned i = 0; i < h->nr_vars; i++) {
		if (!var_of(arena, &h->vars[i], h, l, &vars[i]))
			return false;
	}
	return true;
}

static unsigned var_with(const struct histogram *h, unsigned slot)
{
	unsigned i = 0;

	while (h->vars[i].slot != slot)
		i++;
	return i;
}

static void take_refs(struct arena *arena, const struct histogram *h, const struct hist_kernel_opts *opts, struct count *c)
{
	struct count_ref *refs = arena_array(arena, struct count_ref, h->nr_refs);

	c->refs = refs;
	c->nr_refs = h->nr_refs;
	for (unsigned i = 0; i < h->nr_refs; i++) {
		const struct hist_ref *r = &h->refs[i];

		refs[i] = (struct count_ref){ .slot = r->slot, .once = r->once, .is_text = r->is_string || r->is_stack, .is_stack = r->is_stack };
		if (r->owner == h)
			refs[i].var = var_with(h, r->slot);
		else
			refs[i].table = table_of(arena, r->owner, opts);
	}
}

static bool take_saved(struct arena *arena, const struct histogram *h, const struct hist_do *d, const struct layout *l,
		       struct count_action *ret)
{
	struct count_var *saved = arena_array(arena, struct count_var, d->action->nr_params);

	ret->saved = saved;
	for (unsigned i = 0; i < d->action->nr_params; i++) {
		if (!var_of(arena, &d->saved[i], h, l, &saved[i]))
			return false;
	}
	return true;
}

static bool take_actions(struct arena *arena, const struct histogram *h, const struct layout *l, const struct hist_kernel_opts *opts,
			 struct count *c)
{
	struct count_action *actions = arena_array(arena, struct count_action, h->trigger->hist->nr_actions);

	c->actions = actions;
	c->nr_actions = h->trigger->hist->nr_actions;
	for (unsigned i = 0; i < c->nr_actions; i++) {
		const struct hist_do *d = &h->dos[i];
		struct count_action *a = &actions[i];

		*a = (struct count_action){ .handler = d->action->handler, .kind = d->action->kind, .slot = d->slot, .tracked = d->tracked,
					    .params = d->params, .nr_params = d->action->nr_params };
		if (a->handler != HIST_ONMATCH)
			a->is_signed = h->refs[d->tracked].is_signed;
		if (a->kind == HIST_TRACE)
			a->made = opts->made ? opts->made(opts->ctx, d->synthetic->number) : NULL;
		if (a->kind == HIST_SNAPSHOT || (a->kind == HIST_TRACE && !a->made) ||
		    (a->kind == HIST_SAVE && !take_saved(arena, h, d, l, a)))
			return false;
	}
	return true;
}

/* ---- keys ---- */

static uint32_t key_part(const struct count_key *key, bool is_wide)
{
	if (key->is_stack)
		return COUNT_FRAMES_SIZE;
	if (is_wide)
		return key->is_comm || key->string ? COUNT_STRING : 8;
	if (key->is_comm)
		return COUNT_COMM;
	return key->string ? count_string_size(key->string) : 8;
}

static bool take_keys(struct arena *arena, const struct histogram *h, const struct plan *plan, bool generations, struct count *c)
{
	uint32_t off = generations ? COUNT_GENERATION : 0;

	for (unsigned i = 0; i < h->trigger->hist->nr_keys; i++) {
		const struct hist_node *n = h->keys[i].node;
		struct count_key *key = &c->keys[c->nr_keys++];

		key->off = off;
		key->is_stack = n->is_stack;
		key->is_comm = !n->is_stack && is_comm(n, plan);
		key->string = key->is_stack || (!key->is_comm && is_string(n)) ? n->value.field : NULL;
		key->size = key_part(key, hist_kernel_is_table(h));
		if (count_key_is_number(key) && (n->is_string || !number_of(arena, n, h, &plan->layout, &key->number)))
			return false;
		off += key->size;
	}
	return off <= COUNT_MAX_KEY;
}

static uint32_t key_size(const struct count *c)
{
	return c->nr_keys ? c->keys[c->nr_keys - 1].off + c->keys[c->nr_keys - 1].size : 0;
}

struct count *hist_kernel_count(struct arena *arena, struct histogram *h, const struct plan *plan, struct filter *filter,
				const struct hist_kernel_opts *opts)
{
	struct count *c = arena_new(arena, struct count);

	*c = (struct count){ .filter = filter, .keeps_comm = h->has_execname, .exact = h->trigger->hist->exact,
			     .is_table = hist_kernel_is_table(h) };
	if (h->paused && !opts->pauses)		/* nobody can continue it */
		return NULL;
	if (hist_kernel_is_table(h) && !opts->tables)
		return NULL;
	if (!take_keys(arena, h, plan, opts->generations, c))
		return NULL;
	for (unsigned i = 0; i < h->trigger->hist->nr_values; i++) {
		const struct count_number *n = &c->values[c->nr_values++];

		if (!number_of(arena, h->values[i], h, &plan->layout, &c->values[i]))
			return NULL;
		if (!opts->atomics && (n->modifier == HIST_MIN || n->modifier == HIST_MAX))
			return NULL;
	}
	c->clock = h->trigger->hist->time;
	take_refs(arena, h, opts, c);
	if (!take_vars(arena, h, &plan->layout, c) || !take_actions(arena, h, &plan->layout, opts, c))
		return NULL;
	if (hist_kernel_is_table(h)) {
		c->table = table_of(arena, h, opts);
	} else {
		c->table = arena_new(arena, struct count_table);
		*c->table = (struct count_table){
			.key_size = key_size(c), .pauses = opts->pauses, .generations = opts->generations, .fd = -1, .state_fd = -1,
		};
	}
	if (!stage_can_count(plan, c))
		return NULL;
	c->drops = opts->drops || hist_kernel_is_table(h);
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
		c->keys[i].size = key_part(&c->keys[i], hist_kernel_is_table(h));
		off += c->keys[i].size;
	}
	c->table = arena_new(arena, struct count_table);
	*c->table = (struct count_table){ .key_size = off, .pauses = true, .fd = -1, .state_fd = -1, .nr_slots = h->table.nr_slots };
	if (c->table->nr_slots)
		c->table->slots = slots_of(arena, h);
	return c;
}

/* ---- reading ---- */

static void add_slot(const struct count_slot *s, const unsigned char *value, struct arena *arena, struct hist_slot *to)
{
	const unsigned char *at = value + s->off + sizeof(struct bp_slot);

	if (s->is_stack)		/* it is for other events, and is not shown */
		return;
	if (s->is_text)
		to->string = arena_strndup(arena, (const char *)at, strnlen((const char *)at, COUNT_STRING));
	else
		memcpy(&to->number, at, sizeof(to->number));
}

void hist_kernel_add(const struct histogram *h, const struct count *count, const unsigned char *key, const struct bp_tally *tally,
		     struct hist_table *to)
{
	const unsigned char *value = (const unsigned char *)tally;
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
	for (unsigned i = 0; i < count->table->nr_slots; i++)
		add_slot(&count->table->slots[i], value, &to->arena, &e->slots[i]);
}
