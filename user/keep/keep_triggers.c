// SPDX-License-Identifier: GPL-2.0-only
/*
 * keep_triggers.c - the triggers of events that are to be kept, their tables and their switches.
 */
#include "keep/keep_priv.h"

#include <errno.h>

#include "keep/kept_triggers.h"
#include "run/switch_map.h"

static struct event_probes *event_of(struct keeper *k, const struct trigger *t)
{
	for (unsigned i = 0; i < k->nr_events; i++) {
		for (unsigned n = 0; n < k->events[i].nr_triggers; n++) {
			if (k->events[i].parsed[n] == t)
				return &k->events[i];
		}
	}
	return NULL;
}

static bool has_trigger(const struct event_probes *ev, const struct trigger *t)
{
	for (unsigned i = 0; i < ev->nr_triggers; i++) {
		if (ev->parsed[i] == t)
			return true;
	}
	return false;
}

/* A part that joins has the numbers of its event. */
static void list_triggers(struct keeper *k, struct event_probes *ev)
{
	struct arena *arena = &k->set.arena;
	unsigned nr = 0;

	for (unsigned i = 0; i < ev->nr; i++) {
		for (const struct trigger *t = k->set.probes[ev->probes[i]].def->triggers; t; t = t->next)
			nr++;
	}
	ev->triggers = arena_array(arena, struct kept_trigger, nr);
	ev->parsed = arena_array(arena, const struct trigger *, nr);
	for (unsigned i = 0; i < ev->nr; i++) {
		for (const struct trigger *t = k->set.probes[ev->probes[i]].def->triggers; t; t = t->next) {
			unsigned n = ev->nr_triggers;

			if (has_trigger(ev, t))
				continue;
			ev->parsed[n] = t;
			ev->triggers[n].text = t->text;
			ev->triggers[n].number = ev->joined ? ev->joined->kept.triggers[n].number : n;
			ev->nr_triggers++;
		}
	}
}

static void append_trigger(struct arena *arena, struct event_probes *ev, const struct trigger *t)
{
	struct kept_trigger *triggers = arena_array(arena, struct kept_trigger, ev->nr_triggers + 1);
	const struct trigger **parsed = arena_array(arena, const struct trigger *, ev->nr_triggers + 1);

	for (unsigned i = 0; i < ev->nr_triggers; i++) {
		triggers[i] = ev->triggers[i];
		parsed[i] = ev->parsed[i];
	}
	triggers[ev->nr_triggers] = (struct kept_trigger){ .text = t->text, .number = ev->nr_triggers };
	parsed[ev->nr_triggers++] = t;
	ev->triggers = triggers;
	ev->parsed = parsed;
}

/* Events of this command can have it. What is kept already is changed by --set-trigger only. */
bool keep_needs_trigger(void *ctx, unsigned i, const struct trigger *t)
{
	struct keeper *k = ctx;
	const struct probe_def *def = i < k->set.nr_probes ? k->set.probes[i].def : NULL;
	struct event_probes *ev = def ? keep_event_named(k, def->group, def->event) : NULL;

	if (!ev || ev->joined)
		return false;
	if (!has_trigger(ev, t))
		append_trigger(&k->set.arena, ev, t);
	return true;
}

/* What joins an event has its triggers, and what replaces one takes its place. */
static bool is_of_command(void *ctx, const struct stored *ev)
{
	struct keeper *k = ctx;

	return keep_event_named(k, ev->kept.group, ev->kept.event) ||
	       (kept_is_synthetic(&ev->kept) && mades_named(&k->mades, ev->kept.event));
}

const struct triggers_probe *keep_elsewhere(void *ctx, unsigned *ret_nr)
{
	struct keeper *k = ctx;

	elsewhere_find(&k->set.arena, k->kept.list, k->kept.nr, is_of_command, k, &k->elsewhere);
	*ret_nr = k->elsewhere.nr;
	return k->elsewhere.probes;
}

int keep_open_table(void *ctx, const struct trigger *t, struct count_table *table)
{
	struct keeper *k = ctx;
	const struct event_probes *ev = event_of(k, t);
	int err;

	if (elsewhere_open_table(&k->elsewhere, t, table, &err) || mades_open_table(&k->mades, t, table, &err))
		return err;

	for (unsigned i = 0; i < ev->nr_triggers && ev->joined; i++) {
		if (ev->parsed[i] == t)
			return store_open_table(ev->joined, ev->triggers[i].number, table);
	}
	return -ENOENT;
}

static int note_table(void *ctx, const struct trigger *t, struct count_table *table)
{
	struct keeper *k = ctx;
	struct event_probes *ev = event_of(k, t);

	for (unsigned i = 0; ev && i < ev->nr_triggers; i++) {
		if (ev->parsed[i] == t)
			ev->triggers[i].table = table;
	}
	mades_note_table(&k->mades, t, table);
	return 0;
}

/* An event that is to be replaced counts as one of this run. */
struct event_probes *keep_event_named(struct keeper *k, const char *group, const char *event)
{
	for (unsigned i = 0; i < k->nr_events; i++) {
		if (name_same_event(k->events[i].group, k->events[i].event, group, event))
			return &k->events[i];
	}
	return NULL;
}

int keep_find_words(void *ctx, unsigned i, const struct trigger *t, const struct act_word **ret, unsigned *ret_nr, struct diag *diag)
{
	struct keeper *k = ctx;
	struct event_probes *ev = t->event ? keep_event_named(k, t->system, t->event) : NULL;
	struct act_word *word;

	(void)i;
	if (!ev || t->kind >= TRIGGER_ENABLE_HIST)
		return kept_switches_words(&k->switches, t, ret, ret_nr, diag);
	word = arena_new(&k->set.arena, struct act_word);
	*word = switch_map_word(ev->switch_fd, 0);
	*ret = word;
	*ret_nr = 1;
	ev->armed |= t->kind == TRIGGER_ENABLE_EVENT && !ev->joined;
	return 0;
}

