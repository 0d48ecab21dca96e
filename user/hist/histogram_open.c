// SPDX-License-Identifier: GPL-2.0-only
/*
 * histogram_open.c - resolves the names of a histogram.
 */
#include <errno.h>

#include "hist/histogram_priv.h"
#include "lang/event_name.h"

struct opener {
	struct arena *arena;
	const struct trigger *trigger;
	const struct hist_env *env;
	struct histogram *h;
	unsigned nr_slots;
	struct diag *diag;
};

/* ---- expressions ---- */

static struct hist_node *node_new(const struct opener *o, enum hist_node_kind kind, const struct hist_expr *expr)
{
	struct hist_node *n = arena_new(o->arena, struct hist_node);

	*n = (struct hist_node){ .kind = kind, .expr = expr };
	return n;
}

static int refuse_var(const struct opener *o, const struct hist_expr *expr)
{
	diag_at(o->diag, -ENOENT, expr->at, "there is no variable '%s' of an earlier hit", expr->name);
	if (histogram_var(o->h, expr->name))
		diag_note(o->diag, "help: a variable that is computed is for other triggers; write its expression here");
	else
		diag_note(o->diag, "help: the trigger that sets it stands in front of this one: hist:keys=...:%s=FIELD", expr->name);
	return -ENOENT;
}

/* Adds a reference to the variable @a of @owner, unless the histogram has it already. *ret is its index. */
static int ref_add(const struct opener *o, struct histogram *owner, const struct hist_assignment *a, unsigned *ret)
{
	struct histogram *h = o->h;

	for (*ret = 0; *ret < h->nr_refs; (*ret)++) {
		if (h->refs[*ret].owner == owner && h->refs[*ret].slot == a->slot)
			return 0;
	}
	if (h->nr_refs == HIST_REFS_MAX)
		return diag_at(o->diag, -E2BIG, o->trigger->at, "more variables than a histogram can read: '%s'", a->name);
	h->refs[h->nr_refs++] = (struct hist_ref){ .owner = owner, .slot = a->slot, .name = a->name, .type = a->type,
						   .is_signed = a->node->is_signed, .is_string = a->node->is_string, .is_stack = a->node->is_stack };
	return 0;
}

static int ref_find(const struct opener *o, const struct hist_expr *expr, unsigned *ret)
{
	const struct hist_assignment *a = NULL;
	struct histogram *owner = o->env->find_var(o->env->ctx, o->h, expr, &a, o->diag);

	if (owner)
		return ref_add(o, owner, a, ret);
	return o->diag->err ? o->diag->err : refuse_var(o, expr);
}

static int node_make(const struct opener *o, const struct hist_expr *expr, struct hist_node **ret);

static int operand_make(const struct opener *o, const struct hist_expr *expr, struct hist_node **ret)
{
	int err = node_make(o, expr, ret);

	if (err)
		return err;
	if ((*ret)->is_string || (*ret)->is_stack)
		return diag_at(o->diag, -EINVAL, expr->at, "'%s' is a %s, which cannot be computed with", expr->name ? expr->name : "",
			       (*ret)->is_stack ? "stack" : "string");
	if ((*ret)->kind == HIST_NODE_REF)
		o->h->refs[(*ret)->ref].once = true;
	return 0;
}

static int operation_make(const struct opener *o, const struct hist_expr *expr, struct hist_node **ret)
{
	struct hist_node *n = node_new(o, HIST_NODE_OPERATION, expr);
	int err = operand_make(o, expr->left, &n->left);

	if (!err && expr->right)
		err = operand_make(o, expr->right, &n->right);
	if (err)
		return err;
	if (expr->kind == HIST_DIV && n->right->kind == HIST_NODE_CONSTANT && !n->right->constant)
		return diag_at(o->diag, -EINVAL, expr->right->at, "division by zero");
	n->is_signed = n->left->is_signed || (n->right && n->right->is_signed);
	*ret = n;
	return 0;
}

