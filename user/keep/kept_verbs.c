// SPDX-License-Identifier: GPL-2.0-only
/*
 * kept_verbs.c - the verbs for kept probes, except reading.
 */
#include "keep/kept_verbs.h"
#include "keep/kept_counts.h"
#include "keep/elsewhere.h"
#include "keep/kept_switches.h"

#include <errno.h>
#include <inttypes.h>
#include <unistd.h>

#include "keep/kept_triggers.h"
#include "keep/selection.h"
#include "lang/listing.h"
#include "print/format.h"
#include "print/json_columns.h"
#include "print/schema.h"
#include "registry/detach_child.h"
#include "run/ring_look.h"
#include "run/tally.h"

/* What a verb does with each named event. -errno with @diag. */
typedef int (*event_fn)(const struct selection *s, const struct stored *ev, void *ctx, struct diag *diag);

/* Every event is tried, so that an error with one does not affect the others. */
static int for_each(const struct options *opts, event_fn fn, void *ctx)
{
	struct diag diag = { 0 };
	struct selection s;
	int status = selection_start(opts, &s);

	for (unsigned i = 0; i < s.nr_events; i++) {
		if (fn(&s, s.events[i], ctx, &diag))
			status = report_error(&diag, EXIT_KERNEL);
		diag_fini(&diag);
	}
	selection_close(&s);
	return status;
}

/* ---- profile and format ---- */

struct profile {
	struct attacher at;
	bool all;			/* not only the kernel's columns */
};

/*
 * The columns of kprobe_profile: if misses are not counted, it shows 0 (6.12, kernel/trace/trace_kprobe.c,
 * probes_profile_seq_show()).
 */
static void print_counts(const struct profile *p, const char *name, const struct kept_counts *c)
{
	printf("  %-44s %15" PRIu64, name, c->seen);
	if (p->all)
		printf(" %15" PRIu64 " %15" PRIu64 " %15" PRIu64, (uint64_t)c->stat.hits, (uint64_t)c->stat.filtered,
		       (uint64_t)c->stat.limited);
	if (c->missed_known || !p->all)
		printf(" %15" PRIu64, c->missed);
	else
		printf(" %15s", "unknown");
	if (p->all)
		printf(" %15" PRIu64 " %15" PRIu64 " %15" PRIu64 " %15" PRIu64 " %15" PRIu32, (uint64_t)c->stat.faults, (uint64_t)c->stat.lost,
		       c->overwritten, (uint64_t)c->stat.undecided, c->stat.cold);
	putchar('\n');
}

/* All definitions of an event count in the same tables, so these hits have a line of their own. */
static int profile_counted(const struct profile *p, const struct selection *s, const struct stored *ev, struct diag *diag)
{
	struct buf name = { 0 };
	struct kept_counted counted;
	struct kept_counts c = { .missed_known = true };
	int err = kept_triggers_counted(s, ev, &counted, diag);

	if (err || !counted.any)
		return err;
	c.seen = c.stat.hits = counted.hits + counted.dropped;
	c.stat.lost = counted.dropped;
	buf_addf(&name, "%s(counted)", ev->kept.event);
	print_counts(p, buf_str(&name), &c);
	buf_fini(&name);
	return 0;
}

static int profile(const struct selection *s, const struct stored *ev, void *ctx, struct diag *diag)
{
	const struct profile *p = ctx;
	struct arena arena = { 0 };
	struct kept_counts *lines;
	int err = kept_counts(&arena, &p->at, ev, &lines, diag);

	for (unsigned line = 0; !err && line < ev->kept.nr_lines; line++) {
		if (!ev->kept.dropped[line])
			print_counts(p, ev->kept.event, &lines[line]);
	}
	arena_fini(&arena);
	return err || ev->joined ? err : profile_counted(p, s, ev, diag);
}

int kept_profile(const struct options *opts)
{
	struct profile p = { .all = opts->set.verbose };

	attacher_init(&p.at);
	if (p.all)
		printf("# %-44s %15s %15s %15s %15s %15s %15s %15s %15s %15s %15s\n", "event", "seen", "hits", "filtered", "limited", "missed",
		       "faulted", "lost", "overwritten", "undecided", "not-in-memory");
	return for_each(opts, profile, &p);
}

static int format(const struct selection *s, const struct stored *ev, void *ctx, struct diag *diag)
{
	const struct kept_probe *p = &ev->kept.probes[0];
	struct buf text = { 0 };

	(void)s;
	(void)ctx;
	(void)diag;
	if (ev->joined)			/* the event's own part has printed it */
		return 0;
	format_print(&p->plan.layout, p->id, &text);
	fputs(buf_str(&text), stdout);
	buf_fini(&text);
	return 0;
}

int kept_format(const struct options *opts)
{
	return for_each(opts, format, NULL);
}

