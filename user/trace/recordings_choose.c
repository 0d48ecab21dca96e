// SPDX-License-Identifier: GPL-2.0-only
/*
 * recordings_choose.c - which events and records of recordings are wanted.
 *
 * A filter is that of all events (in front of the words), of the events of a file, or of those that a name means. All that an event has must
 * be true; of several names that mean it, one.
 */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "gen/tasks.h"
#include "lang/event_name.h"
#include "lang/filter.h"
#include "plan/filter_plan.h"
#include "plan/plan.h"
#include "stream/options.h"
#include "trace/recordings_priv.h"

static bool means(const struct word *name, const struct layout *l)
{
	return name_matches(l->group, l->event, name->text);
}

/* ---- names ---- */

static bool is_known(const struct recordings *r, const struct word *name)
{
	for (unsigned i = 0; i < r->nr_files; i++) {
		const struct recorded *rec = &r->files[i]->rec;

		for (unsigned k = 0; k < rec->nr_events; k++) {
			if (means(name, &rec->events[k].format.layout))
				return true;
		}
	}
	return false;
}

/* Has an event before this one the same name? */
static bool came_before(const struct recordings *r, unsigned file, unsigned event)
{
	const struct layout *l = &r->files[file]->rec.events[event].format.layout;

	for (unsigned i = 0; i <= file; i++) {
		const struct recorded *rec = &r->files[i]->rec;

		for (unsigned k = 0; k < (i < file ? rec->nr_events : event); k++) {
			const struct layout *other = &rec->events[k].format.layout;

			if (name_same_event(l->group, l->event, other->group, other->event))
				return true;
		}
	}
	return false;
}

static int refuse_name(const struct recordings *r, const struct word *name, struct diag *diag)
{
	const char *lead = r->nr_files > 1 ? "they have" : "it has";
	bool first = true;

	if (r->nr_files > 1)
		diag_set(diag, -ENOENT, "none of the %u files has an event called '%s'", r->nr_files, name->text);
	else
		diag_set(diag, -ENOENT, "%s has no event called '%s'", r->files[0]->rec.path, name->text);
	if (!access(name->text, F_OK))
		diag_note(diag, "help: to read the file of this name, write ./%s", name->text);
	for (unsigned i = 0; i < r->nr_files; i++) {
		const struct recorded *rec = &r->files[i]->rec;

		for (unsigned k = 0; k < rec->nr_events; k++) {
			const struct layout *l = &rec->events[k].format.layout;

			if (came_before(r, i, k))
				continue;
			diag_note(diag, "%*s %s/%s", (int)strlen(lead), first ? lead : "", l->group, l->event);
			first = false;
		}
	}
	return -ENOENT;
}

/* ---- filters ---- */

/* What is collected of an event's filter. */
struct wish {
	struct buf names;		/* of the names that mean it: one must be true */
	bool named, always;		/* a name means it; one that has no filter does */
	struct buf text;		/* all of it */
};

static void join(struct buf *out, const char *with, const char *text)
{
	if (out->len)
		buf_adds(out, with);
	buf_addf(out, "(%s)", text);
}

/* A filter that stands alone stays as it was typed: errors show it. */
static const char *joined(struct arena *arena, const struct buf *text, const char *single)
{
	return single ? single : arena_strdup(arena, buf_str(text));
}

/* The filter of an event in @file; NULL: it has none. *ret_wanted: some name means it, or there are no names. */
static const char *filter_of(struct recordings *r, const struct recordings_file *file, const struct layout *l, bool *ret_wanted)
{
	const struct options *o = r->opts;
	const char *parts[] = { o->all.filter, file->word->filter, NULL }, *single = NULL, *result;
	struct wish w = { .named = false };
	unsigned nr = 0, names = 0;

	for (unsigned i = 0; i < o->nr_words; i++) {
		const struct word *word = &o->words[i];

		if (recordings_is_file(o, word))
			continue;
		names++;
		if (!means(word, l))
			continue;
		w.named = true;
		w.always |= !word->filter;
		if (word->filter) {
			parts[2] = w.names.len ? NULL : word->filter;
			join(&w.names, " || ", word->filter);
		}
	}
	*ret_wanted = !names || w.named;
	if (!w.always && w.names.len && !parts[2])
		parts[2] = arena_strdup(&r->arena, buf_str(&w.names));
	if (w.always)
		parts[2] = NULL;
	for (unsigned i = 0; i < ARRAY_SIZE(parts); i++) {
		if (!parts[i])
			continue;
		single = nr++ ? NULL : parts[i];
		join(&w.text, " && ", parts[i]);
	}
	result = nr ? joined(&r->arena, &w.text, single) : NULL;
	buf_fini(&w.names);
	buf_fini(&w.text);
	return result;
}

