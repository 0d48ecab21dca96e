// SPDX-License-Identifier: GPL-2.0-only
/*
 * triggers_vars.c - what histograms of a run have of each other: variables, fields of other events, and the synthetic events that
 * they make.
 */
#include <errno.h>

#include "hist/triggers_priv.h"

/* ---- variables ---- */

static bool is_of(const struct histogram *h, const char *group, const char *event)
{
	return !strcmp(h->group, group) && !strcmp(h->event, event);
}

/* The first variable of this name of an event; NULL: any event. @skip: its event is left out. */
static struct histogram *find_var_of(const struct triggers *ts, const char *group, const char *event, const char *name,
				     const struct histogram *skip)
{
	for (unsigned i = 0; i < ts->nr_histograms; i++) {
		struct histogram *h = ts->histograms[i];

		if ((!group || is_of(h, group, event)) && (!skip || !is_of(h, skip->group, skip->event)) && histogram_var(h, name))
			return h;
	}
	return NULL;
}

static int refuse_ambiguous(const struct histogram *by, const struct hist_expr *expr, const struct histogram *one,
			    const struct histogram *other, struct diag *diag)
{
	diag->text = by->trigger->text;
	diag_at(diag, -EINVAL, expr->at, "two events have a variable '%s'", expr->name);
	diag_note(diag, "help: write %s.%s.$%s or %s.%s.$%s", one->group, one->event, expr->name, other->group, other->event, expr->name);
	return -EINVAL;
}

/* The events of onmatch() come first (6.12, find_event_var()). */
static struct histogram *choose_var(const struct triggers *ts, const struct histogram *by, const struct hist_expr *expr,
				    struct diag *diag)
{
	const struct hist *hist = by->trigger->hist;
	struct histogram *found = NULL, *other;

	if (expr->system)
		return find_var_of(ts, expr->system, expr->event, expr->name, NULL);
	for (unsigned i = 0; i < hist->nr_actions && !found; i++) {
		if (hist->actions[i].handler == HIST_ONMATCH)
			found = find_var_of(ts, hist->actions[i].system, hist->actions[i].event, expr->name, NULL);
	}
	if (found)
		return found;
	found = find_var_of(ts, NULL, NULL, expr->name, NULL);
	other = found ? find_var_of(ts, NULL, NULL, expr->name, found) : NULL;
	if (!other)
		return found;
	refuse_ambiguous(by, expr, found, other, diag);
	return NULL;
}

static struct histogram *find_var(void *ctx, const struct histogram *by, const struct hist_expr *expr,
				  const struct hist_assignment **ret, struct diag *diag)
{
	struct histogram *h = choose_var(ctx, by, expr, diag);

	*ret = h ? histogram_var(h, expr->name) : NULL;
	return h;
}

/* ---- fields of the event of onmatch() ---- */

/* The histogram on @subject in which keys of @by can be looked up; NULL: there is none. */
static struct installed *find_compatible(const struct subject *subject, const struct histogram *by)
{
	for (struct installed *in = subject ? subject->first : NULL; in; in = in->next) {
		if (in->main && histogram_same_keys(in->main, by))
			return in;
	}
	return NULL;
}

static int refuse_match_field(const struct histogram *by, const char *system, const char *event, const struct hist_expr *expr,
			      struct diag *diag)
{
	diag->text = by->trigger->text;
	if (expr->system)
		diag_at(diag, -ENOENT, expr->at, "%s.%s has no histogram with the same keys", system, event);
	else
		diag_at(diag, -ENOENT, expr->at, "the event has no field '%s', and %s.%s has no histogram with the same keys", expr->name, system,
			event);
	diag_note(diag, "help: the trigger that sets a variable to it stands in front of this one: hist:keys=...:NAME=%s", expr->name);
	return -ENOENT;
}

/* Who keeps this event cannot give another kept event the trigger that sets the variable. */
static int refuse_kept_field(const char *system, const char *event, const struct hist_expr *expr, struct diag *diag)
{
	diag_at(diag, -EOPNOTSUPP, expr->at, "'%s' is a field of %s.%s, which is kept with its own triggers only", expr->name, system, event);
	diag_note(diag, "help: keep this event without the trigger, and give it the trigger with --set-trigger");
	return -EOPNOTSUPP;
}

