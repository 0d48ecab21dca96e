// SPDX-License-Identifier: GPL-2.0-only
/*
 * apply.c - --apply: makes the store what files say.
 *
 * First all files are read. Then the store is locked until the end. A file is applied as a whole or not at all. New events are loaded and
 * attached under hidden names. Then events are enabled and disabled, which an error undoes. Then all changed filters and triggers are loaded,
 * and take the places of the old ones together. Then the new events get their names. What no file describes is removed at the end, if all
 * files were applied: what a wrong file describes is not known.
 */
#include "keep/keep.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "keep/apply_priv.h"
#include "keep/enable.h"
#include "keep/elsewhere.h"
#include "keep/kept_switches.h"
#include "keep/kept_triggers.h"
#include "keep/reload.h"
#include "kernel/syms/ksyms.h"
#include "lang/event_name.h"

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

static bool has_number(const struct reload_triggers *list, unsigned number)
{
	for (unsigned i = 0; i < list->nr; i++) {
		if (list->list[i].number == number)
			return true;
	}
	return false;
}

/* A trigger that goes must have no variable that another event reads: its programs would read a table that nobody writes to any more. */
static int check_unread(struct apply *a, struct arena *arena, const struct wanted *w, const struct reload_triggers *list)
{
	const struct stored *ev = w->parts[0];
	struct diag diag = { 0 };
	int err = 0;

	for (unsigned i = 0; i < ev->kept.nr_triggers && !err; i++) {
		const struct trigger *t;

		if (has_number(list, ev->kept.triggers[i].number) || kept_triggers_parse(arena, &ev->kept.triggers[i], 1, &t, &diag))
			continue;
		err = elsewhere_check_unused(a->sel.all, a->sel.nr_all, ev, t, NULL, NULL, &diag);
	}
	if (err)
		report_error(&diag, EXIT_KERNEL);
	diag_fini(&diag);
	return err;
}

/*
 * New filters and triggers for the events of a file that stay: all or none. Their records, their counts and the tables of triggers that stay
 * do so, too.
 */
static int change_all(struct apply *a, struct apply_file *f)
{
	struct arena *arena = &a->sel.arena;
	struct reload_event *events = arena_array(arena, struct reload_event, f->nr_events);
	const struct trigger **added = arena_array(arena, const struct trigger *, f->nr_events);
	unsigned nr = 0, nr_added = 0;

	for (unsigned i = 0; i < f->nr_events; i++) {
		const struct wanted *w = &f->events[i];
		struct reload_how *how = arena_new(arena, struct reload_how);

		if (!apply_changes_programs(w))
			continue;
		if (w->changes & CHANGE_FILTER) {
			how->filters = true;
			how->filter = filter_text(arena, w->defs[0]);
		}
		if (w->changes & CHANGE_TRIGGERS) {
			struct reload_triggers *list = arena_new(arena, struct reload_triggers);

			*list = wanted_triggers(arena, w);
			how->triggers = list;
			added[nr_added++] = w->triggers;
			if (check_unread(a, arena, w, list))
				return EXIT_KERNEL;
		}
		events[nr++] = (struct reload_event){ w->parts, w->nr_parts, how };
	}
	return nr ? kept_triggers_change(&a->sel, events, nr, added, nr_added) : 0;
}

/* ---- enabled or disabled ---- */

/* What is loaded later for this event must know its new state. */
static void note_state(struct apply *a, const struct wanted *w, bool enabled)
{
	for (unsigned i = 0; i < w->nr_parts; i++)
		a->sel.all[w->parts[i] - a->sel.all].enabled = enabled;
}

static int set_disabled(struct apply *a, const struct wanted *w, bool disabled)
{
	struct diag diag = { 0 };
	int status = 0;

	if (!disabled) {
		status = enable_event(&a->sel, w->parts, w->nr_parts);
		if (!status)
			kept_switches_set(w->parts[0], false);
	}
	for (unsigned i = 0; disabled && !status && i < w->nr_parts; i++)
		status = store_disable(w->parts[i], &diag) ? report_error(&diag, EXIT_KERNEL) : 0;
	if (!status)
		note_state(a, w, !disabled);
	diag_fini(&diag);
	return status;
}

static bool changes_state(const struct wanted *w)
{
	return !w->left_out && !(w->changes & CHANGE_ANEW) && w->changes & CHANGE_STATE;
}

/* Those before event @end are as they were again. */
static void undo_states(struct apply *a, struct apply_file *f, unsigned end)
{
	for (unsigned i = 0; i < end; i++) {
		const struct wanted *w = &f->events[i];

		if (changes_state(w) && w->was_enabled == w->disabled)
			set_disabled(a, w, !w->disabled);
	}
}

static int change_states(struct apply *a, struct apply_file *f)
{
	for (unsigned i = 0; i < f->nr_events; i++) {
		struct wanted *w = &f->events[i];
		int status = 0;

		if (changes_state(w)) {
			w->was_enabled = w->parts[0]->enabled;
			status = set_disabled(a, w, w->disabled);
		}
		if (status) {
			undo_states(a, f, i);
			return status;
		}
	}
	return 0;
}

/* ---- one file ---- */

static void compare_file(struct apply *a, struct apply_file *f)
{
	refresh(a);
	for (unsigned i = 0; i < f->nr_events; i++)
		apply_compare(a, &f->events[i]);
}

static int apply_file(struct apply *a, struct apply_file *f)
{
	unsigned nr, begun;
	struct apply_group *groups;
	int status;

	compare_file(a, f);
	groups = apply_group_events(a, f, false, &nr);
	status = apply_begin_groups(a, groups, nr, &begun);
	if (!status)
		status = change_states(a, f);
	if (!status) {
		status = change_all(a, f);
		if (!status)
			status = apply_commit_groups(groups, nr, &a->sel.arena);
		if (status)
			undo_states(a, f, f->nr_events);
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

static int check_file(struct apply *a, struct apply_file *f)
{
	unsigned nr;
	struct apply_group *groups;
	int status = 0;

	compare_file(a, f);
	groups = apply_group_events(a, f, true, &nr);
	for (unsigned i = 0; i < nr; i++) {
		if (apply_check_group(a, &groups[i]))
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

/* It may be a newer bprobe's. */
static bool is_unreadable(const struct stored *ev)
{
	if (ev->trouble)
		fprintf(stderr, "bprobe: %s/%s stays, although no file describes it: %s\n", ev->kept.group, ev->kept.event, ev->trouble);
	return ev->trouble;
}

static bool goes(void *ctx, const struct stored *ev)
{
	return !is_wanted(ctx, ev);
}

/* A dry run only looks whether it could be removed. */
static int remove_one(struct apply *a, const struct stored *ev)
{
	struct diag diag = { 0 };
	int err = kept_switches_check_remove(a->sel.all, a->sel.nr_all, ev, goes, a, &diag);

	if (!err)
		err = elsewhere_check_unused(a->sel.all, a->sel.nr_all, ev, NULL, goes, a, &diag);
	if (!err && !a->opts->keep.dry_run)
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
		int one;

		if (is_wanted(a, ev) || is_unreadable(ev))
			continue;
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
	int status, read = 0;

	/* Others can use the store meanwhile: this may be a pipe from one of them. */
	for (unsigned i = 0; i < opts->nr_words; i++) {
		int one = apply_read(&a, opts->words[i].text);

		read = one ? one : read;
	}
	files_raise_limit();
	status = open_store(&a);
	if (!status) {
		status = run_files(&a, &counts);
		status = status ? status : read;
		if (status && !opts->keep.dry_run)
			fputs("bprobe: not all files could be applied, so nothing was removed\n", stderr);
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
