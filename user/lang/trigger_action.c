// SPDX-License-Identifier: GPL-2.0-only
/*
 * trigger_action.c - what a histogram does besides counting: HANDLER(...).ACTION(...).
 */
#include <errno.h>
#include <string.h>

#include "lang/trigger_parse.h"

static const struct { const char *text; enum hist_handler handler; } handlers[] = {
	{ "onmatch(", HIST_ONMATCH }, { "onmax(", HIST_ONMAX }, { "onchange(", HIST_ONCHANGE },
};

bool trigger_is_action(const struct parse *p, struct span at)
{
	for (size_t i = 0; i < ARRAY_SIZE(handlers); i++) {
		if (span_starts(p, at, handlers[i].text))
			return true;
	}
	return false;
}

/* The text up to ')', which is in *ret; *rest goes on behind it. */
static int inside_parse(struct parse *p, struct span *rest, struct span *ret)
{
	uint32_t close = span_find(p, *rest, ")");

	if (close == rest->len) {
		diag_at(p->diag, -EINVAL, span_end(*rest), "a ')' is missing");
		diag_note(p->diag, "help: as in onmatch(GROUP.EVENT).trace(NAME,$VAR) or onmax($VAR).save(FIELD)");
		return -EINVAL;
	}
	*ret = span_head(*rest, close);
	*rest = span_tail(*rest, close + 1);
	return 0;
}

/* onmatch(SYSTEM.EVENT) */
static int event_parse(struct parse *p, struct span at, struct hist_action *a)
{
	uint32_t dot = span_find(p, at, ".");

	if (dot == at.len || !name_is_ident(span_ptr(p, at), dot) || !name_is_ident(span_ptr(p, at) + dot + 1, at.len - dot - 1))
		return diag_at(p->diag, -EINVAL, at, "'%s' is no event: GROUP.EVENT is expected, as in onmatch(kprobes.open)",
			       span_quote(p, at));
	a->event_at = at;
	a->system = span_dup(p, span_head(at, dot));
	a->event = span_dup(p, span_tail(at, dot + 1));
	return 0;
}

static int handler_parse(struct parse *p, struct span *rest, struct hist_action *a)
{
	struct span inside = { 0 };
	int err;

	for (size_t i = 0; i < ARRAY_SIZE(handlers); i++) {
		if (span_starts(p, *rest, handlers[i].text)) {
			a->handler = handlers[i].handler;
			*rest = span_tail(*rest, (uint32_t)strlen(handlers[i].text));
			break;
		}
	}
	err = inside_parse(p, rest, &inside);
	if (err)
		return err;
	inside = trigger_strip(p, inside);
	return a->handler == HIST_ONMATCH ? event_parse(p, inside, a) : trigger_var_parse(p, inside, &a->var);
}

/* A parameter is a field or a variable; of trace(), an event may stand in front. The kernel wants two characters or more. */
static int param_parse(struct parse *p, struct span at, struct hist_action *a)
{
	struct hist_expr *e;
	int err;

	if (at.len < 2) {
		err = diag_at(p->diag, -EINVAL, at, at.len ? "the parameter '%s' is too short" : "a parameter is missing",
			      span_quote(p, at));
		if (at.len)
			diag_note(p->diag, "help: the kernel refuses names of one character here; a variable of the trigger has room: ab=%s",
				  span_quote(p, at));
		return err;
	}
	if (a->nr_params == HIST_MAX_PARAMS)
		return diag_at(p->diag, -E2BIG, at, "more than %d parameters", HIST_MAX_PARAMS);
	err = a->kind == HIST_TRACE ? trigger_param_parse(p, at, &e) : trigger_expr_parse(p, at, &e);
	if (!err && e->kind != HIST_FIELD && e->kind != HIST_VAR)
		err = diag_at(p->diag, -EINVAL, at, "a parameter is a field or a variable, not '%s'", span_quote(p, at));
	a->params[a->nr_params++] = e;
	return err;
}

static int params_parse(struct parse *p, struct span at, struct hist_action *a)
{
	struct trigger_parts parts = { .rest = at, .separator = ',' };
	struct span part;
	int err = 0;

	if (!trigger_strip(p, at).len && a->kind == HIST_SNAPSHOT)
		return 0;
	a->params = arena_array(p->arena, struct hist_expr *, HIST_MAX_PARAMS);
	while (!err && trigger_next(p, &parts, &part)) {
		part = trigger_strip(p, part);
		if (a->kind == HIST_TRACE && !a->synthetic) {
			if (!part.len || !name_is_ident(span_ptr(p, part), part.len))
				return diag_at(p->diag, -EINVAL, part, "'%s' is no name of a synthetic event", span_quote(p, part));
			a->synthetic = span_dup(p, part);
			a->synthetic_at = part;
			continue;
		}
		err = param_parse(p, part, a);
	}
	return err;
}

static int refuse_handler(struct parse *p, struct span name)
{
	diag_at(p->diag, -EINVAL, name, "onmatch() cannot '%s'", span_quote(p, name));
	diag_note(p->diag, "help: save() and snapshot() belong to onmax() and onchange()");
	return -EINVAL;
}

static int action_parse(struct parse *p, struct span at, struct hist_action *a)
{
	uint32_t open = span_find(p, at, "(");
	struct span name = span_head(at, open), rest = span_tail(at, MIN(open + 1, at.len)), inside = { 0 };
	int err;

	if (!name.len || open == at.len || !name_is_ident(span_ptr(p, name), name.len)) {
		diag_at(p->diag, -EINVAL, name, "an action is expected here");
		diag_note(p->diag, "help: actions are trace(EVENT,...), EVENT(...), save(FIELD,...) and snapshot()");
		return -EINVAL;
	}
	err = inside_parse(p, &rest, &inside);
	if (err)
		return err;
	if (trigger_strip(p, rest).len)
		return diag_at(p->diag, -EINVAL, rest, "nothing may follow the action's ')'");
	a->kind = span_is(p, name, "save") ? HIST_SAVE : span_is(p, name, "snapshot") ? HIST_SNAPSHOT : HIST_TRACE;
	if (a->kind != HIST_TRACE && a->handler == HIST_ONMATCH)
		return refuse_handler(p, name);
	if (a->kind == HIST_TRACE && !span_is(p, name, "trace")) {
		a->by_name = true;
		a->synthetic = span_dup(p, name);
		a->synthetic_at = name;
	}
	err = params_parse(p, inside, a);
	if (!err && a->kind == HIST_SNAPSHOT && a->nr_params)
		err = diag_at(p->diag, -EINVAL, inside, "snapshot() takes nothing");
	return err;
}

int trigger_action_parse(struct parse *p, struct span at, struct hist_action *ret)
{
	struct span rest = at;
	int err;

	*ret = (struct hist_action){ .at = at };
	err = handler_parse(p, &rest, ret);
	if (err)
		return err;
	if (!span_starts(p, rest, ".")) {
		diag_at(p->diag, -EINVAL, rest, "an action is expected here");
		diag_note(p->diag, "help: as in onmax($VAR).save(FIELD); actions are trace(), save() and snapshot()");
		return -EINVAL;
	}
	return action_parse(p, span_tail(rest, 1), ret);
}
