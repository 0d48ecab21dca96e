// SPDX-License-Identifier: GPL-2.0-only
/*
 * kept_triggers.c - the triggers of kept events: --triggers and --hist.
 *
 * A trigger belongs to an event with all its parts.
 */
#include "keep/kept_triggers_priv.h"

#include <errno.h>

#include "keep/keep.h"
#include "keep/kept_switches.h"
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

const struct kept_trigger *kept_triggers_of(const struct opened *o, const struct trigger *t)
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
	return store_open_table(o->ev, kept_triggers_of(o, t)->number, table);
}

static int close_table(void *ctx, const struct trigger *t, struct count_table *table)
{
	(void)ctx;
	(void)t;
	count_map_close(table);
	return 0;
}

void kept_triggers_close(struct opened *o)
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

/* Probe @i + 1 is event @i of @elsewhere. */
static bool note_needed(void *ctx, unsigned i, const struct trigger *t)
{
	struct opened *o = ctx;
	struct needed_trigger *more;

	if (!i)			/* the event itself, which has no such field: that is reported */
		return true;
	for (unsigned n = 0; n < o->nr_needed; n++) {
		if (o->needed[n].trigger == t)	/* noted for another probe of the event */
			return true;
	}
	more = arena_array(o->arena, struct needed_trigger, o->nr_needed + 1);
	for (unsigned n = 0; n < o->nr_needed; n++)
		more[n] = o->needed[n];
	more[o->nr_needed++] = (struct needed_trigger){ o->elsewhere.events[i - 1], t };
	o->needed = more;
	return true;
}

int kept_triggers_open(const struct selection *s, struct arena *arena, const struct stored *ev, const struct ksyms *ks, bool always,
		       struct opened *ret, struct diag *diag)
{
	const struct kept *k = &ev->kept;
	struct probe_def *def = arena_new(arena, struct probe_def);
	struct plan *plan = arena_new(arena, struct plan);
	struct triggers_opts opts = { .arena = arena, .facts = &ret->facts, .apart = true, .kernel = { .acts = true, .drops = true } };
	struct synthetic_def *made = NULL;
	struct triggers_probe *probes;
	int err = 0;

	opts.reach.others = kept_others(arena, s->all, s->nr_all, &opts.reach.nr_others);
	opts.always = always;
	opts.needs = note_needed;
	opts.needs_ctx = ret;
	*ret = (struct opened){ .ev = ev, .arena = arena, .facts = { .ks = ks } };
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
		kept_triggers_close(ret);
	}
	return err;
}

/* ---- --triggers and --hist ---- */

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
	int err = kept_triggers_open(s, &arena, ev, calls->ks, false, &o, diag);

	if (!err && o.triggers)
		triggers_name_calls(o.triggers, call_name, calls);
	if (!err) {
		err = print(&o, &text, &out);
		if (err)
			diag_set(diag, err, "cannot read what %s/%s has counted: %s", ev->kept.group, ev->kept.event, strerror(-err));
		fputs(buf_str(&out), stdout);
		kept_triggers_close(&o);
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
	err = kept_triggers_open(s, &arena, ev, NULL, false, &o, diag);
	if (!err && o.triggers) {
		err = triggers_users_of_tables(o.triggers, read_counted, ret);
		if (err)
			diag_set(diag, err, "cannot read what %s/%s has counted: %s", ev->kept.group, ev->kept.event, strerror(-err));
		kept_triggers_close(&o);
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

	each->show(each->ctx, kept_triggers_of(each->o, h->trigger)->number, h, table);
}

int kept_triggers_each(const struct selection *s, const struct stored *ev, const struct ksyms *ks,
		       void (*show)(void *ctx, unsigned number, struct histogram *h, const struct hist_table *table), void *ctx,
		       struct diag *diag)
{
	struct arena arena = { 0 };
	struct opened o;
	struct each each = { &o, show, ctx };
	const struct triggers_reading how = { .read = count_map_read, .show = show_each, .ctx = &each };
	int err = ev->kept.nr_triggers ? kept_triggers_open(s, &arena, ev, ks, false, &o, diag) : 0;

	if (!err && ev->kept.nr_triggers && o.triggers) {
		err = triggers_each(o.triggers, &how);
		if (err)
			diag_set(diag, err, "cannot read what %s/%s has counted: %s", ev->kept.group, ev->kept.event, strerror(-err));
		kept_triggers_close(&o);
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
