// SPDX-License-Identifier: GPL-2.0-only
/*
 * selection.c - the kept events that a command line names.
 */
#include "keep/selection.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/files.h"

static bool is_named(const struct stored *ev, const struct word *words, unsigned nr)
{
	for (unsigned i = 0; i < nr; i++) {
		if (name_matches(ev->kept.group, ev->kept.event, words[i].text))
			return true;
	}
	return !nr;
}

/* Every word must name an event; otherwise it is a typing error. */
static int check_words(const struct selection *s, const struct word *words, unsigned nr, struct diag *diag)
{
	for (unsigned w = 0; w < nr; w++) {
		bool found = false;

		for (unsigned i = 0; !found && i < s->nr_all; i++)
			found = is_named(&s->all[i], &words[w], 1);
		if (!found)
			return diag_set(diag, -ENOENT, "no kept probe is called '%s'; 'bprobe -l' lists the kept probes",
					words[w].text);
	}
	return 0;
}

/* Does a word name just this event? */
static bool is_exact(const struct stored *ev, const struct word *words, unsigned nr)
{
	for (unsigned i = 0; i < nr; i++) {
		const char *slash = strchr(words[i].text, '/');

		if (!strcmp(slash ? slash + 1 : words[i].text, ev->kept.event) && is_named(ev, &words[i], 1))
			return true;
	}
	return false;
}

static void leave_out_synthetic(struct selection *s, const struct stored *ev, const struct word *words, unsigned nr,
				const char *verb)
{
	if (!is_exact(ev, words, nr))
		return;
	fprintf(stderr, "bprobe: %s/%s is a synthetic event: ", ev->kept.group, ev->kept.event);
	if (ev->kept.nr_probes)
		fprintf(stderr, "it has no programs of its own, so %s is not for it; keep it again, or name the events that make it\n", verb);
	else
		fprintf(stderr, "an older bprobe kept it, without buffers; remove it, and keep it again\n");
	s->nr_troubles++;
}

static void choose(const struct options *opts, struct selection *s, const struct word *words, unsigned nr)
{
	s->events = arena_array(&s->arena, struct stored *, s->nr_all);
	for (unsigned i = 0; i < s->nr_all; i++) {
		struct stored *ev = &s->all[i];

		if (!is_named(ev, words, nr))
			continue;
		if (ev->trouble) {
			fprintf(stderr, "bprobe: %s/%s: %s: bprobe -r %s/%s\n", ev->kept.group, ev->kept.event, ev->trouble,
				ev->kept.group, ev->kept.event);
			s->nr_troubles++;
		} else if (kept_is_synthetic(&ev->kept) && (!opts->verb->takes_synthetic || (!ev->kept.nr_probes && nr))) {
			leave_out_synthetic(s, ev, words, nr, opts->verb->option);
		} else {
			s->events[s->nr_events++] = ev;
		}
	}
}

int selection_open(const struct options *opts, const struct word *words, unsigned nr_words, struct selection *ret,
		   struct diag *diag)
{
	struct selection s = { .store.fd = -1 };
	int err = store_open(opts->keep.store, false, &s.store, diag);

	if (err == -ENOENT)
		err = 0;
	else if (!err)
		s.nr_all = store_list(&s.store, &s.arena, &s.all);
	if (!err)
		err = check_words(&s, words, nr_words, diag);
	if (err) {
		selection_close(&s);
		return err;
	}
	choose(opts, &s, words, nr_words);
	*ret = s;
	return 0;
}

int selection_start(const struct options *opts, struct selection *ret)
{
	struct diag diag = { 0 };
	int status;

	*ret = (struct selection){ .store.fd = -1 };
	files_raise_limit();
	if (selection_open(opts, opts->words, opts->nr_words, ret, &diag))
		status = report_error(&diag, diag.err == -ENOENT ? EXIT_BAD_DEFINITION : EXIT_KERNEL);
	else
		status = ret->nr_troubles ? EXIT_KERNEL : 0;
	diag_fini(&diag);
	return status;
}

static bool same_event(const struct stored *a, const struct stored *b)
{
	return name_same_event(a->kept.group, a->kept.event, b->kept.group, b->kept.event);
}

/* Events that a verb leaves out, and the message about them: it returns -errno with @diag for such an event, else 0. */
typedef int (*refuse_fn)(const struct stored *ev, struct diag *diag);

/* The parts of an event are one event for the user: was another one of it reported before @ev? */
static bool is_told(const struct selection *s, const struct stored *ev, refuse_fn refuse)
{
	bool told = false;

	for (const struct stored *other = s->all; !told && other < ev; other++) {
		struct diag diag = { 0 };

		told = same_event(other, ev) && !other->trouble && refuse(other, &diag);
		diag_fini(&diag);
	}
	return told;
}

static void skip(struct selection *s, refuse_fn refuse)
{
	unsigned nr = 0;

	for (unsigned i = 0; i < s->nr_events; i++) {
		struct diag diag = { 0 };

		if (!refuse(s->events[i], &diag)) {
			s->events[nr++] = s->events[i];
			continue;
		}
		if (!is_told(s, s->events[i], refuse))
			report_error(&diag, 0);
		s->nr_troubles++;
		diag_fini(&diag);
	}
	s->nr_events = nr;
}

void selection_skip_old(struct selection *s)
{
	skip(s, store_check_version);
}

static int refuse_overwriting(const struct stored *ev, struct diag *diag)
{
	const struct kept *k = &ev->kept;

	if (!kept_overwrites(k))
		return 0;
	diag_set(diag, -EINVAL, "%s/%s keeps the newest records (--overwrite), so --pipe cannot take them away", k->group, k->event);
	diag_note(diag, "help: 'bprobe --trace %s' prints them, and 'bprobe --snapshot FILE %s' writes them to FILE", k->event, k->event);
	return -EINVAL;
}

void selection_skip_overwriting(struct selection *s)
{
	skip(s, refuse_overwriting);
}

unsigned selection_parts(struct selection *s, unsigned first, const struct stored ***ret)
{
	const struct stored *ev = s->events[first], **parts;
	unsigned nr = 0;

	for (unsigned i = 0; i < first; i++) {
		if (same_event(s->events[i], ev))
			return 0;
	}
	for (unsigned i = first; i < s->nr_events; i++)
		nr += same_event(s->events[i], ev);
	parts = arena_array(&s->arena, const struct stored *, nr);
	nr = 0;
	for (unsigned i = first; i < s->nr_events; i++) {
		if (same_event(s->events[i], ev))
			parts[nr++] = s->events[i];
	}
	*ret = parts;
	return nr;
}

void selection_unlock(struct selection *s)
{
	store_close(&s->store);
}

void selection_close(struct selection *s)
{
	store_close(&s->store);
	arena_fini(&s->arena);
}
