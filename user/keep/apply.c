// SPDX-License-Identifier: GPL-2.0-only
/*
 * apply.c - --apply: makes the store what files say.
 *
 * The store is locked for the whole time. A file is applied as a whole or not at all: first all that is new in it is loaded and attached
 * under names that no list shows, then filters and triggers are changed, which can be undone, and then the new names appear. What no file
 * describes is removed at the end, if every file was right: what a wrong file describes is not known.
 */
#include "keep/keep.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "keep/apply_priv.h"
#include "keep/enable.h"
#include "keep/keep_priv.h"
#include "keep/kept_switches.h"
#include "keep/kept_triggers.h"
#include "keep/reload.h"
#include "kernel/syms/ksyms.h"
#include "lang/event_name.h"
#include "set/notes.h"

/* What was done, for the last line. */
struct counts {
	unsigned added, changed, replaced, removed, unchanged, left_out;
};

/* Without a store nothing is kept (--dry-run). */
static void refresh(struct apply *a)
{
	if (a->sel.store.fd < 0)
		return;
	a->sel.nr_all = store_list(&a->sel.store, &a->sel.arena, &a->sel.all);
}

/* ---- what is new, or kept anew ---- */

/* Events of a file with the same options: one set. */
struct group {
	struct wanted *first;
	struct options opts;
	struct keeper keeper;
};

static bool same_group(const struct wanted *a, const struct wanted *b)
{
	if (a->disabled != b->disabled || a->nr_options != b->nr_options)
		return false;
	for (unsigned i = 0; i < a->nr_options; i++) {
		if (strcmp(a->options[i], b->options[i]))
			return false;
	}
	return true;
}

