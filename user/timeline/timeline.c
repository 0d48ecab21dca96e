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
#include "kernel/syms/ksyms.h"
#include "timeline/counters.h"
#include "timeline/lanes.h"
#include "timeline/threads.h"

/* What is known of the events of a layout. */
struct known {
	const struct layout *layout;	/* NULL: none comes */
	bool paired;			/* an entry whose function's return is probed, too */
	uint64_t function;		/* a hash of the function's name */
	const struct layout_field *elapsed;	/* NULL: it has none */
	const struct counted *counted;
	unsigned nr_counted;
};

/* Losses that are told with the next event. */
struct loss {
	unsigned machine, cpu;
	uint64_t count;
};

struct timeline {
	const struct encoder *encoder;
	void *e;
	const struct recording *machines;
	unsigned nr_machines;
	struct arena arena;		/* of what timeline_learn() has made last */
	struct known *known;
	const struct layout **layouts;
	unsigned nr_known;
	bool has_elapsed;		/* of a call: only then slices begin in the past */
	struct threads threads;
	struct lanes lanes;
	struct counters counters;
	bool *told_machines;
	struct loss *losses;
	unsigned nr_losses, losses_room;
	uint64_t *told_cpus;		/* a bit for each CPU of each machine; see tell_cpu() */
	unsigned nr_told_cpus;
	uint64_t latest;		/* ns: of the last event */
	struct buf *out;		/* while a function of the interface runs */
	struct details args, rest;		/* of the event that is being written */
	struct timeline_counts counts;
};

/* The event that is being written. */
struct hit {
	unsigned machine;
	uint64_t at;
	const struct text *t;
	const struct event *ev;
	const struct known *known;
	struct thread *thread;
};

/* ---- what may come ---- */

static uint64_t hash_text(uint64_t hash, const char *s)
{
	for (; s && *s; s++)
		hash = (hash ^ (unsigned char)*s) * 0x100000001b3ull;
	return (hash ^ 0xff) * 0x100000001b3ull;
}

static uint64_t function_of(const struct layout *l)
{
	uint64_t hash = hash_text(0xcbf29ce484222325ull ^ (uint64_t)l->site, l->site == SITE_USER ? l->site_name : NULL);

	return hash_text(hash, l->func);
}

/* Only one with all bits of the time can be subtracted from the record's. */
static const struct layout_field *elapsed_of(const struct layout *l)
{
	for (unsigned i = 0; i < l->nr_fields; i++) {
		if (l->fields[i].elapsed && l->fields[i].type.size == 8)
			return &l->fields[i];
	}
	return NULL;
}

/* Is it at the first byte of a function? */
static bool is_entry(const struct layout *l)
{
	return !l->is_return && !l->is_synthetic && (l->site == SITE_USER ? l->func && !l->site_off : l->at_entry);
}

static bool has_return(const struct timeline *tl, const struct layout *l)
{
	for (unsigned i = 0; i < tl->nr_known; i++) {
		const struct layout *other = tl->layouts[i];

		if (other && other->is_return && other->site == l->site && function_of(other) == function_of(l))
			return true;
	}
	return false;
}

void timeline_learn(struct timeline *tl, const struct layout *const *layouts, unsigned nr)
{
	arena_fini(&tl->arena);
	tl->known = arena_array(&tl->arena, struct known, nr);
	tl->layouts = arena_array(&tl->arena, const struct layout *, nr);
	tl->nr_known = nr;
	memcpy(tl->layouts, layouts, nr * sizeof(*layouts));
	for (unsigned i = 0; i < nr; i++) {
		const struct layout *l = layouts[i];
		struct known *k = &tl->known[i];
		struct counted *counted;

		if (!l)
			continue;
		*k = (struct known){ .layout = l, .function = function_of(l), .elapsed = elapsed_of(l) };
		k->paired = is_entry(l) && has_return(tl, l);
		tl->has_elapsed = tl->has_elapsed || (k->elapsed && k->elapsed->elapsed == ELAPSED_CALL);
		k->nr_counted = counters_of(&tl->counters, l, &tl->arena, &counted);
		k->counted = counted;
	}
}

bool timeline_knows(const struct timeline *tl, const struct event *ev)
{
	return ev->rec->probe < tl->nr_known && tl->known[ev->rec->probe].layout == ev->layout;
}

const char *timeline_unused_counter(const struct timeline *tl)
{
	return counters_unused(&tl->counters, tl->layouts, tl->nr_known);
}

/* ---- tracks ---- */

static void tell_machine(struct timeline *tl, unsigned machine)
{
	const char *host = tl->machines[machine].host;
	struct track track = { .kind = TRACK_MACHINE, .machine = machine };
	struct details name = { 0 };

	if (tl->told_machines[machine])
		return;
	tl->told_machines[machine] = true;
	details_copy(&name, *host ? host : "machine", strlen(*host ? host : "machine"));
	track.name = details_at(&name, 0);
	tl->encoder->track(tl->e, &track, tl->out);
	details_fini(&name);
}

