// SPDX-License-Identifier: GPL-2.0-only
/*
 * keep.c - puts probes into the kernel that stay there after bprobe has ended.
 *
 *	parse -> resolve -> (lock) -> load -> attach -> pin -> (shown, unlock)
 *
 * As in tracing, everything is checked before the first probe is attached. What is pinned
 * becomes visible only when all of it is there.
 */
#include "keep/keep.h"

#include <errno.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/files.h"
#include "base/version.h"
#include "keep/enable.h"
#include "keep/kept_switches.h"
#include "keep/kept_triggers.h"
#include "keep/remove.h"
#include "keep/store.h"
#include "lang/dialect.h"
#include "lang/listing.h"
#include "plan/join.h"
#include "run/switch_map.h"
#include "set/definitions.h"
#include "set/lint.h"
#include "set/notes.h"
#include "set/set.h"
#include "set/trigger_run.h"

/* The probes of one event, in the event's order. */
struct event_probes {
	const char *group, *event;
	unsigned *probes;		/* indices in the set */
	unsigned nr;
	struct channel *channel;
	const char *wanted;		/* the name that it would have if this name were free, or NULL */
	const struct stored *replaced;	/* the kept event that it replaces, or NULL */
	const struct stored *joined;	/* the kept event that it joins, or NULL */
	int switch_fd;			/* what triggers switch: struct bp_switch; -1: nothing can */
	bool owns_switch;		/* it is to be closed */
	bool armed;			/* a trigger enables it: it begins switched off */
	struct kept_trigger *triggers;	/* of all its definitions */
	const struct trigger **parsed;	/* the same, in the same order */
	unsigned nr_triggers;
};

/* The events that are already kept. The store is locked. */
struct kept_list {
	struct stored *list;
	unsigned nr;
};

struct keeper {
	struct set set;
	const struct options *opts;
	struct store store;
	struct kept_list kept;
	struct event_probes *events;
	unsigned nr_events;
	uint64_t now;			/* CLOCK_MONOTONIC ns; events are ordered by their creation */
	struct triggers *triggers;	/* NULL: no definition has one */
	struct kept_switches switches;
	bool refused;			/* an error is in a definition */
};

/* ---- which probes make which event ---- */

static struct event_probes *find_event(struct keeper *k, const struct probe_def *def)
{
	for (unsigned i = 0; i < k->nr_events; i++) {
		if (name_same_event(k->events[i].group, k->events[i].event, def->group, def->event))
			return &k->events[i];
	}
	k->events[k->nr_events] = (struct event_probes){ .group = def->group, .event = def->event, .switch_fd = -1 };
	return &k->events[k->nr_events++];
}

static void group_probes(struct keeper *k)
{
	struct set *s = &k->set;
	struct event_probes **of = arena_array(&s->arena, struct event_probes *, s->nr_probes);

	k->events = arena_array(&s->arena, struct event_probes, s->nr_probes);
	for (unsigned i = 0; i < s->nr_probes; i++) {
		const struct probe_def *def = s->probes[i].def, *before = i ? s->probes[i - 1].def : NULL;
		bool same = before && name_same_event(def->group, def->event, before->group, before->event);

		of[i] = same ? of[i - 1] : find_event(k, def);
		of[i]->nr++;
	}
	for (unsigned i = 0; i < k->nr_events; i++) {
		k->events[i].probes = arena_array(&s->arena, unsigned, k->events[i].nr);
		k->events[i].nr = 0;
	}
	for (unsigned i = 0; i < s->nr_probes; i++)
		of[i]->probes[of[i]->nr++] = i;
}

/* A running process could wait for a module; a kept probe has no such process. */
static int refuse_waiting(const struct set *s, struct diag *diag)
{
	for (unsigned i = 0; i < s->nr_probes; i++) {
		const struct probe *p = &s->probes[i];

		if (p->plan)
			continue;
		diag->text = p->def->text;
		diag->file = p->from.file;
		diag->line = p->from.line;
		diag_at(diag, -ENOENT, p->def->place.module_at, "module %s is not loaded, and a kept probe cannot wait for it",
			p->def->place.module);
		diag_note(diag, "help: load it first (modprobe %s), or leave out --keep: a running bprobe can wait for the module",
			  p->def->place.module);
		return -ENOENT;
	}
	return 0;
}

