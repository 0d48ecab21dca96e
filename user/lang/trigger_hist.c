// SPDX-License-Identifier: GPL-2.0-only
/*
 * trigger_hist.c - hist: its keys, values and options, separated by colons.
 */
#include <errno.h>
#include <string.h>

#include "base/number.h"
#include "lang/trigger_parse.h"

bool trigger_next(const struct parse *p, struct trigger_parts *parts, struct span *ret)
{
	const char set[] = { parts->separator, 0 };
	uint32_t len = span_find(p, parts->rest, set);

	if (parts->end)
		return false;
	*ret = span_head(parts->rest, len);
	parts->end = len == parts->rest.len;
	parts->rest = span_tail(parts->rest, parts->end ? len : len + 1);
	return true;
}

struct span trigger_strip(const struct parse *p, struct span at)
{
	at = span_tail(at, span_skip_space(p, at));
	while (at.len && strchr(PARSE_SPACE, span_ptr(p, at)[at.len - 1]))
		at.len--;
	return at;
}

/* ---- lists ---- */

static int keys_parse(struct parse *p, struct span at, struct hist *h)
{
	struct trigger_parts parts = { .rest = at, .separator = ',' };
	struct span part;
	int err = 0;

	h->nr_keys = 0;
	h->keys_at = at;
	while (!err && trigger_next(p, &parts, &part)) {
		if (h->nr_keys == HIST_MAX_KEYS)
			return diag_at(p->diag, -E2BIG, part, "more than %d keys", HIST_MAX_KEYS);
		err = trigger_expr_parse(p, part, &h->keys[h->nr_keys++]);
	}
	return err;
}

/* hitcount is always counted, so the first hitcount that was typed adds no value. */
static int values_parse(struct parse *p, struct span at, struct hist *h)
{
	struct trigger_parts parts = { .rest = at, .separator = ',' };
	bool counted = false;
	struct span part;
	int err = 0;

	h->nr_values = 0;
	while (!err && trigger_next(p, &parts, &part)) {
		if (!counted && span_is(p, part, "hitcount")) {
			counted = true;
			continue;
		}
		if (h->nr_values == HIST_MAX_VALUES)
			return diag_at(p->diag, -E2BIG, part, "more than %d values besides hitcount", HIST_MAX_VALUES);
		err = trigger_expr_parse(p, part, &h->values[h->nr_values++]);
	}
	return err;
}

static int sort_parse(struct parse *p, struct span at, struct hist_sort *ret)
{
	struct span name = span_head(at, span_find(p, at, ".")), order = span_tail(at, name.len);

	*ret = (struct hist_sort){ .name = span_dup(p, name), .at = at };
	if (!name.len)
		return diag_at(p->diag, -EINVAL, at, "a key or a value to sort by is expected here");
	if (!order.len)
		return 0;
	order = span_tail(order, 1);
	ret->descending = span_is(p, order, "descending");
	if (ret->descending || span_is(p, order, "ascending"))
		return 0;
	diag_at(p->diag, -EINVAL, order, "'.%s' is no order", span_quote(p, order));
	diag_note(p->diag, "help: .descending, or nothing; a modifier like .hex is not repeated here");
	return -EINVAL;
}

static int sorts_parse(struct parse *p, struct span at, struct hist *h)
{
	struct trigger_parts parts = { .rest = at, .separator = ',' };
	struct span part;
	int err = 0;

	h->nr_sorts = 0;
	while (!err && trigger_next(p, &parts, &part)) {
		if (h->nr_sorts == HIST_MAX_SORTS)
			return diag_at(p->diag, -E2BIG, part, "more than %d fields to sort by", HIST_MAX_SORTS);
		err = sort_parse(p, part, &h->sorts[h->nr_sorts++]);
	}
	return err;
}

/* ---- single options ---- */