/* A track of the machine as a whole. */
static void tell_track(struct timeline *tl, const struct track *track, const char *name)
{
	struct track named = *track;
	struct details text = { 0 };

	tell_machine(tl, track->machine);
	details_copy(&text, name, strlen(name));
	named.name = details_at(&text, 0);
	tl->encoder->track(tl->e, &named, tl->out);
	details_fini(&text);
}

static void tell_named(struct timeline *tl, enum track_kind kind, unsigned machine, uint32_t number, uint32_t pid, const char *comm)
{
	struct track track = { .kind = kind, .machine = machine, .number = number, .pid = pid };
	struct details text = { 0 };

	details_copy(&text, comm, strnlen(comm, BP_COMM_LEN));
	track.name = details_at(&text, 0);
	tl->encoder->track(tl->e, &track, tl->out);
	details_fini(&text);
}

/* Idle tasks have the number 0 on all CPUs. */
static uint64_t key_of(unsigned machine, uint32_t tid, unsigned cpu)
{
	return (uint64_t)machine << 40 | (tid ? tid : 1ull << 32 | cpu);
}

/* The process has the name of its first thread; as long as that has had no event, that of the thread which had one. */
static void tell_process(struct timeline *tl, unsigned machine, uint32_t pid, const char *comm)
{
	bool new;
	struct thread *first = threads_get(&tl->threads, key_of(machine, pid, 0), &new);

	if (first->as_process)
		return;
	first->as_process = true;
	first->pid = pid;
	tell_named(tl, TRACK_PROCESS, machine, pid, pid, comm);
}

static struct track track_of(unsigned machine, const struct thread *t)
{
	bool idle = t->key >> 32 & 1;

	return (struct track){ .kind = idle ? TRACK_IDLE : TRACK_THREAD, .machine = machine, .number = (uint32_t)t->key, .pid = t->pid };
}

static void forget_calls(struct timeline *tl, struct thread *t, unsigned from, unsigned to, const char *why, uint64_t *count);

/* A number can be given to another task. What the one before has entered does not return. */
static struct thread *thread_of(struct timeline *tl, unsigned machine, const struct bp_rec *rec)
{
	uint32_t tid = (uint32_t)rec->common_pid;
	struct thread *t;
	struct track track;
	bool new;

	if (tid && rec->tgid && rec->tgid != tid)
		tell_process(tl, machine, rec->tgid, rec->comm);
	t = threads_get(&tl->threads, key_of(machine, tid, rec->cpu), &new);
	if (t->told && t->pid != rec->tgid) {
		forget_calls(tl, t, 0, t->nr, "its thread ended before it returned", &tl->counts.no_return);
		t->told = t->as_process = false;
		t->nr_over = 0;
	}
	if (t->told && !memcmp(t->comm, rec->comm, BP_COMM_LEN))
		return t;
	t->pid = rec->tgid;
	memcpy(t->comm, rec->comm, BP_COMM_LEN);
	track = track_of(machine, t);
	if (tid && rec->tgid == tid) {
		tell_named(tl, TRACK_PROCESS, machine, tid, tid, t->comm);
		t->as_process = true;
	}
	if (!tid)
		tell_machine(tl, machine);
	tell_named(tl, track.kind, machine, track.number, track.pid, t->comm);
	t->told = true;
	return t;
}

static void tell_cpu(struct timeline *tl, unsigned machine, unsigned cpu)
{
	struct track track = { .kind = TRACK_CPU, .machine = machine, .number = cpu };
	unsigned bit = machine * (UINT16_MAX + 1u) + cpu;
	char name[16];

	while (tl->nr_told_cpus <= bit / 64) {
		unsigned old = tl->nr_told_cpus;

		tl->nr_told_cpus = MAX(2 * old, 16);
		tl->told_cpus = must(realloc(tl->told_cpus, tl->nr_told_cpus * sizeof(*tl->told_cpus)));
		memset(tl->told_cpus + old, 0, (tl->nr_told_cpus - old) * sizeof(*tl->told_cpus));
	}
	if (tl->told_cpus[bit / 64] >> bit % 64 & 1)
		return;
	tl->told_cpus[bit / 64] |= 1ull << bit % 64;
	snprintf(name, sizeof(name), "CPU %u", cpu);
	tell_track(tl, &track, name);
}

/* ---- what an event says ---- */

/* As in a line, without its parentheses. A line has only the address of a program's place. */
static void add_place(struct details *a, const struct hit *h)
{
	const struct layout *l = h->ev->layout;
	struct buf place = { 0 };

	if (l->site == SITE_USER && l->func)
		buf_addf(&place, l->site_off ? "(%s:%s+0x%llx)" : "(%s:%s)", l->site_name, l->func, (unsigned long long)l->site_off);
	else if (l->site == SITE_USER)
		buf_addf(&place, "(%s:0x%llx)", l->site_name, (unsigned long long)l->site_off);
	else if (!l->is_synthetic)
		text_location(h->t, h->ev, &place);
	if (place.len > 2) {
		place.data[place.len - 1] = '\0';
		details_text(a, "place", place.data + 1);
	}
	buf_fini(&place);
}