/* ---- the store and the channels ---- */

/*
 * Finds the first part of the event that still has definitions. If all definitions of a part were removed, nothing of that
 * part is enabled any more.
 */
static const struct stored *find_kept(const struct kept_list *kept, const char *group, const char *event)
{
	const struct stored *found = NULL;

	for (unsigned i = 0; i < kept->nr; i++) {
		const struct stored *ev = &kept->list[i];

		if (!name_same_event(ev->kept.group, ev->kept.event, group, event))
			continue;
		if (ev->trouble || kept_count(&ev->kept))
			return ev;
		found = found ? found : ev;
	}
	return found;
}

static bool is_taken(const struct keeper *k, const struct kept_list *kept, const struct event_probes *ev,
		     const char *event)
{
	for (unsigned i = 0; i < k->nr_events; i++) {
		if (&k->events[i] != ev && name_same_event(k->events[i].group, k->events[i].event, ev->group, event))
			return true;
	}
	return find_kept(kept, ev->group, event);
}

/*
 * If the user could not name an event, the definition does not mean a kept event of this name. So the new event gets a
 * number, as within a run.
 */
static void number_event(struct keeper *k, const struct kept_list *kept, struct event_probes *ev)
{
	struct set *s = &k->set;
	struct probe_def *def = s->probes[ev->probes[0]].def;

	ev->wanted = ev->event;
	for (unsigned n = 2; is_taken(k, kept, ev, def->event); n++)
		definitions_number(&s->arena, def, n);
	ev->event = def->event;
	for (unsigned i = 0; i < ev->nr; i++) {
		struct probe *p = &s->probes[ev->probes[i]];
		struct probe_def *listed = arena_new(&s->arena, struct probe_def);

		*listed = p->family.def ? *p->family.def : *p->plan->def;
		listed->event = p->def->event = p->plan->layout.event = ev->event;
		if (p->family.def)
			p->family.def = listed;
		else
			p->plan->def = listed;
	}
}

/* Does the event already have exactly this probe? */
static bool has_same(const struct kept_list *kept, const struct event_probes *ev, const struct probe *p)
{
	struct buf text = { 0 };
	bool same = false;

	probe_print_definition(p, &text);
	for (unsigned i = 0; !same && i < kept->nr; i++) {
		const struct kept *k = &kept->list[i].kept;

		if (!name_same_event(k->group, k->event, ev->group, ev->event))
			continue;
		for (unsigned line = 0; !same && line < k->nr_lines; line++)
			same = !k->dropped[line] && listing_same(k->lines[line], buf_str(&text));
	}
	buf_fini(&text);
	return same;
}

static int refuse_join(const struct probe *p, struct diag *diag)
{
	const struct probe_def *def = p->def;

	diag->file = p->from.file;
	diag->line = p->from.line;
	diag_note(diag, "help: give this probe another event name: %s:NAME ...; or remove the kept event: bprobe -r %s/%s",
		  def->kind == DEF_RETURN ? "r" : "p", def->group, def->event);
	return -EEXIST;
}

/*
 * Adds probes to a kept event, as in kprobe_events: they must have the same fields, and are enabled if the event is enabled
 * (6.12, append_trace_kprobe()).
 */
