// SPDX-License-Identifier: GPL-2.0-only
/*
 * set_trigger.c - --set-trigger, and what changes the triggers of kept events.
 *
 * What pauses, continues or clears a histogram changes its table only. What adds or removes a trigger loads the event's programs again; the
 * tables of the other triggers stay.
 */
#include "keep/kept_triggers_priv.h"

#include <errno.h>

#include "base/files.h"
#include "keep/enable.h"
#include "keep/keep.h"
#include "keep/reload.h"
#include "run/count_map.h"

struct finding {
	const struct trigger *trigger;
	struct count_table *table;
};

static int find_table(void *ctx, const struct trigger *t, struct count_table *table)
{
	struct finding *f = ctx;

	if (t == f->trigger)
		f->table = table;
	return 0;
}

static struct count_table *table_of(const struct opened *o, const struct trigger *t)
{
	struct finding f = { .trigger = t };

	triggers_tables(o->triggers, find_table, &f);
	return f.table;
}

/* Pauses, continues or clears the table of @t. */
static int command_table(const struct opened *o, const struct trigger *have, const struct trigger *command, struct diag *diag)
{
	const struct hist *hist = command->hist;
	struct count_table *table = table_of(o, have);
	int err = 0;

	if (hist->clear)
		err = count_map_clear(table);
	else
		err = count_map_pause(table, hist->pause);
	return err ? diag_set(diag, err, "cannot change the histogram of %s: %s", o->ev->kept.event, strerror(-err)) : 0;
}

static unsigned next_number(const struct kept *k)
{
	unsigned next = 0;

	for (unsigned i = 0; i < k->nr_triggers; i++)
		next = MAX(next, k->triggers[i].number + 1);
	return next;
}

/* The event's triggers without @gone, and with @text behind them. Either may be NULL. */
static struct reload_triggers changed(struct arena *arena, const struct opened *o, const struct trigger *gone, const char *text)
{
	const struct kept *k = &o->ev->kept;
	struct kept_trigger *list = arena_array(arena, struct kept_trigger, k->nr_triggers + 1);
	struct reload_triggers ret = { .list = list };

	for (unsigned i = 0; i < k->nr_triggers; i++) {
		if (!gone || kept_triggers_of(o, gone) != &k->triggers[i])
			list[ret.nr++] = k->triggers[i];
	}
	if (text)
		list[ret.nr++] = (struct kept_trigger){ .number = next_number(k), .text = text };
	return ret;
}

static int refuse(const struct trigger *t, int err, const char *why, struct diag *diag)
{
	diag->text = t->text;
	return diag_at(diag, err, t->at, "%s", why);
}

/* What is in the rings must stay readable. */
static int refuse_stackless(const struct trigger *t, struct diag *diag)
{
	diag->text = t->text;
	diag_at(diag, -EOPNOTSUPP, t->at, "the event's records have no stacks");
	diag_note(diag, "help: remove it, and keep it again with --kernel-stack, or with this trigger");
	return -EOPNOTSUPP;
}

/* Loads the programs of all events of @s again, as they are kept. Returns 0 or an exit status. */
static int reload_selected(struct selection *s)
{
	static const struct reload_how how = { .attaches = false };
	int status = 0;

	for (unsigned i = 0; i < s->nr_events && !status; i++) {
		const struct stored **parts;
		unsigned nr = selection_parts(s, i, &parts);

		status = nr ? reload_parts(&s->store, parts, nr, &how) : 0;
	}
	return status;
}

/* Programs of other events that pause the histograms of @ev write to their tables. Now it has other ones. */
static int reload_switching(struct selection *s, const struct stored *ev)
{
	struct selection now = { .store = s->store };
	int status;

	now.nr_all = store_list(&s->store, &now.arena, &now.all);
	now.events = arena_array(&now.arena, struct stored *, now.nr_all);
	for (unsigned i = 0; i < now.nr_all; i++) {
		const struct kept *k = &now.all[i].kept;

		if (!now.all[i].trouble && !name_same_event(k->group, k->event, ev->kept.group, ev->kept.event) &&
		    kept_triggers_name(k, TRIGGER_ENABLE_HIST, ev))
			now.events[now.nr_events++] = &now.all[i];
	}
	status = reload_selected(&now);
	arena_fini(&now.arena);
	return status;
}

/* Do the triggers of @k make one of the synthetic events that are marked in @made? */
static bool makes(const struct selection *s, struct arena *arena, const struct kept *k, const bool *made)
{
	struct diag ignored = { 0 };
	const struct trigger *t;
	bool found = false;

	if (kept_triggers_parse(arena, k->triggers, k->nr_triggers, &t, &ignored))
		t = NULL;
	diag_fini(&ignored);
	for (; t; t = t->next) {
		for (unsigned i = 0; t->hist && i < t->hist->nr_actions; i++) {
			const char *name = t->hist->actions[i].synthetic;

			for (unsigned n = 0; name && n < s->nr_all; n++)
				found |= made[n] && !strcmp(s->all[n].kept.event, name);
		}
	}
	return found;
}

