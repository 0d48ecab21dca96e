// SPDX-License-Identifier: GPL-2.0-only
/*
 * triggers_add.c - adds triggers to the events of a run, and removes and changes them.
 */
#include <errno.h>
#include <stdlib.h>

#include "hist/triggers_priv.h"
#include "kernel/features.h"

/* ---- tables ---- */

static void add_histogram(struct triggers *ts, struct histogram *h)
{
	ts->histograms = arena_grow(ts->opts.arena, ts->histograms, ts->nr_histograms, &ts->size_histograms);
	ts->histograms[ts->nr_histograms++] = h;
}

/* Probes of one event, and histograms with one name, have one table. */
static void share(struct histogram *h, struct histogram *with)
{
	h->shared = with->shared ? with->shared : with;
	h->sharing = h->shared->sharing;
	h->shared->sharing = h;
}

static int join_named(struct triggers *ts, struct histogram *h, struct diag *diag)
{
	const struct trigger *t = h->trigger;

	for (unsigned i = 0; t->hist->name && i < ts->nr_histograms; i++) {
		struct histogram *other = ts->histograms[i];

		if ((ts->opts.apart && other->elsewhere) || !other->trigger->hist->name || strcmp(other->trigger->hist->name, t->hist->name))
			continue;
		if (!histogram_matches(h, other)) {
			diag->text = t->text;
			return diag_at(diag, -EINVAL, t->at, "the histogram '%s' has other keys, values or variables already",
				       t->hist->name);
		}
		share(h, other);
		return 0;
	}
	return 0;
}

/* ---- the triggers that an event has ---- */

static int refuse_twice(const struct trigger *t, struct diag *diag)
{
	diag->text = t->text;
	return diag_at(diag, -EEXIST, t->at, "the event has this trigger already");
}

/* The kernel compares filters as they were typed. */
static bool same_filter(const struct trigger *a, const struct trigger *b)
{
	const struct filter_expr *x = a->filter, *y = b->filter;

	return !x == !y && (!x || (x->at.len == y->at.len && !memcmp(x->text + x->at.off, y->text + y->at.off, x->at.len)));
}

/* What an event may have once: what switches on and what switches off is one (6.12, trigger_type of struct event_command). */
static enum trigger_kind type_of(const struct trigger *t)
{
	switch (t->kind) {
	case TRIGGER_TRACEOFF:
		return TRIGGER_TRACEON;
	case TRIGGER_DISABLE_EVENT:
		return TRIGGER_ENABLE_EVENT;
	case TRIGGER_DISABLE_HIST:
		return TRIGGER_ENABLE_HIST;
	default:
		return t->kind;
	}
}

/*
 * The trigger on @subject that @t is equal to; NULL: there is none. Only histograms differ by their filters (6.12, register_trigger(),
 * event_enable_register_trigger(), hist_trigger_match()).
 */
static struct installed *find_same(const struct subject *subject, const struct trigger *t, const struct histogram *h,
				   const struct subject *target)
{
	for (struct installed *in = subject->first; in; in = in->next) {
		if (type_of(in->trigger) != type_of(t) || in->target != target)
			continue;
		if (!h || (same_filter(t, in->trigger) && histogram_matches(h, in->main)))
			return in;
	}
	return NULL;
}

static int find_target(const struct triggers *ts, const struct trigger *t, struct subject **ret, struct diag *diag)
{
	if (t->kind < TRIGGER_ENABLE_EVENT)
		return 0;
	*ret = triggers_subject(ts, t->system, t->event);
	if (*ret)
		return 0;
	diag->text = t->text;
	diag_at(diag, -ENOENT, t->event_at, "there is no event %s:%s", t->system, t->event);
	diag_note(diag, ts->opts.reach.others || ts->opts.kernel.drops ? "help: keep that event first" : "help: add a definition of it");
	return -ENOENT;
}

/* Histograms act in their order, the others the other way round, in front of them (6.12, hist_trigger_enable(), register_trigger()). */
static void insert(struct subject *subject, struct installed *in)
{
	struct installed **at = &subject->first;

	while (in->trigger->kind == TRIGGER_HIST && *at)
		at = &(*at)->next;
	in->next = *at;
	*at = in;
}

static int resolve_filter(const struct triggers *ts, const struct trigger *t, const struct plan *plan, struct filter **ret,
			  struct diag *diag)
{
	struct plan copy = *plan;
	struct probe_def *def = arena_new(ts->opts.arena, struct probe_def);
	int err;