static int join(struct keeper *k, const struct kept_list *kept, struct event_probes *ev, const struct stored *before,
		struct diag *diag)
{
	for (unsigned i = 0; i < ev->nr; i++) {
		struct probe *p = &k->set.probes[ev->probes[i]];

		diag->text = p->def->text;
		if (before->trouble) {
			diag_at(diag, -EEXIST, p->def->head_at, "event %s/%s is kept already, and no probe can join it: %s",
				ev->group, ev->event, before->trouble);
			return refuse_join(p, diag);
		}
		if (!kept_is_current(&before->kept)) {
			diag_at(diag, -EEXIST, p->def->head_at, "event %s/%s was kept by an older bprobe, and no probe can join it",
				ev->group, ev->event);
			diag_note(diag, "help: keep it anew first: bprobe --renew %s/%s", ev->group, ev->event);
			return refuse_join(p, diag);
		}
		if (join_check(&before->kept.probes[0].plan.layout, p->plan, diag))
			return refuse_join(p, diag);
		if (!probe_follows(p) && has_same(kept, ev, p)) {
			diag_at(diag, -EEXIST, p->def->head_at, "the same probe is kept already");
			return refuse_join(p, diag);
		}
		p->state = before->enabled ? PROBE_READY : PROBE_DISABLED;
	}
	diag->text = NULL;
	ev->joined = before;
	return 0;
}

/*
 * The triggers of the event that they join count for them, too, in the same tables. Triggers of their own would have to be added to its
 * probes as well.
 */
static int join_triggers(struct keeper *k, struct event_probes *ev, struct diag *diag)
{
	struct set *s = &k->set;
	const struct kept *before = &ev->joined->kept;
	const struct trigger *first;

	for (unsigned i = 0; i < ev->nr; i++) {
		const struct trigger *t = s->probes[ev->probes[i]].def->triggers;

		if (!t)
			continue;
		diag->text = t->text;
		diag_at(diag, -EEXIST, t->at, "event %s/%s is kept already", ev->group, ev->event);
		diag_note(diag, "help: keep this definition without the trigger, then: bprobe --set-trigger %s/%s '%s'", ev->group,
			  ev->event, t->text);
		return -EEXIST;
	}
	if (kept_triggers_parse(&s->arena, before->triggers, before->nr_triggers, &first, diag))
		return diag->err;
	for (unsigned i = 0; i < ev->nr; i++)
		s->probes[ev->probes[i]].def->triggers = first;
	return 0;
}

/* An event of this name is kept already: the rules of the definition's dialect decide. */
static int settle_name(struct keeper *k, const struct kept_list *kept, struct event_probes *ev, struct diag *diag)
{
	const struct probe_def *def = k->set.probes[ev->probes[0]].def;
	const struct stored *before = find_kept(kept, ev->group, ev->event);

	if (!before)
		return 0;
	if (kept_is_synthetic(&before->kept)) {
		diag->text = def->text;
		diag_at(diag, -EEXIST, def->head_at, "%s/%s is kept as a synthetic event, and no probe can join it", ev->group, ev->event);
		return refuse_join(&k->set.probes[ev->probes[0]], diag);
	}
	if (!definitions_is_named(def)) {
		number_event(k, kept, ev);
		return 0;
	}
	if (def->dialect == DIALECT_V13 && !before->trouble) {
		ev->replaced = before;
		return 0;
	}
	return join(k, kept, ev, before, diag) || join_triggers(k, ev, diag) ? diag->err : 0;
}

/* An event of this name would be another one. */
static int settle_synthetic(struct keeper *k, const struct synthetic_def *def, struct diag *diag)
{
	bool same_run = false;

	for (unsigned i = 0; i < k->nr_events; i++)
		same_run |= name_same_event(k->events[i].group, k->events[i].event, SYNTHETIC_GROUP, def->name);
	if (!same_run && !find_kept(&k->kept, SYNTHETIC_GROUP, def->name))
		return 0;
	diag->text = def->text;
	if (same_run)
		return diag_at(diag, -EEXIST, def->name_at, "a probe of this command has the name synthetic/%s", def->name);
	diag_at(diag, -EEXIST, def->name_at, "event synthetic/%s is kept already", def->name);
	diag_note(diag, "help: give this one another name, or remove the kept event: bprobe -r synthetic/%s", def->name);
	return -EEXIST;
}

