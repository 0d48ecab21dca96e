// SPDX-License-Identifier: GPL-2.0-only
/*
 * kept_triggers.c - the triggers of kept events: --set-trigger, --triggers and --hist.
 *
 * A trigger belongs to an event with all its parts. What pauses, continues or clears a histogram changes its table only. What adds or
 * removes a trigger loads the event's programs again; the tables of the other triggers stay.
 */
#include "keep/kept_triggers.h"

#include <errno.h>

#include "base/files.h"
#include "hist/triggers.h"
#include "keep/elsewhere.h"
#include "keep/enable.h"
#include "keep/keep.h"
#include "keep/kept_switches.h"
#include "keep/reload.h"
#include "keep/selection.h"
#include "kernel/ksyscall.h"
#include "kernel/mem/kmem.h"
#include "kernel/syms/ksyms.h"
#include "lang/synthetic.h"
#include "run/count_map.h"
#include "stream/lines.h"

int kept_triggers_parse(struct arena *arena, const struct kept_trigger *triggers, unsigned nr, const struct trigger **ret,
			struct diag *diag)
{
	const struct trigger **last = ret;

	*ret = NULL;
	for (unsigned i = 0; i < nr; i++) {
		struct trigger *t;
		int err = trigger_parse(arena, triggers[i].text, &t, diag);

		if (err)
			return err;
		*last = t;
		last = &t->next;
	}
	return 0;
}

bool kept_triggers_name(const struct kept *k, enum trigger_kind least, const struct stored *ev)
{
	struct arena arena = { 0 };
	struct diag ignored = { 0 };
	const struct trigger *t;
	bool found = false;

	if (kept_triggers_parse(&arena, k->triggers, k->nr_triggers, &t, &ignored))
		t = NULL;
	for (; t; t = t->next)
		found |= t->kind >= least && name_same_event(t->system, t->event, ev->kept.group, ev->kept.event);
	diag_fini(&ignored);
	arena_fini(&arena);
	return found;
}

/* ---- one event ---- */

/* The triggers of a kept event, resolved, with the tables that its programs count in. */
struct opened {
	const struct stored *ev;
	struct triggers_probe probe;	/* its first one: all have the same fields */
	struct elsewhere elsewhere;
	struct facts facts;
	struct triggers *triggers;	/* NULL: it has none */
};

static const struct kept_trigger *kept_of(const struct opened *o, const struct trigger *t)
{
	unsigned i = 0;

	for (const struct trigger *at = o->probe.first; at; at = at->next, i++) {
		if (at == t)
			return &o->ev->kept.triggers[i];
	}
	return NULL;
}

static int open_table(void *ctx, const struct trigger *t, struct count_table *table)
{
	const struct opened *o = ctx;
	int err;

	if (elsewhere_open_table(&o->elsewhere, t, table, &err))
		return err;
	return store_open_table(o->ev, kept_of(o, t)->number, table);
}

static int close_table(void *ctx, const struct trigger *t, struct count_table *table)
{
	(void)ctx;
	(void)t;
	count_map_close(table);
	return 0;
}

static void event_close(struct opened *o)
{
	if (o->triggers) {
		triggers_tables(o->triggers, close_table, NULL);
		triggers_states(o->triggers, close_table, NULL);
	}
	triggers_close(o->triggers);
	o->triggers = NULL;
}

static const struct layout *const *layouts_of(struct arena *arena, const struct kept *k)
{
	const struct layout **ret = arena_array(arena, const struct layout *, k->nr_probes);

	for (unsigned i = 0; i < k->nr_probes; i++)
		ret[i] = &k->probes[i].plan.layout;
	return ret;
}

static bool is_this(void *ctx, const struct stored *ev)
{
	const struct stored *this = ctx;

	return name_same_event(ev->kept.group, ev->kept.event, this->kept.group, this->kept.event);
}

/* @ks: for names of functions; NULL: none. -errno with @diag. */
static int event_open(const struct selection *s, struct arena *arena, const struct stored *ev, const struct ksyms *ks, struct opened *ret,
		      struct diag *diag)
{
	const struct kept *k = &ev->kept;
	struct probe_def *def = arena_new(arena, struct probe_def);
	struct plan *plan = arena_new(arena, struct plan);
	struct triggers_opts opts = { .arena = arena, .facts = &ret->facts, .apart = true, .kernel = { .acts = true, .drops = true } };
	struct synthetic_def *made = NULL;
	struct triggers_probe *probes;
	int err = 0;

