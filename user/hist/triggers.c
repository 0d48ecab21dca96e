// SPDX-License-Identifier: GPL-2.0-only
/*
 * triggers.c - the triggers of one run.
 */
#include "hist/triggers.h"

#include <errno.h>
#include <stdlib.h>

#include "hist/hist_kernel.h"
#include "print/select.h"
#include "print/text.h"

/* An event: one or several probes. */
struct subject {
	const char *group, *name;
	bool enabled;			/* its lines are wanted */
	bool counts;			/* it has a histogram, so it prints no lines */
	struct installed *first;
};

/* A trigger of an event. */
struct installed {
	struct installed *next;
	const struct trigger *trigger;
	uint64_t left;			/* with a count: how many times more */
	struct histogram *main;		/* HIST: the one that is shown */
	struct subject *target;		/* ENABLE_EVENT to DISABLE_HIST */
};

/* A trigger as one probe of the event needs it: probes of one event may have their fields at different places. */
struct placed {
	struct installed *installed;
	const struct filter *filter;
	struct histogram *histogram;
};

struct probe_triggers {
	struct subject *subject;
	struct placed *placed;
	unsigned nr;
};

struct triggers {
	struct triggers_opts opts;
	struct subject *subjects;
	unsigned nr_subjects;
	struct probe_triggers *probes;
	struct hist_env env;
	bool on;			/* traceon, traceoff */
	struct histogram **histograms;	/* all, in the order of the definitions; those with the same table too */
	unsigned nr_histograms, size_histograms;
};

/* ---- events ---- */

static struct subject *find_subject(const struct triggers *ts, const char *group, const char *name)
{
	for (unsigned i = 0; i < ts->nr_subjects; i++) {
		if (!strcmp(ts->subjects[i].group, group) && !strcmp(ts->subjects[i].name, name))
			return &ts->subjects[i];
	}
	return NULL;
}

static void add_subjects(struct triggers *ts)
{
	const struct triggers_opts *o = &ts->opts;

	ts->subjects = arena_array(o->arena, struct subject, o->nr_probes);
	ts->probes = arena_array(o->arena, struct probe_triggers, o->nr_probes);
	for (unsigned i = 0; i < o->nr_probes; i++) {
		struct subject *s = find_subject(ts, o->probes[i].group, o->probes[i].event);

		if (!s) {
			s = &ts->subjects[ts->nr_subjects++];
			*s = (struct subject){ .group = o->probes[i].group, .name = o->probes[i].event, .enabled = true };
		}
		ts->probes[i].subject = s;
	}
}

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
static struct histogram *choose_var(const struct triggers *ts, const struct histogram *by, const struct hist_expr *expr, struct diag *diag)
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

static struct histogram *find_var(void *ctx, const struct histogram *by, const struct hist_expr *expr, unsigned *ret_slot,
				  bool *ret_signed, bool *ret_string, struct diag *diag)
{
	struct histogram *h = choose_var(ctx, by, expr, diag);
	const struct hist_assignment *a = h ? histogram_var(h, expr->name) : NULL;

	if (!a)
		return NULL;
	*ret_slot = a->slot;
	*ret_signed = a->node->is_signed;
	*ret_string = a->node->is_string;
	return h;
}

static struct synthetic *find_synthetic(void *ctx, const char *name)
{
	(void)ctx;
	(void)name;
	return NULL;
}

/* ---- adding ---- */

static void add_histogram(struct triggers *ts, struct histogram *h)
{
	if (ts->nr_histograms == ts->size_histograms) {
		unsigned size = ts->size_histograms ? 2 * ts->size_histograms : 16;
		struct histogram **more = arena_array(ts->opts.arena, struct histogram *, size);

		if (ts->nr_histograms)
			memcpy(more, ts->histograms, ts->nr_histograms * sizeof(*more));
		ts->histograms = more;
		ts->size_histograms = size;
	}
	ts->histograms[ts->nr_histograms++] = h;
}