static void note_names(const struct keeper *k, FILE *out)
{
	for (unsigned i = 0; i < k->nr_events; i++) {
		const struct event_probes *ev = &k->events[i];

		if (ev->wanted)
			fprintf(out, "bprobe: %s: kept under this name, because %s/%s exists already\n", ev->event, ev->group,
				ev->wanted);
		if (ev->replaced)
			fprintf(out, "bprobe: %s: replaces the kept event of this name, as v13's definitions do\n",
				ev->event);
		if (ev->joined && ev->joined->enabled == k->opts->keep.disabled)
			fprintf(out, "bprobe: %s: %s, because the event that it joins is %s\n", ev->event,
				ev->joined->enabled ? "enabled" : "disabled", ev->joined->enabled ? "enabled" : "disabled");
	}
}

/* ---- triggers ---- */

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

static int open_table(void *ctx, const struct trigger *t, struct count_table *table)
{
	const struct event_probes *ev = event_of(ctx, t);

	for (unsigned i = 0; i < ev->nr_triggers && ev->joined; i++) {
		if (ev->parsed[i] == t)
			return store_open_table(ev->joined, ev->triggers[i].number, table);
	}
	return -ENOENT;
}

static int note_table(void *ctx, const struct trigger *t, struct count_table *table)
{
	struct event_probes *ev = event_of(ctx, t);

	for (unsigned i = 0; i < ev->nr_triggers; i++) {
		if (ev->parsed[i] == t)
			ev->triggers[i].table = table;
	}
	return 0;
}

/* An event that is to be replaced counts as one of this run. */
static struct event_probes *event_named(struct keeper *k, const char *group, const char *event)
{
	for (unsigned i = 0; i < k->nr_events; i++) {
		if (name_same_event(k->events[i].group, k->events[i].event, group, event))
			return &k->events[i];
	}
	return NULL;
}