static int name_parse(struct parse *p, struct span at, struct hist *h)
{
	if (!name_is_ident(span_ptr(p, at), at.len))
		return diag_at(p->diag, -EINVAL, at, "'%s' is no name: letters, digits and _ are expected", span_quote(p, at));
	if (at.len > HIST_MAX_NAME)
		return diag_at(p->diag, -E2BIG, at, "a name of %u bytes, at most %d fit", at.len, HIST_MAX_NAME);
	h->name = span_dup(p, at);
	return 0;
}

static int clock_parse(struct parse *p, struct span at, struct hist *h)
{
	h->clock_at = trigger_strip(p, at);
	h->clock = span_dup(p, h->clock_at);
	return 0;
}

/* As the kernel does, it is looked at only if there is a time stamp. Its names: 6.12, kernel/trace/trace.c, trace_clocks[]. */
static int clock_check(struct parse *p, struct hist *h)
{
	enum { NO_TIME = -1 };
	static const struct { const char *name; int clock; } clocks[] = {
		{ "mono", HIST_CLOCK_MONO }, { "boot", HIST_CLOCK_BOOT }, { "tai", HIST_CLOCK_TAI }, { "global", HIST_CLOCK_MONO },
		{ "local", HIST_CLOCK_MONO }, { "perf", HIST_CLOCK_MONO }, { "mono_raw", HIST_CLOCK_MONO }, { "uptime", HIST_CLOCK_MONO },
		{ "counter", NO_TIME },
	};
	size_t i = 0;

	if (!h->clock || !hist_uses_clock(h))
		return 0;
	while (i < ARRAY_SIZE(clocks) && strcmp(h->clock, clocks[i].name) != 0)
		i++;
	if (i < ARRAY_SIZE(clocks) && clocks[i].clock != NO_TIME) {
		h->time = (enum hist_clock)clocks[i].clock;
		return 0;
	}
	if (i < ARRAY_SIZE(clocks))
		diag_at(p->diag, -EINVAL, h->clock_at, "the clock '%s' does not count nanoseconds, as time stamps here do", h->clock);
	else
		diag_at(p->diag, -EINVAL, h->clock_at, "there is no clock '%s'", span_quote(p, h->clock_at));
	diag_note(p->diag, "help: clocks are mono, boot and tai; global, local, perf, mono_raw and uptime are mono here");
	return -EINVAL;
}

/* The kernel rounds the size up to a power of two. */
static int size_parse(struct parse *p, struct span at, struct hist *h)
{
	uint64_t size;
	int err = number_u64(span_ptr(p, at), at.len, 0, &size);

	if (err == -EINVAL)
		return diag_at(p->diag, err, at, "'%s' is no number", span_quote(p, at));
	h->bits = 0;
	while (!err && h->bits <= HIST_MAX_BITS && (uint64_t)1 << h->bits < size)
		h->bits++;
	if (!err && h->bits >= HIST_MIN_BITS && h->bits <= HIST_MAX_BITS)
		return 0;
	return diag_at(p->diag, -ERANGE, at, "a size from %u to %u is expected, not %s", (1u << (HIST_MIN_BITS - 1)) + 1,
		       1u << HIST_MAX_BITS, span_quote(p, at));
}

/* ---- variables ---- */

static int var_parse(struct parse *p, struct span at, struct hist *h)
{
	uint32_t equal = span_find(p, at, "=");
	struct span name = span_head(at, equal);
	struct hist_var *v;

	if (equal == at.len || !name_is_ident(span_ptr(p, name), name.len)) {
		diag_at(p->diag, -EINVAL, at, "NAME=EXPRESSION is expected here, not '%s'", span_quote(p, at));
		return -EINVAL;
	}
	if (h->nr_vars == HIST_MAX_VARS)
		return diag_at(p->diag, -E2BIG, name, "more than %d variables", HIST_MAX_VARS);
	if (name.len > HIST_MAX_NAME)
		return diag_at(p->diag, -E2BIG, name, "a name of %u bytes, at most %d fit", name.len, HIST_MAX_NAME);
	v = &h->vars[h->nr_vars++];
	*v = (struct hist_var){ .name = span_dup(p, name), .name_at = name };
	for (unsigned i = 0; v->name && i + 1 < h->nr_vars; i++) {
		if (!strcmp(h->vars[i].name, v->name))
			return diag_at(p->diag, -EINVAL, name, "the variable '%s' is already defined in this trigger", v->name);
	}
	return trigger_expr_parse(p, span_tail(at, equal + 1), &v->expr);
}

