// SPDX-License-Identifier: GPL-2.0-only
/*
 * store.c - creates, lists and removes kept events.
 */
#include "keep/store.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "keep/store_dir.h"
#include "keep/store_pin.h"
#include "lang/synthetic.h"

/* ---- open and close ---- */

bool store_is_join(const char *name)
{
	return !strncmp(name, STORE_JOIN, strlen(STORE_JOIN));
}

/*
 * Repairs an event whose bprobe was killed in the middle of a change: finishes a replacement of programs, and detaches what
 * is only partly attached.
 */
static void repair(const char *dir, struct arena *arena)
{
	const char *next = arena_printf(arena, "%s/%s", dir, STORE_NEXT), *text;
	bool changed = !access(next, F_OK), drops = !access(arena_printf(arena, "%s/%s", dir, STORE_DROP), F_OK);

	if (!changed && !drops && !store_pin_has_remains(dir))
		return;
	/* What others have pinned under such names belongs to them. */
	if (store_pin_text(arena, arena_printf(arena, "%s/info", dir), &text) || !kept_is_text(text))
		return;
	if (drops)
		store_finish_drop(dir);
	if (changed && store_finish_replace(dir))
		store_dir_remove(next);
	if (store_pin_has_remains(dir))
		store_pin_detach(dir);
}

/* ... and the parts that joined it. */
static void repair_event(const char *dir, struct arena *arena)
{
	const char **names;
	unsigned nr = store_dir_names(dir, arena, &names);

	repair(dir, arena);
	for (unsigned i = 0; i < nr; i++) {
		if (store_is_join(names[i]))
			repair(arena_printf(arena, "%s/%s", dir, names[i]), arena);
	}
}

/*
 * Removes or repairs what was being created, changed or removed when its bprobe was killed. The lock guarantees that nobody
 * works on it now. A group without events is removed. If there are no groups, nobody need be left out.
 */
static void sweep(const struct store *s)
{
	struct arena arena = { 0 };
	const char **names;
	unsigned nr = store_dir_names(s->dir, &arena, &names), nr_groups = 0;

	for (unsigned i = 0; i < nr; i++) {
		const char *dir = arena_printf(&arena, "%s/%s", s->dir, names[i]), **events;
		unsigned nr_events = 0;

		if (!strcmp(names[i], STORE_SELVES))
			continue;
		if (*names[i] == STORE_STAGING)
			store_dir_remove(dir);
		else
			nr_events = store_dir_names(dir, &arena, &events);
		for (unsigned e = 0; e < nr_events; e++)
			repair_event(arena_printf(&arena, "%s/%s", dir, events[e]), &arena);
		if (!nr_events)
			rmdir(dir);
		nr_groups += nr_events > 0;
	}
	if (!nr_groups)
		unlink(arena_printf(&arena, "%s/%s", s->dir, STORE_SELVES));
	arena_fini(&arena);
}

int store_open(const char *dir, bool make, struct store *ret, struct diag *diag)
{
	struct store s = { .dir = dir ? dir : STORE_DEFAULT };
	int err = store_dir_open(s.dir, make, &s.fd, diag);

	if (err)
		return err;
	err = store_dir_lock(s.fd, s.dir, diag);
	if (err) {
		close(s.fd);
		return err;
	}
	sweep(&s);
	*ret = s;
	return 0;
}

void store_close(struct store *s)
{
	if (s->fd < 0)
		return;
	sweep(s);
	close(s->fd);
	s->fd = -1;
}

/* ---- the list ---- */

static const char *explain_info(struct arena *arena, int err, const char *dir, const char *by)
{
	if (err == -EPROTONOSUPPORT)
		return arena_printf(arena, "it was kept by another version of bprobe (%s), whose records this one cannot read; "
				    "use that one, or remove it", by ? by : "unknown");
	if (err == -ENOENT || err == -EBADMSG)
		return arena_printf(arena, "%s was not made by bprobe, or is damaged; remove it", dir);
	return strerror(-err);
}

static void look_at(struct arena *arena, struct stored *ev, const char *group, const char *event)
{
	const char *text = NULL, *by = NULL;
	int err = store_pin_text(arena, arena_printf(arena, "%s/info", ev->dir), &text);

	if (!err)
		err = kept_parse(arena, group, event, text, &ev->kept, &by);
	if (err) {
		ev->kept = (struct kept){ .group = group, .event = event };
		ev->trouble = explain_info(arena, err, ev->dir, by);
		ev->foreign = err != -EPROTONOSUPPORT;
		return;
	}
	ev->enabled = store_pin_enabled(ev->dir);
}

static int compare_stored(const void *a, const void *b)
{
	const struct stored *x = a, *y = b;

	return x->kept.created != y->kept.created ? (x->kept.created < y->kept.created ? -1 : 1) : 0;
}

struct list {
	struct arena *arena;
	struct stored *all;
	unsigned nr, size;
};

