// SPDX-License-Identifier: GPL-2.0-only
/*
 * kept_switches.c - what triggers of kept events switch.
 */
#include "keep/kept_switches.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <unistd.h>

#include "bprobe_abi.h"
#include "keep/kept_triggers.h"
#include "run/switch_map.h"

static void keep_fd(struct kept_switches *s, int fd)
{
	s->fds = arena_grow(s->arena, s->fds, s->nr_fds, &s->size_fds);
	s->fds[s->nr_fds++] = fd;
}

const struct triggers_other *kept_others(struct arena *arena, const struct stored *list, unsigned nr, unsigned *ret_nr)
{
	struct triggers_other *others;
	unsigned size = nr, n = 0;

	for (unsigned i = 0; i < nr; i++)
		size += list[i].trouble ? 0 : list[i].kept.nr_triggers;
	others = arena_array(arena, struct triggers_other, size);
	for (unsigned i = 0; i < nr; i++) {
		const struct kept *k = &list[i].kept;
		struct diag ignored = { 0 };
		const struct trigger *t;

		if (list[i].trouble || kept_is_synthetic(k))
			continue;
		others[n++] = (struct triggers_other){ k->group, k->event };
		if (kept_triggers_parse(arena, k->triggers, k->nr_triggers, &t, &ignored))
			t = NULL;
		diag_fini(&ignored);
		for (; t; t = t->next) {
			if (t->event)
				others[n++] = (struct triggers_other){ t->system, t->event };
		}
	}
	*ret_nr = n;
	return others;
}

int kept_switches_open(struct arena *arena, const struct stored *list, unsigned nr, int given, struct kept_switches *ret, struct diag *diag)
{
	struct kept_switches s = { .arena = arena, .list = list, .nr = nr };
	int fd = store_open_tracing(list, nr);

	if (fd == -ENOENT)
		fd = given >= 0 ? fcntl(given, F_DUPFD_CLOEXEC, 0) : switch_map_create(1);
	if (fd < 0)
		return diag_set(diag, fd, "cannot open the switch of the kept events: %s", strerror(-fd));
	s.tracing_fd = fd;
	keep_fd(&s, fd);
	s.reach.others = kept_others(arena, list, nr, &s.reach.nr_others);
	*ret = s;
	return 0;
}

void kept_switches_close(struct kept_switches *s)
{
	while (s->nr_fds)
		close(s->fds[--s->nr_fds]);
}

/* All its parts have the same switch and triggers. */
static const struct stored *find(const struct stored *list, unsigned nr, const char *group, const char *event)
{
	for (unsigned i = 0; i < nr; i++) {
		if (!list[i].trouble && name_same_event(list[i].kept.group, list[i].kept.event, group, event))
			return &list[i];
	}
	return NULL;
}

int kept_switches_event(struct kept_switches *s, const char *group, const char *event)
{
	const struct stored *ev = find(s->list, s->nr, group, event);
	int fd = ev ? store_open_switch(ev) : -ENOENT;

	if (fd >= 0)
		keep_fd(s, fd);
	return fd;
}

/* ---- the words of a trigger ---- */

int kept_switches_refuse_old(const struct stored *ev, const struct trigger *t, struct diag *diag)
{
	diag->text = t->text;
	diag_at(diag, -ENOENT, t->event ? t->event_at : t->kind_at, "%s/%s was kept by an older bprobe, whose programs have no switch",
		ev->kept.group, ev->kept.event);
	diag_note(diag, "help: keep it anew: bprobe --renew %s/%s", ev->kept.group, ev->kept.event);
	return -ENOENT;
}

/* Can nothing switch this event, although it may record? */
static bool is_old(const struct stored *ev)
{
	int fd;

	if (ev->trouble || kept_is_synthetic(&ev->kept))
		return false;
	fd = store_open_switch(ev);
	if (fd >= 0)
		close(fd);
	return fd < 0 && kept_count(&ev->kept);
}

/* traceoff means all events of the store. */
static int check_all(const struct kept_switches *s, const struct trigger *t, struct diag *diag)
{
	for (unsigned i = 0; i < s->nr; i++) {
		if (is_old(&s->list[i]))
			return kept_switches_refuse_old(&s->list[i], t, diag);
	}
	return 0;
}

