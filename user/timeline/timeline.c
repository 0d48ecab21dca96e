// SPDX-License-Identifier: GPL-2.0-only
/*
 * timeline.c - events become slices, instants and counters on tracks.
 *
 * A call is written when it returns. Until then it can become an instant: if an outer call returns first, or if events were lost, its
 * return will not come, and a slice without a known end would enclose what was not inside it.
 */
#include "timeline/timeline.h"

#include <stdlib.h>

#include "base/memory.h"
#include "timeline/timeline_priv.h"

/* ---- counters ---- */

static void put_counters(struct timeline *tl, const struct hit *h)
{
	for (unsigned i = 0; i < h->known->nr_counted; i++) {
		const struct counted *counted = &h->known->counted[i];
		struct counter *c = &tl->counters.all[counted->number];
		struct sample s = { .track = { .kind = TRACK_COUNTER, .machine = h->machine, .number = counted->number }, .at = h->at,
				    .name = c->name, .is_signed = counted->field->type.kind == TYPE_SIGNED };

		if (event_marked(h->ev, counted->field, 0))
			continue;
		if (!c->told)
			tell_track(tl, &s.track, c->name);
		c->told = true;
		s.n = event_number(h->ev, counted->field, 0);
		tl->encoder->counter(tl->e, &s, tl->out);
		tl->counts.samples++;
	}
}

/* ---- losses ---- */

/* Any call may have returned among the events that were lost. */
static void forget_all(struct timeline *tl, unsigned machine)
{
	for (struct thread *t = tl->threads.newest; t; t = t->older) {
		if (t->key >> 40 == machine)
			forget_calls(tl, t, 0, t->nr, "events were lost, and its return may be one of them", &tl->counts.lost);
	}
}

static void put_loss(struct timeline *tl, const struct loss *loss)
{
	struct slice s = { .track = { .kind = TRACK_CPU, .machine = loss->machine, .number = loss->cpu }, .start = tl->latest,
			   .name = "events were lost", .category = "bprobe", .args = &tl->args };

	tell_cpu(tl, loss->machine, loss->cpu);
	details_reset(&tl->args);
	if (loss->count == UINT64_MAX)
		details_text(&tl->args, "lost", "not known how many");
	else
		details_number(&tl->args, "lost", DETAIL_UNSIGNED, loss->count);
	tl->encoder->instant(tl->e, &s, tl->out);
	forget_all(tl, loss->machine);
}

static void put_losses(struct timeline *tl)
{
	for (unsigned i = 0; i < tl->nr_losses; i++)
		put_loss(tl, &tl->losses[i]);
	tl->nr_losses = 0;
}

void timeline_lost(struct timeline *tl, unsigned machine, unsigned cpu, uint64_t count)
{
	tl->losses = heap_grow(tl->losses, tl->nr_losses, &tl->losses_room);
	tl->losses[tl->nr_losses++] = (struct loss){ machine, cpu, count };
}

/* ---- events ---- */

static int64_t real_offset(const struct recording *m)
{
	return (int64_t)(m->readings[0].real - clock_reading_of(&m->readings[0], m->clock));
}

/* All times are those of the first machine's clock. */
static uint64_t time_of(const struct timeline *tl, unsigned machine, uint64_t ns)
{
	const struct recording *first = &tl->machines[0], *m = &tl->machines[machine];

	return machine && first->nr_readings && m->nr_readings ? ns + (uint64_t)(real_offset(m) - real_offset(first)) : ns;
}

static void put_event(struct timeline *tl, const struct hit *h)
{
	enum layout_elapsed of = h->known->elapsed ? h->known->elapsed->elapsed : ELAPSED_NOT;
	bool is_return = h->ev->layout->is_return, known, left;
	uint64_t duration = 0, start = 0;

	known = duration_of(h, &duration);
	left = is_return && call_leave(tl, h, &start);
	/* A call that is a pair, too, is one slice. Its start may have been moved by 1 ns. */
	if (known && of == ELAPSED_PAIR && (!left || start - (h->at - duration) > 1)) {
		put_pair(tl, h, duration);
	} else if (left) {
		return;
	} else if (known && is_return) {
		put_elapsed(tl, h, duration);
	} else if (is_return) {
		tl->counts.no_entry++;
		put_instant(tl, h, "its entry was not seen");
	} else if (h->known->paired) {
		call_enter(tl, h);
	} else {
		put_instant(tl, h, NULL);
	}
}

void timeline_event(struct timeline *tl, unsigned machine, const struct text *t, const struct event *ev, struct buf *out)
{
	struct hit h = { .machine = machine, .t = t, .ev = ev, .known = &tl->known[ev->rec->probe] };

	tl->out = out;
	h.at = time_of(tl, machine, timebase_of(&t->base, ev->rec->ts));
	tl->latest = MAX(tl->latest, h.at);
	put_losses(tl);
	h.thread = thread_of(tl, machine, ev->rec);
	put_event(tl, &h);
	put_counters(tl, &h);
}

/* ---- start and end ---- */

static void forget(void *ctx, struct thread *t, unsigned nr)
{
	struct timeline *tl = ctx;

	forget_calls(tl, t, 0, nr, "too many calls were under way to wait for its return", &tl->counts.forgotten);
}

struct timeline *timeline_new(const struct timeline_opts *opts, struct buf *out)
{
	struct timeline *tl = must(calloc(1, sizeof(*tl)));

	tl->encoder = opts->encoder;
	tl->machines = opts->machines;
	tl->nr_machines = opts->nr_machines;
	tl->counters.wanted = opts->counters;
	tl->counters.nr_wanted = opts->nr_counters;
	tl->told_machines = must(calloc(opts->nr_machines, sizeof(*tl->told_machines)));
	threads_init(&tl->threads, forget, tl);
	tl->e = opts->encoder->open(opts->machines, opts->nr_machines, opts->version, out);
	return tl;
}

void timeline_end(struct timeline *tl, const struct clock_reading *last, struct buf *out)
{
	tl->out = out;
	put_losses(tl);
	for (struct thread *t = tl->threads.oldest; t; t = t->newer)
		end_calls(tl, t);
	if (last && tl->encoder->clocks)
		tl->encoder->clocks(tl->e, 0, last, out);
	tl->encoder->end(tl->e, out);
}

struct timeline_counts timeline_counts(const struct timeline *tl)
{
	return tl->counts;
}

void timeline_free(struct timeline *tl)
{
	if (!tl)
		return;
	tl->encoder->close(tl->e);
	threads_fini(&tl->threads);
	arena_fini(&tl->arena);
	arena_fini(&tl->lanes.arena);
	arena_fini(&tl->counters.arena);
	details_fini(&tl->args);
	details_fini(&tl->rest);
	free(tl->told_machines);
	free(tl->told_cpus);
	free(tl->losses);
	free(tl);
}
