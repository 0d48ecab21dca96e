// SPDX-License-Identifier: GPL-2.0-only
/*
 * collect.c - the sink that counts a recording's events.
 */
#include <stdlib.h>

#include "base/escape.h"
#include "base/memory.h"
#include "print/text.h"
#include "report/report.h"
#include "report/site.h"

static void free_all(struct report *r)
{
	for (unsigned i = 0; i < r->nr_latencies; i++)
		latency_fini(&r->latencies[i].latency);
	free(r->layouts);
	free(r->events);
	free(r->sites);
	free(r->places);
	free(r->tasks);
	free(r->cpus);
	free(r->gaps);
	free(r->latencies);
	free(r->called);
	free(r->rows);
	free(r->hits);
}

void report_init(struct report *r)
{
	r->exact_room = LATENCY_ROOM;
	r->node = r->kernel = r->writer = INDEX_NONE;
}

void report_fini(struct report *r)
{
	struct index *all[] = { &r->by_layout, &r->by_event, &r->by_site, &r->by_place, &r->by_task, &r->by_called, &r->by_row };

	free_all(r);
	for (unsigned i = 0; i < ARRAY_SIZE(all); i++)
		index_fini(all[i]);
	strings_fini(&r->names);
	strings_fini(&r->texts);
	rate_fini(&r->rate);
	rate_fini(&r->by_cpu_rate);
	rate_fini(&r->by_task_rate);
	calls_fini(&r->calls);
	flame_fini(&r->flame);
	buf_fini(&r->raw);
	buf_fini(&r->text);
	buf_fini(&r->files);
	*r = (struct report){ 0 };
}

/* ---- files ---- */

void report_file(struct report *r, const char *path, const char *uname, const char *writer, bool complete)
{
	if (r->files.len)
		buf_adds(&r->files, ", ");
	escape_text(&r->files, path, strlen(path), "");
	r->incomplete |= !complete;
	if (writer)
		r->writer = report_name(r, writer, strcspn(writer, "\n"), true);
	if (!uname)
		return;
	uname += strcspn(uname, " ");
	uname += strspn(uname, " ");
	r->node = report_name(r, uname, strcspn(uname, " "), true);
	uname += strcspn(uname, " ");
	uname += strspn(uname, " ");
	r->kernel = report_name(r, uname, strcspn(uname, "\n"), true);
}

void report_damage(struct report *r, uint64_t pages, uint64_t events)
{
	r->bad_pages += pages;
	r->bad_events += events;
}

/* ---- rows ---- */

/* REPORT_ROWS: there is no room for another task. */
static uint32_t task_of(struct report *r, const struct event *ev)
{
	const char *comm = ev->rec->common_pid ? ev->rec->comm : "<idle>";
	int32_t pid = ev->rec->common_pid;
	size_t len = strnlen(comm, BP_COMM_LEN);
	uint64_t hash = index_mix(index_hash(5, comm, len), (uint64_t)pid);
	uint32_t at = 0, nr, name = report_name(r, comm, len, r->nr_tasks < REPORT_ROWS);

	while ((nr = index_next(&r->by_task, hash, &at)) != INDEX_NONE) {
		if (r->tasks[nr].pid == pid && r->tasks[nr].comm == name)
			return nr;
	}
	if (r->nr_tasks == REPORT_ROWS)
		return REPORT_ROWS;
	r->tasks = heap_grow(r->tasks, r->nr_tasks, &r->size_tasks);
	r->tasks[r->nr_tasks] = (struct report_task){ .comm = name, .pid = pid };
	index_add(&r->by_task, hash, r->nr_tasks);
	return r->nr_tasks++;
}

static struct report_cpu *cpu_of(struct report *r, unsigned cpu)
{
	while (r->nr_cpus <= cpu) {
		r->cpus = heap_grow(r->cpus, r->nr_cpus, &r->size_cpus);
		r->cpus[r->nr_cpus++] = (struct report_cpu){ 0 };
	}
	return &r->cpus[cpu];
}

static struct report_row *row_of(struct report *r, uint32_t site, uint32_t task)
{
	uint64_t hash = index_mix(index_mix(6, site), task);
	uint32_t at = 0, nr;

