// SPDX-License-Identifier: GPL-2.0-only
/*
 * triggers_kernel.c - which histograms of a run the programs count themselves.
 */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "bprobe_abi.h"
#include "hist/triggers_priv.h"
#include "plan/act.h"

/*
 * Does a trigger of another event pause it? In user space that acts on exactly the hits that follow, so all must come in their
 * order.
 */
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

/* May a trigger that waits for its module pause a histogram of another event? */
static bool waits_for_others(const struct triggers *ts)
{
	for (unsigned i = 0; i < ts->opts.nr_probes; i++) {
		for (const struct trigger *t = ts->probes[i].waits ? ts->opts.probes[i].first : NULL; t; t = t->next) {
			if (t->kind >= TRIGGER_ENABLE_HIST)
				return true;
		}
	}
	return false;
}

/* The histograms with one table agree on its key, and on whether it is paused. */
static bool take_table(const struct placed *p, struct count *c)
{
	struct histogram *h = p->histogram, *owner = h->shared ? h->shared : h;

	c->table->begins_paused = owner->paused;
	if (p->installed->main->paused != owner->paused)
		return false;
	if (!owner->count)
		owner->count = c;
	else if (owner->count->table->key_size == c->table->key_size)
		c->table = owner->count->table;
	else
		return false;
	return true;
}

/* ---- variables and actions ---- */

static const struct count_made *find_made(void *ctx, unsigned number)
{
	const struct triggers *ts = ctx;

	for (unsigned i = 0; i < ts->nr_synthetics; i++) {
		if (ts->mades && ts->synthetics[i].number == number && !ts->opts.probes[number].elsewhere)
			return &ts->mades[i];
	}
	return NULL;
}

static void list_mades(struct triggers *ts)
{
	unsigned nr = 0;

	if (!ts->nr_synthetics || ts->nr_synthetics > COUNT_MADE_MOST)
		return;
	ts->mades = arena_array(ts->opts.arena, struct count_made, ts->nr_synthetics);
	for (unsigned i = 0; i < ts->nr_synthetics; i++)		/* those elsewhere come last, and nothing here makes them */
		nr += !ts->opts.probes[ts->synthetics[i].number].elsewhere;
	for (unsigned i = 0; i < nr; i++) {
		unsigned number = ts->synthetics[i].number;

		ts->mades[i] = (struct count_made){ .next = i + 1 < nr ? &ts->mades[i + 1] : NULL, .nr = i,
						    .plan = ts->opts.probes[number].plan,
						    .is_line = !ts->opts.prints_nothing && !ts->probes[number].subject->counts };
	}
}

static bool has_tables(const struct triggers *ts)
{
	for (unsigned i = 0; i < ts->nr_histograms; i++) {
		if (!ts->histograms[i]->elsewhere && hist_kernel_is_table(ts->histograms[i]))
			return true;
	}
	return false;
}

/* Does any histogram begin paused, or can another event pause it? */
static bool any_pauses(const struct triggers *ts)
{
	for (unsigned i = 0; i < ts->nr_subjects; i++) {
		for (const struct installed *in = ts->subjects[i].first; in; in = in->next) {
			if (in->trigger->kind >= TRIGGER_ENABLE_HIST || (in->main && in->main->paused))
				return true;
		}
	}
	return false;
}

bool triggers_by_programs(struct triggers *ts)
{
	if (ts->by_programs || !has_tables(ts))
		return ts->by_programs;
	list_mades(ts);
	ts->opts.kernel.tables = ts->opts.kernel.acts = true;
	ts->opts.kernel.pauses |= any_pauses(ts);
	ts->opts.kernel.made = find_made;
	ts->opts.kernel.ctx = ts;
	ts->by_programs = true;
	return true;
}

const struct count_made *triggers_mades(struct triggers *ts)
{
	return triggers_by_programs(ts) && ts->mades && ts->mades->plan ? ts->mades : NULL;
}

struct count *triggers_counts(struct triggers *ts, unsigned i)
{
	const struct probe_triggers *pt = &ts->probes[i];
	const struct plan *plan = ts->opts.probes[i].plan;
	struct count *counts = NULL, **last = &counts;
	bool tables = false;