	opts.reach.others = kept_others(arena, s->all, s->nr_all, &opts.reach.nr_others);
	*ret = (struct opened){ .ev = ev, .facts = { .ks = ks } };
	*def = (struct probe_def){ .text = k->lines[0] };
	*plan = k->probes[0].plan;
	plan->def = def;
	if (kept_is_synthetic(k))
		err = synthetic_parse(arena, k->lines[0], &made, diag);
	ret->probe = (struct triggers_probe){ .plan = plan, .group = k->group, .event = k->event, .synthetic = made,
					       .places = layouts_of(arena, k), .nr_places = k->nr_probes };
	if (!err)
		err = kept_triggers_parse(arena, k->triggers, k->nr_triggers, &ret->probe.first, diag);
	elsewhere_find(arena, s->all, s->nr_all, is_this, (void *)ev, &ret->elsewhere);
	probes = arena_array(arena, struct triggers_probe, ret->elsewhere.nr + 1);
	probes[0] = ret->probe;
	for (unsigned i = 0; i < ret->elsewhere.nr; i++)
		probes[i + 1] = ret->elsewhere.probes[i];
	opts.probes = probes;
	opts.nr_probes = ret->elsewhere.nr + 1;
	if (!err)
		err = triggers_open(&opts, &ret->triggers, diag);
	if (err || !ret->triggers)
		return err;
	triggers_adopt(ret->triggers);
	err = triggers_tables(ret->triggers, open_table, ret);
	if (!err)
		err = triggers_states(ret->triggers, open_table, ret);
	if (err) {
		diag_set(diag, err, "cannot open what %s/%s has counted: %s", k->group, k->event, strerror(-err));
		event_close(ret);
	}
	return err;
}

/* ---- --triggers and --hist ---- */

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

/* What it prints for an event without triggers is what the kernel's file shows then (6.12, trigger_show()). */
static int print_triggers(struct opened *o, const struct text *t, struct buf *out)
{
	(void)t;
	if (o->triggers) {
		triggers_read_states(o->triggers, count_map_state);
		triggers_list(o->triggers, 0, out);
	} else {
		buf_adds(out, "# Available triggers:\n# traceon traceoff snapshot stacktrace enable_event disable_event enable_hist "
			 "disable_hist hist\n");
	}
	return 0;
}

static int print_hist(struct opened *o, const struct text *t, struct buf *out)
{
	if (!o->triggers)
		return 0;
	triggers_read_states(o->triggers, count_map_state);
	return triggers_show(o->triggers, t, count_map_read, false, out);
}

typedef int (*print_fn)(struct opened *o, const struct text *t, struct buf *out);

/* Names of system calls, which are read from the kernel's memory when the first one is asked for. */
struct call_names {
	const struct ksyms *ks;
	struct kmem *mem;
	bool asked;
	struct ksyscall_names names;
};

static const char *call_name(void *ctx, uint64_t nr)
{
	struct call_names *c = ctx;
	struct diag ignored = { 0 };

	if (!c->asked && kmem_open(NULL, KMEM_ANY, &c->mem, &ignored))
		c->mem = NULL;
	c->asked = true;
	diag_fini(&ignored);
	return ksyscall_by_number(&c->names, c->ks, c->mem, nr);
}

static void call_names_close(struct call_names *c)
{
	ksyscall_names_fini(&c->names);
	kmem_close(c->mem);
}

static int print_event(const struct options *opts, const struct selection *s, const struct stored *ev, struct call_names *calls,
		       print_fn print, struct diag *diag)
{
	const struct text text = lines_text(opts, calls->ks, 1);
	struct arena arena = { 0 };
	struct buf out = { 0 };
	struct opened o;
	int err = event_open(s, &arena, ev, calls->ks, &o, diag);

	if (!err && o.triggers)
		triggers_name_calls(o.triggers, call_name, calls);
	if (!err) {
		err = print(&o, &text, &out);
		if (err)
			diag_set(diag, err, "cannot read what %s/%s has counted: %s", ev->kept.group, ev->kept.event, strerror(-err));
		fputs(buf_str(&out), stdout);
		event_close(&o);
	}
	buf_fini(&out);
	arena_fini(&arena);
	return err;
}

/* ---- --profile ---- */

static void add_hits(void *arg, const unsigned char *key, const struct bp_tally *tally)
{
	uint64_t *hits = arg;

	(void)key;
	*hits += tally->hits;
}

static int read_counted(void *ctx, const struct trigger *t, struct count_table *table)
{
	struct kept_counted *ret = ctx;
	struct count_missing missing = { 0 };
	uint64_t hits = 0;
	int err = count_map_read(table, add_hits, &hits, &missing);

	(void)t;
	if (!ret->any || hits + missing.dropped > ret->hits + ret->dropped)
		*ret = (struct kept_counted){ .hits = hits, .dropped = missing.dropped };
	ret->any = true;
	return err;
}