/* What joins an event has its switch. An event of an older bprobe has none, and then its new part has none. */
int keep_open_switches(struct keeper *k, struct diag *diag)
{
	int err = kept_switches_open(&k->set.arena, k->kept.list, k->kept.nr, k->given_tracing, &k->switches, diag);

	for (unsigned i = 0; i < k->nr_events && !err; i++) {
		struct event_probes *ev = &k->events[i];

		/* What replaces an event can be switched by the triggers that could switch that one. */
		if (ev->joined || ev->replaced)
			ev->switch_fd = kept_switches_event(&k->switches, ev->group, ev->event);
		if (ev->joined || ev->switch_fd >= 0)
			continue;
		ev->switch_fd = switch_map_create(1);
		ev->owns_switch = ev->switch_fd >= 0;
		err = ev->owns_switch ? 0 : engine_explain_open(diag, ev->switch_fd);
	}
	return err;
}

/* Does a kept event that stays enable this one by a trigger? */
static bool is_enabled_by_kept(struct keeper *k, const struct event_probes *ev)
{
	for (unsigned i = 0; i < k->kept.nr; i++) {
		const struct kept *kept = &k->kept.list[i].kept;
		const struct event_probes *own = keep_event_named(k, kept->group, kept->event);
		struct diag ignored = { 0 };
		const struct trigger *t;

		if (own && own->replaced)
			continue;
		if (kept_triggers_parse(&k->set.arena, kept->triggers, kept->nr_triggers, &t, &ignored))
			t = NULL;
		diag_fini(&ignored);
		for (; t; t = t->next) {
			if (t->kind == TRIGGER_ENABLE_EVENT && name_same_event(t->system, t->event, ev->group, ev->event))
				return true;
		}
	}
	return false;
}

/* What replaces an event has other tables and another channel, so no other event may need those of the old one. */
static int check_replaced(struct keeper *k, struct diag *diag)
{
	int err = 0;

	for (unsigned i = 0; i < k->nr_events && !err; i++) {
		if (k->events[i].replaced)
			err = elsewhere_check_unused(k->kept.list, k->kept.nr, k->events[i].replaced, NULL, is_of_command, k, diag);
	}
	for (unsigned i = 0; i < k->kept.nr && !err; i++) {
		const struct made_event *e = kept_is_synthetic(&k->kept.list[i].kept) ? mades_named(&k->mades, k->kept.list[i].kept.event) : NULL;

		if (e && !e->ev)		/* it takes the place of this one */
			err = elsewhere_check_unused(k->kept.list, k->kept.nr, &k->kept.list[i], NULL, is_of_command, k, diag);
	}
	return err;
}

/* A trigger that the same command removes is not kept, nor is what removes it. */
static bool is_kept(const struct keeper *k, const struct trigger *t)
{
	bool changes = t->hist && (t->hist->pause || t->hist->resume || t->hist->clear);

	return !t->remove && (changes || triggers_is_installed(k->triggers, t));
}

/* Returns how many of the @nr are left. @renumbers: they have no tables under their old numbers. */
static unsigned forget_removed(const struct keeper *k, const struct trigger **parsed, struct kept_trigger *triggers, unsigned nr,
			       bool renumbers)
{
	unsigned left = 0;

	for (unsigned i = 0; i < nr; i++) {
		if (!is_kept(k, parsed[i]))
			continue;
		parsed[left] = parsed[i];
		triggers[left] = triggers[i];
		if (renumbers)
			triggers[left].number = left;
		left++;
	}
	return left;
}

static void forget_all_removed(struct keeper *k)
{
	for (unsigned i = 0; i < k->nr_events; i++) {
		struct event_probes *ev = &k->events[i];

		ev->nr_triggers = forget_removed(k, ev->parsed, ev->triggers, ev->nr_triggers, !ev->joined);
	}
	for (unsigned i = 0; i < k->mades.nr; i++) {
		struct made_event *e = &k->mades.list[i];

		if (!e->ev)
			e->nr_triggers = forget_removed(k, e->parsed, e->triggers, e->nr_triggers, true);
	}
}

int keep_open_triggers(struct keeper *k, struct diag *diag)
{
	struct trigger_run_opts opts = { .in_kernel = true };
	int err;

	opts.reach = k->switches.reach;
	for (unsigned i = 0; i < k->nr_events; i++) {
		list_triggers(k, &k->events[i]);
		k->events[i].armed = k->events[i].replaced && is_enabled_by_kept(k, &k->events[i]);
	}
	err = check_replaced(k, diag);
	if (!err)
		err = trigger_run_open(&k->set, &opts, &k->triggers, diag);
	if (err || !k->triggers)
		return err;
	forget_all_removed(k);
	triggers_states(k->triggers, note_table, k);
	for (unsigned i = 0; i < k->nr_events && !err; i++)
		err = k->events[i].armed && k->events[i].owns_switch ? switch_map_set(k->events[i].switch_fd, 0, true) : 0;
	return err ? err : triggers_users_of_tables(k->triggers, note_table, k);
}

/* With --disabled, too: a trigger can only switch on what is attached. */
void keep_attach_armed(struct keeper *k)
{
	for (unsigned i = 0; i < k->nr_events; i++) {
		for (unsigned n = 0; k->events[i].armed && n < k->events[i].nr; n++)
			k->set.probes[k->events[i].probes[n]].state = PROBE_READY;
	}
}