	triggers_by_programs(ts);
	if (!plan || waits_for_others(ts) || (is_switched(ts, pt->subject) && !ts->opts.kernel.acts))
		return NULL;
	for (unsigned k = 0; k < pt->nr; k++)
		tables |= pt->placed[k].histogram && hist_kernel_is_table(pt->placed[k].histogram);
	for (unsigned k = 0, nr = 0; k < pt->nr; k++) {
		const struct placed *p = &pt->placed[k];

		if (!p->histogram && ts->opts.kernel.acts)
			continue;
		if (!p->histogram || (!tables && ++nr > COUNT_MOST))
			return NULL;
		*last = hist_kernel_count(ts->opts.arena, p->histogram, plan, p->filter, &ts->opts.kernel);
		if (!*last)
			return NULL;
		(*last)->drops |= tables || (ts->opts.kernel.acts && pt->subject->stacks);	/* a record is for the stack, then */
		last = &(*last)->next;
	}
	if (!counts)
		return NULL;
	last = &counts;
	for (unsigned k = 0; k < pt->nr; k++) {
		if (!pt->placed[k].histogram)
			continue;
		if (!take_table(&pt->placed[k], *last))
			return NULL;
		last = &(*last)->next;
	}
	return counts;
}

/* ---- other triggers ---- */

static void leave_to_program(struct triggers *ts, struct installed *in)
{
	in->in_program = true;
	if (in->trigger->kind == TRIGGER_ENABLE_EVENT)
		in->target->enabled = true;	/* what is not enabled makes no records */
	if (in->trigger->counted && !in->state) {
		in->state = arena_new(ts->opts.arena, struct count_table);
		*in->state = (struct count_table){ .fd = -1, .state_fd = -1 };
	}
}

/* Who prints the record shows or hides a stack, if no program can decide that. Then each record has it. */
static bool is_for_reader(const struct subject *subject, const struct plan *plan, const struct placed *p)
{
	const struct trigger *t = p->installed->trigger;

	return t->kind == TRIGGER_STACKTRACE && !t->counted && !subject->counts && !stage_can_act(plan, p->filter);
}

struct act *triggers_acts(struct triggers *ts, unsigned i, bool *ret_conditional)
{
	const struct probe_triggers *pt = &ts->probes[i];
	const struct plan *plan = ts->opts.probes[i].plan;
	struct act *acts = NULL, **last = &acts;

	*ret_conditional = pt->subject->conditional;
	for (unsigned k = 0; k < pt->nr; k++) {
		struct installed *in = pt->placed[k].installed;
		struct act *a;

		if (!act_is_kind(in->trigger->kind) || is_for_reader(pt->subject, plan, &pt->placed[k]))
			continue;
		leave_to_program(ts, in);
		a = arena_new(ts->opts.arena, struct act);
		*a = (struct act){ .trigger = in->trigger, .filter = pt->placed[k].filter, .state = in->state };
		*last = a;
		last = &a->next;
	}
	return acts;
}

static const struct histogram *owner_of(const struct histogram *h)
{
	return h->shared ? h->shared : h;
}

/* The histogram of another event than @subject that counts in the same table as one of @subject; NULL: there is none. */
static const struct histogram *other_owner(const struct triggers *ts, const struct subject *subject)
{
	for (const struct installed *in = subject->first; in; in = in->next) {
		for (unsigned i = 0; in->main && i < ts->nr_histograms; i++) {
			const struct histogram *h = ts->histograms[i];

			if (owner_of(h) == owner_of(in->main) &&
			    (strcmp(h->event, subject->name) || strcmp(h->group, subject->group)))
				return h;
		}
	}
	return NULL;
}

/*
 * Programs pause a table. The kernel pauses the histograms of one event, and not those of others that have the same table (6.12,
 * hist_enable_trigger()).
 */
static int refuse_shared(const struct trigger *t, const struct histogram *other, struct diag *diag)
{
	diag->text = t->text;
	diag_at(diag, -EOPNOTSUPP, t->event_at,
		"a histogram of this event has one table with a histogram of %s:%s, so programs cannot pause it alone",
		other->group, other->event);
	diag_note(diag, "help: leave out name=, so that each has its own table");
	return -EOPNOTSUPP;
}