	*ret = NULL;
	if (!t->filter)
		return 0;
	*def = *plan->def;
	def->filter = t->filter;
	copy.def = def;
	err = plan_resolve_filter(ts->opts.arena, ts->opts.facts, &copy, diag);
	*ret = copy.filter;
	return err;
}

/* ---- triggers that change others ---- */

static bool changes(const struct trigger *t)
{
	return t->remove || (t->kind == TRIGGER_HIST && (t->hist->pause || t->hist->resume || t->hist->clear));
}

/* Another histogram that uses a variable of @h; NULL: there is none. */
static const struct histogram *user_of(const struct triggers *ts, const struct histogram *h)
{
	for (unsigned i = 0; h && i < ts->nr_histograms; i++) {
		const struct histogram *other = ts->histograms[i];

		for (unsigned k = 0; other != h && k < other->nr_refs; k++) {
			if (other->refs[k].owner == h)
				return other;
		}
	}
	return NULL;
}

/* 6.12, update_cond_flag() */
static void note_needs(struct subject *subject, const struct trigger *t)
{
	subject->counts |= t->kind == TRIGGER_HIST;
	subject->stacks |= t->kind == TRIGGER_STACKTRACE;
	subject->conditional |= t->filter || t->kind == TRIGGER_HIST || t->kind == TRIGGER_STACKTRACE;
}

static void unlink_installed(struct subject *subject, const struct installed *gone)
{
	struct installed **at = &subject->first;

	subject->counts = subject->stacks = subject->conditional = false;
	while (*at) {
		if (*at == gone) {
			*at = gone->next;
			continue;
		}
		note_needs(subject, (*at)->trigger);
		at = &(*at)->next;
	}
}

/* A removed histogram's table stays while others share it. It is freed at the end. */
static void drop_histogram(struct triggers *ts, struct histogram *gone)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < ts->nr_histograms; i++) {
		if (ts->histograms[i] != gone)
			ts->histograms[kept++] = ts->histograms[i];
	}
	ts->nr_histograms = kept;
	gone->next_gone = ts->gone;
	ts->gone = gone;
}

/* No probe of its event acts on it any more. */
static void unplace(struct triggers *ts, const struct installed *gone)
{
	for (unsigned i = 0; i < ts->opts.nr_probes; i++) {
		struct probe_triggers *pt = &ts->probes[i];
		unsigned kept = 0;

		for (unsigned k = 0; k < pt->nr; k++) {
			if (pt->placed[k].installed != gone)
				pt->placed[kept++] = pt->placed[k];
		}
		pt->nr = kept;
	}
}

static int remove_installed(struct triggers *ts, struct subject *subject, struct installed *in, const struct trigger *t,
			    struct diag *diag)
{
	const struct histogram *user = user_of(ts, in->main);

	if (user) {
		diag->text = t->text;
		return diag_at(diag, -EBUSY, t->at, "a trigger of %s/%s uses a variable of this one", user->group, user->event);
	}
	if (t->kind == TRIGGER_ENABLE_EVENT)
		in->target->enabled = true;
	unlink_installed(subject, in);
	unplace(ts, in);
	if (in->main)
		drop_histogram(ts, in->main);
	return 0;
}

/* As in the kernel, nothing happens if there is no such trigger to remove. */
static int change(struct triggers *ts, struct subject *subject, struct installed *in, const struct trigger *t, struct diag *diag)
{
	if (t->remove)
		return in ? remove_installed(ts, subject, in, t, diag) : 0;
	if (t->hist->pause)
		in->main->paused = true;
	else if (t->hist->resume)
		in->main->paused = false;
	else
		hist_table_clear(histogram_table(in->main));
	return 0;
}

/* ---- adding one ---- */

static int refuse_missing(const struct trigger *t, struct diag *diag)
{
	diag->text = t->text;
	return diag_at(diag, -ENOENT, t->hist->commands_at, "there is no such histogram yet that could be %s",
		       t->hist->clear ? "cleared" : "continued");
}