/* Probes of one event, and histograms with one name, have one table. */
static void share(struct histogram *h, struct histogram *with)
{
	h->shared = with->shared ? with->shared : with;
}

static int join_named(struct triggers *ts, struct histogram *h, struct diag *diag)
{
	const struct trigger *t = h->trigger;

	for (unsigned i = 0; t->hist->name && i < ts->nr_histograms; i++) {
		struct histogram *other = ts->histograms[i];

		if (!other->trigger->hist->name || strcmp(other->trigger->hist->name, t->hist->name))
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

/* The trigger on @subject that @t is equal to; NULL: there is none. */
static struct installed *find_same(const struct subject *subject, const struct trigger *t, const struct histogram *h,
				   const struct subject *target)
{
	for (struct installed *in = subject->first; in; in = in->next) {
		const struct trigger *other = in->trigger;

		if (t->kind == TRIGGER_HIST) {
			if (other->kind == TRIGGER_HIST && same_filter(t, other) && histogram_matches(h, in->main))
				return in;
		} else if (t->kind >= TRIGGER_ENABLE_EVENT) {
			/* One event may be switched by one trigger only, on or off (6.12, event_enable_register_trigger()). */
			if (other->kind >= TRIGGER_ENABLE_EVENT && in->target == target &&
			    (t->kind >= TRIGGER_ENABLE_HIST) == (other->kind >= TRIGGER_ENABLE_HIST))
				return in;
		} else if (other->kind == t->kind) {
			return in;
		}
	}
	return NULL;
}

static int find_target(const struct triggers *ts, const struct trigger *t, struct subject **ret, struct diag *diag)
{
	if (t->kind < TRIGGER_ENABLE_EVENT)
		return 0;
	*ret = find_subject(ts, t->system, t->event);
	if (*ret)
		return 0;
	diag->text = t->text;
	diag_at(diag, -ENOENT, t->event_at, "this run has no event %s:%s", t->system, t->event);
	diag_note(diag, "help: add a definition of it");
	return -ENOENT;
}

/* Histograms are asked in their order, the others in the opposite one, in front of them (6.12, hist_trigger_enable(), register_trigger()). */
static void insert(struct subject *subject, struct installed *in)
{
	struct installed **at = &subject->first;

	while (in->trigger->kind == TRIGGER_HIST && *at)
		at = &(*at)->next;
	in->next = *at;
	*at = in;
}

static int resolve_filter(const struct triggers *ts, const struct trigger *t, const struct plan *plan, const struct filter **ret,
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

static int refuse_command(const struct trigger *t, struct diag *diag)
{
	diag->text = t->text;
	if (t->remove)
		return diag_at(diag, -EINVAL, t->at, "'!' removes a trigger of a kept event, and this run begins without any");
	if (t->kind == TRIGGER_HIST && (t->hist->clear || t->hist->resume))
		return diag_at(diag, -ENOENT, t->hist->commands_at, "there is no such histogram yet that could be cleared or continued");
	if (t->kind == TRIGGER_STACKTRACE || t->kind == TRIGGER_SNAPSHOT)
		return diag_at(diag, -EOPNOTSUPP, t->kind_at, "bprobe cannot do this yet");
	return 0;
}

static int add_histogram_of(struct triggers *ts, unsigned i, const struct trigger *t, struct histogram **ret, struct diag *diag)
{
	const struct triggers_probe *p = &ts->opts.probes[i];
	int err = histogram_open(ts->opts.arena, t, &p->plan->layout, p->group, p->event, &ts->env, ret, diag);

	if (!err)
		err = join_named(ts, *ret, diag);
	return err;
}

/* The trigger @t belongs to the definition of probe @i, which is the first one with it, or another probe of the same definition. */
static int add(struct triggers *ts, unsigned i, const struct trigger *t, struct diag *diag)
{
	struct probe_triggers *pt = &ts->probes[i];
	struct installed *in = pt->subject->first;
	struct placed *placed = &pt->placed[pt->nr];
	struct subject *target = NULL;
	int err = refuse_command(t, diag);

	while (in && in->trigger != t)
		in = in->next;
	*placed = (struct placed){ .installed = in };
	if (!err)
		err = find_target(ts, t, &target, diag);
	if (!err)
		err = resolve_filter(ts, t, ts->opts.probes[i].plan, &placed->filter, diag);
	if (!err && t->kind == TRIGGER_HIST)
		err = add_histogram_of(ts, i, t, &placed->histogram, diag);
	if (err)
		return err;
	if (!in && find_same(pt->subject, t, placed->histogram, target))
		return refuse_twice(t, diag);
	if (!in) {
		in = arena_new(ts->opts.arena, struct installed);
		*in = (struct installed){ .trigger = t, .left = t->count, .main = placed->histogram, .target = target };
		insert(pt->subject, in);
		placed->installed = in;
		if (placed->histogram)
			add_histogram(ts, placed->histogram);
	} else if (placed->histogram) {
		share(placed->histogram, in->main);
	}
	pt->nr++;
	pt->subject->counts |= t->kind == TRIGGER_HIST;
	if (t->kind == TRIGGER_ENABLE_EVENT)
		target->enabled = false;
	return 0;
}

static int add_all(struct triggers *ts, struct diag *diag)
{
	const struct triggers_opts *o = &ts->opts;

	for (unsigned i = 0; i < o->nr_probes; i++) {
		unsigned nr = 0;

		for (const struct trigger *t = o->probes[i].first; t; t = t->next)
			nr++;
		ts->probes[i].placed = arena_array(o->arena, struct placed, nr);
		for (const struct trigger *t = o->probes[i].first; t && o->probes[i].plan; t = t->next) {
			int err = add(ts, i, t, diag);

			if (err)
				return err;
		}
	}
	return 0;
}

int triggers_open(const struct triggers_opts *opts, struct triggers **ret, struct diag *diag)
{
	struct triggers *ts;
	bool any = false;
	int err;

	*ret = NULL;
	for (unsigned i = 0; i < opts->nr_probes; i++)
		any |= opts->probes[i].first != NULL;
	if (!any)
		return 0;
	ts = arena_new(opts->arena, struct triggers);
	*ts = (struct triggers){ .opts = *opts, .on = true,
				 .env = { .ctx = ts, .find_var = find_var, .find_synthetic = find_synthetic } };
	add_subjects(ts);
	err = add_all(ts, diag);
	if (err)
		triggers_close(ts);
	else
		*ret = ts;
	return err;
}

/* ---- what programs count ---- */

/* Does no other histogram read its variables? */
static bool is_alone(const struct triggers *ts, const struct histogram *h)
{
	for (unsigned i = 0; i < ts->nr_histograms; i++) {
		for (unsigned k = 0; k < ts->histograms[i]->nr_refs; k++) {
			if (ts->histograms[i]->refs[k].owner == h)
				return false;
		}
	}
	return true;
}

/* Does a trigger of another event pause it? That acts on exactly the hits that follow, so all of them must come in their order. */
static bool is_switched(const struct triggers *ts, const struct subject *subject)
{
	for (unsigned i = 0; i < ts->nr_subjects; i++) {
		for (const struct installed *in = ts->subjects[i].first; in; in = in->next) {
			if (in->trigger->kind >= TRIGGER_ENABLE_HIST && in->target == subject)
				return true;
		}
	}
	return false;
}

/* The histograms with one table agree on its key. */
static bool take_table(struct histogram *h, struct count *c)
{
	struct histogram *owner = h->shared ? h->shared : h;

	if (!owner->count)
		owner->count = c;
	else if (owner->count->table->key_size == c->table->key_size)
		c->table = owner->count->table;
	else
		return false;
	return true;
}

const struct count *triggers_counts(struct triggers *ts, unsigned i)
{
	const struct probe_triggers *pt = &ts->probes[i];
	const struct plan *plan = ts->opts.probes[i].plan;
	struct count *counts = NULL, **last = &counts;

	if (!plan || !pt->nr || pt->nr > COUNT_MOST || is_switched(ts, pt->subject))
		return NULL;
	for (unsigned k = 0; k < pt->nr; k++) {
		const struct placed *p = &pt->placed[k];

		if (!p->histogram || !is_alone(ts, p->installed->main))
			return NULL;
		*last = hist_kernel_count(ts->opts.arena, p->histogram, plan, p->filter, &ts->opts.kernel);
		if (!*last)
			return NULL;
		last = (struct count **)&(*last)->next;
	}
	if (count_time(plan, counts) == COUNT_NEVER)
		return NULL;
	last = &counts;
	for (unsigned k = 0; k < pt->nr; k++, last = (struct count **)&(*last)->next) {
		if (!take_table(pt->placed[k].histogram, *last))
			return NULL;
	}
	return counts;
}

const struct trigger *triggers_uncounted(const struct triggers *ts, unsigned i)
{
	const struct probe_triggers *pt = &ts->probes[i];
	const struct plan *plan = ts->opts.probes[i].plan;

	for (unsigned k = 0; k < pt->nr; k++) {
		const struct placed *p = &pt->placed[k];

		if (!p->histogram || !is_alone(ts, p->installed->main) || !hist_kernel_count(ts->opts.arena, p->histogram, plan, p->filter, &ts->opts.kernel))
			return p->installed->trigger;
	}
	return NULL;
}

void triggers_adopt(struct triggers *ts)
{
	for (unsigned i = 0; i < ts->nr_histograms; i++) {
		struct histogram *h = ts->histograms[i];

		if (!h->shared)
			h->count = hist_kernel_keys(ts->opts.arena, h);
	}
}

int triggers_tables(const struct triggers *ts, triggers_table_fn each, void *ctx)
{
	for (unsigned i = 0; i < ts->nr_histograms; i++) {
		const struct histogram *h = ts->histograms[i];
		int err = h->count ? each(ctx, h->trigger, h->count->table) : 0;

		if (err)
			return err;
	}
	return 0;
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

void triggers_list(const struct triggers *ts, unsigned i, bool (*paused)(void *ctx, const struct trigger *t), void *ctx,
		   struct buf *out)
{
	for (const struct installed *in = ts->probes[i].subject->first; in; in = in->next) {
		trigger_print(in->trigger, out);
		if (in->main)
			buf_adds(out, paused(ctx, in->trigger) ? " [paused]" : " [active]");
		buf_addc(out, '\n');
	}
}

void triggers_close(struct triggers *ts)
{
	for (unsigned i = 0; ts && i < ts->nr_histograms; i++)
		histogram_fini(ts->histograms[i]);
}

/* ---- hits ---- */

static void set_paused(struct subject *target, bool paused)
{
	for (struct installed *in = target->first; in; in = in->next) {
		if (in->main)
			in->main->paused = paused;
	}
}

/* A count that was reached stays reached. */
static bool may_act(struct installed *in)
{
	if (!in->trigger->counted)
		return true;
	if (!in->left)
		return false;
	in->left--;
	return true;
}

static void act(struct triggers *ts, const struct placed *p, const struct event *ev, const struct text *t)
{
	struct installed *in = p->installed;

	switch (in->trigger->kind) {
	case TRIGGER_HIST:
		if (!in->main->paused)
			histogram_hit(p->histogram, ev, t, &ts->env);
		break;
	case TRIGGER_TRACEON:
	case TRIGGER_TRACEOFF:
		ts->on = in->trigger->kind == TRIGGER_TRACEON;
		break;
	case TRIGGER_ENABLE_EVENT:
	case TRIGGER_DISABLE_EVENT:
		in->target->enabled = in->trigger->kind == TRIGGER_ENABLE_EVENT;
		break;
	case TRIGGER_ENABLE_HIST:
	case TRIGGER_DISABLE_HIST:
		set_paused(in->target, in->trigger->kind == TRIGGER_DISABLE_HIST);
		break;
	default:
		break;
	}
}

bool triggers_hit(struct triggers *ts, unsigned i, const struct event *ev, const struct text *t)
{
	const struct probe_triggers *pt = &ts->probes[i];
	bool wanted = ts->on && pt->subject->enabled && !pt->subject->counts, late_off = false;

	for (unsigned k = 0; k < pt->nr; k++) {
		const struct placed *p = &pt->placed[k];
		bool was_on = ts->on;

		if ((p->filter && !select_event(p->filter, t, ev)) || !may_act(p->installed))
			continue;
		act(ts, p, ev, t);
		/* The kernel has recorded the event before a traceoff without a condition. */
		late_off |= was_on && !ts->on && !p->filter;
	}
	return wanted && (ts->on || late_off);
}

/* ---- showing ---- */

bool triggers_leave_lines(const struct triggers *ts)
{
	for (unsigned i = 0; i < ts->nr_subjects; i++) {
		if (!ts->subjects[i].counts)
			return true;
	}
	return false;
}

struct gathering {
	struct histogram *h;
	struct hist_table *to;
};

static void add_entry(void *arg, const unsigned char *key, const struct bp_tally *tally)
{
	const struct gathering *g = arg;

	hist_kernel_add(g->h, g->h->count, key, tally, g->to);
}

static int gather(struct histogram *owner, triggers_read_fn read, struct hist_table *to)
{
	struct gathering g = { .h = owner, .to = to };
	uint64_t dropped = 0;
	int err;

	hist_table_init(to, owner->table.key_size, owner->table.nr_slots);
	hist_table_add(to, &owner->table);
	if (!owner->count)
		return 0;
	err = read(owner->count->table, add_entry, &g, &dropped);
	to->dropped += dropped;
	return err;
}

int triggers_each(const struct triggers *ts, const struct triggers_reading *how)
{
	struct hist_table *all = calloc(ts->nr_histograms + 1, sizeof(*all));
	int err = all ? 0 : -ENOMEM;

	for (unsigned i = 0; i < ts->nr_histograms && all; i++) {
		int failed = ts->histograms[i]->shared ? 0 : gather(ts->histograms[i], how->read, &all[i]);

		err = err ? err : failed;
	}
	for (unsigned i = 0; i < ts->nr_histograms && all; i++) {
		struct histogram *h = ts->histograms[i], *owner = h->shared ? h->shared : h;
		unsigned at = 0;

		while (ts->histograms[at] != owner)
			at++;
		if (h == owner || how->shared)
			how->show(how->ctx, h, &all[at]);
	}
	for (unsigned i = 0; i < ts->nr_histograms && all; i++) {
		if (ts->histograms[i]->shared)
			continue;
		hist_table_fini(&all[i]);
		if (how->clears)
			hist_table_clear(&ts->histograms[i]->table);
	}
	free(all);
	return err;
}

struct showing {
	const struct triggers *ts;
	const struct text *text;
	struct buf *out;
	bool begun;
};

static void show(void *ctx, struct histogram *h, const struct hist_table *table)
{
	struct showing *s = ctx;

	if (s->begun)
		buf_addc(s->out, '\n');
	s->begun = true;
	hist_show(h, table, s->text, s->ts->opts.syscall, s->ts->opts.syscall_ctx, s->out);
}

int triggers_show(const struct triggers *ts, const struct text *t, triggers_read_fn read, bool clears, struct buf *out)
{
	struct showing s = { .ts = ts, .text = t, .out = out };
	const struct triggers_reading how = { .read = read, .show = show, .ctx = &s, .shared = true, .clears = clears };

	return triggers_each(ts, &how);
}
