// SPDX-License-Identifier: GPL-2.0-only
/*
 * trigger.c - a trigger: its command, its count and its filter.
 */
#include "lang/trigger.h"

#include <errno.h>
#include <string.h>

#include "base/number.h"
#include "lang/filter.h"
#include "lang/trigger_parse.h"

static const char *const kinds[TRIGGER_COUNT] = {
	[TRIGGER_HIST] = "hist", [TRIGGER_STACKTRACE] = "stacktrace", [TRIGGER_SNAPSHOT] = "snapshot",
	[TRIGGER_TRACEON] = "traceon", [TRIGGER_TRACEOFF] = "traceoff",
	[TRIGGER_ENABLE_EVENT] = "enable_event", [TRIGGER_DISABLE_EVENT] = "disable_event",
	[TRIGGER_ENABLE_HIST] = "enable_hist", [TRIGGER_DISABLE_HIST] = "disable_hist",
};

const char *trigger_kind_name(enum trigger_kind kind)
{
	return kinds[kind];
}

static bool names_event(const struct trigger *t)
{
	return t->kind >= TRIGGER_ENABLE_EVENT;
}

/* ---- the filter ---- */

static bool is_space(const struct parse *p, uint32_t at)
{
	return strchr(" \t", p->text[at]) != NULL;
}

/* The word "if" between white space, or at.len. */
static uint32_t find_if(const struct parse *p, struct span at)
{
	for (uint32_t i = 0; i + 2 <= at.len; i++) {
		const char *text = span_ptr(p, at) + i;

		if (text[0] == 'i' && text[1] == 'f' && (!i || is_space(p, at.off + i - 1)) &&
		    (i + 2 == at.len || is_space(p, at.off + i + 2)))
			return i;
	}
	return at.len;
}

/* Takes the filter off the end of *at. */
static int filter_take(struct parse *p, struct span *at, struct trigger *t)
{
	uint32_t found = find_if(p, *at);
	struct span filter = span_tail(*at, found);

	*at = trigger_strip(p, span_head(*at, found));
	if (!filter.len)
		return 0;
	filter = trigger_strip(p, span_tail(filter, 2));
	if (!filter.len)
		return diag_at(p->diag, -EINVAL, filter, "nothing follows 'if'");
	return filter_parse(p->arena, p->text, filter, &t->filter, p->diag);
}

/* ---- commands ---- */

static int kind_parse(struct parse *p, struct span at, struct trigger *t)
{
	const char *near;

	t->kind_at = at;
	for (t->kind = 0; t->kind < TRIGGER_COUNT; t->kind++) {
		if (span_is(p, at, kinds[t->kind]))
			return 0;
	}
	if (at.len)
		diag_at(p->diag, -EINVAL, at, "'%s' is no trigger", span_quote(p, at));
	else
		diag_at(p->diag, -EINVAL, at, "a trigger is expected here");
	near = spell_nearest(span_dup(p, at), kinds, TRIGGER_COUNT);
	if (near)
		diag_note(p->diag, "help: did you mean '%s'?", near);
	else
		diag_note(p->diag, "help: triggers are hist:keys=FIELD, stacktrace, snapshot, traceon, traceoff, enable_event:GROUP:EVENT, "
				   "disable_event, enable_hist and disable_hist");
	return -EINVAL;
}

/* :N; to be removed, also what lists print if there is none (6.12, event_trigger_parse(), does not look at it then) */
static int count_parse(struct parse *p, struct span at, struct trigger *t)
{
	int err;

	if (t->remove && span_is(p, at, "unlimited"))
		return 0;
	err = number_u64(span_ptr(p, at), at.len, 0, &t->count);
	t->counted = !err;
	if (!at.len)
		return diag_at(p->diag, -EINVAL, at, "how many times is expected here: a number");
	if (!err)
		return 0;
	diag_at(p->diag, err, at, err == -ERANGE ? "'%s' does not fit in 64 bits" : "'%s' is no number of times", span_quote(p, at));
	if (err == -EINVAL)
		diag_note(p->diag, "help: as in %s:5, or %s if FILTER", kinds[t->kind], kinds[t->kind]);
	return err;
}