/* bprobe's own part is the last one, so that more can be added to it. */
static unsigned add_own(struct details *a, const struct hit *h, bool is_slice)
{
	unsigned open = details_open(a, DETAILS_OWN, DETAIL_DICTIONARY);

	details_number(a, "cpu", DETAIL_UNSIGNED, h->ev->rec->cpu);
	if (is_slice)
		details_text(a, "event", h->ev->layout->event);
	else
		add_place(a, h);
	details_stacks(a, h->t, h->ev);
	details_close(a, open);
	return open;
}

static void add_note(struct details *a, unsigned own, const char *name, const char *text)
{
	details_text(a, name, text);
	details_close(a, own);
}

/* What the return of a call had. */
static void add_return(struct details *a, const struct hit *h)
{
	unsigned open = details_open(a, DETAILS_RETURN, DETAIL_DICTIONARY);

	details_fields(a, h->t, h->ev);
	add_own(a, h, true);
	details_close(a, open);
}

static const struct ksym *symbol_of(const struct hit *h)
{
	return h->ev->layout->site == SITE_KERNEL && h->t->ks ? ksyms_lookup(h->t->ks, event_addr(h->ev), NULL) : NULL;
}

static const char *function_name(const struct hit *h)
{
	const struct layout *l = h->ev->layout;
	const struct ksym *sym = l->func ? NULL : symbol_of(h);

	return l->func ? l->func : sym ? sym->name : l->event;
}

/* Functions can have the same name; their addresses differ. */
static uint64_t function_id(const struct hit *h)
{
	const struct ksym *sym = symbol_of(h);

	return h->known->function ^ (sym ? sym->addr * 0x9e3779b97f4a7c15ull : 0);
}

/* ---- instants ---- */

/* @note: NULL: nothing is to be said. */
static void put_instant(struct timeline *tl, const struct hit *h, const char *note)
{
	struct slice s = { .track = track_of(h->machine, h->thread), .start = h->at };
	struct details *a = &tl->args;
	uint32_t name, category;
	unsigned own;

	details_reset(a);
	name = details_copy(a, h->ev->layout->event, strlen(h->ev->layout->event));
	category = details_copy(a, h->ev->layout->group, strlen(h->ev->layout->group));
	details_fields(a, h->t, h->ev);
	own = add_own(a, h, false);
	if (note)
		add_note(a, own, "note", note);
	s.name = details_at(a, name);
	s.category = details_at(a, category);
	s.args = a;
	tl->encoder->instant(tl->e, &s, tl->out);
	tl->counts.instants++;
}

/* Calls become instants at the times of their entries. */
static void forget_calls(struct timeline *tl, struct thread *t, unsigned from, unsigned to, const char *why, uint64_t *count)
{
	for (unsigned i = from; i < to; i++) {
		struct call *c = &t->calls[i];
		struct slice s = { .track = track_of((unsigned)(t->key >> 40), t), .start = c->start, .args = &c->args };

		add_note(&c->args, c->own, "note", why);
		s.name = details_at(&c->args, c->event);
		s.category = details_at(&c->args, c->category);
		tl->encoder->instant(tl->e, &s, tl->out);
		tl->counts.instants++;
		(*count)++;
	}
	if (to == t->nr)
		thread_leave(t, from);
}

static void forget(void *ctx, struct thread *t, unsigned nr)
{
	struct timeline *tl = ctx;

	forget_calls(tl, t, 0, nr, "too many calls were under way to wait for its return", &tl->counts.forgotten);
}

/* ---- calls ---- */

/* Slices of a thread begin one after the other, so that readers that sort them see which is inside which. */
static uint64_t start_of(const struct hit *h)
{
	const struct thread *t = h->thread;
	uint64_t start = MAX(h->at, t->latest);

	return t->nr && start == t->calls[t->nr - 1].start ? start + 1 : start;
}

static void enter(struct timeline *tl, const struct hit *h)
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
	thread_leave(t, which);
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
static bool leave(struct timeline *tl, const struct hit *h, uint64_t *ret_start)
{
	unsigned which = find_call(h);

	if (which == NONE)
		return false;
	*ret_start = h->thread->calls[which].start;
	forget_calls(tl, h->thread, which + 1, h->thread->nr, "no return was seen, but an outer call returned", &tl->counts.no_return);
	put_call(tl, h, which);
	return true;
}

/* ---- durations ---- */

/* The event's duration. False: it has none, or it is not known. */
static bool duration_of(const struct hit *h, uint64_t *ret)
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
static void put_elapsed(struct timeline *tl, const struct hit *h, uint64_t duration)
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
static void put_pair(struct timeline *tl, const struct hit *h, uint64_t duration)
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
	left = is_return && leave(tl, h, &start);
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
		enter(tl, h);
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

/* Calls that are under way: slices without an end. */
static void end_calls(struct timeline *tl, struct thread *t)
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
	thread_leave(t, 0);
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