/* The states of the histograms of a kept event. */
static unsigned hist_words(struct kept_switches *s, const struct stored *ev, struct act_word *words)
{
	unsigned nr = 0;

	for (unsigned i = 0; i < ev->kept.nr_triggers; i++) {
		struct count_table table = { .fd = -1, .state_fd = -1 };
		int err = store_open_table(ev, ev->kept.triggers[i].number, &table);

		if (table.fd >= 0)
			keep_fd(s, table.fd);
		if (table.state_fd >= 0)
			keep_fd(s, table.state_fd);
		if (!err && table.fd >= 0)
			words[nr++] = (struct act_word){ table.state_fd, offsetof(struct bp_count_state, paused) };
	}
	return nr;
}

int kept_switches_words(struct kept_switches *s, const struct trigger *t, const struct act_word **ret, unsigned *ret_nr,
			struct diag *diag)
{
	const struct stored *ev = t->event ? find(s->list, s->nr, t->system, t->event) : NULL;
	struct act_word *words = arena_array(s->arena, struct act_word, ev ? ev->kept.nr_triggers + 1 : 1);
	int fd;

	*ret = words;
	*ret_nr = 1;
	if (!t->event) {
		words[0] = switch_map_word(s->tracing_fd, 0);
		return check_all(s, t, diag);
	}
	if (!ev) {
		*ret_nr = 0;
		return 0;
	}
	if (t->kind >= TRIGGER_ENABLE_HIST) {
		*ret_nr = hist_words(s, ev, words);
		return 0;
	}
	fd = kept_switches_event(s, t->system, t->event);
	if (fd < 0)
		return kept_switches_refuse_old(ev, t, diag);
	words[0] = switch_map_word(fd, 0);
	return 0;
}

/* ---- states ---- */

static bool is_off(int fd)
{
	struct bp_switch now;
	bool off = fd >= 0 && !switch_map_read(fd, 0, &now) && now.off;

	if (fd >= 0)
		close(fd);
	return off;
}

bool kept_switches_all_off(const struct stored *list, unsigned nr)
{
	return is_off(store_open_tracing(list, nr));
}

bool kept_switches_is_off(const struct stored *ev)
{
	return is_off(store_open_switch(ev));
}

int kept_switches_set_all(const struct stored *list, unsigned nr, bool off, struct diag *diag)
{
	int fd = store_open_tracing(list, nr), err = fd < 0 ? fd : switch_map_set(fd, 0, off);

	if (fd >= 0)
		close(fd);
	if (err == -ENOENT)
		return diag_set(diag, err, "no event is kept that could be switched %s", off ? "off" : "on");
	return err ? diag_set(diag, err, "cannot switch the kept events %s: %s", off ? "off" : "on", strerror(-err)) : 0;
}

unsigned kept_switches_report_old(const struct stored *list, unsigned nr)
{
	unsigned nr_old = 0;

	for (unsigned i = 0; i < nr; i++) {
		if (!is_old(&list[i]))
			continue;
		nr_old++;
		fprintf(stderr, "bprobe: %s/%s is unchanged: it was kept by an older bprobe, whose programs have no switch\n"
			"  help: keep it anew: bprobe --renew %s/%s\n", list[i].kept.group, list[i].kept.event, list[i].kept.group,
			list[i].kept.event);
	}
	return nr_old;
}

int kept_switches_set(const struct stored *ev, bool off)
{
	int fd = store_open_switch(ev), err = fd < 0 ? fd : switch_map_set(fd, 0, off);

	if (fd >= 0)
		close(fd);
	return err;
}

/* ---- removing ---- */

int kept_switches_check_remove(const struct stored *list, unsigned nr, const struct stored *ev,
			       bool (*goes)(void *ctx, const struct stored *ev), void *ctx, struct diag *diag)
{
	for (unsigned i = 0; i < nr; i++) {
		const struct kept *k = &list[i].kept;

		if (list[i].trouble || name_same_event(k->group, k->event, ev->kept.group, ev->kept.event) || goes(ctx, &list[i]) ||
		    !kept_triggers_name(k, TRIGGER_ENABLE_EVENT, ev))
			continue;
		diag_set(diag, -EBUSY, "%s/%s cannot be removed: a trigger of %s/%s switches it", ev->kept.group, ev->kept.event, k->group,
			 k->event);
		diag_note(diag, "help: remove both, or that trigger first: bprobe --set-trigger %s/%s '!TRIGGER' "
			  "('bprobe --triggers' lists them)", k->group, k->event);
		return -EBUSY;
	}
	return 0;
}