static int vars_parse(struct parse *p, struct span at, struct hist *h)
{
	struct trigger_parts parts = { .rest = at, .separator = ',' };
	struct span part;
	int err = 0;

	while (!err && trigger_next(p, &parts, &part))
		err = var_parse(p, part, h);
	return err;
}

/*
 * $v of a variable that is a field becomes that field (6.12, local_field_var_ref()). All others are values of an earlier hit, also of
 * other events; plan/ looks for them.
 */
static void resolve_local(const struct hist *h, struct hist_expr *e)
{
	if (!e)
		return;
	for (unsigned i = 0; e->kind == HIST_VAR && !e->system && i < h->nr_vars; i++) {
		if (!strcmp(h->vars[i].name, e->name) && h->vars[i].expr->kind == HIST_FIELD)
			e->local = h->vars[i].expr;
	}
	resolve_local(h, e->left);
	resolve_local(h, e->right);
}

static void resolve_all(struct hist *h)
{
	for (unsigned i = 0; i < h->nr_keys; i++)
		resolve_local(h, h->keys[i]);
	for (unsigned i = 0; i < h->nr_values; i++)
		resolve_local(h, h->values[i]);
	for (unsigned i = 0; i < h->nr_vars; i++)
		resolve_local(h, h->vars[i].expr);
}

/* ---- all options ---- */

static const struct option {
	const char *key;
	int (*parse)(struct parse *p, struct span at, struct hist *h);
} options[] = {
	{ "keys=", keys_parse }, { "key=", keys_parse },
	{ "values=", values_parse }, { "vals=", values_parse }, { "val=", values_parse },
	{ "sort=", sorts_parse }, { "name=", name_parse }, { "clock=", clock_parse }, { "size=", size_parse },
};

static int assignment_parse(struct parse *p, struct span at, struct hist *h)
{
	uint32_t equal = span_find(p, at, "=");

	if (equal + 1 == at.len)
		return diag_at(p->diag, -EINVAL, at, "nothing follows '%s'", span_quote(p, at));
	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		if (span_starts(p, at, options[i].key))
			return options[i].parse(p, span_tail(at, (uint32_t)strlen(options[i].key)), h);
	}
	return vars_parse(p, at, h);
}

/* pause, continue, clear, nohitcount */
static int word_parse(struct parse *p, struct span at, struct hist *h)
{
	static const char *const known[] = { "pause", "continue", "clear", "nohitcount", "keys=", "vals=", "sort=", "size=", "name=" };
	const char *near;

	if (span_is(p, at, "nohitcount") || span_is(p, at, "NOHC")) {
		h->nohitcount = true;
		return 0;
	}
	h->commands_at = at;
	if (span_is(p, at, "pause"))
		h->pause = true;
	else if (span_is(p, at, "continue") || span_is(p, at, "cont"))
		h->resume = true;
	else if (span_is(p, at, "clear"))
		h->clear = true;
	else
		h->commands_at = (struct span){ 0 };
	if (h->commands_at.len)
		return 0;
	diag_at(p->diag, -EINVAL, at, "'%s' is no option of hist", span_quote(p, at));
	near = spell_nearest(span_dup(p, at), known, ARRAY_SIZE(known));
	if (near)
		diag_note(p->diag, "help: did you mean '%s'?", near);
	else
		diag_note(p->diag, "help: as in hist:keys=FIELD:vals=FIELD:sort=FIELD.descending:size=4096 if FILTER");
	return -EINVAL;
}