	while ((nr = index_next(&r->by_row, hash, &at)) != INDEX_NONE) {
		if (r->rows[nr].site == site && r->rows[nr].task == task)
			return &r->rows[nr];
	}
	if (r->nr_rows == REPORT_ROWS)
		return NULL;
	r->rows = heap_grow(r->rows, r->nr_rows, &r->size_rows);
	r->rows[r->nr_rows] = (struct report_row){ .site = site, .task = task };
	index_add(&r->by_row, hash, r->nr_rows);
	return &r->rows[r->nr_rows++];
}

/* ---- losses ---- */

static void add_gap(struct report *r, unsigned cpu, uint64_t to)
{
	struct report_cpu *c = &r->cpus[cpu];

	c->in_gap = false;
	c->gaps++;
	if (r->nr_gaps == REPORT_GAPS) {
		r->other_gaps++;
		return;
	}
	r->gaps = heap_grow(r->gaps, r->nr_gaps, &r->size_gaps);
	r->gaps[r->nr_gaps++] = (struct report_gap){ .cpu = cpu, .from = c->count ? c->last : 0, .to = to, .lost = c->gap_lost };
}

/* It comes before the first event behind the losses. */
static void take_lost(void *to, const struct text *t, unsigned cpu, uint64_t count, struct buf *out)
{
	struct report *r = to;
	struct report_cpu *c = cpu_of(r, cpu);

	(void)t;
	(void)out;
	if (!c->in_gap)
		c->gap_lost = 0;
	c->in_gap = true;
	if (count == UINT64_MAX) {
		c->some_lost = r->some_lost = true;
		c->gap_lost = UINT64_MAX;
	} else {
		c->lost += count;
		r->lost += count;
		c->gap_lost += c->gap_lost == UINT64_MAX ? 0 : count;
	}
	calls_lost(&r->calls);
}

/* ---- durations ---- */

static struct report_latency *latency_of(struct report *r, uint32_t *which, uint32_t event, uint32_t begin, uint32_t function)
{
	if (*which == INDEX_NONE) {
		r->latencies = heap_grow(r->latencies, r->nr_latencies, &r->size_latencies);
		r->latencies[r->nr_latencies] = (struct report_latency){ .event = event, .begin = begin, .function = function };
		*which = r->nr_latencies++;
	}
	return &r->latencies[*which];
}

static bool take_elapsed(struct report *r, struct report_site *site, const struct event *ev, const struct layout_field *f, uint64_t *ret_ns)
{
	struct report_latency *l = latency_of(r, &site->latency, site->event, INDEX_NONE, site->function);

	if (event_faulted(ev, f, 0)) {
		l->unknown++;
		return false;
	}
	*ret_ns = event_number(ev, f, 0);
	if (f->type.size < 8)		/* a signed one has kept its low bits, too */
		*ret_ns &= (1ull << 8 * f->type.size) - 1;
	latency_add(&l->latency, *ret_ns, &r->exact_room);
	return true;
}

/* Idle tasks share their number, but never leave their CPU. */
static uint64_t thread_of(const struct event *ev)
{
	return ev->rec->common_pid ? (uint64_t)(uint32_t)ev->rec->common_pid : 1ull << 32 | ev->rec->cpu;
}

static bool take_call(struct report *r, const struct report_site *site, const struct event *ev, uint64_t *ret_ns)
{
	const struct report_event *e = &r->events[site->event];
	struct report_call *c = &r->called[site->called];
	uint32_t *side = e->enters ? &c->enters : &c->leaves;

	if (*side == INDEX_NONE)
		*side = site->event;
	if (*side != site->event)
		return false;
	if (e->enters) {
		calls_enter(&r->calls, &c->count, site->called, thread_of(ev), ev->rec->ts);
		return false;
	}
	if (!calls_return(&r->calls, &c->count, site->called, thread_of(ev), ev->rec->ts, ret_ns))
		return false;
	latency_add(&latency_of(r, &c->latency, site->event, c->enters, site->function)->latency, *ret_ns, &r->exact_room);
	return true;
}

/* ---- the page ---- */