static void add(struct list *l, const struct stored *ev)
{
	l->all = arena_grow(l->arena, l->all, l->nr, &l->size);
	l->all[l->nr++] = *ev;
}

unsigned store_names(const char *dir, struct arena *arena, const char ***ret)
{
	return store_dir_names(dir, arena, ret);
}

/* Adds an event and the parts that joined it. */
static void add_event(struct list *l, const char *dir, const char *group, const char *event)
{
	struct stored ev = { .dir = dir };
	const char **names;
	unsigned nr_names = store_dir_names(dir, l->arena, &names);

	look_at(l->arena, &ev, group, event);
	add(l, &ev);
	for (unsigned i = 0; i < nr_names; i++) {
		struct stored part = { .dir = arena_printf(l->arena, "%s/%s", dir, names[i]), .joined = true };

		if (!store_is_join(names[i]))
			continue;
		look_at(l->arena, &part, group, event);
		add(l, &part);
	}
}

unsigned store_list(const struct store *s, struct arena *arena, struct stored **ret)
{
	struct list l = { .arena = arena };
	const char **groups, **events;
	unsigned nr_groups = store_dir_names(s->dir, arena, &groups);

	for (unsigned g = 0; g < nr_groups; g++) {
		const char *dir = arena_printf(arena, "%s/%s", s->dir, groups[g]);
		unsigned nr_events = *groups[g] == STORE_STAGING ? 0 : store_dir_names(dir, arena, &events);

		for (unsigned e = 0; e < nr_events; e++)
			add_event(&l, arena_printf(arena, "%s/%s", dir, events[e]), groups[g], events[e]);
	}
	if (l.nr)
		qsort(l.all, l.nr, sizeof(*l.all), compare_stored);
	*ret = l.all;
	return l.nr;
}

const char *store_find_synthetic(const char *dir, struct arena *arena, const char *name)
{
	struct stored ev = { .dir = arena_printf(arena, "%s/" SYNTHETIC_GROUP "/%s", dir ? dir : STORE_DEFAULT, name) };

	look_at(arena, &ev, SYNTHETIC_GROUP, name);
	return kept_is_synthetic(&ev.kept) ? ev.kept.lines[0] : NULL;
}

static bool has_id(const struct stored *events, unsigned nr, uint32_t id)
{
	for (unsigned i = 0; i < nr; i++) {
		for (unsigned k = 0; k < events[i].kept.nr_probes; k++) {
			if (events[i].kept.probes[k].id == id)
				return true;
		}
	}
	return false;
}

uint32_t store_free_id(const struct stored *events, unsigned nr, uint32_t from)
{
	while (has_id(events, nr, from))
		from++;
	return from;
}

/* ---- change ---- */

static int failed(const char *what, const char *path, int err, struct diag *diag)
{
	diag_set(diag, err, "cannot %s %s: %s", what, path, strerror(-err));
	if (err == -EPERM || err == -EACCES)
		diag_note(diag, "help: run as root");
	return err;
}

static int make_dir(const char *path, struct diag *diag)
{
	return mkdir(path, 0700) && errno != EEXIST ? failed("make", path, -errno, diag) : 0;
}

static const char *staging(const struct store *s, struct arena *arena)
{
	return arena_printf(arena, "%s/%cnew", s->dir, STORE_STAGING);
}

static int pin_event(const char *dir, const struct kept *k, const struct channel *c, const struct store_probe *probes,
		     struct arena *arena)
{
	struct buf text = { 0 };
	int err = kept_write(k, &text);

	if (!err && c)
		err = store_pin_channel(dir, c);
	if (!err && c)
		err = store_pin_state(arena_printf(arena, "%s/state", dir), c);
	if (!err)
		err = store_pin_tables(dir, k);
	if (!err)
		err = store_pin_switches(dir, k);
	for (unsigned i = 0; !err && i < k->nr_probes; i++)		/* a synthetic event has no programs */
		err = probes[i].attached ? store_pin_probe(dir, i, k->nr_probes, &probes[i]) : 0;
	/* Comes last: an event that has this file is complete. */
	if (!err)
		err = store_pin_info(arena_printf(arena, "%s/info", dir), buf_str(&text), text.len);
	if (!err && store_pin_has_remains(dir))		/* all of it is attached */
		err = store_pin_mark_enabled(dir);
	buf_fini(&text);
	return err;
}

int store_prepare(const struct store *s, const struct kept *k, const struct channel *c,
		  const struct store_probe *probes, struct diag *diag)
{
	struct arena arena = { 0 };
	const char *group = arena_printf(&arena, "%s/%s", staging(s, &arena), k->group);
	const char *dir = arena_printf(&arena, "%s/%s", group, k->event);
	int err = make_dir(staging(s, &arena), diag);

	if (!err)
		err = make_dir(group, diag);
	if (!err)
		err = make_dir(dir, diag);
	if (!err) {
		err = pin_event(dir, k, c, probes, &arena);
		if (err)
			failed("keep the event in", dir, err, diag);
		if (err == -EBADMSG)
			diag_note(diag, "help: bprobe could not read its own description of the event: this is a defect, please report it");
		if (err == -E2BIG)
			diag_note(diag, "help: its description has more than 4 MiB: keep fewer functions at once");
	}
	arena_fini(&arena);
	return err;
}