/* An '=' anywhere makes an option an assignment, even inside the parentheses of an action (6.12, parse_hist_trigger_attrs()). */
static int option_parse(struct parse *p, struct span at, struct hist *h)
{
	if (span_find(p, at, "=") < at.len)
		return assignment_parse(p, at, h);
	if (!trigger_is_action(p, at))
		return word_parse(p, at, h);
	if (h->nr_actions == HIST_MAX_ACTIONS)
		return diag_at(p->diag, -E2BIG, at, "more than %d actions", HIST_MAX_ACTIONS);
	return trigger_action_parse(p, at, &h->actions[h->nr_actions++]);
}

/* ---- the checks that need all options ---- */

enum { OF_KEY = 1, OF_VALUE = 2, OF_VARIABLE = 4 };

/* What a field with this modifier can be (6.12, parse_field() and __create_val_field()). */
static const uint8_t allowed[] = {
	[HIST_PLAIN] = OF_KEY | OF_VALUE | OF_VARIABLE, [HIST_HEX] = OF_KEY | OF_VALUE | OF_VARIABLE,
	[HIST_SYM] = OF_KEY | OF_VARIABLE, [HIST_SYM_OFFSET] = OF_KEY | OF_VARIABLE, [HIST_SYSCALL] = OF_KEY | OF_VARIABLE,
	[HIST_STACKTRACE] = OF_KEY | OF_VARIABLE, [HIST_EXECNAME] = OF_KEY | OF_VALUE | OF_VARIABLE,
	[HIST_USECS] = OF_KEY | OF_VALUE | OF_VARIABLE, [HIST_LOG2] = OF_KEY, [HIST_BUCKETS] = OF_KEY,
	[HIST_PERCENT] = OF_VALUE, [HIST_GRAPH] = OF_VALUE, [HIST_AVG] = OF_VALUE, [HIST_MIN] = OF_VALUE, [HIST_MAX] = OF_VALUE,
};

static int check_use(struct parse *p, const struct hist_expr *e, uint8_t use)
{
	const struct hist_expr *field = e->local ? e->local : e;

	if (field->kind != HIST_FIELD || allowed[field->modifier] & use)
		return 0;
	diag_at(p->diag, -EINVAL, e->local ? e->at : e->modifier_at, "%s cannot have '.%s'",
		use == OF_KEY ? "a key" : use == OF_VALUE ? "a value" : "a variable", span_quote(p, field->modifier_at));
	if (allowed[field->modifier] & OF_KEY)
		diag_note(p->diag, "help: make it a key: keys=%s.%s", field->name, span_quote(p, field->modifier_at));
	return -EINVAL;
}

static int check_uses(struct parse *p, const struct hist *h)
{
	int err = 0;

	for (unsigned i = 0; !err && i < h->nr_keys; i++)
		err = check_use(p, h->keys[i], OF_KEY);
	for (unsigned i = 0; !err && i < h->nr_values; i++)
		err = check_use(p, h->values[i], OF_VALUE);
	for (unsigned i = 0; !err && i < h->nr_vars; i++)
		err = check_use(p, h->vars[i].expr, OF_VARIABLE);
	return err;
}

/* The kernel finds what to sort by with the name that it gives to a key or a value (6.12, hist_field_name()). */
static bool is_called(const struct parse *p, const struct hist_expr *e, const char *name)
{
	struct buf printed = { 0 };
	bool is;

	e = e->local ? e->local : e;
	if (e->kind == HIST_NUMBER)		/* it has no name */
		return false;
	if (e->kind == HIST_FIELD || (e->kind == HIST_VAR && !e->system))
		return !strcmp(e->name, name) || (!strcasecmp(e->name, "stacktrace") && !strcmp(name, "common_stacktrace"));
	buf_add(&printed, span_ptr(p, e->at), e->at.len);
	is = !strcmp(buf_str(&printed), name);
	buf_fini(&printed);
	return is;
}