int triggers_target_words(const struct triggers *ts, unsigned i, const struct trigger *t, const struct act_word **ret,
			  unsigned *ret_nr, struct diag *diag)
{
	const struct installed *in = ts->probes[i].subject->first, *at;
	const struct histogram *other;
	struct act_word *words;
	unsigned nr = 0;

	while (in->trigger != t)
		in = in->next;
	other = other_owner(ts, in->target);
	if (other)
		return refuse_shared(t, other, diag);
	for (at = in->target->first; at; at = at->next)
		nr += at->main && at->main->count;
	words = arena_array(ts->opts.arena, struct act_word, nr);
	*ret = words;
	*ret_nr = nr;
	for (at = in->target->first; at; at = at->next) {
		if (at->main && at->main->count)
			*words++ = (struct act_word){ at->main->count->table->state_fd, offsetof(struct bp_count_state, paused) };
	}
	return 0;
}

int triggers_states(const struct triggers *ts, triggers_table_fn each, void *ctx)
{
	for (unsigned i = 0; i < ts->nr_subjects; i++) {
		for (const struct installed *in = ts->subjects[i].first; in; in = in->next) {
			int err = in->state ? each(ctx, in->trigger, in->state) : 0;

			if (err)
				return err;
		}
	}
	return 0;
}


const struct trigger *triggers_uncounted(struct triggers *ts, unsigned i)
{
	const struct probe_triggers *pt = &ts->probes[i];
	const struct plan *plan = ts->opts.probes[i].plan;

	triggers_by_programs(ts);
	for (unsigned k = 0; k < pt->nr; k++) {
		const struct placed *p = &pt->placed[k];

		if (!p->histogram && ts->opts.kernel.acts)
			continue;
		if (!p->histogram || !hist_kernel_count(ts->opts.arena, p->histogram, plan, p->filter, &ts->opts.kernel))
			return p->installed->trigger;
	}
	return NULL;
}

struct triggers_counted triggers_counted(const struct triggers *ts, unsigned i)
{
	struct triggers_counted ret = { 0 };

	for (unsigned k = 0; ts && k < ts->probes[i].nr; k++) {
		const struct histogram *h = ts->probes[i].placed[k].histogram, *owner = h && h->shared ? h->shared : h;

		if (!owner || !owner->count || owner == ret.table)
			continue;
		ret.several = ret.table;
		ret.raced += owner->raced;
		if (!ret.table || owner->counted > ret.hits) {
			ret.table = owner;
			ret.hits = owner->counted;
		}
	}
	return ret;
}

void triggers_adopt(struct triggers *ts)
{
	for (unsigned i = 0; i < ts->nr_histograms; i++) {
		struct histogram *h = ts->histograms[i];

		if (!h->shared && !h->elsewhere)
			h->count = hist_kernel_keys(ts->opts.arena, h);
	}
	for (unsigned i = 0; i < ts->nr_subjects; i++) {
		for (struct installed *in = ts->subjects[i].first; in; in = in->next) {
			/*
			 * Of events elsewhere there are only histograms. Programs of an older bprobe do not know stacktrace. Without a
			 * count, who prints decides the same once more.
			 */
			if (act_is_kind(in->trigger->kind) && (in->trigger->kind != TRIGGER_STACKTRACE || in->trigger->counted))
				leave_to_program(ts, in);
		}
	}
}

int triggers_tables(const struct triggers *ts, triggers_table_fn each, void *ctx)
{
	for (unsigned i = 0; i < ts->nr_histograms; i++) {
		const struct histogram *h = ts->histograms[i];
		/* What others read of an event elsewhere is only opened. */
		struct count_table *table = h->count ? h->count->table : h->elsewhere ? h->in_kernel : NULL;
		int err = table ? each(ctx, h->trigger, table) : 0;

		if (err)
			return err;
	}
	return 0;
}

int triggers_users_of_tables(const struct triggers *ts, triggers_table_fn each, void *ctx)
{
	for (unsigned i = 0; i < ts->nr_histograms; i++) {
		const struct histogram *h = ts->histograms[i], *owner = owner_of(h);
		int err = owner->count && !h->elsewhere ? each(ctx, h->trigger, owner->count->table) : 0;

		if (err)
			return err;
	}
	return 0;
}