static int refuse_kind(const struct triggers *ts, unsigned i, const struct trigger *t, struct diag *diag)
{
	struct features *features = ts->opts.facts->features;

	if (t->remove)
		return 0;
	diag->text = t->text;
	if (t->kind == TRIGGER_STACKTRACE && ts->opts.probes[i].synthetic) {
		diag_at(diag, -EOPNOTSUPP, t->kind_at, "a synthetic event has no stack");
		diag_note(diag, "help: give this trigger to a probe");
		return -EOPNOTSUPP;
	}
	if (t->kind == TRIGGER_HIST && t->hist->time == HIST_CLOCK_TAI && features && !feature(features, FEATURE_TAI)) {
		diag_at(diag, -EOPNOTSUPP, t->hist->clock_at, "no program can read this clock on this kernel (from 6.1 on they can)");
		diag_note(diag, "help: take boot or mono");
		return -EOPNOTSUPP;
	}
	if (t->kind == TRIGGER_SNAPSHOT && !ts->opts.reach.snapshots) {
		diag_at(diag, -EOPNOTSUPP, t->kind_at, "a snapshot is taken of rings that overwrite, and needs a file");
		diag_note(diag, "help: give --snapshot FILE, without --keep");
		return -EOPNOTSUPP;
	}
	return 0;
}

static int open_histogram(struct triggers *ts, unsigned i, const struct trigger *t, struct histogram **ret, struct diag *diag)
{
	const struct triggers_probe *p = &ts->opts.probes[i];
	int err;

	if (t->kind != TRIGGER_HIST)
		return 0;
	err = histogram_open(ts->opts.arena, t, &p->plan->layout, p->group, p->event, &ts->env, ret, diag);
	if (!err) {
		(*ret)->elsewhere = p->elsewhere;
		(*ret)->places = p->places;
		(*ret)->nr_places = p->nr_places;
	}
	if (!err && !p->plan->target.addrs)
		(*ret)->place = p->plan->target.is_return ? p->plan->target.func : p->plan->target.addr;
	return err ? err : triggers_refuse_circle(ts, *ret, diag);
}

/* Everything is resolved and the event has no such trigger. */
static int install(struct triggers *ts, unsigned i, const struct trigger *t, struct placed *placed, struct subject *target,
		   struct diag *diag)
{
	struct subject *subject = ts->probes[i].subject;
	struct installed *in = arena_new(ts->opts.arena, struct installed);

	if (placed->histogram && join_named(ts, placed->histogram, diag))
		return diag->err;
	*in = (struct installed){ .trigger = t, .left = t->count, .main = placed->histogram, .target = target };
	insert(subject, in);
	placed->installed = in;
	if (placed->histogram)
		add_histogram(ts, placed->histogram);
	note_needs(subject, t);
	if (t->kind == TRIGGER_ENABLE_EVENT && !ts->probes[i].waits)
		target->enabled = false;
	return 0;
}

/* In the order of insert(), which is that in which they act. */
static void place(const struct triggers *ts, struct probe_triggers *pt, const struct placed *placed)
{
	pt->placed = arena_grow(ts->opts.arena, pt->placed, pt->nr, &pt->size);
	if (placed->installed->trigger->kind == TRIGGER_HIST) {
		pt->placed[pt->nr++] = *placed;
		return;
	}
	memmove(pt->placed + 1, pt->placed, pt->nr++ * sizeof(*placed));
	pt->placed[0] = *placed;
}

/* The trigger @t belongs to the definition of probe @i, which is the first one with it, or another probe of the same definition. */
int triggers_add(struct triggers *ts, unsigned i, const struct trigger *t, struct diag *diag)
{
	struct probe_triggers *pt = &ts->probes[i];
	struct subject *target = NULL;
	struct installed *in = pt->subject->first, *same;
	struct placed new = { 0 }, *placed = &new;
	int err = refuse_kind(ts, i, t, diag);

	while (in && in->trigger != t)
		in = in->next;
	placed->installed = in;
	if (!err)
		err = find_target(ts, t, &target, diag);
	if (!err && !ts->opts.probes[i].elsewhere)
		err = resolve_filter(ts, t, ts->opts.probes[i].plan, &placed->filter, diag);
	if (!err)
		err = open_histogram(ts, i, t, &placed->histogram, diag);
	if (err)
		return err;
	same = in ? NULL : find_same(pt->subject, t, placed->histogram, target);
	if (t->remove || (same && changes(t)))
		return change(ts, pt->subject, same, t, diag);
	if (same)
		return refuse_twice(t, diag);
	if (t->kind == TRIGGER_HIST && (t->hist->clear || t->hist->resume))
		return refuse_missing(t, diag);
	if (in && placed->histogram)
		share(placed->histogram, in->main);
	else if (!in)
		err = install(ts, i, t, placed, target, diag);
	if (!err)
		place(ts, pt, placed);
	return err;
}