static int resolve(struct recordings *r, struct recorded *rec, struct recorded_event *e, const char *text, struct diag *diag)
{
	const struct span all = { 0, (uint32_t)strlen(text) };
	const struct facts facts = { .ks = rec->home.ks };
	struct probe_def *def = arena_new(&r->arena, struct probe_def);
	struct plan plan = { .layout = e->format.layout, .def = def };
	int err;

	def->text = "";
	err = filter_parse(&r->arena, text, all, &def->filter, diag);
	if (!err)
		err = plan_resolve_filter(&r->arena, &facts, &plan, diag);
	e->filter = plan.filter;
	return err;
}

/* What happened to the filters of all events. */
struct outcome {
	unsigned resolved;
	struct diag first;		/* why the first one was not */
	struct buf without;		/* the events that are left out */
};

/* Once for all files in which the event lacks the same. */
static void say_without(const struct recordings *r, const struct recordings_file *f, const struct recorded_event *e, const char *why,
			struct outcome *all)
{
	const struct layout *l = &e->format.layout;
	struct buf line = { 0 };

	buf_addf(&line, "bprobe: %s/%s: %s: none of its events is printed", l->group, l->event, why);
	if (!strstr(buf_str(&all->without), buf_str(&line))) {
		buf_adds(&all->without, buf_str(&line));
		if (r->nr_files > 1)
			buf_addf(&all->without, " (%s)", f->rec.path);
		buf_addc(&all->without, '\n');
	}
	buf_fini(&line);
}

/* An event whose filter makes no sense for it is left out: a test of a field that it does not have is true for none of its records. */
static void choose_event(struct recordings *r, unsigned file, unsigned event, struct outcome *all)
{
	struct recordings_file *f = r->files[file];
	struct recorded_event *e = &f->rec.events[event];
	struct diag diag = { 0 };
	const char *text = filter_of(r, f, &e->format.layout, &e->wanted);

	if (!e->wanted || !text)
		return;
	if (!resolve(r, &f->rec, e, text, &diag)) {
		all->resolved++;
		return;
	}
	e->wanted = false;
	say_without(r, f, e, buf_str(&diag.msg), all);
	if (all->first.err)
		diag_fini(&diag);
	else
		all->first = diag;
}

int recordings_choose(struct recordings *r, struct diag *diag)
{
	struct outcome all = { 0 };
	int err = 0;

	for (unsigned i = 0; i < r->opts->nr_words; i++) {
		const struct word *word = &r->opts->words[i];

		if (!recordings_is_file(r->opts, word) && !is_known(r, word))
			return refuse_name(r, word, diag);
	}
	for (unsigned i = 0; i < r->nr_files; i++) {
		for (unsigned k = 0; k < r->files[i]->rec.nr_events; k++)
			choose_event(r, i, k, &all);
	}
	if (all.first.err && !all.resolved) {
		err = all.first.err;
		*diag = all.first;
	} else if (all.first.err) {
		fputs(buf_str(&all.without), stderr);
		diag_fini(&all.first);
	}
	buf_fini(&all.without);
	return err;
}

/* ---- tasks ---- */

bool recordings_takes_task(const struct recordings *r, const struct bp_rec *rec)
{
	return tasks_take(&r->opts->set.tasks, rec->tgid, (uint32_t)rec->common_pid, rec->comm);
}