static int node_make(const struct opener *o, const struct hist_expr *expr, struct hist_node **ret)
{
	struct hist_node *n;
	int err;

	if (expr->local)
		expr = expr->local;
	switch (expr->kind) {
	case HIST_FIELD:
		n = node_new(o, HIST_NODE_VALUE, expr);
		err = hist_value_resolve(o->h->layout, o->trigger->text, expr, &n->value, o->diag);
		n->value.clock = o->trigger->hist->time;
		n->is_string = n->value.is_string;
		n->is_stack = n->value.is_stack;
		n->is_signed = n->value.is_signed;
		o->h->usecs |= expr->modifier == HIST_USECS;
		break;
	case HIST_VAR:
		n = node_new(o, HIST_NODE_REF, expr);
		err = ref_find(o, expr, &n->ref);
		if (!err) {
			n->is_string = o->h->refs[n->ref].is_string;
			n->is_stack = o->h->refs[n->ref].is_stack;
			n->is_signed = o->h->refs[n->ref].is_signed;
		}
		break;
	case HIST_NUMBER:
		n = node_new(o, HIST_NODE_CONSTANT, expr);
		n->constant = expr->number;
		err = 0;
		break;
	default:
		return operation_make(o, expr, ret);
	}
	*ret = n;
	return err;
}

/* ---- keys, values, variables ---- */

static int keys_open(struct opener *o, uint32_t *ret_size)
{
	const struct hist *hist = o->trigger->hist;
	uint32_t off = 0;

	for (unsigned i = 0; i < hist->nr_keys; i++) {
		struct hist_key *k = &o->h->keys[i];
		int err = node_make(o, hist->keys[i], &k->node);

		if (err)
			return err;
		if (k->node->kind != HIST_NODE_VALUE)
			return diag_at(o->diag, -EINVAL, hist->keys[i]->at, "a key must be a field of the event");
		k->node->value.exact = hist->exact;
		k->type = hist_value_type(o->arena, &k->node->value);
		k->off = off;
		k->size = k->node->is_stack ? (uint32_t)COUNT_FRAMES_SIZE : k->node->is_string ? (uint32_t)HIST_STRING_SIZE : 8;
		off += k->size;
		o->h->has_execname |= k->node->value.modifier == HIST_EXECNAME;
	}
	o->h->faults_off = off;
	*ret_size = off + (hist->exact ? 8 : 0);
	return 0;
}

static int values_open(struct opener *o)
{
	const struct hist *hist = o->trigger->hist;

	for (unsigned i = 0; i < hist->nr_values; i++) {
		int err = node_make(o, hist->values[i], &o->h->values[i]);

		if (err)
			return err;
		if (o->h->values[i]->is_stack)
			return diag_at(o->diag, -EINVAL, hist->values[i]->at, "a stack is a key, and cannot be added up");
		if (o->h->values[i]->is_string)
			return diag_at(o->diag, -EINVAL, hist->values[i]->at, "'%s' is a string, which cannot be added up",
				       hist->values[i]->name);
	}
	return 0;
}

/* What the kernel takes for the type of an expression: that of its first operand (6.12, parse_expr()). */
static struct hist_type type_of(const struct opener *o, const struct hist_node *n)
{
	while (n->kind == HIST_NODE_OPERATION)
		n = n->left;
	if (n->kind == HIST_NODE_VALUE)
		return hist_value_type(o->arena, &n->value);
	return n->kind == HIST_NODE_REF ? o->h->refs[n->ref].type : (struct hist_type){ .name = "u64", .size = 8 };
}

static struct hist_assignment *var_add(struct opener *o, const char *name, struct hist_node *node)
{
	struct hist_assignment *a = &o->h->vars[o->h->nr_vars++];

	*a = (struct hist_assignment){ .name = name, .node = node, .type = type_of(o, node), .slot = o->nr_slots++ };
	return a;
}

static int vars_open(struct opener *o)
{
	const struct hist *hist = o->trigger->hist;

	for (unsigned i = 0; i < hist->nr_vars; i++) {
		struct hist_node *node;
		int err = node_make(o, hist->vars[i].expr, &node);

		if (err)
			return err;
		/* The task's name, not its number (6.12, update_var_execname()). */
		if (node->kind == HIST_NODE_VALUE && node->value.modifier == HIST_EXECNAME)
			node->is_string = true;
		var_add(o, hist->vars[i].name, node);
	}
	return 0;
}

/* ---- actions ---- */

/* A variable of this histogram, or of another one. */
static int own_or_other(struct opener *o, const struct hist_expr *expr, unsigned *ret)
{
	const struct hist_assignment *own = expr->system ? NULL : histogram_var(o->h, expr->name);

	return own ? ref_add(o, o->h, own, ret) : ref_find(o, expr, ret);
}