const struct trigger *triggers_find(struct triggers *ts, unsigned i, const struct trigger *t, struct diag *diag)
{
	const struct triggers_probe *p = &ts->opts.probes[i];
	struct histogram *h = NULL;
	struct subject *target = NULL;
	const struct installed *in;

	if (find_target(ts, t, &target, diag))
		return NULL;
	if (t->kind == TRIGGER_HIST && histogram_open(ts->opts.arena, t, &p->plan->layout, p->group, p->event, &ts->env, &h, diag))
		return NULL;
	in = find_same(ts->probes[i].subject, t, h, target);
	return in ? in->trigger : NULL;
}

/* A trigger of a probe, for sorting. */
struct pending {
	unsigned probe;
	const struct trigger *trigger;
};

static int compare_order(const void *a, const void *b)
{
	const struct pending *x = a, *y = b;

	if (x->trigger->order != y->trigger->order)
		return x->trigger->order < y->trigger->order ? -1 : 1;
	return x->probe < y->probe ? -1 : x->probe > y->probe;
}

/* All triggers of the run in the order in which they were typed, since each may use variables of those before it. */
static struct pending *sort_triggers(struct triggers *ts, unsigned *ret)
{
	const struct triggers_opts *o = &ts->opts;
	struct pending *all;
	unsigned nr = 0;

	for (unsigned i = 0; i < o->nr_probes; i++) {
		for (const struct trigger *t = o->probes[i].first; t; t = t->next)
			nr++;
	}
	all = arena_array(o->arena, struct pending, nr);
	*ret = 0;
	for (unsigned i = 0; i < o->nr_probes; i++) {
		for (const struct trigger *t = ts->probes[i].waits || o->probes[i].elsewhere ? NULL : o->probes[i].first; t; t = t->next)
			all[(*ret)++] = (struct pending){ i, t };
	}
	qsort(all, *ret, sizeof(*all), compare_order);
	return all;
}

/* What a waiting probe's triggers will do is known before: its event prints no lines, and what it enables begins disabled. */
static int note_waiting(struct triggers *ts, unsigned i, struct diag *diag)
{
	for (const struct trigger *t = ts->opts.probes[i].first; t; t = t->next) {
		struct subject *target = NULL;
		int err = refuse_kind(ts, i, t, diag);

		if (!err)
			err = find_target(ts, t, &target, diag);
		if (err)
			return err;
		if (changes(t))
			continue;
		note_needs(ts->probes[i].subject, t);
		if (t->kind == TRIGGER_ENABLE_EVENT)
			target->enabled = false;
	}
	return 0;
}

static bool is_placed(const struct probe_triggers *pt, const struct trigger *t)
{
	for (unsigned k = 0; k < pt->nr; k++) {
		if (pt->placed[k].installed->trigger == t)
			return true;
	}
	return false;
}

/*
 * The histograms of events elsewhere, which may read each other's variables, in whatever order they were kept. What cannot be resolved is
 * left out: then nothing can have anything of it.
 */
static void add_elsewhere(struct triggers *ts)
{
	bool more = true;

	while (more) {
		more = false;
		for (unsigned i = 0; i < ts->opts.nr_probes; i++) {
			const struct triggers_probe *p = &ts->opts.probes[i];

			for (const struct trigger *t = p->elsewhere ? p->first : NULL; t; t = t->next) {
				struct diag ignored = { 0 };

				if (t->hist && !is_placed(&ts->probes[i], t))
					more |= !triggers_add(ts, i, t, &ignored);
				diag_fini(&ignored);
			}
		}
	}
}

int triggers_add_all(struct triggers *ts, struct diag *diag)
{
	const struct pending *all;
	unsigned nr;
	int err = 0;

	for (unsigned i = 0; i < ts->opts.nr_probes && !err; i++) {
		ts->probes[i].waits = !ts->opts.probes[i].plan;
		if (ts->probes[i].waits)
			err = note_waiting(ts, i, diag);
	}
	add_elsewhere(ts);
	all = sort_triggers(ts, &nr);
	for (unsigned i = 0; i < nr && !err; i++)
		err = triggers_add(ts, all[i].probe, all[i].trigger, diag);
	return err;
}

int triggers_arrive(struct triggers *ts, unsigned i, const struct plan *plan, const struct facts *facts, struct diag *diag)
{
	struct probe_triggers *pt = &ts->probes[i];
	int err = 0;

	if (!pt->waits)
		return 0;
	ts->list[i].plan = plan;
	ts->opts.facts = facts;
	for (const struct trigger *t = ts->list[i].first; t && !err; t = t->next) {
		if (!is_placed(pt, t))
			err = triggers_add(ts, i, t, diag);
	}
	pt->waits = err;
	return err;
}