static int check_sort(struct parse *p, const struct hist *h, const struct hist_sort *sort)
{
	bool known = !strcmp(sort->name, "hitcount");

	for (unsigned i = 0; i < h->nr_keys; i++)
		known |= is_called(p, h->keys[i], sort->name);
	for (unsigned i = 0; i < h->nr_values; i++)
		known |= is_called(p, h->values[i], sort->name);
	if (known)
		return 0;
	diag_at(p->diag, -EINVAL, sort->at, "'%s' is neither a key nor a value of this histogram", sort->name);
	diag_note(p->diag, "help: sort by a key, a value or hitcount; vals=%s makes it a value", sort->name);
	return -EINVAL;
}

static int check(struct parse *p, struct span at, const struct hist *h)
{
	unsigned saves = 0;

	if (!h->nr_keys) {
		diag_at(p->diag, -EINVAL, at, "keys= is missing");
		diag_note(p->diag, "help: as in hist:keys=FIELD or hist:keys=common_pid.execname");
		return -EINVAL;
	}
	if (h->nohitcount && !h->nr_values)
		return diag_at(p->diag, -EINVAL, at, "nohitcount needs another value: add vals=FIELD");
	for (unsigned i = 0; i < h->nr_actions; i++) {
		saves += h->actions[i].kind == HIST_SAVE;
		if (saves > 1)
			return diag_at(p->diag, -EINVAL, h->actions[i].at, "a histogram can have only one save()");
	}
	for (unsigned i = 0; i < h->nr_sorts; i++) {
		int err = check_sort(p, h, &h->sorts[i]);

		if (err)
			return err;
	}
	return check_uses(p, h);
}

int trigger_hist_parse(struct parse *p, struct span at, struct hist **ret)
{
	struct trigger_parts parts = { .rest = at, .separator = ':' };
	struct hist *h = arena_new(p->arena, struct hist);
	struct span part;
	int err = 0;

	h->bits = HIST_DEFAULT_BITS;
	while (!err && trigger_next(p, &parts, &part))
		err = option_parse(p, trigger_strip(p, part), h);
	if (err)
		return err;
	resolve_all(h);
	*ret = h;
	err = clock_check(p, h);
	return err ? err : check(p, at, h);
}

/* ---- printing ---- */

static bool shows_time(const struct hist_expr *e)
{
	return e && ((e->kind == HIST_FIELD && !strcmp(e->name, "common_timestamp")) || shows_time(e->local) || shows_time(e->left) ||
		     shows_time(e->right));
}

bool hist_uses_clock(const struct hist *h)
{
	bool uses = false;

	for (unsigned i = 0; i < h->nr_keys; i++)
		uses |= shows_time(h->keys[i]);
	for (unsigned i = 0; i < h->nr_values; i++)
		uses |= shows_time(h->values[i]);
	for (unsigned i = 0; i < h->nr_vars; i++)
		uses |= shows_time(h->vars[i].expr);
	return uses;
}

static bool uses_field(const struct hist_expr *e, const char *name)
{
	if (!e)
		return false;
	return (e->kind == HIST_FIELD && !strcmp(e->name, name)) || uses_field(e->left, name) || uses_field(e->right, name);
}

bool hist_uses_field(const struct hist *h, const char *name)
{
	bool uses = false;

	for (unsigned i = 0; i < h->nr_keys; i++)
		uses |= uses_field(h->keys[i], name);
	for (unsigned i = 0; i < h->nr_values; i++)
		uses |= uses_field(h->values[i], name);
	for (unsigned i = 0; i < h->nr_vars; i++)
		uses |= uses_field(h->vars[i].expr, name);
	for (unsigned i = 0; i < h->nr_actions; i++) {
		for (unsigned k = 0; k < h->actions[i].nr_params; k++)
			uses |= uses_field(h->actions[i].params[k], name);
	}
	return uses;
}
