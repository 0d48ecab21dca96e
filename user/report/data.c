// SPDX-License-Identifier: GPL-2.0-only
/*
 * data.c - a report as JSON.
 *
 * Columns are arrays of numbers, since a page is read faster this way. Each text is there once, in "strings", which comes last: then it is
 * known how much room the texts have.
 */
#include "report/data.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "report/data_strings.h"
#include "report/order.h"
#include "report/report.h"
#include "report/say.h"

enum {
	MOST_ROWS = 5000,		/* of a table, if the page does not have each event */
	MOST_LATENCIES = 500,
	MOST_GAPS = 2000,
	MOST_TRACKS = 128,		/* rows of a timeline in bins; one more for the others */
};

struct data {
	struct report *r;
	struct buf *out;
	struct data_strings strings;
};

static void put_u64(struct data *d, uint64_t n)
{
	buf_dec(d->out, n);
}

/* Behind an element of an array, "," follows; the last one is removed. */
static void end_array(struct data *d, const char *end)
{
	if (d->out->len && d->out->data[d->out->len - 1] == ',')
		d->out->data[--d->out->len] = '\0';
	buf_adds(d->out, end);
}

static void put_item(struct data *d, uint64_t n)
{
	put_u64(d, n);
	buf_addc(d->out, ',');
}

static void put_name(struct data *d, uint32_t name)
{
	put_item(d, data_strings_name(&d->strings, name));
}

/* ---- what was counted ---- */

static void put_head(struct data *d)
{
	const struct report *r = d->r;
	struct buf text = { 0 };

	buf_addf(d->out, "{\"first\":\"%" PRIu64 "\",\"span\":%" PRIu64 ",\"count\":%" PRIu64 ",\"lost\":%" PRIu64 ",\"some_lost\":%s,", r->first,
		 r->last - r->first, r->count, r->lost, r->some_lost ? "true" : "false");
	buf_addf(d->out, "\"limit\":%d,\"exact\":%d,\"head\":", REPORT_HITS, LATENCY_EXACT);
	say_head(r, 1000, &text);
	data_put_string(d->out, buf_str(&text), text.len, SIZE_MAX);
	buf_reset(&text);
	buf_adds(d->out, ",\"notes\":");
	say_doubts(r, 100000, &text);
	data_put_string(d->out, buf_str(&text), text.len, SIZE_MAX);
	buf_fini(&text);
}

static void put_events(struct data *d)
{
	buf_adds(d->out, ",\"events\":[");
	for (unsigned i = 0; i < d->r->nr_events; i++) {
		buf_addc(d->out, '[');
		put_name(d, d->r->events[i].name);
		put_name(d, d->r->events[i].group);
		end_array(d, "],");
	}
	end_array(d, "]");
}

/* All of them if each event is there, since these have the numbers; else the largest ones, in their order. */
static void put_sites(struct data *d)
{
	uint32_t *order = d->r->dropped ? order_sites(d->r) : NULL;
	unsigned nr = order ? MIN(d->r->nr_sites, (unsigned)MOST_ROWS) : d->r->nr_sites;
	uint64_t rest = d->r->count;

	buf_adds(d->out, ",\"sites\":[");
	for (unsigned i = 0; i < nr; i++) {
		const struct report_site *s = &d->r->sites[order ? order[i] : i];

		buf_addc(d->out, '[');
		put_item(d, s->event);
		put_name(d, s->function);
		put_item(d, s->count);
		end_array(d, "],");
		rest -= s->count;
	}
	end_array(d, "]");
	buf_addf(d->out, ",\"other_sites\":%" PRIu64, rest);
	free(order);
}

static void put_tasks(struct data *d)
{
	uint32_t *order = d->r->dropped ? order_tasks(d->r) : NULL;
	unsigned nr = order ? MIN(d->r->nr_tasks, (unsigned)MOST_ROWS) : d->r->nr_tasks;
	uint64_t rest = d->r->count;

	buf_adds(d->out, ",\"tasks\":[");
	for (unsigned i = 0; i < nr; i++) {
		const struct report_task *t = &d->r->tasks[order ? order[i] : i];

		buf_addc(d->out, '[');
		put_name(d, t->comm);
		buf_sdec(d->out, t->pid);
		buf_addf(d->out, ",%" PRIu64 "],", t->count);
		rest -= t->count;
	}
	end_array(d, "]");
	buf_addf(d->out, ",\"other_tasks\":%" PRIu64, rest);
	free(order);
}

