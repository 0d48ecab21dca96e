// SPDX-License-Identifier: GPL-2.0-only
/*
 * triggers.c - the triggers of one run: what each hit does, and what is shown at the end.
 */
#include "hist/triggers_priv.h"

#include <errno.h>
#include <stdlib.h>

#include "hist/hist_kernel.h"
#include "print/select.h"

/* ---- events ---- */

struct subject *triggers_subject(const struct triggers *ts, const char *group, const char *name)
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

	ts->subjects = arena_array(o->arena, struct subject, o->nr_probes + o->reach.nr_others);
	ts->probes = arena_array(o->arena, struct probe_triggers, o->nr_probes);
	for (unsigned i = 0; i < o->nr_probes; i++) {
		struct subject *s = triggers_subject(ts, o->probes[i].group, o->probes[i].event);

		if (!s) {
			s = &ts->subjects[ts->nr_subjects++];
			*s = (struct subject){ .group = o->probes[i].group, .name = o->probes[i].event, .enabled = true };
		}
		ts->probes[i].subject = s;
	}
	for (unsigned i = 0; i < o->reach.nr_others; i++) {
		if (!triggers_subject(ts, o->reach.others[i].group, o->reach.others[i].event))
			ts->subjects[ts->nr_subjects++] = (struct subject){ .group = o->reach.others[i].group, .name = o->reach.others[i].event,
									    .enabled = true };
	}
}

int triggers_open(const struct triggers_opts *opts, struct triggers **ret, struct diag *diag)
{
	struct triggers *ts;
	bool any = opts->always;
	int err;

	*ret = NULL;
	for (unsigned i = 0; i < opts->nr_probes; i++)
		any |= opts->probes[i].first && !opts->probes[i].elsewhere;
	if (!any)
		return 0;
	ts = arena_new(opts->arena, struct triggers);
	*ts = (struct triggers){ .opts = *opts, .on = true };
	ts->list = arena_array(opts->arena, struct triggers_probe, opts->nr_probes);
	memcpy(ts->list, opts->probes, opts->nr_probes * sizeof(*ts->list));
	ts->opts.probes = ts->list;
	ts->env = triggers_env(ts);
	add_subjects(ts);
	triggers_find_synthetics(ts);
	err = triggers_add_all(ts, diag);
	if (err)
		triggers_close(ts);
	else
		*ret = ts;
	return err;
}

void triggers_close(struct triggers *ts)
{
	for (unsigned i = 0; ts && i < ts->nr_histograms; i++)
		histogram_fini(ts->histograms[i]);
	for (struct histogram *h = ts ? ts->gone : NULL; h; h = h->next_gone)
		histogram_fini(h);
}

bool triggers_is_installed(const struct triggers *ts, const struct trigger *t)
{
	for (unsigned i = 0; i < ts->nr_subjects; i++) {
		for (const struct installed *in = ts->subjects[i].first; in; in = in->next) {
			if (in->trigger == t)
				return true;
		}
	}
	return false;
}

bool triggers_has_histogram(const struct triggers *ts, unsigned i)
{
	return ts->probes[i].subject->counts;
}

/* ---- hits ---- */

static void set_paused(struct subject *target, bool paused)
{
	for (struct installed *in = target->first; in; in = in->next) {
		if (in->main)
			in->main->paused = paused;
	}
}

/* Is everything as the trigger would make it? Such a hit does not count (6.12, traceoff_count_trigger() and others). */
static bool is_done(const struct triggers *ts, const struct installed *in)
{
	switch (in->trigger->kind) {
	case TRIGGER_TRACEON:
		return ts->on;
	case TRIGGER_TRACEOFF:
		return !ts->on;
	case TRIGGER_ENABLE_EVENT:
		return in->target->enabled;
	case TRIGGER_DISABLE_EVENT:
		return !in->target->enabled;
	default:
		return false;
	}
}