/* The variable gets its value at each hit, under a name that no other one has. */
static int field_var_add(struct opener *o, const struct hist_expr *expr, const struct hist_assignment **ret)
{
	struct hist_assignment *a;
	struct hist_node *node;
	int err = node_make(o, expr, &node);

	if (err)
		return err;
	node->is_string |= node->kind == HIST_NODE_VALUE && node->value.modifier == HIST_EXECNAME;
	a = var_add(o, arena_printf(o->arena, HIST_FIELD_VAR "%s", expr->name), node);
	a->type.is_signed = false;	/* 6.12, create_var() */
	*ret = a;
	return 0;
}

/* No event stands in front of the field, or this one. */
static bool is_own_field(const struct opener *o, const struct hist_expr *expr)
{
	return !expr->system || name_same_event(expr->system, expr->event, o->h->group, o->h->event);
}

/* A parameter that is a field becomes a variable of its own: of this event, or else of the event of onmatch(). */
static int param_open(struct opener *o, const struct hist_action *action, const struct hist_expr *expr, unsigned *ret)
{
	const struct hist_assignment *a = NULL;
	struct histogram *owner = o->h;
	int err;

	if (expr->kind == HIST_VAR)
		return own_or_other(o, expr, ret);
	err = is_own_field(o, expr) ? field_var_add(o, expr, &a) : -ENOENT;
	if (err == -ENOENT && (expr->system || action->handler == HIST_ONMATCH)) {
		owner = o->env->find_field(o->env->ctx, o->h, expr->system ? expr->system : action->system,
					   expr->system ? expr->event : action->event, expr, &a, o->diag);
		err = owner ? 0 : o->diag->err;
	}
	return err ? err : ref_add(o, owner, a, ret);
}

static bool is_called(const struct hist_type *t, const char *name)
{
	return !strcmp(name, t->name) || (t->own && !strcmp(name, t->own));
}

static bool fits(const struct synthetic_field *f, const struct hist_ref *ref)
{
	if (f->is_stack || ref->is_stack)
		return f->is_stack && ref->is_stack;
	if (f->kind == TYPE_STRING)
		return ref->is_string && (is_called(&ref->type, f->type) || !f->room || f->room == ref->type.size);
	return !ref->is_string && (is_called(&ref->type, f->type) ||
				   (f->size == ref->type.size && (f->kind == TYPE_SIGNED) == ref->type.is_signed));
}

/* 6.12, check_synth_field() */
static int refuse_type(const struct opener *o, const struct hist_action *a, unsigned i, const struct hist_do *d)
{
	const struct synthetic_field *f = &d->synthetic->def->fields[i];
	const struct hist_type *type = &o->h->refs[d->params[i]].type;
	const char *name = type->own ? type->own : type->name;

	diag_at(o->diag, -EINVAL, a->params[i]->at, "the field '%s' of '%s' is a %s, and this is a %s", f->name, a->synthetic, f->type, name);
	if (!type->is_signed && f->kind == TYPE_SIGNED)
		diag_note(o->diag, "help: types that differ in name must have the same size, and here no sign");
	else
		diag_note(o->diag, "help: define the field with the type %s", strchr(name, '[') ? "char[]" : name);
	return -EINVAL;
}

static int save_open(struct opener *o, const struct hist_action *a, struct hist_do *d)
{
	d->saved = arena_array(o->arena, struct hist_assignment, a->nr_params);
	for (unsigned i = 0; i < a->nr_params; i++) {
		struct hist_assignment *s = &d->saved[i];
		int err = node_make(o, a->params[i], &s->node);

		if (err)
			return err;
		if (s->node->is_stack)
			return diag_at(o->diag, -EINVAL, a->params[i]->at, "a stack cannot be saved: it is a key or a variable");
		/* As typed, with its modifier, which has no effect (6.12, create_field_var()). */
		s->name = arena_strndup(o->arena, o->trigger->text + a->params[i]->at.off, a->params[i]->at.len);
		s->slot = o->nr_slots++;
	}
	return 0;
}