static bool is_new(const struct wanted *w)
{
	return !w->left_out && w->changes & CHANGE_ANEW;
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

static struct group *group_events(struct apply *a, struct apply_file *f, unsigned *ret_nr)
{
	struct arena *arena = &a->sel.arena;
	struct group *groups = arena_array(arena, struct group, f->nr_events);
	unsigned nr = 0;

	for (unsigned i = 0; i < f->nr_events; i++) {
		struct wanted *w = &f->events[i];
		unsigned n = 0;

		if (!is_new(w))
			continue;
		while (n < nr && !same_group(groups[n].first, w))
			n++;
		if (n == nr) {
			nr++;
			groups[n].first = w;
			groups[n].opts = (struct options){ .verb = a->opts->verb, .set = w->opts, .keep = a->opts->keep };
			groups[n].opts.keep.disabled = w->disabled;
			groups[n].opts.keep.replaces = true;
			groups[n].opts.keep.words = w->options;
			groups[n].opts.keep.nr_words = w->nr_options;
		}
		add_words(arena, &groups[n].opts, w);
	}
	*ret_nr = nr;
	return groups;
}

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

static int begin_all(struct apply *a, struct group *groups, unsigned nr, unsigned *ret_begun)
{
	struct diag diag = { 0 };
	int status = 0;

	*ret_begun = 0;
	for (unsigned i = 0; !status && i < nr; i++) {
		groups[i].keeper = (struct keeper){ .opts = &groups[i].opts, .given = &a->sel.store, .store.fd = -1, .nr_sharing = count_events(a),
						    .next_id = i ? groups[i - 1].keeper.next_id : 0 };
		++*ret_begun;
		status = keep_begin(&groups[i].keeper, &diag);
		if (status && diag.err)
			report_error(&diag, status);
		diag_fini(&diag);
	}
	return status;
}

/* ---- other filters and triggers ---- */

/* The present triggers whose text is wanted keep their numbers, and so their tables. */
static struct reload_triggers wanted_triggers(struct arena *arena, const struct wanted *w)
{
	const struct kept *k = &w->parts[0]->kept;
	struct kept_trigger *list;
	unsigned nr = 0, next = 0;

	for (const struct trigger *t = w->triggers; t; t = t->next)
		nr++;
	list = arena_array(arena, struct kept_trigger, nr);
	for (unsigned i = 0; i < k->nr_triggers; i++)
		next = MAX(next, k->triggers[i].number + 1);
	nr = 0;
	for (const struct trigger *t = w->triggers; t; t = t->next) {
		struct kept_trigger *one = &list[nr++];
		unsigned i = 0;

		while (i < k->nr_triggers && strcmp(k->triggers[i].text, t->text))
			i++;
		*one = (struct kept_trigger){ .number = i < k->nr_triggers ? k->triggers[i].number : next, .text = t->text };
		next += i == k->nr_triggers;
	}
	return (struct reload_triggers){ .list = list, .nr = nr };
}

static const char *filter_text(struct arena *arena, const struct probe_def *def)
{
	struct buf text = { 0 };
	const char *ret;

	def_print_filter(def, &text);
	ret = text.len ? arena_strdup(arena, buf_str(&text) + strlen(" if ")) : NULL;
	buf_fini(&text);
	return ret;
}

static bool has_hists(const struct wanted *w)
{
	bool any = false;

	for (const struct trigger *t = w->triggers; t; t = t->next)
		any |= t->kind == TRIGGER_HIST;
	for (unsigned i = 0; i < w->parts[0]->kept.nr_triggers; i++)
		any |= !strncmp(w->parts[0]->kept.triggers[i].text, "hist", 4);
	return any;
}

/* New filters and triggers for an event that stays: its records, counts and the tables of triggers that stay, too. */
static int change_programs(struct apply *a, const struct wanted *w)
{
	struct arena *arena = &a->sel.arena;
	struct reload_triggers list = wanted_triggers(arena, w);
	struct reload_how how = { 0 };
	bool triggers = w->changes & CHANGE_TRIGGERS;

	if (w->changes & CHANGE_FILTER) {
		how.filters = true;
		how.filter = filter_text(arena, w->defs[0]);
	}
	if (triggers)
		how.triggers = &list;
	return kept_triggers_change(&a->sel, w->parts, w->nr_parts, triggers ? w->triggers : NULL, &how, triggers && has_hists(w));
}

/* What it was: @before is from the store, before it was changed. */
static void undo_programs(struct apply *a, const struct wanted *w, const struct kept *before)
{
	struct reload_triggers list = { .list = before->triggers, .nr = before->nr_triggers };
	struct reload_how how = { .triggers = &list };
	struct wanted now = *w;

	refresh(a);
	apply_compare(a, &now);
	if (w->changes & CHANGE_FILTER) {
		const char *at = strstr(before->lines[0], " if ");

		how.filters = true;
		how.filter = at ? at + strlen(" if ") : NULL;
	}
	reload_parts(&a->sel.store, now.parts, now.nr_parts, &how);
}

static bool changes_programs(const struct wanted *w)
{
	return !w->left_out && !(w->changes & CHANGE_ANEW) && w->changes & (CHANGE_FILTER | CHANGE_TRIGGERS);
}

static int change_all(struct apply *a, struct apply_file *f)
{
	int status = 0;
	unsigned i;

	for (i = 0; !status && i < f->nr_events; i++)
		status = changes_programs(&f->events[i]) ? change_programs(a, &f->events[i]) : 0;
	if (!status)
		return 0;
	for (i--; i--;) {
		if (changes_programs(&f->events[i]))
			undo_programs(a, &f->events[i], &f->events[i].parts[0]->kept);
	}
	return status;
}

/* ---- enabled or disabled ---- */

static int change_state(struct apply *a, const struct wanted *w)
{
	struct diag diag = { 0 };
	int status = 0;

	if (!w->disabled) {
		status = enable_event(&a->sel, w->parts, w->nr_parts);
		if (!status)
			kept_switches_set(w->parts[0], false);
		return status;
	}
	for (unsigned i = 0; !status && i < w->nr_parts; i++)
		status = store_disable(w->parts[i], &diag) ? report_error(&diag, EXIT_KERNEL) : 0;
	diag_fini(&diag);
	return status;
}

/* ---- one file ---- */

static int commit(struct group *groups, unsigned nr, struct arena *arena)
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

static void compare_file(struct apply *a, struct apply_file *f)
{
	refresh(a);
	for (unsigned i = 0; i < f->nr_events; i++)
		apply_compare(a, &f->events[i]);
}

static int apply_file(struct apply *a, struct apply_file *f)
{
	unsigned nr, begun;
	struct group *groups;
	int status;

	compare_file(a, f);
	groups = group_events(a, f, &nr);
	status = begin_all(a, groups, nr, &begun);
	if (!status)
		status = change_all(a, f);
	if (!status) {
		status = commit(groups, nr, &a->sel.arena);
		for (unsigned i = 0; status && i < f->nr_events; i++) {
			if (changes_programs(&f->events[i]))
				undo_programs(a, &f->events[i], &f->events[i].parts[0]->kept);
		}
	}
	for (unsigned i = 0; !status && i < f->nr_events; i++) {
		const struct wanted *w = &f->events[i];

		if (!w->left_out && !(w->changes & CHANGE_ANEW) && w->changes & CHANGE_STATE)
			status = change_state(a, w);
	}
	for (unsigned i = 0; i < begun; i++) {
		if (!status)
			keep_tell(&groups[i].keeper, stderr);
		keep_end(&groups[i].keeper);
	}
	if (status)
		store_abandon(&a->sel.store);
	return status;
}

/* ---- --dry-run ---- */

static const struct set_host dry_host = { .explains = true, .stays = true };

/* Can the definitions be resolved here? Nothing is loaded. */
static int check_event(struct wanted *w)
{
	struct diag diag = { 0 };
	int status = 0;
	struct set s;

	if (w->synthetic)
		return 0;
	set_init(&s, &dry_host, NULL, &w->opts);
	if (set_parse(&s, w->words, w->nr_words, &diag) || set_open_kernel(&s, &diag) || set_resolve(&s, &diag))
		status = report_error(&diag, EXIT_BAD_DEFINITION);
	diag_fini(&diag);
	set_close(&s);
	return status;
}

static int check_file(struct apply *a, struct apply_file *f)
{
	int status = 0;

	compare_file(a, f);
	for (unsigned i = 0; i < f->nr_events; i++) {
		if (is_new(&f->events[i]) && check_event(&f->events[i]))
			status = EXIT_BAD_DEFINITION;
	}
	return status;
}

/* ---- what is said ---- */

static void say(const struct apply *a, const char *done, const char *would, const char *group, const char *event, const char *more)
{
	if (!a->opts->lines.quiet)
		printf("%s%s %s/%s%s%s\n", a->opts->keep.dry_run ? "would " : "", a->opts->keep.dry_run ? would : done, group, event,
		       more ? ": " : "", more ? more : "");
}

static void tell_event(const struct apply *a, const struct wanted *w, struct counts *counts)
{
	struct buf what = { 0 };

	apply_print_changes(w, &what);
	if (w->left_out) {
		if (!a->opts->lines.quiet && !a->again)
			printf("left out %s/%s: %s\n", w->group, w->event, w->left_out);
		counts->left_out++;
	} else if (w->changes & CHANGE_NEW) {
		say(a, "added", "add", w->group, w->event, NULL);
		counts->added++;
	} else if (w->changes & CHANGE_ANEW) {
		say(a, "replaced", "replace", w->group, w->event, buf_str(&what));
		counts->replaced++;
	} else if (w->changes) {
		say(a, "changed", "change", w->group, w->event, buf_str(&what));
		counts->changed++;
	} else {
		counts->unchanged++;
	}
	buf_fini(&what);
}

static void tell_file(const struct apply *a, const struct apply_file *f, struct counts *counts)
{
	for (unsigned i = 0; i < f->nr_events; i++)
		tell_event(a, &f->events[i], counts);
}

static void tell_sum(const struct apply *a, const struct counts *c)
{
	if (!a->opts->lines.quiet)
		printf("%s%u added, %u changed, %u replaced, %u removed, %u unchanged, %u left out\n",
		       a->opts->keep.dry_run ? "nothing is done: " : "", c->added, c->changed, c->replaced, c->removed, c->unchanged, c->left_out);
}

/* ---- what no file describes ---- */

static bool is_wanted(const struct apply *a, const struct stored *ev)
{
	const struct wanted *w = apply_find(a, ev->kept.group, ev->kept.event);

	return ev->foreign || (w && !w->left_out);
}

static bool goes(void *ctx, const struct stored *ev)
{
	return !is_wanted(ctx, ev);
}

static int remove_one(struct apply *a, const struct stored *ev)
{
	struct diag diag = { 0 };
	int err = kept_switches_check_remove(a->sel.all, a->sel.nr_all, ev, goes, a, &diag);

	if (!err)
		err = store_remove(&a->sel.store, ev, NULL, &diag);
	if (err)
		report_error(&diag, EXIT_KERNEL);
	diag_fini(&diag);
	return err ? EXIT_KERNEL : 0;
}

static int remove_rest(struct apply *a, struct counts *counts)
{
	int status = 0;

	refresh(a);
	for (unsigned i = 0; i < a->sel.nr_all; i++) {
		const struct stored *ev = &a->sel.all[i];
		int one = 0;

		if (is_wanted(a, ev))
			continue;
		if (!a->opts->keep.dry_run)
			one = remove_one(a, ev);
		status = one ? one : status;
		if (one || ev->joined)
			continue;
		say(a, "removed", "remove", ev->kept.group, ev->kept.event, NULL);
		counts->removed++;
	}
	return status;
}

/* ---- the verb ---- */

static int open_store(struct apply *a)
{
	bool make = !a->opts->keep.dry_run;
	struct diag diag = { 0 };
	int err = store_open(a->opts->keep.store, make, &a->sel.store, &diag), status = 0;

	if (err == -ENOENT && !make)
		a->sel.store.fd = -1;
	else if (err)
		status = report_error(&diag, EXIT_KERNEL);
	else
		refresh(a);
	diag_fini(&diag);
	return status;
}

static int run_files(struct apply *a, struct counts *counts)
{
	int status = 0;

	for (unsigned i = 0; i < a->nr_files; i++) {
		struct apply_file *f = &a->files[i];
		int one = f->err ? EXIT_BAD_DEFINITION : a->opts->keep.dry_run ? check_file(a, f) : apply_file(a, f);

		if (one) {
			status = one;
			fprintf(stderr, "bprobe: nothing of %s was applied\n", f->path);
		} else {
			tell_file(a, f, counts);
		}
	}
	return status;
}

static void close_all(struct apply *a)
{
	for (unsigned i = 0; i < a->nr_sets; i++)
		arena_fini(&a->sets[i]->arena);
	ksyms_close(a->ks);
	selection_close(&a->sel);
}

static bool did_nothing(const struct counts *c)
{
	return !(c->added + c->changed + c->replaced + c->removed);
}

/* @again: what is as before need not be said. */
static int apply_once(const struct options *opts, bool again)
{
	struct apply a = { .opts = opts, .sel.store.fd = -1, .again = again };
	struct counts counts = { 0 };
	int status = open_store(&a), read = 0;

	files_raise_limit();
	for (unsigned i = 0; !status && i < opts->nr_words; i++) {
		int one = apply_read(&a, opts->words[i].text);

		read = one ? one : read;
	}
	if (!status) {
		status = run_files(&a, &counts);
		status = status ? status : read;
		if (status && !opts->keep.dry_run)
			fputs("bprobe: a file is wrong, so nothing was removed\n", stderr);
		else if (!status)
			status = remove_rest(&a, &counts);
		if (!again || !did_nothing(&counts))
			tell_sum(&a, &counts);
	}
	close_all(&a);
	return status;
}

int apply_run(const struct options *opts)
{
	return opts->keep.watch ? apply_watch(opts, apply_once) : apply_once(opts, false);
}