/* The kernel's words for it (6.12, create_field_var_hist()): the keys and the filter of the histogram @like. */
static const char *field_trigger(const struct triggers *ts, const struct trigger *like, const char *field)
{
	struct buf text = { 0 };
	const char *copy;

	buf_adds(&text, "hist:keys=");
	for (unsigned i = 0; i < like->hist->nr_keys; i++) {
		buf_adds(&text, i ? "," : "");
		hist_expr_print(like->hist->keys[i], &text);
	}
	buf_addf(&text, ":" HIST_FIELD_VAR "%s=%s", field, field);
	if (like->filter)
		buf_addf(&text, " if %.*s", (int)like->filter->at.len, like->filter->text + like->filter->at.off);
	copy = arena_strdup(ts->opts.arena, buf_str(&text));
	buf_fini(&text);
	return copy;
}

/* All probes of the event get the trigger, since each has its own place for the field. */
static int add_field_trigger(struct triggers *ts, const struct subject *subject, const char *text, bool *refused, struct diag *diag)
{
	struct trigger *t;
	int err = trigger_parse(ts->opts.arena, text, &t, diag);

	for (unsigned i = 0; !err && i < ts->opts.nr_probes; i++) {
		if (ts->probes[i].subject != subject || !ts->opts.probes[i].plan)
			continue;
		*refused = ts->opts.kernel.drops && !(ts->opts.needs && ts->opts.needs(ts->opts.needs_ctx, i, t));
		err = *refused ? -EOPNOTSUPP : triggers_add(ts, i, t, diag);
	}
	return err;
}

static struct histogram *find_field(void *ctx, const struct histogram *by, const char *system, const char *event,
				    const struct hist_expr *expr, const struct hist_assignment **ret, struct diag *diag)
{
	struct triggers *ts = ctx;
	const char *name = arena_printf(ts->opts.arena, HIST_FIELD_VAR "%s", expr->name);
	struct subject *subject = triggers_subject(ts, system, event);
	const struct installed *in = find_compatible(subject, by);
	bool refused = false;
	struct histogram *h;
	int err = 0;

	if (!in) {
		refuse_match_field(by, system, event, expr, diag);
		return NULL;
	}
	diag_fini(diag);
	h = find_var_of(ts, system, event, name, NULL);
	if (!h)
		err = add_field_trigger(ts, subject, field_trigger(ts, in->trigger, expr->name), &refused, diag);
	if (err && !refused)
		return NULL;
	diag->text = by->trigger->text;
	if (refused) {
		refuse_kept_field(system, event, expr, diag);
		return NULL;
	}
	h = find_var_of(ts, system, event, name, NULL);
	*ret = histogram_var(h, name);
	return h;
}

/* ---- synthetic events ---- */

static const struct synthetic *find_synthetic(void *ctx, const char *name)
{
	const struct triggers *ts = ctx;

	for (unsigned i = 0; i < ts->nr_synthetics; i++) {
		if (!strcmp(ts->synthetics[i].def->name, name))
			return &ts->synthetics[i];
	}
	return NULL;
}

void triggers_find_synthetics(struct triggers *ts)
{
	const struct triggers_opts *o = &ts->opts;

	ts->synthetics = arena_array(o->arena, struct synthetic, o->nr_probes);
	for (unsigned i = 0; i < o->nr_probes; i++) {
		if (!o->probes[i].synthetic)
			continue;
		ts->synthetics[ts->nr_synthetics++] = (struct synthetic){ .def = o->probes[i].synthetic, .number = i };
	}
}

/* Makes event @name, in the end, another @other? The histograms so far are no circle. */
static bool leads_to(const struct triggers *ts, const char *name, const char *other)
{
	if (!strcmp(name, other))
		return true;
	for (unsigned i = 0; i < ts->nr_histograms; i++) {
		const struct histogram *h = ts->histograms[i];

		for (unsigned k = 0; is_of(h, SYNTHETIC_GROUP, name) && k < h->trigger->hist->nr_actions; k++) {
			if (h->dos[k].synthetic && leads_to(ts, h->dos[k].synthetic->def->name, other))
				return true;
		}
	}
	return false;
}

int triggers_refuse_circle(const struct triggers *ts, const struct histogram *h, struct diag *diag)
{
	const struct hist *hist = h->trigger->hist;

	for (unsigned i = 0; !strcmp(h->group, SYNTHETIC_GROUP) && i < hist->nr_actions; i++) {
		if (!h->dos[i].synthetic || !leads_to(ts, h->dos[i].synthetic->def->name, h->event))
			continue;
		diag->text = h->trigger->text;
		return diag_at(diag, -ELOOP, hist->actions[i].synthetic_at, "'%s' makes '%s' itself, so this would never end",
			       hist->actions[i].synthetic, h->event);
	}
	return 0;
}

struct hist_env triggers_env(struct triggers *ts)
{
	return (struct hist_env){ .ctx = ts, .find_var = find_var, .find_field = find_field, .find_synthetic = find_synthetic };
}
