// SPDX-License-Identifier: GPL-2.0-only
/*
 * kept_reader.c - kept events during reading.
 */
#include "keep/kept_reader.h"

#include <errno.h>

#include "base/files.h"
#include "keep/kept_triggers.h"
#include "lang/def_words.h"
#include "lang/filter.h"
#include "lang/parse.h"

static unsigned count_probes(const struct kept_reader *r)
{
	unsigned nr = 0;

	for (unsigned i = 0; i < r->sel.nr_events; i++) {
		const struct kept *k = &r->sel.events[i]->kept;

		for (unsigned n = 0; n < k->nr_probes; n++)
			nr = MAX(nr, k->probes[n].id + 1);
	}
	return nr;
}

/*
 * Adds the rings and probes of one event to those of all. What LOST lines have reported is known only to this reader until
 * it is saved.
 */
static void add_event(struct kept_reader *r, unsigned i)
{
	const struct kept *k = &r->sel.events[i]->kept;
	const struct store_use *u = &r->uses[i];
	const struct channel *c = u->channel;

	r->srcs[r->nr_srcs++] = channel_src(c);
	for (unsigned n = 0; n < k->nr_probes; n++) {
		struct source *s = &r->sources[k->probes[n].id];

		*s = (struct source){ .layout = &k->probes[n].plan.layout, .channel = c, .index = n,
				      .filtered = arena_new(&r->sel.arena, uint64_t), .cleared = u->cleared[n] };
		if (c->overwrites)
			continue;
		s->losses = arena_array(&r->sel.arena, struct losses, c->nr_cpus);
		memcpy(s->losses, u->losses + (size_t)n * c->nr_cpus, c->nr_cpus * sizeof(*s->losses));
	}
	r->nr_cpus = c->nr_cpus;
}

void kept_reader_save(struct kept_reader *r)
{
	for (unsigned i = 0; i < r->sel.nr_events; i++) {
		const struct kept *k = &r->sel.events[i]->kept;
		const struct store_use *u = &r->uses[i];

		for (unsigned n = 0; n < k->nr_probes; n++) {
			struct source *s = &r->sources[k->probes[n].id];

			if (!s->read)
				continue;
			memcpy(u->losses + (size_t)n * r->nr_cpus, s->losses, r->nr_cpus * sizeof(*u->losses));
			u->filtered[n] += *s->filtered;
			*s->filtered = 0;
			s->read = false;
		}
	}
}

uint64_t kept_reader_lost(const struct kept_reader *r, unsigned i)
{
	const struct store_use *u = &r->uses[i];
	uint64_t sum = 0;

	for (unsigned n = 0; n < r->sel.events[i]->kept.nr_probes; n++) {
		struct bp_stat stat;

		channel_stat(u->channel, n, &stat);
		sum += stat.lost;
	}
	return sum - MIN(*u->lost_before, sum);
}

/*
 * Takes the filter from a listed line; everything else of the line is in the plan. A translated line may be longer than
 * kprobe_events' parser accepts.
 */
static int take_filter(struct arena *arena, const char *line, struct plan *plan, struct diag *diag)
{
	struct probe_def *def = arena_new(arena, struct probe_def);
	const struct parse p = { .arena = arena, .text = line };
	struct def_words words = def_words_split(&p);

	def->text = line;
	plan->def = def;
	return words.has_filter ? filter_parse(arena, line, words.filter, &def->filter, diag) : 0;
}

/* Resolves the parts of the filters that BPF did not decide. */
static int resolve_filters(struct kept_reader *r, struct diag *diag)
{
	struct facts facts = { .ks = r->ks, .nr_cpus = r->nr_cpus };
	int err = 0;

	for (unsigned i = 0; !err && i < r->sel.nr_events; i++) {
		struct kept *k = &r->sel.events[i]->kept;

		for (unsigned n = 0; !err && n < k->nr_probes; n++) {
			struct kept_probe *p = &k->probes[n];
			if (!p->selects)
				continue;
			err = take_filter(&r->sel.arena, k->lines[p->line], &p->plan, diag);
			if (!err)
				err = plan_resolve_filter(&r->sel.arena, &facts, &p->plan, diag);
			r->sources[p->id].filter = p->plan.filter;
		}
	}
	return err;
}

/*
 * With the trigger stacktrace, records show their stacks only where its condition is true. It is tested here: a record has its stack in
 * any case.
 */