static void put_cpus(struct data *d)
{
	buf_adds(d->out, ",\"cpus\":[");
	for (unsigned i = 0; i < d->r->nr_cpus; i++) {
		const struct report_cpu *c = &d->r->cpus[i];

		if (c->count || c->gaps)
			buf_addf(d->out, "[%u,%" PRIu64 ",%" PRIu64 ",%d],", i, c->count, c->lost, c->some_lost);
	}
	end_array(d, "]");
	buf_adds(d->out, ",\"gaps\":[");
	for (unsigned i = 0; i < d->r->nr_gaps && i < MOST_GAPS; i++) {
		const struct report_gap *g = &d->r->gaps[i];

		buf_addf(d->out, "[%u,", g->cpu);
		put_item(d, g->from ? g->from - MIN(g->from, d->r->first) : 0);
		put_item(d, g->to == REPORT_END ? d->r->last - d->r->first : g->to - MIN(g->to, d->r->first));
		if (g->lost == UINT64_MAX)
			buf_adds(d->out, "-1],");
		else
			buf_addf(d->out, "%" PRIu64 "],", g->lost);
	}
	end_array(d, "]");
}

static void put_latencies(struct data *d)
{
	uint32_t *order = order_latencies(d->r);

	buf_adds(d->out, ",\"latencies\":[");
	for (unsigned i = 0; i < d->r->nr_latencies && i < MOST_LATENCIES; i++) {
		struct report_latency *l = &d->r->latencies[order[i]];

		buf_addf(d->out, "{\"event\":%u,\"begin\":%d,\"function\":", l->event, l->begin == INDEX_NONE ? -1 : (int)l->begin);
		put_u64(d, data_strings_name(&d->strings, l->function));
		buf_addf(d->out, ",\"count\":%" PRIu64 ",\"unknown\":%" PRIu64 ",\"sum\":%.0f,\"min\":%" PRIu64 ",\"max\":%" PRIu64 ",\"avg\":%" PRIu64,
			 l->latency.count, l->unknown, (double)l->latency.sum, l->latency.min, l->latency.max, latency_average(&l->latency));
		for (unsigned p = 0; p < 3; p++)
			buf_addf(d->out, ",\"p%u\":%" PRIu64, p == 0 ? 50u : p == 1 ? 90u : 99u,
				 latency_percentile(&l->latency, p == 0 ? 50 : p == 1 ? 90 : 99));
		buf_addf(d->out, ",\"exact\":%s,\"buckets\":[", latency_is_exact(&l->latency) ? "true" : "false");
		for (unsigned b = 0; b < LATENCY_BUCKETS; b++) {
			if (l->latency.buckets[b])
				buf_addf(d->out, "[%u,%" PRIu64 "],", b, l->latency.buckets[b]);
		}
		end_array(d, "]},");
	}
	end_array(d, "]");
	free(order);
}

static void put_flame(struct data *d)
{
	const struct flame *f = &d->r->flame;

	buf_addf(d->out, ",\"stacks\":%" PRIu64 ",\"cut_stacks\":%" PRIu64 ",\"parents\":[", f->stacks, f->cut);
	for (unsigned i = 1; i < f->nr; i++)
		put_item(d, f->nodes[i].parent);
	end_array(d, "],\"frames\":[");
	for (unsigned i = 1; i < f->nr; i++)
		put_name(d, f->nodes[i].name);
	end_array(d, "],\"selves\":[");
	for (unsigned i = 1; i < f->nr; i++)
		put_item(d, f->nodes[i].self);
	end_array(d, "],\"kernel\":[");
	for (unsigned i = 1; i < f->nr; i++)
		put_item(d, f->nodes[i].in_kernel);
	end_array(d, "]");
}

/* ---- each event ---- */

static void put_hits(struct data *d)
{
	const struct report_hit *hits = d->r->hits;
	unsigned nr = d->r->nr_hits;
	uint64_t last = d->r->first;

	buf_adds(d->out, ",\"hits\":{\"time\":[");
	for (unsigned i = 0; i < nr; last = MAX(last, hits[i].ts), i++)
		put_item(d, hits[i].ts > last ? hits[i].ts - last : 0);
	end_array(d, "],\"cpu\":[");
	for (unsigned i = 0; i < nr; i++)
		put_item(d, hits[i].cpu);
	end_array(d, "],\"task\":[");
	for (unsigned i = 0; i < nr; i++)
		put_item(d, MIN(hits[i].task, d->r->nr_tasks));
	end_array(d, "],\"site\":[");
	for (unsigned i = 0; i < nr; i++)
		put_item(d, MIN(hits[i].site, d->r->nr_sites));
	end_array(d, "],\"duration\":[");
	for (unsigned i = 0; i < nr; i++) {
		if (hits[i].has_duration)
			put_item(d, hits[i].duration);
		else
			buf_adds(d->out, "-1,");
	}
	end_array(d, "],\"text\":[");
	for (unsigned i = 0; i < nr; i++)
		put_item(d, data_strings_text(&d->strings, hits[i].text));
	end_array(d, "]}");
}