/* A count that was reached stays reached. */
static bool may_act(const struct triggers *ts, struct installed *in)
{
	if (!in->trigger->counted)
		return true;
	if (!in->left || is_done(ts, in))
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
			histogram_hit(p->histogram, ev, t);
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

/*
 * Triggers without conditions act before the kernel reserves the record; then traceon and traceoff count for this hit, too, and
 * enable_event and disable_event on the event itself do not. With a condition they act on the record that is there; then it is the
 * other way round (6.12, trace_event_buffer_lock_reserve(), __trace_trigger_soft_disabled(), __event_trigger_test_discard()).
 */
static bool prints_line(const struct triggers *ts, const struct subject *s, bool was_on, bool was_enabled)
{
	if (s->counts)
		return false;
	return s->conditional ? was_on && s->enabled : ts->on && was_enabled;
}

/* Does stacktrace act in the program? Then that counts all hits of the event's histograms, too, and what becomes a record is to be printed. */
static bool program_tells(const struct probe_triggers *pt)
{
	for (unsigned k = 0; k < pt->nr; k++) {
		if (pt->placed[k].installed->in_program && pt->placed[k].installed->trigger->kind == TRIGGER_STACKTRACE)
			return true;
	}
	return false;
}

/*
 * The kernel writes a stack after all triggers have acted (6.12, event_triggers_post_call()), also of an event that prints no
 * lines. Here the line is printed with it.
 */
bool triggers_hit(struct triggers *ts, unsigned i, struct event *ev, const struct text *t)
{
	const struct probe_triggers *pt = &ts->probes[i];
	const struct plan *plan = ts->opts.probes[i].plan;
	bool was_on = ts->on, was_enabled = pt->subject->enabled, stack = false, told = program_tells(pt);

	for (unsigned k = 0; k < pt->nr; k++) {
		const struct placed *p = &pt->placed[k];

		if (p->installed->in_program || (told && p->histogram) || (p->filter && !select_event(p->filter, t, ev)) || !may_act(ts, p->installed))
			continue;
		act(ts, p, ev, t);
		stack |= p->installed->trigger->kind == TRIGGER_STACKTRACE;
	}
	if (ts->opts.prints_nothing)
		return false;
	if (told)			/* it makes a record only for a line or a stack */
		return true;
	stack = stack && ts->on;
	if (!stack && plan)
		ev->hidden_stacks = plan->def->trigger_stacks;
	return stack || prints_line(ts, pt->subject, was_on, was_enabled);
}

/* ---- showing ---- */

bool triggers_leave_lines(const struct triggers *ts)
{
	if (ts->opts.prints_nothing)
		return false;
	for (unsigned i = 0; i < ts->nr_subjects; i++) {
		if (!ts->subjects[i].counts || ts->subjects[i].stacks)
			return true;
	}
	return false;
}

static void list_one(const struct installed *in, struct buf *out)
{
	const struct trigger *t = in->trigger;

	if (t->kind == TRIGGER_HIST) {
		hist_show_trigger(in->main, out);
		return;
	}
	buf_adds(out, trigger_kind_name(t->kind));
	if (t->event)
		buf_addf(out, ":%s:%s", t->system, t->event);
	if (t->counted)
		buf_addf(out, ":count=%llu", (unsigned long long)in->left);
	else
		buf_adds(out, ":unlimited");
	if (t->filter)
		buf_addf(out, " if %.*s", (int)t->filter->at.len, t->filter->text + t->filter->at.off);
}

void triggers_list(const struct triggers *ts, unsigned i, struct buf *out)
{
	for (const struct installed *in = ts->probes[i].subject->first; in; in = in->next) {
		list_one(in, out);
		buf_addc(out, '\n');
	}
}

void triggers_read_states(struct triggers *ts, int (*state)(const struct count_table *table, struct bp_count_state *ret))
{
	struct bp_count_state now;

	for (unsigned i = 0; ts && i < ts->nr_histograms; i++) {
		struct histogram *h = ts->histograms[i], *owner = h->shared ? h->shared : h;

		if (owner->count && owner->count->table->pauses && !state(owner->count->table, &now))
			h->paused = now.paused;
	}
	for (unsigned i = 0; ts && i < ts->nr_subjects; i++) {
		for (struct installed *in = ts->subjects[i].first; in; in = in->next) {
			if (in->state && !state(in->state, &now))
				in->left = now.left < 0 ? 0 : (uint64_t)now.left;	/* see struct bp_count_state */
		}
	}
}

/* ---- what was counted ---- */

struct gathering {
	struct histogram *h;
	struct hist_table *to;
};

static void add_entry(void *arg, const unsigned char *key, const struct bp_tally *tally)
{
	const struct gathering *g = arg;

	hist_kernel_add(g->h, g->h->count, key, tally, g->to);
}

static int gather(struct histogram *owner, const struct triggers_reading *how, struct hist_table *to)
{
	struct gathering g = { .h = owner, .to = to };
	struct count_missing missing = { 0 };
	uint64_t before;
	int err;

	hist_table_init(to, owner->table.key_size, owner->table.nr_slots);
	hist_table_add(to, &owner->table);
	if (!owner->count)
		return 0;
	before = to->hits;
	err = how->read(owner->count->table, add_entry, &g, &missing);
	owner->counted = owner->taken + to->hits - before;
	to->dropped += missing.dropped;
	to->raced += missing.raced;
	owner->raced = owner->raced_before + missing.raced;
	if (how->clears) {
		owner->taken = owner->counted;
		owner->raced_before = owner->raced;
	}
	return err;
}

int triggers_each(const struct triggers *ts, const struct triggers_reading *how)
{
	struct hist_table *all = calloc(ts->nr_histograms + 1, sizeof(*all));
	int err = all ? 0 : -ENOMEM;

	for (unsigned i = 0; i < ts->nr_histograms && all; i++) {
		int failed = ts->histograms[i]->shared ? 0 : gather(ts->histograms[i], how, &all[i]);

		err = err ? err : failed;
	}
	for (unsigned i = 0; i < ts->nr_histograms && all; i++) {
		struct histogram *h = ts->histograms[i], *owner = h->shared ? h->shared : h;
		unsigned at = 0;

		while (ts->histograms[at] != owner)
			at++;
		if (!h->elsewhere && (h == owner || how->shared))
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

void triggers_name_calls(struct triggers *ts, hist_syscall_fn name, void *ctx)
{
	ts->opts.syscall = name;
	ts->opts.syscall_ctx = ctx;
}

int triggers_show(const struct triggers *ts, const struct text *t, triggers_read_fn read, bool clears, struct buf *out)
{
	struct showing s = { .ts = ts, .text = t, .out = out };
	const struct triggers_reading how = { .read = read, .show = show, .ctx = &s, .shared = true, .clears = clears };

	return triggers_each(ts, &how);
}
