// SPDX-License-Identifier: GPL-2.0-only
/*
 * histogram.c - counts the hits of one histogram.
 */
#include "hist/histogram.h"

#include "hist/histogram_priv.h"

struct hit {
	struct histogram *h;
	const struct event *ev;
	const struct text *text;
	struct hist_slot *refs;		/* values of h->refs */
	struct hist_entry *entry;
};

struct hist_table *histogram_table(struct histogram *h)
{
	return h->shared ? &h->shared->table : &h->table;
}

/* ---- values ---- */

static uint64_t divide(uint64_t a, uint64_t b)
{
	return b ? a / b : UINT64_MAX;		/* as the kernel's hist_field_div() */
}

static uint64_t node_number(const struct hit *hit, const struct hist_node *n)
{
	uint64_t left, right;

	switch (n->kind) {
	case HIST_NODE_VALUE:
		return hist_value_number(&n->value, hit->ev, hit->text, hit->h->usecs);
	case HIST_NODE_REF:
		return hit->refs[n->ref].number;
	case HIST_NODE_CONSTANT:
		return n->constant;
	default:
		break;
	}
	left = node_number(hit, n->left);
	right = n->right ? node_number(hit, n->right) : 0;
	switch (n->expr->kind) {
	case HIST_ADD:
		return left + right;
	case HIST_SUB:
		return left - right;
	case HIST_MUL:
		return left * right;
	case HIST_DIV:
		return divide(left, right);
	default:
		return 0 - left;
	}
}

static void node_string(const struct hit *hit, const struct hist_node *n, char to[HIST_STRING_SIZE])
{
	const char *string = "";

	if (n->kind == HIST_NODE_VALUE && n->value.modifier == HIST_EXECNAME) {
		memset(to, 0, HIST_STRING_SIZE);
		memcpy(to, hit->ev->rec->comm, BP_COMM_LEN);
		return;
	}
	if (n->kind == HIST_NODE_VALUE) {
		hist_value_string(&n->value, hit->ev, hit->text, to);
		return;
	}
	if (n->kind == HIST_NODE_REF && hit->refs[n->ref].string)
		string = hit->refs[n->ref].string;
	memset(to, 0, HIST_STRING_SIZE);
	memcpy(to, string, strnlen(string, HIST_STRING_SIZE - 1));
}

static void node_stack(const struct hit *hit, const struct hist_node *n, char to[COUNT_FRAMES_SIZE])
{
	uint64_t frames[COUNT_FRAMES];

	if (n->kind == HIST_NODE_VALUE) {
		hist_value_stack(&n->value, hit->ev, frames);
		memcpy(to, frames, sizeof(frames));
	} else {
		memcpy(to, hit->refs[n->ref].string, sizeof(frames));
	}
}

static void set_slot(const struct hit *hit, const struct hist_assignment *a)
{
	struct hist_slot *slot = &hit->entry->slots[a->slot];

	slot->set = true;
	if (!a->node->is_string && !a->node->is_stack) {
		slot->number = node_number(hit, a->node);
		return;
	}
	if (!slot->string)
		slot->string = arena_alloc(&histogram_table(hit->h)->arena, HIST_STRING_SIZE);
	if (a->node->is_stack)
		node_stack(hit, a->node, slot->string);
	else
		node_string(hit, a->node, slot->string);
}

/* ---- the key ---- */

static void make_key(const struct hit *hit, unsigned char *key)
{
	for (unsigned i = 0; i < hit->h->trigger->hist->nr_keys; i++) {
		const struct hist_key *k = &hit->h->keys[i];
		uint64_t number;

		if (k->node->is_stack) {
			hist_value_stack(&k->node->value, hit->ev, (uint64_t *)(void *)(key + k->off));
			continue;
		}
		if (k->node->is_string && k->size == HIST_STRING_SIZE) {
			node_string(hit, k->node, (char *)key + k->off);
			continue;
		}
		number = node_number(hit, k->node);
		memcpy(key + k->off, &number, sizeof(number));
	}
}

/* Puts into @key which keys could not be read, and makes these 0. False: one of them would have told the bucket. */
static bool mark_faults(const struct hit *hit, unsigned char *key)
{
	const struct histogram *h = hit->h;
	uint64_t faults = 0;

	for (unsigned i = 0; i < h->trigger->hist->nr_keys; i++) {
		const struct hist_value *v = &h->keys[i].node->value;

		if (!hist_value_faulted(v, hit->ev))
			continue;
		if (v->modifier == HIST_LOG2 || v->modifier == HIST_BUCKETS)
			return false;
		faults |= 1ull << i;
		memset(key + h->keys[i].off, 0, h->keys[i].size);
	}
	memcpy(key + h->faults_off, &faults, sizeof(faults));
	return true;
}

bool histogram_key_faulted(const struct histogram *h, unsigned i, const struct hist_entry *e)
{
	uint64_t faults;

	if (!h->trigger->hist->exact)
		return false;
	memcpy(&faults, e->key + h->faults_off, sizeof(faults));
	return faults >> i & 1;
}

/* ---- variables of others ---- */