static uint32_t text_of(struct report *r, const struct text *t, const struct event *ev)
{
	size_t most = r->texts.bytes < REPORT_TEXTS ? REPORT_TEXT : REPORT_SHORT, len;

	buf_reset(&r->raw);
	buf_reset(&r->text);
	for (unsigned i = 0; i < ev->layout->nr_fields && r->raw.len < most; i++) {
		buf_addf(&r->raw, "%s%s=", i ? " " : "", ev->layout->fields[i].name);
		text_field(t, ev, &ev->layout->fields[i], &r->raw);
	}
	len = MIN(r->raw.len, most);
	escape_text(&r->text, buf_str(&r->raw), len - (len < r->raw.len ? escape_unfinished(buf_str(&r->raw), len) : 0), "");
	if (len < r->raw.len)
		buf_adds(&r->text, "\u2026");
	return strings_add(&r->texts, buf_str(&r->text), r->text.len);
}

static void add_hit(struct report *r, const struct text *t, const struct event *ev, const struct report_hit *hit)
{
	if (r->count > REPORT_HITS) {
		if (!r->dropped) {
			free(r->hits);
			r->hits = NULL;
			r->nr_hits = r->size_hits = 0;
			strings_fini(&r->texts);
		}
		r->dropped = true;
		return;
	}
	r->hits = heap_grow(r->hits, r->nr_hits, &r->size_hits);
	r->hits[r->nr_hits] = *hit;
	r->hits[r->nr_hits++].text = text_of(r, t, ev);
}

static void add_row(struct report *r, const struct report_hit *hit)
{
	struct report_row *row = hit->site < REPORT_ROWS && hit->task < REPORT_ROWS ? row_of(r, hit->site, hit->task) : NULL;

	if (!row) {
		r->other_rows++;
		return;
	}
	if (!row->count++)
		row->first = hit->ts;
	row->last = hit->ts;
	if (!hit->has_duration)
		return;
	row->durations++;
	row->sum += hit->duration;
	row->max = MAX(row->max, hit->duration);
}

static void add_for_page(struct report *r, const struct text *t, const struct event *ev, const struct report_hit *hit)
{
	rate_add(&r->by_cpu_rate, MIN(hit->cpu, (unsigned)REPORT_TRACKS), hit->ts);
	rate_add(&r->by_task_rate, MIN(hit->task, (unsigned)REPORT_TRACKS), hit->ts);
	add_row(r, hit);
	add_hit(r, t, ev, hit);
	/* A task without a row is in no stack: its name may be the hundred thousandth. */
	if (hit->task < REPORT_ROWS)
		flame_add(&r->flame, &r->names, t, ev, r->tasks[hit->task].comm);
}

/* ---- the sink ---- */


static void count_hit(struct report *r, const struct report_hit *hit)
{
	struct report_cpu *cpu = cpu_of(r, hit->cpu);

	if (cpu->in_gap)
		add_gap(r, hit->cpu, hit->ts);
	cpu->count++;
	cpu->last = hit->ts;
	r->first = r->count ? MIN(r->first, hit->ts) : hit->ts;
	r->last = MAX(r->last, hit->ts);
	r->count++;
	if (hit->task < REPORT_ROWS)
		r->tasks[hit->task].count++;
	else
		r->other_tasks++;
	rate_add(&r->rate, 0, hit->ts);
}

static void take_event(void *to, struct text *t, const struct event *ev, struct buf *out)
{
	struct report *r = to;
	const struct layout_field *elapsed;
	struct report_hit hit = { .ts = ev->rec->ts, .cpu = ev->rec->cpu, .site = report_site_of(r, t, ev, &elapsed), .task = task_of(r, ev) };

	(void)out;
	count_hit(r, &hit);
	if (hit.site < REPORT_ROWS) {
		struct report_site *site = &r->sites[hit.site];

		site->count++;
		r->events[site->event].count++;
		if (elapsed)
			hit.has_duration = take_elapsed(r, site, ev, elapsed, &hit.duration);
		else if (site->called != INDEX_NONE)
			hit.has_duration = take_call(r, site, ev, &hit.duration);
	} else {
		r->other_sites++;
	}
	if (r->for_page)
		add_for_page(r, t, ev, &hit);
}

void report_end(struct report *r)
{
	for (unsigned i = 0; i < r->nr_cpus; i++) {
		if (r->cpus[i].in_gap)
			add_gap(r, i, REPORT_END);
	}
}

const struct sink sink_report = { .event = take_event, .lost = take_lost };
