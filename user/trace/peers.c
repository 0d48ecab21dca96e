// SPDX-License-Identifier: GPL-2.0-only
/*
 * peers.c - events from outside during tracing.
 */
#include "trace/peers.h"

#include <errno.h>
#include <unistd.h>

#include "keep/kept.h"
#include "lang/listing.h"
#include "registry/detach_child.h"
#include "set/trigger_run.h"
#include "stream/record.h"
#include "trace/trace.h"
#include "trace/tracer.h"

/* ---- requests of other bprobes ---- */

void peers_list(void *ctx, struct buf *out)
{
	struct tracer *t = ctx;

	for (unsigned i = 0; i < t->set.nr_probes; i++) {
		const struct probe *p = &t->set.probes[i];

		if (p->state == PROBE_REMOVED || probe_follows(p))
			continue;
		probe_print_listing(p, t->set.opts->faithful, out);
		if (p->state == PROBE_ACTIVE)
			buf_addf(out, " # enabled, bprobe %d\n", (int)getpid());
		else
			buf_addf(out, " # %s module %s, bprobe %d\n", p->state == PROBE_FAILED ? "failed in" : "waits for",
				 p->def->place.module, (int)getpid());
	}
}

static bool is_meant(const struct probe *p, const struct match *words, unsigned nr)
{
	struct buf text = { 0 };
	bool meant = true;

	if (nr) {
		probe_print_definition(p, &text);
		meant = listing_begins(buf_str(&text), words, nr);
	}
	buf_fini(&text);
	return meant;
}

/* Marks the probes that a request means; they no longer count as waiting. Returns how many of the others are left. */
static unsigned mark_removed(struct set *s, const char *name, const struct match *words, unsigned nr_words, bool *marks)
{
	unsigned left = 0;

	for (unsigned i = 0; i < s->nr_probes; i++) {
		const struct probe *p = &s->probes[i];

		marks[i] = p->state != PROBE_REMOVED && name_matches(p->def->group, p->def->event, name) && is_meant(p, words, nr_words);
		left += p->state != PROBE_REMOVED && !marks[i];
		if (marks[i] && probe_waits(p))
			s->nr_waiting--;
	}
	return left;
}

/* Detaches many in the background, so that the asker gets its answer now and the other probes' hits are read. */
static void detach_marked(struct set *s, const bool *marks)
{
	struct detach later = { 0 };
	int fd;

	set_hand_over_some(s, marks, &later);
	if (!detach_child_start(&later, &fd))
		close(fd);
}

int peers_remove(void *ctx, const char *name, struct buf *why)
{
	struct tracer *t = ctx;
	struct arena arena = { 0 };
	unsigned nr_words;
	const struct match *words = listing_words(&arena, name, &name, &nr_words);
	bool *marks = arena_array(&arena, bool, t->set.nr_probes);
	unsigned left = mark_removed(&t->set, name, words, nr_words, marks);
	int removed = 0;

	(void)why;
	/* If no other probe is left, the end of bprobe detaches them. */
	if (!left && set_detaches_slowly(&t->set))
		set_stop(&t->set);
	else if (set_detaches_some_slowly(&t->set, marks))
		detach_marked(&t->set, marks);
	for (unsigned i = 0; i < t->set.nr_probes; i++) {
		struct probe *p = &t->set.probes[i];

		if (!marks[i])
			continue;
		if (p->state == PROBE_ACTIVE)
			set_detach(&t->set, p);
		p->state = PROBE_REMOVED;
		if (!probe_follows(p))
			fprintf(stderr, "bprobe: %s was removed by another bprobe\n", p->def->event);
		removed++;
	}
	arena_fini(&arena);
	if (removed && !t->set.nr_active && !t->set.nr_waiting)
		tracer_end(t, END_REMOVED);
	return removed;
}

/* ---- modules that come and go ---- */

void peers_module_changed(void *ctx, const char *module, bool gone)
{
	struct tracer *t = ctx;
	struct set *s = &t->set;

	if (!set_names_module(s, module))
		return;
	t->modules_changed = true;
	for (unsigned i = 0; gone && i < s->nr_probes; i++) {
		struct probe *p = &s->probes[i];

		if (!probe_in_module(p, module))
			continue;
		if (p->state == PROBE_FAILED)
			p->state = PROBE_WAITS;
		if (p->state != PROBE_ACTIVE)
			continue;
		set_detach_gone(s, p);
		if (!probe_follows(p))
			fprintf(stderr, "bprobe: %s: module %s was unloaded: the probe waits for it\n",
				p->def->event, p->def->place.module);
	}
}

/* A probe whose triggers cannot be resolved is never attached. */
static int set_triggers(void *ctx, unsigned i, struct diag *diag)
{
	struct tracer *t = ctx;

	return trigger_run_arrive(t->triggers, &t->set, i, diag);
}

void peers_attach_waiting(struct tracer *t)
{
	struct set *s = &t->set;
	struct diag diag = { 0 };

	t->modules_changed = false;
	stream_catch_up(&t->stream);	/* records that have come so far get the symbols of their time */
	stream_settle(&t->stream);
	if (set_reread_symbols(s, &diag))
		report_error(&diag, 0);
	diag_fini(&diag);
	text_symbols(&t->stream.text, s->machine.ks);
	if (t->record)
		record_forget(t->record);
	for (unsigned i = 0; i < s->nr_probes; i++) {
		struct probe *p = &s->probes[i];
		int err;

		if (p->state != PROBE_WAITS)
			continue;
		err = set_attach_waiting(s, p, set_triggers, t, &diag);
		tracer_set_source(t, i);
		if (!err && !probe_follows(p))
			fprintf(stderr, "bprobe: %s: module %s was loaded, its init functions have run: "
				"the probe is attached\n", p->def->event, p->def->place.module);
		else if (err && err != -EAGAIN)
			report_error(&diag, 0);
		diag_fini(&diag);
	}
}