/* The programs of the events that make @ev, at once or by others, run its triggers. Now it has other ones. */
static int reload_makers(struct selection *s, const struct stored *ev)
{
	struct selection now = { .store = s->store };
	bool *made, more = true;
	int status;

	now.nr_all = store_list(&s->store, &now.arena, &now.all);
	now.events = arena_array(&now.arena, struct stored *, now.nr_all);
	made = arena_array(&now.arena, bool, now.nr_all);
	for (unsigned i = 0; i < now.nr_all; i++)
		made[i] = name_same_event(now.all[i].kept.group, now.all[i].kept.event, ev->kept.group, ev->kept.event);
	while (more) {
		more = false;
		for (unsigned i = 0; i < now.nr_all; i++) {
			const struct kept *k = &now.all[i].kept;

			if (now.all[i].trouble || !kept_is_synthetic(k) || made[i] || !makes(&now, &now.arena, k, made))
				continue;
			made[i] = more = true;
		}
	}
	for (unsigned i = 0; i < now.nr_all; i++) {
		if (!now.all[i].trouble && !kept_is_synthetic(&now.all[i].kept) && makes(&now, &now.arena, &now.all[i].kept, made))
			now.events[now.nr_events++] = &now.all[i];
	}
	status = reload_selected(&now);
	arena_fini(&now.arena);
	return status;
}

int kept_triggers_change(struct selection *s, const struct reload_event *events, unsigned nr, const struct trigger *const *added,
			 unsigned nr_added)
{
	struct armed armed;
	int status = enable_arm(&s->store, s->all, s->nr_all, added, nr_added, &armed);

	if (!status) {
		status = reload_events(&s->store, events, nr);
		if (status)
			enable_disarm(&armed);
	}
	enable_arm_close(&armed);
	for (unsigned i = 0; !status && i < nr; i++)
		status = events[i].how->triggers ? reload_switching(s, events[i].parts[0]) : 0;
	for (unsigned i = 0; !status && i < nr; i++)
		status = kept_is_synthetic(&events[i].parts[0]->kept) ? reload_makers(s, events[i].parts[0]) : 0;
	return status;
}

/* ---- triggers that other events need for a field ---- */

static unsigned parts_of(struct selection *s, const struct stored *ev, const struct stored ***ret)
{
	const struct stored **parts = arena_array(&s->arena, const struct stored *, s->nr_all);
	unsigned nr = 0;

	for (unsigned i = 0; i < s->nr_all; i++) {
		if (!s->all[i].trouble && name_same_event(s->all[i].kept.group, s->all[i].kept.event, ev->kept.group, ev->kept.event))
			parts[nr++] = &s->all[i];
	}
	*ret = parts;
	return nr;
}

/* Gives @ev the triggers @list. Returns 0 or an exit status. */
static int give(struct selection *s, const struct stored *ev, const struct reload_triggers *list)
{
	const struct reload_how how = { .triggers = list };
	const struct stored **parts;
	unsigned nr = parts_of(s, ev, &parts);

	return kept_triggers_change(s, &(struct reload_event){ parts, nr, &how }, 1, NULL, 0);
}

/* The first @nr events of @o->needed get their triggers, or lose them again. Two triggers of one event are given one after the other. */
static int give_needed(struct selection *s, const struct opened *o, unsigned nr, bool adds)
{
	int status = 0;

	for (unsigned i = 0; i < nr && !status; i++) {
		const struct kept *k = &o->needed[i].ev->kept;
		struct kept_trigger *list = arena_array(&s->arena, struct kept_trigger, k->nr_triggers + nr);
		struct reload_triggers triggers = { list, k->nr_triggers };

		memcpy(list, k->triggers, k->nr_triggers * sizeof(*list));
		for (unsigned n = 0; n <= i && adds; n++) {
			if (o->needed[n].ev != o->needed[i].ev)
				continue;
			list[triggers.nr] = (struct kept_trigger){ .number = next_number(k) + n, .text = o->needed[n].trigger->text };
			triggers.nr++;
		}
		status = give(s, o->needed[i].ev, &triggers);
		if (status && adds && i)
			give_needed(s, o, i, false);
	}
	return status;
}