struct tables {
	const struct schema *language;
	struct arena arena;
	const char **names;		/* of the tables so far */
	unsigned nr, size;
};

static int schema(const struct selection *s, const struct stored *ev, void *ctx, struct diag *diag)
{
	const struct layout *l = &ev->kept.probes[0].plan.layout;
	struct tables *t = ctx;
	struct buf text = { 0 };
	const char *name, *clash;

	(void)s;
	if (ev->joined)			/* all probes of an event have one table */
		return 0;
	clash = json_columns_clash(&t->arena, l);
	if (clash)
		return diag_set(diag, -EINVAL, "%s/%s: the argument '%s' has the name that a part of another argument gets: keep the event "
				"with another name for it (NAME=...)", l->group, l->event, clash);
	t->language->table(l, &text);
	name = arena_strdup(&t->arena, buf_str(&text));
	buf_fini(&text);
	for (unsigned i = 0; i < t->nr; i++) {
		if (!strcmp(t->names[i], name))
			return diag_set(diag, -EEXIST, "%s/%s: another event has the table %s already: keep one of them in another group", l->group,
					l->event, name);
	}
	t->names = arena_grow(&t->arena, t->names, t->nr, &t->size);
	t->names[t->nr++] = name;
	t->language->event(l, &text);
	puts(buf_str(&text));
	buf_fini(&text);
	return 0;
}

int kept_schema(const struct options *opts)
{
	struct tables t = { .language = opts->keep.schema };
	struct buf text = { 0 };
	int status = for_each(opts, schema, &t);

	if (t.nr) {
		t.language->gaps(&text);
		fputs(buf_str(&text), stdout);
	}
	buf_fini(&text);
	arena_fini(&t.arena);
	return status;
}

/* ---- list and remove ---- */

/* The options that the definition was kept with. */
static void list_stacks(const struct kept *k, unsigned line, struct buf *out)
{
	unsigned stacks = kept_stacks(k, line);

	buf_adds(out, stacks & 1u << STACK_KERNEL ? ", --kernel-stack" : "");
	buf_adds(out, stacks & STACKS_USER ? ", --user-stack" : "");
}

/* Lists why a definition never fires, although it may be enabled. */
static void list_module(const struct stored *ev, unsigned line, struct buf *out)
{
	const char *name;
	enum kept_module which = kept_module(&ev->kept, line, &name);

	if (which == KEPT_MODULE_GONE)
		buf_addf(out, "; module %s is not loaded", name);
	else if (which == KEPT_MODULE_AGAIN && ev->enabled)
		buf_addf(out, "; module %s was loaded again: bprobe --enable %s", name, ev->kept.event);
}

/* ... or why it records nothing, although it is attached. */
static void list_switches(const struct stored *ev, bool all_off, struct buf *out)
{
	if (ev->enabled && kept_switches_is_off(ev))
		buf_addf(out, "; a trigger has switched it off: bprobe --enable %s", ev->kept.event);
	if (all_off && !kept_is_synthetic(&ev->kept))
		buf_adds(out, "; recording is off: bprobe --tracing-on");
}

int kept_list(const struct options *opts, struct buf *out, struct diag *diag)
{
	struct selection s;
	bool all_off;
	int err = selection_open(opts, NULL, 0, &s, diag);

	if (err)
		return err;
	all_off = kept_switches_all_off(s.all, s.nr_all);
	for (unsigned i = 0; i < s.nr_events; i++) {
		const struct stored *ev = s.events[i];

		for (unsigned line = 0; line < ev->kept.nr_lines; line++) {
			if (ev->kept.dropped[line])
				continue;
			buf_addf(out, "%s # %skept", ev->kept.lines[line],
				 kept_is_synthetic(&ev->kept) ? "" : ev->enabled ? "enabled, " : "disabled, ");
			for (unsigned o = 0; o < ev->kept.nr_options; o++)
				buf_addf(out, "%s%s", o ? " " : ", ", ev->kept.options[o]);
			list_stacks(&ev->kept, line, out);
			list_module(ev, line, out);
			list_switches(ev, all_off, out);
			if (!kept_is_current(&ev->kept))
				buf_addf(out, "; of an older bprobe: bprobe --renew %s", ev->kept.event);
			buf_addc(out, '\n');
		}
	}
	err = s.nr_troubles ? diag_set(diag, -EPROTONOSUPPORT, "%u kept events could not be listed", s.nr_troubles) : 0;
	selection_close(&s);
	return err;
}

/* What others have pinned belongs to them: only its exact name removes it. */
static bool is_left(const struct stored *ev, const char *name)
{
	return ev->foreign && (strpbrk(name, "*?[") || name[strlen(name) - 1] == '/');
}