/* The directory for a new part that joins the event in @dir. */
static const char *new_join(const char *dir, struct arena *arena)
{
	const char *join;
	unsigned n = 1;

	do
		join = arena_printf(arena, "%s/%s%u", dir, STORE_JOIN, n++);
	while (!access(join, F_OK));
	return join;
}

static int commit_group(const struct store *s, const char *from, const char *group, struct arena *arena,
			struct diag *diag)
{
	const char *to = arena_printf(arena, "%s/%s", s->dir, group), **events;
	unsigned nr = store_dir_names(from, arena, &events);
	int err = make_dir(to, diag);

	for (unsigned i = 0; !err && i < nr; i++) {
		const char *dir = arena_printf(arena, "%s/%s", to, events[i]);

		if (!access(dir, F_OK))
			dir = new_join(dir, arena);
		if (rename(arena_printf(arena, "%s/%s", from, events[i]), dir))
			err = failed("make", dir, -errno, diag);
	}
	return err;
}

int store_commit(const struct store *s, struct diag *diag)
{
	struct arena arena = { 0 };
	const char *from = staging(s, &arena), **groups;
	unsigned nr = store_dir_names(from, &arena, &groups);
	int err = 0;

	for (unsigned i = 0; !err && i < nr; i++)
		err = commit_group(s, arena_printf(&arena, "%s/%s", from, groups[i]), groups[i], &arena, diag);
	arena_fini(&arena);
	return err;
}

void store_abandon(const struct store *s)
{
	struct arena arena = { 0 };

	store_dir_remove(staging(s, &arena));
	arena_fini(&arena);
}

static void detach_event(const char *dir, struct detach *later, unsigned ms, struct arena *arena)
{
	const char **names;
	unsigned nr = store_dir_names(dir, arena, &names);

	store_pin_detach_later(dir, later, ms);
	for (unsigned i = 0; i < nr; i++) {
		if (store_is_join(names[i]))
			store_pin_detach_later(arena_printf(arena, "%s/%s", dir, names[i]), later, ms);
	}
}

/* Names the definitions of @ev in @later. Returns how long the kernel needs to close one of its links, in milliseconds. */
static unsigned name_definitions(const struct stored *ev, struct detach *later)
{
	unsigned ms = 0;

	for (unsigned i = 0; i < ev->kept.nr_probes; i++)
		ms = MAX(ms, ev->kept.probes[i].plan.layout.backend->detach_ms);
	for (unsigned line = 0; line < ev->kept.nr_lines; line++) {
		if (!ev->kept.dropped[line])
			detach_add_event(later, ev->kept.group, ev->kept.event, ev->kept.lines[line]);
	}
	if (!kept_count(&ev->kept))		/* not known what it was */
		detach_add_event(later, ev->kept.group, ev->kept.event, ev->kept.event);
	return ms;
}

/* Is @part the only thing left of the event in @dir, whose own definitions have been dropped? */
static bool is_last_part(const struct stored *part, const char *dir, struct arena *arena)
{
	struct stored ev = { .dir = dir };

	if (!part->joined || store_pin_count_joined(dir) != 1)
		return false;
	look_at(arena, &ev, part->kept.group, part->kept.event);
	return !ev.trouble && !kept_count(&ev.kept);
}

int store_remove(const struct store *s, const struct stored *ev, struct detach *later, struct diag *diag)
{
	struct arena arena = { 0 };
	const char *group = arena_printf(&arena, "%s/%s", s->dir, ev->kept.group);
	const char *whole = arena_printf(&arena, "%s/%s", group, ev->kept.event);
	const char *gone = arena_printf(&arena, "%s/%cgone", s->dir, STORE_STAGING);
	int err = 0;

	store_dir_remove(gone);
	if (rename(is_last_part(ev, whole, &arena) ? whole : ev->dir, gone)) {
		err = ev->joined && errno == ENOENT ? 0 : -errno;	/* it was removed together with its event */
	} else {
		/* What cannot be opened is detached when its pin is removed. */
		detach_event(gone, later, later ? name_definitions(ev, later) : 0, &arena);
		/*
		 * No list shows the event any more. If something of it is left, the next user of the store removes it; this
		 * is no failure.
		 */
		store_dir_remove(gone);
	}
	rmdir(group);			/* fails while another event is in it */
	arena_fini(&arena);
	return err ? failed("remove", ev->dir, err, diag) : 0;
}