/* GROUP:EVENT[:N] */
static int event_parse(struct parse *p, struct span at, struct trigger *t)
{
	struct trigger_parts parts = { .rest = at, .separator = ':' };
	struct span group = at, event = { 0 };

	trigger_next(p, &parts, &group);
	if (!trigger_next(p, &parts, &event) || !name_is_ident(span_ptr(p, group), group.len) ||
	    !name_is_ident(span_ptr(p, event), event.len)) {
		diag_at(p->diag, -EINVAL, at, "GROUP:EVENT is expected here, not '%s'", span_quote(p, at));
		diag_note(p->diag, "help: as in %s:kprobes:myprobe", kinds[t->kind]);
		return -EINVAL;
	}
	t->system = span_dup(p, group);
	t->event = span_dup(p, event);
	t->event_at = (struct span){ group.off, event.off + event.len - group.off };
	return parts.end ? 0 : count_parse(p, parts.rest, t);
}

static int rest_parse(struct parse *p, struct span at, bool colon, struct trigger *t)
{
	if (t->kind == TRIGGER_HIST)
		return trigger_hist_parse(p, at, &t->hist);
	if (names_event(t))
		return event_parse(p, at, t);
	return at.len || colon ? count_parse(p, at, t) : 0;
}

static int parse_all(struct parse *p, struct span at, struct trigger *t)
{
	struct span command;
	bool colon;
	int err;

	t->at = at;
	if (span_starts(p, at, "!")) {
		t->remove = true;
		at = span_tail(at, 1);
	}
	command = span_head(at, span_find(p, at, ": \t"));
	err = kind_parse(p, command, t);
	if (err)
		return err;
	at = span_tail(at, command.len);
	colon = span_starts(p, at, ":");
	if (colon)
		at = span_tail(at, 1);
	err = filter_take(p, &at, t);
	return err ? err : rest_parse(p, at, colon, t);
}

int trigger_parse(struct arena *arena, const char *text, struct trigger **ret, struct diag *diag)
{
	struct parse p = { .arena = arena, .diag = diag, .text = text };
	struct trigger *t = arena_new(arena, struct trigger);
	size_t len = strlen(text);
	int err;

	if (len > FILTER_MAX_TEXT)
		return diag_set(diag, -E2BIG, "the trigger has %zu bytes, at most %d fit", len, FILTER_MAX_TEXT);
	if (strchr(text, '\n'))
		return diag_set(diag, -EINVAL, "a trigger must be one line, and this text has several");
	diag->text = text;
	t->text = text;
	err = parse_all(&p, trigger_strip(&p, (struct span){ 0, (uint32_t)len }), t);
	if (err)
		return err;
	diag->text = NULL;
	*ret = t;
	return 0;
}

/* ---- printing ---- */

static void list_print(struct hist_expr *const *list, unsigned nr, struct buf *out)
{
	for (unsigned i = 0; i < nr; i++) {
		if (i)
			buf_addc(out, ',');
		hist_expr_print(list[i], out);
	}
}

static void values_print(const struct hist *h, struct buf *out)
{
	buf_adds(out, ":vals=");
	if (!h->nohitcount)
		buf_adds(out, h->nr_values ? "hitcount," : "hitcount");
	list_print(h->values, h->nr_values, out);
	for (unsigned i = 0; i < h->nr_vars; i++) {
		buf_addf(out, "%c%s=", i ? ',' : ':', h->vars[i].name);
		hist_expr_print(h->vars[i].expr, out);
	}
}

/* A field to sort by is shown as the key or value of that name is. */
static void sort_print(const struct hist *h, const struct hist_sort *sort, struct buf *out)
{
	struct hist_expr *const *lists[] = { h->values, h->keys };
	const unsigned nr[] = { h->nr_values, h->nr_keys };
	const struct hist_expr *found = NULL;

	for (unsigned k = 0; k < ARRAY_SIZE(lists); k++) {
		for (unsigned i = 0; !found && i < nr[k]; i++) {
			const struct hist_expr *e = lists[k][i]->local ? lists[k][i]->local : lists[k][i];

			if (e->kind == HIST_FIELD && !strcmp(e->name, sort->name) && strcmp(sort->name, "hitcount") != 0)
				found = lists[k][i];
		}
	}
	if (found)
		hist_expr_print(found, out);
	else
		buf_adds(out, sort->name);
	if (sort->descending)
		buf_adds(out, ".descending");
}