static int resolve_stacktrace(struct kept_reader *r, struct kept *k, const struct trigger *t, struct diag *diag)
{
	const struct facts facts = { .ks = r->ks, .nr_cpus = r->nr_cpus };
	int err = 0;

	for (unsigned n = 0; !err && n < k->nr_probes; n++) {
		struct probe_def *def = arena_new(&r->sel.arena, struct probe_def);
		struct plan plan = k->probes[n].plan;

		*def = (struct probe_def){ .text = t->text, .filter = t->filter };
		plan.def = def;
		err = plan_resolve_filter(&r->sel.arena, &facts, &plan, diag);
		r->sources[k->probes[n].id].shows_stack = plan.filter;
	}
	return err;
}

static int resolve_triggers(struct kept_reader *r, struct diag *diag)
{
	int err = 0;

	for (unsigned i = 0; !err && i < r->sel.nr_events; i++) {
		struct kept *k = &r->sel.events[i]->kept;
		const struct trigger *t;

		err = kept_triggers_parse(&r->sel.arena, k->triggers, k->nr_triggers, &t, diag);
		for (; !err && t; t = t->next) {
			if (t->kind == TRIGGER_STACKTRACE && t->filter)
				err = resolve_stacktrace(r, k, t, diag);
		}
	}
	return err;
}

/*
 * Leaves out the hits of this process. Since this process started, the store may have got another list of such processes:
 * this happens if the last event is removed and then another one is kept.
 */
static void leave_out_self(const struct options *opts)
{
	struct left_out again;

	store_leave_out(opts->keep.store, &again);
	selves_close(&again.selves);
}

static int use_events(struct kept_reader *r, bool consume, struct diag *diag)
{
	int err = 0;

	r->uses = arena_array(&r->sel.arena, struct store_use, r->sel.nr_events);
	r->srcs = arena_array(&r->sel.arena, struct ring_src, r->sel.nr_events);
	for (unsigned i = 0; i < r->sel.nr_events; i++)
		r->uses[i] = (struct store_use){ .dir_fd = -1 };
	r->nr_sources = count_probes(r);
	r->sources = arena_array(&r->sel.arena, struct source, r->nr_sources);
	for (unsigned i = 0; !err && i < r->sel.nr_events; i++) {
		err = store_use(r->sel.events[i], consume, &r->uses[i], diag);
		if (!err)
			add_event(r, i);
	}
	return err;
}

int kept_reader_open(const struct options *opts, bool consume, struct kept_reader *ret, struct diag *diag)
{
	struct kept_reader r = { 0 };
	int err = selection_open(opts, opts->words, opts->nr_words, &r.sel, diag);

	if (err)
		return err;
	files_raise_limit();
	if (!r.sel.nr_events)
		err = r.sel.nr_troubles ? diag_set(diag, -ENOENT, "there is nothing to read")
					: diag_set(diag, -ENOENT, "no probes are kept; 'bprobe --keep DEFINITION' keeps one");
	selection_skip_old(&r.sel);
	if (!err && !r.sel.nr_events)
		err = diag_set(diag, -EPROTONOSUPPORT, "there is nothing that this version of bprobe can read");
	if (consume)
		selection_skip_overwriting(&r.sel);
	if (!err && !r.sel.nr_events)
		err = diag_set(diag, -EPROTONOSUPPORT, "there is nothing that --pipe can read");
	if (!err)
		err = use_events(&r, consume, diag);
	selection_unlock(&r.sel);
	if (!err)
		err = ksyms_load(NULL, &r.ks, diag);
	if (!err && consume && !opts->set.self)
		leave_out_self(opts);
	if (err) {
		kept_reader_close(&r);
		return err;
	}
	*ret = r;
	err = resolve_filters(ret, diag);
	if (!err)
		err = resolve_triggers(ret, diag);
	if (err) {
		diag->text = NULL;		/* freed with the reader */
		kept_reader_close(ret);
	}
	return err;
}

void kept_reader_close(struct kept_reader *r)
{
	for (unsigned i = 0; r->uses && i < r->sel.nr_events; i++)
		store_unuse(&r->uses[i]);
	if (r->ks)
		ksyms_close(r->ks);
	selection_close(&r->sel);
	*r = (struct kept_reader){ .sel.store.fd = -1 };
}