/* Takes the trigger for @field from @ev if no other trigger needs it. Returns 0 or an exit status. */
static int take_for_field(struct selection *s, const struct stored *ev, const char *field)
{
	struct kept_trigger *list = arena_array(&s->arena, struct kept_trigger, ev->kept.nr_triggers);
	struct reload_triggers left = { .list = list };
	struct diag ignored = { 0 };
	const struct trigger *t, *gone = NULL;
	unsigned i = 0;

	if (kept_triggers_parse(&s->arena, ev->kept.triggers, ev->kept.nr_triggers, &t, &ignored))
		t = NULL;
	for (; t; t = t->next, i++) {
		if (!gone && trigger_is_for_field(t, field) && !elsewhere_check_unused(s->all, s->nr_all, ev, t, NULL, NULL, &ignored))
			gone = t;
		else
			list[left.nr++] = ev->kept.triggers[i];
	}
	diag_fini(&ignored);
	return gone ? give(s, ev, &left) : 0;
}

/* The trigger @t is gone. What other events had only for its parameters goes, too. */
static int take_needed(struct selection *s, const struct trigger *t)
{
	int status = 0;

	for (unsigned i = 0; t->hist && i < t->hist->nr_actions; i++) {
		const struct hist_action *a = &t->hist->actions[i];

		for (unsigned p = 0; p < a->nr_params && !status; p++) {
			const struct hist_expr *e = a->params[p];
			const char *system = e->system ? e->system : a->system, *event = e->system ? e->event : a->event;
			struct selection now = { .store = s->store };

			if (e->kind != HIST_FIELD || !system)
				continue;
			now.nr_all = store_list(&s->store, &now.arena, &now.all);
			for (unsigned n = 0; n < now.nr_all && !status; n++) {
				if (!now.all[n].trouble && name_same_event(now.all[n].kept.group, now.all[n].kept.event, system, event)) {
					status = take_for_field(&now, &now.all[n], e->name);
					break;
				}
			}
			arena_fini(&now.arena);
		}
	}
	return status;
}

/* ---- the verb ---- */

/* Returns 0 or an exit status. Errors are in @diag, or have been printed. */
static int set_trigger(struct selection *s, const struct stored *const *parts, unsigned nr,
		       const struct trigger *t, struct diag *diag)
{
	struct arena *arena = &s->arena;
	const struct trigger *have;
	struct reload_triggers list;
	struct reload_how how = { .triggers = &list };
	bool commands;
	struct opened o;
	int status;

	if (kept_triggers_open(s, arena, parts[0], NULL, true, &o, diag))
		return EXIT_KERNEL;
	have = o.triggers ? triggers_find(o.triggers, 0, t, diag) : NULL;
	commands = t->kind == TRIGGER_HIST && (t->hist->pause || t->hist->resume || t->hist->clear);
	if (!diag->err && t->remove && !have)
		refuse(t, -ENOENT, "the event has no such trigger", diag);
	else if (!diag->err && commands && !have && !t->hist->pause)
		refuse(t, -ENOENT, "the event has no such histogram that could be cleared or continued", diag);
	else if (!diag->err && have && t->remove)
		elsewhere_check_unused(s->all, s->nr_all, parts[0], have, NULL, NULL, diag);
	else if (!diag->err && have && !commands)
		refuse(t, -EEXIST, "the event has this trigger already", diag);
	else if (!diag->err && t->kind == TRIGGER_STACKTRACE && !t->remove && !(o.probe.plan->layout.stacks & 1u << STACK_KERNEL))
		refuse_stackless(t, diag);
	else if (!diag->err && have && commands)
		command_table(&o, have, t, diag);
	list = changed(arena, &o, t->remove ? have : NULL, t->remove ? NULL : t->text);
	kept_triggers_close(&o);
	if (diag->err)
		return EXIT_BAD_DEFINITION;
	if (have && commands)
		return 0;
	status = t->remove ? 0 : give_needed(s, &o, o.nr_needed, true);
	if (status)
		return status;
	status = kept_triggers_change(s, &(struct reload_event){ parts, nr, &how }, 1, &t, 1);
	if (status && !t->remove)
		give_needed(s, &o, o.nr_needed, false);
	return !status && t->remove ? take_needed(s, have) : status;
}

int set_trigger_run(const struct options *opts)
{
	struct diag diag = { 0 };
	struct selection s;
	struct trigger *t;
	int status = 0;

	files_raise_limit();
	if (selection_open(opts, opts->words, 1, &s, &diag)) {
		status = report_error(&diag, diag.err == -ENOENT ? EXIT_BAD_DEFINITION : EXIT_KERNEL);
		diag_fini(&diag);
		return status;
	}
	if (trigger_parse(&s.arena, opts->words[1].text, &t, &diag))
		status = report_error(&diag, EXIT_BAD_DEFINITION);
	for (unsigned i = 0; i < s.nr_events && !status; i++) {
		const struct stored **parts;
		unsigned nr = selection_parts(&s, i, &parts);

		if (!nr)
			continue;
		status = set_trigger(&s, parts, nr, t, &diag);
		if (diag.err)
			report_error(&diag, status);
		diag_fini(&diag);
	}
	if (!status && s.nr_troubles)
		status = EXIT_KERNEL;
	selection_close(&s);
	diag_fini(&diag);
	return status;
}