int kept_triggers_counted(const struct selection *s, const struct stored *ev, struct kept_counted *ret, struct diag *diag)
{
	struct arena arena = { 0 };
	struct opened o;
	int err;

	*ret = (struct kept_counted){ 0 };
	if (!ev->kept.nr_triggers)
		return 0;
	err = event_open(s, &arena, ev, NULL, &o, diag);
	if (!err && o.triggers) {
		err = triggers_users_of_tables(o.triggers, read_counted, ret);
		if (err)
			diag_set(diag, err, "cannot read what %s/%s has counted: %s", ev->kept.group, ev->kept.event, strerror(-err));
		event_close(&o);
	}
	arena_fini(&arena);
	return err;
}

struct each {
	const struct opened *o;
	void (*show)(void *ctx, unsigned number, struct histogram *h, const struct hist_table *table);
	void *ctx;
};

static void show_each(void *ctx, struct histogram *h, const struct hist_table *table)
{
	const struct each *each = ctx;

	each->show(each->ctx, kept_of(each->o, h->trigger)->number, h, table);
}

int kept_triggers_each(const struct selection *s, const struct stored *ev, const struct ksyms *ks,
		       void (*show)(void *ctx, unsigned number, struct histogram *h, const struct hist_table *table), void *ctx,
		       struct diag *diag)
{
	struct arena arena = { 0 };
	struct opened o;
	struct each each = { &o, show, ctx };
	const struct triggers_reading how = { .read = count_map_read, .show = show_each, .ctx = &each };
	int err = ev->kept.nr_triggers ? event_open(s, &arena, ev, ks, &o, diag) : 0;

	if (!err && ev->kept.nr_triggers && o.triggers) {
		err = triggers_each(o.triggers, &how);
		if (err)
			diag_set(diag, err, "cannot read what %s/%s has counted: %s", ev->kept.group, ev->kept.event, strerror(-err));
		event_close(&o);
	}
	arena_fini(&arena);
	return err;
}

/* Each event once: its parts have the same triggers and tables. */
static int print_all(const struct options *opts, bool needs_symbols, print_fn print)
{
	struct call_names calls = { 0 };
	struct ksyms *ks = NULL;
	struct selection s;
	struct diag diag = { 0 };
	int status = selection_start(opts, &s);

	if (!status && needs_symbols && ksyms_load(opts->set.machine.kallsyms, &ks, &diag))
		diag_fini(&diag);	/* addresses have no names then */
	calls.ks = ks;
	for (unsigned i = 0; i < s.nr_events; i++) {
		const struct stored **parts;

		if (!selection_parts(&s, i, &parts))
			continue;
		if (print_event(opts, &s, parts[0], &calls, print, &diag))
			status = report_error(&diag, EXIT_KERNEL);
		diag_fini(&diag);
	}
	call_names_close(&calls);
	ksyms_close(ks);
	selection_close(&s);
	return status;
}

int triggers_run(const struct options *opts)
{
	return print_all(opts, false, print_triggers);
}

int hist_run(const struct options *opts)
{
	return print_all(opts, true, print_hist);
}

/* ---- --set-trigger ---- */

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
		if (!gone || kept_of(o, gone) != &k->triggers[i])
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

/* Programs of other events that pause the histograms of @ev write to their tables. Now it has other ones. */
static int reload_switching(struct selection *s, const struct stored *ev)
{
	static const struct reload_how how = { .attaches = false };
	struct selection now = { .store = s->store };
	int status = 0;

	now.nr_all = store_list(&s->store, &now.arena, &now.all);
	now.events = arena_array(&now.arena, struct stored *, now.nr_all);
	for (unsigned i = 0; i < now.nr_all; i++) {
		const struct kept *k = &now.all[i].kept;

		if (!now.all[i].trouble && !name_same_event(k->group, k->event, ev->kept.group, ev->kept.event) &&
		    kept_triggers_name(k, TRIGGER_ENABLE_HIST, ev))
			now.events[now.nr_events++] = &now.all[i];
	}
	for (unsigned i = 0; i < now.nr_events && !status; i++) {
		const struct stored **parts;
		unsigned nr = selection_parts(&now, i, &parts);

		status = nr ? reload_parts(&s->store, parts, nr, &how) : 0;
	}
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
	static const struct reload_how how = { .attaches = false };
	struct selection now = { .store = s->store };
	bool *made, more = true;
	int status = 0;

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
	for (unsigned i = 0; i < now.nr_events && !status; i++) {
		const struct stored **parts;
		unsigned nr = selection_parts(&now, i, &parts);

		status = nr ? reload_parts(&s->store, parts, nr, &how) : 0;
	}
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

	if (event_open(s, arena, parts[0], NULL, &o, diag))
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
	event_close(&o);
	if (diag->err)
		return EXIT_BAD_DEFINITION;
	if (have && commands)
		return 0;
	return kept_triggers_change(s, &(struct reload_event){ parts, nr, &how }, 1, &t, 1);
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