static int find_words(void *ctx, unsigned i, const struct trigger *t, const struct act_word **ret, unsigned *ret_nr, struct diag *diag)
{
	struct keeper *k = ctx;
	struct event_probes *ev = t->event ? event_named(k, t->system, t->event) : NULL;
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
static int open_switches(struct keeper *k, struct diag *diag)
{
	int err = kept_switches_open(&k->set.arena, k->kept.list, k->kept.nr, &k->switches, diag);

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

static int open_triggers(struct keeper *k, struct diag *diag)
{
	struct trigger_run_opts opts = { .in_kernel = true };
	int err;

	opts.others = k->switches.others;
	opts.nr_others = k->switches.nr_others;
	for (unsigned i = 0; i < k->nr_events; i++)
		list_triggers(k, &k->events[i]);
	err = trigger_run_open(&k->set, &opts, &k->triggers, diag);
	if (err || !k->triggers)
		return err;
	triggers_states(k->triggers, note_table, k);
	for (unsigned i = 0; i < k->nr_events && !err; i++)
		err = k->events[i].armed && k->events[i].owns_switch ? switch_map_set(k->events[i].switch_fd, 0, true) : 0;
	return err ? err : triggers_tables(k->triggers, note_table, k);
}

static int create_channel(struct keeper *k, struct event_probes *ev, bool saves, struct diag *diag)
{
	struct channel_opts opts = set_channel_opts(&k->set, saves);
	int err;

	opts.nr_probes = ev->nr;
	opts.nr_channels = k->nr_events;
	err = channel_create(&opts, &ev->channel, diag);
	if (!err) {
		ev->channel->selves_fd = k->set.selves.fd;
		if (ev->switch_fd >= 0)
			ev->channel->tracing = switch_map_word(k->switches.tracing_fd, 0);
	}
	return err && !diag->err ? engine_explain_open(diag, err) : err;
}

/* With --disabled, too: a trigger can only switch on what is attached. */
static void attach_armed(struct keeper *k)
{
	for (unsigned i = 0; i < k->nr_events; i++) {
		for (unsigned n = 0; k->events[i].armed && n < k->events[i].nr; n++)
			k->set.probes[k->events[i].probes[n]].state = PROBE_READY;
	}
}

static int open_store(struct keeper *k, struct diag *diag)
{
	struct set *s = &k->set;
	int err = store_open(k->opts->keep.store, true, &k->store, diag);

	if (err)
		return err;
	k->kept.nr = store_list(&k->store, &s->arena, &k->kept.list);
	for (unsigned i = 0; !err && i < s->nr_synthetics; i++)
		err = settle_synthetic(k, s->synthetics[i], diag);
	return err;
}

/* Called when the engine is open. The store is locked only now, because other users of the store must wait then. */
static int open_channels(void *ctx, struct set *s, bool saves, struct diag *diag)
{
	struct keeper *k = ctx;
	uint32_t id = 0;
	int err = open_store(k, diag);
	const struct kept_list kept = k->kept;

	if (err)
		return err;
	for (unsigned i = 0; i < s->nr_probes; i++)
		s->probes[i].state = k->opts->keep.disabled ? PROBE_DISABLED : PROBE_READY;
	for (unsigned i = 0; !err && i < k->nr_events; i++)
		err = settle_name(k, &kept, &k->events[i], diag);
	if (!err)
		err = open_switches(k, diag);
	if (!err) {
		err = open_triggers(k, diag);
		k->refused = err;
	}
	if (!err)
		attach_armed(k);
	if (!err)
		err = store_selves(&k->store, &s->selves, diag);
	if (!err)
		err = set_leave_out(s, 0, diag);
	for (unsigned i = 0; !err && i < k->nr_events; i++) {
		struct event_probes *ev = &k->events[i];

		err = create_channel(k, ev, saves, diag);
		for (unsigned n = 0; !err && n < ev->nr; n++, id++) {
			id = store_free_id(kept.list, kept.nr, id);
			s->probes[ev->probes[n]].slot = (struct slot){ .channel = ev->channel, .index = n, .id = id,
									  .event = switch_map_word(ev->switch_fd, 0) };
		}
	}
	return err;
}

/* ---- what is kept ---- */

/* The definitions of an event in their listed form, and which definition each probe came from. */
static void describe_lines(struct keeper *k, const struct event_probes *ev, struct kept *kept)
{
	struct set *s = &k->set;
	struct buf text = { 0 };

	kept->lines = arena_array(&s->arena, const char *, ev->nr);
	kept->sources = arena_array(&s->arena, const char *, ev->nr);
	kept->dialects = arena_array(&s->arena, const char *, ev->nr);
	kept->dropped = arena_array(&s->arena, bool, ev->nr);
	for (unsigned i = 0; i < ev->nr; i++) {
		const struct probe *p = &s->probes[ev->probes[i]];

		if (!probe_follows(p)) {
			buf_reset(&text);
			probe_print_listing(p, false, &text);
			/* Of a line of the source, one of several places is no source for all of them. */
			kept->sources[kept->nr_lines] = def_source(&s->arena, p->family.def ? p->family.def : p->def);
			kept->dialects[kept->nr_lines] = dialect_name(p->def->dialect);
			kept->lines[kept->nr_lines++] = arena_strdup(&s->arena, buf_str(&text));
		}
		kept->probes[i].line = kept->nr_lines - 1;
	}
	buf_fini(&text);
}

static int prepare_event(struct keeper *k, const struct event_probes *ev, struct diag *diag)
{
	struct set *s = &k->set;
	struct store_probe *probes = arena_array(&s->arena, struct store_probe, ev->nr);
	struct kept kept = {
		.group = ev->group, .event = ev->event, 
		.created = k->now + (uint64_t)(ev - k->events), .version = version, .abi = BP_ABI_VERSION,
		.probes = arena_array(&s->arena, struct kept_probe, ev->nr), .nr_probes = ev->nr,
		.options = k->opts->keep.words, .nr_options = k->opts->keep.nr_words,
		.triggers = ev->triggers, .nr_triggers = ev->nr_triggers,
		.has_switches = ev->switch_fd >= 0, .tracing_fd = k->switches.tracing_fd, .switch_fd = ev->switch_fd,
	};

	for (unsigned i = 0; i < ev->nr; i++) {
		const struct probe *p = &s->probes[ev->probes[i]];
		bool saver = p->saver.prog_fd >= 0;

		kept.probes[i] = (struct kept_probe){
			.id = p->slot.id, .plan = *p->plan, .has_saver = saver,
			.saver_last = saver && engine_saver_is_last(s->engine, p->plan), .selects = p->selects,
		};
		kept.probes[i].module = set_find_module(s, p, &kept.probes[i].module_load);
		kept_name_file(&kept.probes[i], &s->arena);
		probes[i] = (struct store_probe){ &p->attached, saver ? &p->saver : NULL };
	}
	describe_lines(k, ev, &kept);
	return store_prepare(&k->store, &kept, ev->channel, probes, diag);
}

static int prepare_synthetic(struct keeper *k, unsigned i, struct diag *diag)
{
	const struct synthetic_def *def = k->set.synthetics[i];
	const char *line, *dialect = dialect_name(DIALECT_KPROBE);
	struct buf text = { 0 };
	struct kept kept = {
		.group = SYNTHETIC_GROUP, .event = def->name, .created = k->now + k->nr_events + i, .version = version,
		.abi = BP_ABI_VERSION, .lines = &line, .sources = &line, .dialects = &dialect, .nr_lines = 1,
	};

	synthetic_print(def, &text);
	line = arena_strdup(&k->set.arena, buf_str(&text));
	buf_fini(&text);
	return store_prepare(&k->store, &kept, NULL, NULL, diag);
}

/* Removes the whole event, with the parts that joined it. */
static int remove_replaced(struct keeper *k, const struct event_probes *ev, struct diag *diag)
{
	int err = 0;

	for (unsigned i = 0; !err && i < k->kept.nr; i++) {
		const struct kept *kept = &k->kept.list[i].kept;

		if (name_same_event(kept->group, kept->event, ev->group, ev->event))
			err = store_remove(&k->store, &k->kept.list[i], NULL, diag);
	}
	return err;
}

/* Attaches the kept events that the new triggers enable, if they are disabled. What is to be replaced is none of them. */
static int arm(struct keeper *k, struct armed *ret)
{
	struct set *s = &k->set;
	const struct trigger **firsts = arena_array(&s->arena, const struct trigger *, s->nr_probes);
	struct stored *list = arena_array(&s->arena, struct stored, k->kept.nr);
	unsigned nr = 0;

	for (unsigned i = 0; i < s->nr_probes; i++)
		firsts[i] = s->probes[i].def->triggers;
	for (unsigned i = 0; i < k->kept.nr; i++) {
		const struct event_probes *ev = event_named(k, k->kept.list[i].kept.group, k->kept.list[i].kept.event);

		if (!ev || !ev->replaced)
			list[nr++] = k->kept.list[i];
	}
	return enable_arm(&k->store, list, nr, firsts, s->nr_probes, ret);
}

/* What replaces an event has its switch, and begins in its own state. */
static void set_replaced(const struct keeper *k)
{
	for (unsigned i = 0; i < k->nr_events; i++) {
		if (k->events[i].replaced && k->events[i].switch_fd >= 0)
			switch_map_set(k->events[i].switch_fd, 0, k->events[i].armed);
	}
}

static int replace_and_commit(struct keeper *k, struct diag *diag)
{
	int err = 0;

	/* Only at the end, when nothing but the names is missing: an earlier error leaves everything as it was. */
	for (unsigned i = 0; !err && i < k->nr_events; i++)
		err = k->events[i].replaced ? remove_replaced(k, &k->events[i], diag) : 0;
	if (!err)
		err = store_commit(&k->store, diag);
	if (!err)
		set_replaced(k);
	return err;
}

/* Returns 0 or an exit status. The reason is in @diag, or has been printed. */
static int keep_all(struct keeper *k, struct diag *diag)
{
	struct armed armed;
	int err = 0, status;

	k->now = now_ns();
	for (unsigned i = 0; !err && i < k->nr_events; i++)
		err = prepare_event(k, &k->events[i], diag);
	for (unsigned i = 0; !err && i < k->set.nr_synthetics; i++)
		err = prepare_synthetic(k, i, diag);
	if (err)
		return EXIT_KERNEL;
	status = arm(k, &armed);
	if (!status) {
		status = replace_and_commit(k, diag) ? EXIT_KERNEL : 0;
		if (status)
			enable_disarm(&armed);
	}
	enable_arm_close(&armed);
	return status;
}

static const char *find_synthetic(void *ctx, struct arena *arena, const char *name)
{
	const struct keeper *k = ctx;

	return store_find_synthetic(k->opts->keep.store, arena, name);
}

static const struct set_host host = {
	.attaches = true, .stays = true, .open_channels = open_channels, .find_synthetic = find_synthetic,
	.open_table = open_table, .find_words = find_words,
};

/* Returns 0 or an exit status. */
static int start(struct keeper *k, const struct options *opts, struct diag *diag)
{
	struct set *s = &k->set;
	int err;

	set_init(s, &host, k, &opts->set);
	for (unsigned i = 0; i < opts->nr_words; i++) {
		for (unsigned t = 0; t < opts->words[i].nr_triggers; t++) {
			if (strchr(opts->words[i].triggers[t], '\n')) {
				diag_set(diag, -EINVAL, "a trigger with a newline cannot be kept");
				return EXIT_USAGE;
			}
		}
	}
	for (unsigned i = 0; i < opts->keep.nr_words; i++) {
		if (strchr(opts->keep.words[i], '\n')) {
			diag_set(diag, -EINVAL, "an option's value with a newline cannot be kept");
			return EXIT_USAGE;
		}
	}
	if (set_parse(s, opts->words, opts->nr_words, diag))
		return EXIT_BAD_DEFINITION;
	if (s->nr_probes && set_open_kernel(s, diag))
		return EXIT_KERNEL;
	err = set_resolve(s, diag);
	if (!err)
		err = refuse_waiting(s, diag);
	if (err)
		return report_resolve_status(err);
	/* Must happen before the store is locked. A new event can then take the place of a removed one with the same name. */
	err = remove_definitions(opts, s, diag);
	if (err)
		return err == -ENOENT ? EXIT_BAD_DEFINITION : EXIT_KERNEL;
	group_probes(k);
	files_raise_limit();
	err = s->nr_probes ? set_load(s, true, diag) : open_store(k, diag);
	if (err)
		return err == -EEXIST || k->refused ? EXIT_BAD_DEFINITION : EXIT_KERNEL;
	err = set_attach(s, diag);
	if (err)
		return err == -EILSEQ ? EXIT_BAD_DEFINITION : EXIT_KERNEL;
	return keep_all(k, diag);
}

int keep_run(const struct options *opts)
{
	struct keeper k = { .opts = opts, .store.fd = -1 };
	struct diag diag = { 0 };
	int status = start(&k, opts, &diag);

	store_close(&k.store);		/* other processes need not wait for the rest */
	if (status) {
		status = diag.err ? report_error(&diag, status) : status;
	} else {
		note_names(&k, stderr);
		notes_print(&k.set, stderr);
		lint_print(&k.set, stderr, NULL, NULL);
	}
	trigger_run_close(k.triggers);
	for (unsigned i = 0; i < k.nr_events; i++) {
		channel_close(k.events[i].channel);
		if (k.events[i].owns_switch)
			close(k.events[i].switch_fd);
	}
	kept_switches_close(&k.switches);
	set_close(&k.set);
	diag_fini(&diag);
	return status;
}