static int tell_left(unsigned nr, const struct buf *notes, struct diag *diag)
{
	diag_set(diag, -EPROTONOSUPPORT, "%u director%s of the store %s not removed: %s not bprobe's, or %s damaged",
		 nr, nr == 1 ? "y" : "ies", nr == 1 ? "was" : "were", nr == 1 ? "it is" : "they are",
		 nr == 1 ? "it is" : "they are");
	buf_add(&diag->notes, buf_str(notes), notes->len);
	return diag->err;
}

/* Of a synthetic event the kernel compares only the name (6.12, kernel/trace/trace_events_synth.c, synth_event_match()). */
static bool means_line(const struct removal *which, const struct kept *k, unsigned line)
{
	return kept_is_synthetic(k) || listing_begins(k->lines[line], which->words, which->nr_words);
}

/* Marks the definitions of @ev that @which means and that were not removed before. Returns their number. */
static unsigned find_lines(const struct stored *ev, const struct removal *which, bool *lines)
{
	unsigned nr = 0;

	for (unsigned line = 0; line < ev->kept.nr_lines; line++) {
		lines[line] = !ev->kept.dropped[line] && means_line(which, &ev->kept, line);
		nr += lines[line];
	}
	return nr;
}

/* Returns the number of removed probes, or -errno. */
static int remove_from(const struct store *store, const struct stored *ev, const struct removal *which, struct detach *later,
		       struct diag *diag)
{
	struct arena arena = { 0 };
	bool *lines = arena_array(&arena, bool, ev->kept.nr_lines);
	unsigned nr = find_lines(ev, which, lines);
	int err = 0;

	if (!which->nr_words || kept_is_synthetic(&ev->kept))
		err = store_remove(store, ev, later, diag);
	else if (nr)
		err = store_drop(store, ev, lines, diag);
	arena_fini(&arena);
	return err ? err : which->nr_words ? (int)nr : (int)MAX(nr, !ev->joined);
}

/* Many are detached in the background. With --wait this waits for it. */
static void detach(struct detach *later, bool wait)
{
	char byte;
	int fd;

	if (later->ms <= DETACH_SLOW_MS) {
		detach_now(later);
		return;
	}
	if (detach_child_start(later, &fd))
		return;
	while (wait && read(fd, &byte, 1) < 0 && errno == EINTR)
		;
	close(fd);
}

static bool goes(void *ctx, const struct stored *ev)
{
	const struct removal *which = ctx;
	bool goes = !which->nr_words && name_matches(ev->kept.group, ev->kept.event, which->name);

	for (unsigned i = 0; i < which->nr_also; i++)
		goes |= name_matches(ev->kept.group, ev->kept.event, which->also[i]);
	return goes;
}

/* Has the event a definition that @which leaves there? */
static bool stays(const struct stored *list, unsigned nr, const struct stored *ev, const struct removal *which)
{
	bool stays = false;

	for (unsigned i = 0; i < nr && which->nr_words; i++) {
		const struct kept *k = &list[i].kept;

		if (list[i].trouble || !name_same_event(k->group, k->event, ev->kept.group, ev->kept.event))
			continue;
		for (unsigned line = 0; line < k->nr_lines; line++)
			stays |= !k->dropped[line] && !means_line(which, k, line);
	}
	return stays;
}

int kept_remove(const struct options *opts, const struct removal *which, struct diag *diag)
{
	const char *name = which->name;
	struct store store;
	struct arena arena = { 0 };
	struct stored *list;
	struct detach later = { 0 };
	struct buf notes = { 0 };
	unsigned nr, gone = 0, left = 0;
	int err = *name ? store_open(opts->keep.store, false, &store, diag) : -ENOENT;

	if (err)
		return err == -ENOENT ? 0 : err;
	nr = store_list(&store, &arena, &list);
	for (unsigned i = 0; i < nr; i++) {
		int went;

		if (!name_matches(list[i].kept.group, list[i].kept.event, name))
			continue;
		if (is_left(&list[i], name)) {
			left++;
			buf_addf(&notes, "help: 'bprobe -r %s/%s' removes %s\n", list[i].kept.group, list[i].kept.event,
				 list[i].dir);
			continue;
		}
		went = stays(list, nr, &list[i], which) ? 0 :
		       kept_switches_check_remove(list, nr, &list[i], goes, (void *)which, diag);
		if (!went && !stays(list, nr, &list[i], which))
			went = elsewhere_check_unused(list, nr, &list[i], NULL, goes, (void *)which, diag);
		if (!went)
			went = remove_from(&store, &list[i], which, &later, diag);
		if (went < 0)
			err = err ? err : went;
		else
			gone += (unsigned)went;
	}
	if (!err && left)
		err = tell_left(left, &notes, diag);
	detach(&later, opts->run.wait);
	store_close(&store);
	buf_fini(&notes);
	arena_fini(&arena);
	return err ? err : (int)gone;
}
