// SPDX-License-Identifier: GPL-2.0-only
/*
 * calls.c - calls and pairs, which are slices.
 */
#include "timeline/timeline_priv.h"

/* ---- calls ---- */

/* Slices of a thread begin one after the other, so that readers that sort them see which is inside which. */
static uint64_t start_of(const struct hit *h)
{
	const struct thread *t = h->thread;
	uint64_t start = MAX(h->at, t->latest);

	return t->nr && start == t->calls[t->nr - 1].start ? start + 1 : start;
}

void call_enter(struct timeline *tl, const struct hit *h)
{
	const char *name = function_name(h), *event = h->ev->layout->event, *group = h->ev->layout->group;
	uint64_t start = start_of(h);
	struct call *c = threads_enter(&tl->threads, h->thread);

	c->function = function_id(h);
	c->start = c->least_end = start;
	c->name = details_copy(&c->args, name, strlen(name));
	c->event = details_copy(&c->args, event, strlen(event));
	c->category = details_copy(&c->args, group, strlen(group));
	details_fields(&c->args, h->t, h->ev);
	c->own = add_own(&c->args, h, true);
	h->thread->latest = start;
}

static void put_call(struct timeline *tl, const struct hit *h, unsigned which)
{
	struct thread *t = h->thread;
	struct call *c = &t->calls[which];
	struct slice s = { .track = track_of(h->machine, t), .start = c->start, .end = MAX(h->at, c->least_end), .args = &c->args,
			   .rest = &tl->rest };

	details_reset(&tl->rest);
	add_return(&tl->rest, h);
	s.name = details_at(&c->args, c->name);
	s.category = details_at(&c->args, c->category);
	tl->encoder->slice(tl->e, &s, tl->out);
	tl->counts.slices++;
	threads_leave(&tl->threads, t, which);
	if (tl->has_elapsed)
		thread_over_add(t, s.start, s.end);
	t->latest = MAX(t->latest, s.end);
	if (which)
		t->calls[which - 1].least_end = MAX(t->calls[which - 1].least_end, s.end);
}

/* The innermost call of the function; NONE: it was not entered. */
enum { NONE = CALLS_MAX };

static unsigned find_call(const struct hit *h)
{
	uint64_t function = function_id(h);
	unsigned i = h->thread->nr;

	while (i && h->thread->calls[i - 1].function != function)
		i--;
	return i ? i - 1 : NONE;
}

/* False: the call was not entered. *ret_start: when it was. */
bool call_leave(struct timeline *tl, const struct hit *h, uint64_t *ret_start)
{
	unsigned which = find_call(h);

	if (which == NONE)
		return false;
	*ret_start = h->thread->calls[which].start;
	forget_calls(tl, h->thread, which + 1, h->thread->nr, "no return was seen, but an outer call returned", &tl->counts.no_return);
	put_call(tl, h, which);
	return true;
}

/* Calls that are under way: slices without an end. */
void end_calls(struct timeline *tl, struct thread *t)
{
	for (unsigned i = 0; i < t->nr; i++) {
		struct call *c = &t->calls[i];
		struct slice s = { .track = track_of((unsigned)(t->key >> 40), t), .start = c->start, .end = MAX(tl->latest, c->least_end),
				   .unfinished = true, .args = &c->args };

		add_note(&c->args, c->own, "note", "it had not returned when the recording ended");
		s.name = details_at(&c->args, c->name);
		s.category = details_at(&c->args, c->category);
		tl->encoder->slice(tl->e, &s, tl->out);
		tl->counts.slices++;
		tl->counts.unfinished++;
	}
	threads_leave(&tl->threads, t, 0);
}

/* ---- durations ---- */

/* The event's duration. False: it has none, or it is not known. */
bool duration_of(const struct hit *h, uint64_t *ret)
{
	const struct layout_field *f = h->known->elapsed;

	if (!f || event_marked(h->ev, f, 0))
		return false;
	*ret = event_number(h->ev, f, 0);
	return *ret <= h->at;
}

static void put_duration(struct timeline *tl, const struct hit *h, struct slice *s, const char *name)
{
	struct details *a = &tl->args;
	const char *group = h->ev->layout->group;
	uint32_t at;

	details_reset(a);
	at = details_copy(a, name, strlen(name));
	details_copy(a, group, strlen(group));
	if (s->track.kind == TRACK_LANE) {
		unsigned own;

		details_fields(a, h->t, h->ev);
		own = add_own(a, h, true);
		details_number(a, "pid", DETAIL_UNSIGNED, h->ev->rec->tgid);
		details_number(a, "tid", DETAIL_SIGNED, (uint64_t)h->ev->rec->common_pid);
		details_close(a, own);
	} else {
		add_return(a, h);
	}
	s->name = details_at(a, at);
	s->category = s->name + strlen(s->name) + 1;
	s->args = a;
	tl->encoder->slice(tl->e, s, tl->out);
	tl->counts.slices++;
}

/* What was entered since the call began has ended with it. */
static void forget_inside(struct timeline *tl, struct thread *t, uint64_t start)
{
	unsigned from = t->nr;

	while (from && t->calls[from - 1].start >= start)
		from--;
	forget_calls(tl, t, from, t->nr, "no return was seen, but an outer call returned", &tl->counts.no_return);
}

/* A call of which only the return is known, and how long it took. */
void put_elapsed(struct timeline *tl, const struct hit *h, uint64_t duration)
{
	struct thread *t = h->thread;
	uint64_t end = MAX(h->at, t->latest), start = h->at - duration;
	struct slice s = { .track = track_of(h->machine, t), .end = end };

	forget_inside(tl, t, start);
	if (!thread_over_fits(t, start, end, &s.start) || (t->nr && s.start <= t->calls[t->nr - 1].start)) {
		tl->counts.crossing++;
		put_instant(tl, h, "its call is no slice, because it could cross another one");
		return;
	}
	put_duration(tl, h, &s, function_name(h));
	thread_over_add(t, s.start, s.end);
	t->latest = end;
	if (t->nr)
		t->calls[t->nr - 1].least_end = MAX(t->calls[t->nr - 1].least_end, end);
}

/* The end of a pair: its beginning may have been anywhere. */
void put_pair(struct timeline *tl, const struct hit *h, uint64_t duration)
{
	const struct layout *l = h->ev->layout;
	struct slice s = { .track = { .kind = TRACK_LANE, .machine = h->machine }, .start = h->at - duration, .end = h->at };
	bool new;

	if (!lanes_take(&tl->lanes, l->group, l->event, s.start, s.end, &s.track.number, &new)) {
		tl->counts.crossing++;
		put_instant(tl, h, "its pair is no slice, because too many overlap");
		return;
	}
	if (new)
		tell_track(tl, &s.track, l->event);
	put_duration(tl, h, &s, l->event);
}
