// SPDX-License-Identifier: GPL-2.0-only
/*
 * apply_group.c - events of a file with the same options: they are kept as one set, or checked as one (--dry-run).
 */
#include "keep/apply_priv.h"

#include <string.h>

#include "keep/kept_switches.h"
#include "run/switch_map.h"

static bool same_group(const struct wanted *a, const struct wanted *b)
{
	if (a->nr_options != b->nr_options)
		return false;
	for (unsigned i = 0; i < a->nr_options; i++) {
		if (strcmp(a->options[i], b->options[i]))
			return false;
	}
	return true;
}

bool apply_is_new(const struct wanted *w)
{
	return !w->left_out && w->changes & CHANGE_ANEW;
}

bool apply_changes_programs(const struct wanted *w)
{
	return !w->left_out && !(w->changes & CHANGE_ANEW) && w->changes & (CHANGE_FILTER | CHANGE_TRIGGERS);
}

static void add_words(struct arena *arena, struct options *o, const struct wanted *w)
{
	struct word *words = arena_array(arena, struct word, o->nr_words + w->nr_words);

	for (unsigned i = 0; i < o->nr_words; i++)
		words[i] = o->words[i];
	for (unsigned i = 0; i < w->nr_words; i++)
		words[o->nr_words + i] = w->words[i];
	o->words = words;
	o->nr_words += w->nr_words;
}

/* @changed: also those that only get another filter or other triggers. */
struct apply_group *apply_group_events(struct apply *a, struct apply_file *f, bool changed, unsigned *ret_nr)
{
	struct arena *arena = &a->sel.arena;
	struct apply_group *groups = arena_array(arena, struct apply_group, f->nr_events);
	unsigned nr = 0;

	for (unsigned i = 0; i < f->nr_events; i++) {
		struct wanted *w = &f->events[i];
		unsigned n = 0;

		if (!apply_is_new(w) && !(changed && apply_changes_programs(w)))
			continue;
		while (n < nr && !same_group(groups[n].first, w))
			n++;
		if (n == nr) {
			nr++;
			groups[n].first = w;
			groups[n].opts = (struct options){ .verb = a->opts->verb, .set = w->opts, .keep = a->opts->keep };
			groups[n].opts.keep.replaces = true;
			groups[n].opts.keep.words = w->options;
			groups[n].opts.keep.nr_words = w->nr_options;
		}
		add_words(arena, &groups[n].opts, w);
	}
	*ret_nr = nr;
	return groups;
}

/* ---- keeping them ---- */

/* All events of all files share the memory for rings, as those of one --keep do. */
static unsigned count_events(const struct apply *a)
{
	unsigned nr = 0;

	for (unsigned i = 0; i < a->nr_files; i++) {
		for (unsigned n = 0; n < a->files[i].nr_events; n++)
			nr += !a->files[i].events[n].left_out;
	}
	return nr;
}

static bool is_disabled(const struct keeper *k, const char *group, const char *event)
{
	const struct wanted *w = apply_find(k->ctx, group, event);

	return w && w->disabled;
}

int apply_begin_groups(struct apply *a, struct apply_group *groups, unsigned nr, unsigned *ret_begun)
{
	struct diag diag = { 0 };
	int status = 0;

	*ret_begun = 0;
	for (unsigned i = 0; !status && i < nr; i++) {
		groups[i].keeper = (struct keeper){
			.opts = &groups[i].opts, .given = &a->sel.store, .store.fd = -1, .nr_sharing = count_events(a),
			.is_disabled = is_disabled, .ctx = a,
			/* One switch for all events of the store, also if there was none. */
			.given_tracing = i ? groups[0].keeper.switches.tracing_fd : -1,
			.next_id = i ? groups[i - 1].keeper.next_id : 0,
		};
		++*ret_begun;
		status = keep_begin(&groups[i].keeper, &diag);
		if (status && diag.err)
			report_error(&diag, status);
		diag_fini(&diag);
	}
	return status;
}

int apply_commit_groups(struct apply_group *groups, unsigned nr, struct arena *arena)
{
	struct keeper **all = arena_array(arena, struct keeper *, nr);
	struct diag diag = { 0 };
	int status;

	for (unsigned i = 0; i < nr; i++)
		all[i] = &groups[i].keeper;
	status = nr ? keep_commit(all, nr, &diag) : 0;
	if (status && diag.err)
		report_error(&diag, status);
	diag_fini(&diag);
	return status;
}

/* ---- --dry-run ---- */

/* What a trigger would switch is not there yet. */
static int dry_words(void *ctx, unsigned i, const struct trigger *t, const struct act_word **ret, unsigned *ret_nr, struct diag *diag)
{
	struct apply_group *g = ctx;
	struct act_word *word = arena_new(&g->keeper.set.arena, struct act_word);

	(void)i;
	(void)t;
	(void)diag;
	*word = switch_map_word(-1, 0);
	*ret = word;
	*ret_nr = 1;
	return 0;
}

static bool dry_needs(void *ctx, unsigned i, const struct trigger *t)
{
	(void)ctx;
	(void)i;
	(void)t;
	return true;
}

static const struct set_host dry_host = { .explains = true, .stays = true, .find_words = dry_words, .needs_trigger = dry_needs };

/* All events that triggers may name: of the store, and of the files. */
static const struct triggers_other *all_others(struct apply *a, unsigned *ret_nr)
{
	unsigned nr;
	const struct triggers_other *kept = kept_others(&a->sel.arena, a->sel.all, a->sel.nr_all, &nr);
	struct triggers_other *all = arena_array(&a->sel.arena, struct triggers_other, nr + count_events(a));

	for (*ret_nr = 0; *ret_nr < nr; ++*ret_nr)
		all[*ret_nr] = kept[*ret_nr];
	for (unsigned i = 0; i < a->nr_files; i++) {
		for (unsigned n = 0; n < a->files[i].nr_events; n++) {
			const struct wanted *w = &a->files[i].events[n];

			if (!w->left_out)
				all[(*ret_nr)++] = (struct triggers_other){ w->group, w->event };
		}
	}
	return all;
}

/* Can the events of the group be made here? Nothing is loaded. */
int apply_check_group(struct apply *a, struct apply_group *g)
{
	struct trigger_run_opts run = { .in_kernel = true };
	struct set *s = &g->keeper.set;
	struct triggers *ts = NULL;
	struct diag diag = { 0 };
	int status = 0;

	run.reach.others = all_others(a, &run.reach.nr_others);
	set_init(s, &dry_host, g, &g->opts.set);
	if (set_parse(s, g->opts.words, g->opts.nr_words, &diag) || (s->nr_probes && set_open_kernel(s, &diag)) || set_resolve(s, &diag) ||
	    keep_refuse_waiting(s, &diag) || trigger_run_open(s, &run, &ts, &diag))
		status = report_error(&diag, EXIT_BAD_DEFINITION);
	trigger_run_close(ts);
	diag_fini(&diag);
	set_close(s);
	return status;
}