/* Reads the variables of other histograms, or with @own those of this one. False: one has no value for this key. */
static bool read_refs(const struct hit *hit, const unsigned char *key, bool own)
{
	for (unsigned i = 0; i < hit->h->nr_refs; i++) {
		const struct hist_ref *ref = &hit->h->refs[i];
		struct hist_entry *entry;

		if ((ref->owner == hit->h) != own)
			continue;
		entry = hist_table_find(histogram_table(ref->owner), key);
		if (!entry || !entry->slots[ref->slot].set)
			return false;
		hit->refs[i] = entry->slots[ref->slot];
		if (!own && ref->once)
			entry->slots[ref->slot].set = false;
	}
	return true;
}

/* ---- actions ---- */

static void emit(const struct hit *hit, const struct hist_do *d, const struct hist_env *env)
{
	struct hist_slot values[HIST_MAX_PARAMS];

	for (unsigned i = 0; i < d->action->nr_params; i++)
		values[i] = hit->refs[d->params[i]];
	env->emit(env->ctx, d->synthetic, hit->ev, hit->text, values);
}

/*
 * onmax() and onchange(): is this value a new maximum, or another one than before? The kernel starts at 0 and compares without a
 * sign. A signed value is compared as one here, and the first one is a maximum.
 */
static bool tracks(const struct hit *hit, const struct hist_do *d)
{
	struct hist_slot *slot = &hit->entry->slots[d->slot];
	bool is_signed = hit->h->refs[d->tracked].is_signed;
	uint64_t n = hit->refs[d->tracked].number;
	bool differs;

	if (d->action->handler == HIST_ONCHANGE)
		differs = n != slot->number;
	else if (is_signed)
		differs = !slot->set || (int64_t)n > (int64_t)slot->number;
	else
		differs = n > slot->number;
	if (differs)
		*slot = (struct hist_slot){ .set = true, .number = n };
	return differs;
}

static void act(const struct hit *hit, const struct hist_do *d, const struct hist_env *env)
{
	if (d->action->handler != HIST_ONMATCH && !tracks(hit, d))
		return;
	if (d->action->kind == HIST_TRACE) {
		emit(hit, d, env);
		return;
	}
	for (unsigned i = 0; i < d->action->nr_params; i++)
		set_slot(hit, &d->saved[i]);
}

/* ---- values that are no sums ---- */

enum hist_modifier histogram_fold(const struct histogram *h, unsigned i)
{
	const struct hist_node *n = h->values[i];

	return n->kind == HIST_NODE_VALUE ? n->value.modifier : HIST_PLAIN;
}

void histogram_add(const struct histogram *h, unsigned i, struct hist_entry *e, uint64_t n, uint64_t hits)
{
	enum hist_modifier fold = histogram_fold(h, i);
	hist_sum value = h->values[i]->is_signed ? (hist_sum)(int64_t)n : (hist_sum)n;
	bool first = !e->known[i];

	e->known[i] += hits;
	if (fold != HIST_MIN && fold != HIST_MAX)
		e->sums[i] += value;
	else if (first || (value != e->sums[i] && (value < e->sums[i]) == (fold == HIST_MIN)))
		e->sums[i] = value;
}

bool histogram_value(const struct histogram *h, unsigned i, const struct hist_entry *e, hist_sum *ret)
{
	hist_sum sum = e->sums[i];

	if (!h->trigger->hist->exact)		/* the kernel's sums have 64 bits */
		sum = h->values[i]->is_signed ? (hist_sum)(int64_t)sum : (hist_sum)(uint64_t)sum;
	*ret = histogram_fold(h, i) == HIST_AVG && e->known[i] ? sum / (hist_sum)e->known[i] : sum;
	return e->known[i];
}

/* ---- a hit ---- */

static void update(const struct hit *hit)
{
	const struct hist *hist = hit->h->trigger->hist;

	hit->entry->hits++;
	for (unsigned i = 0; i < hist->nr_values; i++) {
		const struct hist_node *n = hit->h->values[i];

		if (!hist->exact || !hist_value_faulted(&n->value, hit->ev))
			histogram_add(hit->h, i, hit->entry, node_number(hit, n), 1);
	}
	for (unsigned i = 0; i < hit->h->nr_vars; i++)
		set_slot(hit, &hit->h->vars[i]);
}

void histogram_hit(struct histogram *h, const struct event *ev, const struct text *t, const struct hist_env *env)
{
	struct hist_table *table = histogram_table(h);
	struct hist_slot refs[HIST_REFS_MAX];
	struct hit hit = { .h = h, .ev = ev, .text = t, .refs = refs };
	unsigned char key[HISTOGRAM_MAX_KEY] = { 0 };
	bool is_new;

	if (h->paused)
		return;
	make_key(&hit, key);
	if (h->trigger->hist->exact && !mark_faults(&hit, key))
		return;
	if (!read_refs(&hit, key, false))
		return;
	hit.entry = hist_table_get(table, key, &is_new);
	if (!hit.entry)
		return;
	if (is_new)
		memcpy(hit.entry->comm, ev->rec->comm, BP_COMM_LEN);
	update(&hit);
	if (!read_refs(&hit, key, true))
		return;
	for (unsigned i = 0; i < h->trigger->hist->nr_actions; i++)
		act(&hit, &h->dos[i], env);
}

void histogram_fini(struct histogram *h)
{
	hist_table_fini(&h->table);
}

const struct hist_assignment *histogram_var(const struct histogram *h, const char *name)
{
	for (unsigned i = 0; i < h->nr_vars; i++) {
		if (!strcmp(h->vars[i].name, name))
			return &h->vars[i];
	}
	return NULL;
}
