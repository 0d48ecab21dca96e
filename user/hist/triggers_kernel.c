// SPDX-License-Identifier: GPL-2.0-only
/*
 * triggers_kernel.c - which histograms of a run the programs count themselves.
 */
#include "hist/triggers_priv.h"

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

		if (!p->histogram || !is_alone(ts, p->installed->main) ||
		    !hist_kernel_count(ts->opts.arena, p->histogram, plan, p->filter, &ts->opts.kernel))
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