static void action_print(const char *text, const struct hist_action *a, struct buf *out)
{
	static const char *const handlers[] = { "onmatch", "onmax", "onchange" };
	static const char *const actions[] = { "trace", "save", "snapshot" };

	buf_addf(out, ":%s(", handlers[a->handler]);
	if (a->handler == HIST_ONMATCH)
		buf_addf(out, "%s.%s", a->system, a->event);
	else
		hist_expr_print(a->var, out);
	buf_addf(out, ").%s(", a->by_name ? a->synthetic : actions[a->kind]);
	if (a->kind == HIST_TRACE && !a->by_name)
		buf_addf(out, "%s%s", a->synthetic, a->nr_params ? "," : "");
	/* As they were typed: a variable stays one here. */
	for (unsigned i = 0; i < a->nr_params; i++)
		buf_addf(out, "%s%.*s", i ? "," : "", (int)a->params[i]->at.len, text + a->params[i]->at.off);
	buf_addc(out, ')');
}

static void hist_print(const char *text, const struct hist *h, struct buf *out)
{
	buf_adds(out, "hist:");
	if (h->name)
		buf_addf(out, "name=%s:", h->name);
	buf_adds(out, "keys=");
	list_print(h->keys, h->nr_keys, out);
	values_print(h, out);
	buf_adds(out, ":sort=");
	for (unsigned i = 0; i < h->nr_sorts; i++) {
		if (i)
			buf_addc(out, ',');
		sort_print(h, &h->sorts[i], out);
	}
	if (!h->nr_sorts)
		buf_adds(out, "hitcount");
	buf_addf(out, ":size=%u", 1u << h->bits);
	if (hist_uses_clock(h))
		buf_addf(out, ":clock=%s", h->clock ? h->clock : "global");
	if (h->nohitcount)
		buf_adds(out, ":nohitcount");
	for (unsigned i = 0; i < h->nr_actions; i++)
		action_print(text, &h->actions[i], out);
}

void trigger_print(const struct trigger *t, struct buf *out)
{
	if (t->kind == TRIGGER_HIST)
		hist_print(t->text, t->hist, out);
	else
		buf_adds(out, kinds[t->kind]);
	if (names_event(t))
		buf_addf(out, ":%s:%s", t->system, t->event);
	if (t->filter) {
		buf_adds(out, " if ");
		buf_add(out, t->filter->text + t->filter->at.off, t->filter->at.len);
	}
}

static bool filter_uses_field(const struct filter_node *node, const char *name)
{
	for (; node; node = node->next) {
		if (node->pred && !strcmp(node->pred->field, name))
			return true;
		if (filter_uses_field(node->child, name))
			return true;
	}
	return false;
}

bool hist_is_for_programs(const struct hist *hist)
{
	bool calculates = false;

	for (unsigned i = 0; i < hist->nr_values; i++)
		calculates |= (hist->values[i]->local ? hist->values[i]->local : hist->values[i])->kind != HIST_FIELD;
	return hist->nr_vars || hist->nr_actions || hist->time || calculates;
}

bool trigger_uses_field(const struct trigger *t, const char *name)
{
	return (t->hist && hist_uses_field(t->hist, name)) || (t->filter && filter_uses_field(t->filter->root, name));
}

bool trigger_is_for_field(const struct trigger *t, const char *field)
{
	const struct hist *h = t->hist;
	const size_t prefix = sizeof(HIST_FIELD_VAR) - 1;

	return h && h->nr_vars == 1 && !h->nr_values && !h->nr_actions && !strncmp(h->vars[0].name, HIST_FIELD_VAR, prefix) &&
	       !strcmp(h->vars[0].name + prefix, field) && h->vars[0].expr->kind == HIST_FIELD && !strcmp(h->vars[0].expr->name, field);
}