static int trace_open(struct opener *o, const struct hist_action *a, struct hist_do *d)
{
	d->synthetic = o->env->find_synthetic(o->env->ctx, a->synthetic);
	if (!d->synthetic) {
		diag_at(o->diag, -ENOENT, a->synthetic_at, "there is no synthetic event '%s'", a->synthetic);
		diag_note(o->diag, "help: define it: 's:%s u64 FIELD'", a->synthetic);
		return -ENOENT;
	}
	if (a->nr_params != d->synthetic->def->nr_fields)
		return diag_at(o->diag, -EINVAL, a->synthetic_at, "'%s' has %u field%s, and here are %u values", a->synthetic,
			       d->synthetic->def->nr_fields, d->synthetic->def->nr_fields == 1 ? "" : "s", a->nr_params);
	d->params = arena_array(o->arena, unsigned, a->nr_params);
	for (unsigned i = 0; i < a->nr_params; i++) {
		int err = param_open(o, a, a->params[i], &d->params[i]);

		if (err)
			return err;
		if (!fits(&d->synthetic->def->fields[i], &o->h->refs[d->params[i]]))
			return refuse_type(o, a, i, d);
	}
	return 0;
}

static int action_open(struct opener *o, const struct hist_action *a, struct hist_do *d)
{
	int err = 0;

	d->action = a;
	if (a->kind == HIST_SNAPSHOT) {
		diag_at(o->diag, -EOPNOTSUPP, a->at, "no action can take a snapshot: nobody reads the records of overwriting rings while they "
			"record");
		diag_note(o->diag, "help: --snapshot FILE takes one at each SIGUSR2");
		return -EOPNOTSUPP;
	}
	if (a->handler != HIST_ONMATCH) {
		err = own_or_other(o, a->var, &d->tracked);
		d->slot = o->nr_slots++;
	}
	if (err)
		return err;
	return a->kind == HIST_SAVE ? save_open(o, a, d) : a->kind == HIST_TRACE ? trace_open(o, a, d) : 0;
}

static int open_all(struct opener *o)
{
	const struct hist *hist = o->trigger->hist;
	uint32_t key_size = 0;
	int err = keys_open(o, &key_size);

	if (!err)
		err = values_open(o);
	if (!err)
		err = vars_open(o);
	for (unsigned i = 0; !err && i < hist->nr_actions; i++)
		err = action_open(o, &hist->actions[i], &o->h->dos[i]);
	if (err)
		return err;
	o->h->paused = hist->pause;
	hist_table_init(&o->h->table, key_size, o->nr_slots);
	return 0;
}

int histogram_open(struct arena *arena, const struct trigger *trigger, const struct layout *layout, const char *group,
		   const char *event, const struct hist_env *env, struct histogram **ret, struct diag *diag)
{
	struct histogram *h = arena_new(arena, struct histogram);
	struct opener o = { .arena = arena, .trigger = trigger, .env = env, .h = h, .diag = diag };
	int err;

	*h = (struct histogram){ .trigger = trigger, .layout = layout, .group = group, .event = event,
				 .refs = arena_array(arena, struct hist_ref, HIST_REFS_MAX),
				 .vars = arena_array(arena, struct hist_assignment, HIST_VARS_MAX) };
	diag->text = trigger->text;
	err = open_all(&o);
	if (err)
		return err;
	diag->text = NULL;
	*ret = h;
	return 0;
}

/* ---- comparing ---- */

bool histogram_same_keys(const struct histogram *a, const struct histogram *b)
{
	if (a->trigger->hist->nr_keys != b->trigger->hist->nr_keys)
		return false;
	for (unsigned i = 0; i < a->trigger->hist->nr_keys; i++) {
		const struct hist_key *x = &a->keys[i], *y = &b->keys[i];

		if (x->node->value.modifier != y->node->value.modifier || x->node->is_string != y->node->is_string ||
		    x->type.is_signed != y->type.is_signed || x->type.size != y->type.size)
			return false;
	}
	return true;
}


bool histogram_matches(const struct histogram *a, const struct histogram *b)
{
	const struct hist *x = a->trigger->hist, *y = b->trigger->hist;
	struct buf one = { 0 }, two = { 0 };
	struct trigger bare;
	bool same;

	/* What the kernel compares is what it prints, without the filter, the size and the name. */
	bare = *a->trigger;
	bare.filter = NULL;
	trigger_print(&bare, &one);
	bare = *b->trigger;
	bare.filter = NULL;
	trigger_print(&bare, &two);
	same = x->nr_keys == y->nr_keys && !strcmp(strstr(buf_str(&one), "keys="), strstr(buf_str(&two), "keys="));
	buf_fini(&one);
	buf_fini(&two);
	return same;
}