/* ---- bins ---- */

/* Bins that are not 0: how many are skipped, and the count. */
static void put_bins(struct data *d, const struct rate *rate, unsigned row)
{
	unsigned skipped = 0;

	buf_addc(d->out, '[');
	for (unsigned i = 0; i < rate->used; i++) {
		uint32_t n = rate_count(rate, row, i);

		if (n) {
			put_item(d, skipped);
			put_item(d, n);
		}
		skipped = n ? 0 : skipped + 1;
	}
	end_array(d, "],");
}

/* Timelines of the tasks with the most events. The others are one row, the last one: -1. */
static void put_task_bins(struct data *d)
{
	uint32_t *order = order_tasks(d->r);
	unsigned shown = 0;

	buf_adds(d->out, ",\"task_rows\":[");
	for (unsigned i = 0; i < d->r->nr_tasks; i++) {
		if (order[i] >= REPORT_TRACKS)
			continue;
		if (shown >= MOST_TRACKS || i >= MOST_ROWS) {
			rate_join(&d->r->by_task_rate, REPORT_TRACKS, order[i]);
			continue;
		}
		buf_addf(d->out, "%u,", i);
		put_bins(d, &d->r->by_task_rate, order[i]);
		shown++;
	}
	if (REPORT_TRACKS < d->r->by_task_rate.nr && d->r->by_task_rate.rows[REPORT_TRACKS]) {
		buf_adds(d->out, "-1,");
		put_bins(d, &d->r->by_task_rate, REPORT_TRACKS);
	}
	end_array(d, "]");
	free(order);
}

static void put_cpu_bins(struct data *d)
{
	unsigned shown = 0;

	buf_adds(d->out, ",\"cpu_rows\":[");
	for (unsigned i = 0; i < d->r->by_cpu_rate.nr && i < REPORT_TRACKS; i++) {
		if (!d->r->by_cpu_rate.rows[i])
			continue;
		if (shown++ >= MOST_TRACKS) {
			rate_join(&d->r->by_cpu_rate, REPORT_TRACKS, i);
			continue;
		}
		buf_addf(d->out, "%u,", i);
		put_bins(d, &d->r->by_cpu_rate, i);
	}
	if (REPORT_TRACKS < d->r->by_cpu_rate.nr && d->r->by_cpu_rate.rows[REPORT_TRACKS]) {
		buf_adds(d->out, "-1,");
		put_bins(d, &d->r->by_cpu_rate, REPORT_TRACKS);
	}
	end_array(d, "]");
}

static void put_rows(struct data *d)
{
	uint32_t *order = order_rows(d->r);
	uint64_t rest = d->r->count;

	buf_adds(d->out, ",\"rows\":[");
	for (unsigned i = 0; i < d->r->nr_rows && i < 2 * MOST_ROWS; i++) {
		const struct report_row *row = &d->r->rows[order[i]];
		const struct report_site *s = &d->r->sites[row->site];
		const struct report_task *t = &d->r->tasks[row->task];

		buf_addc(d->out, '[');
		put_item(d, s->event);
		put_name(d, s->function);
		put_name(d, t->comm);
		buf_addf(d->out, "%d,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",", t->pid, row->count, row->first - d->r->first, row->last - d->r->first);
		if (row->durations)
			buf_addf(d->out, "%" PRIu64 ",%" PRIu64 "],", row->sum / row->durations, row->max);
		else
			buf_adds(d->out, "-1,-1],");
		rest -= row->count;
	}
	end_array(d, "]");
	buf_addf(d->out, ",\"other_rows\":%" PRIu64, rest);
	free(order);
}

static void put_rate(struct data *d)
{
	buf_addf(d->out, ",\"width\":%" PRIu64 ",\"bins\":%u,\"rate\":", d->r->rate.width, d->r->rate.used);
	put_bins(d, &d->r->rate, 0);
	end_array(d, "");
}

void data_put(struct report *r, size_t most, struct buf *out)
{
	struct data d = { .r = r, .out = out };
	size_t from = out->len;

	data_strings_init(&d.strings, &r->names, &r->texts);
	put_head(&d);
	put_events(&d);
	put_sites(&d);
	put_tasks(&d);
	put_cpus(&d);
	put_rate(&d);
	put_latencies(&d);
	put_flame(&d);
	if (r->dropped) {
		put_task_bins(&d);
		put_cpu_bins(&d);
		put_rows(&d);
	} else {
		put_hits(&d);
	}
	data_strings_put(&d.strings, most - MIN(most, out->len - from), out);
	buf_addc(out, '}');
	data_strings_fini(&d.strings);
}
