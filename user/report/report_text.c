// SPDX-License-Identifier: GPL-2.0-only
/*
 * report_text.c - a recording's summary for people.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "print/bar.h"
#include "report/order.h"
#include "report/report.h"
#include "report/say.h"
#include "report/table.h"

enum { HISTOGRAMS = 3, NARROW = 40 };

struct form {
	struct report *r;
	const struct report_view *view;
	unsigned width;
	uint64_t top;
	struct buf *out;
	struct buf text;		/* scratch */
};

static const char *name(const struct form *f, uint32_t nr)
{
	return nr == INDEX_NONE ? "?" : f->r->names.all[nr].text;
}

/* "12.3" of a hundred. */
static void put_share(struct table *t, uint64_t n, uint64_t all)
{
	uint64_t tenths = all ? (uint64_t)(((unsigned __int128)n * 1000 + all / 2) / all) : 0;

	table_cell(t, "%" PRIu64 ".%u", tenths / 10, (unsigned)(tenths % 10));
}

static const char *time_text(struct form *f, uint64_t ns)
{
	buf_reset(&f->text);
	say_time(&f->text, ns);
	return buf_str(&f->text);
}

/* Ends a table of which only the first rows are shown. @nr: rows that are not; @hits: their events, and those without a row. */
static void put_rest(struct form *f, struct table *t, unsigned name_cells, unsigned nr, uint64_t hits)
{
	if (hits) {
		table_row(t, 0);
		table_cell(t, nr ? "%u more" : "others", nr);
		for (unsigned i = 1; i < name_cells; i++)
			table_cell(t, "%s", "");
		table_cell(t, "%" PRIu64, hits);
		put_share(t, hits, f->r->count);
	}
	table_put(t, f->width, f->view->utf8, f->out);
	buf_addc(f->out, '\n');
	table_fini(t);
}

static void put_sites(struct form *f)
{
	struct table t = { .columns = { { "EVENT", .shrinks = true }, { "FUNCTION", .shrinks = true }, { "COUNT", true }, { "%", true } },
			   .nr_columns = 4 };
	uint32_t *order = order_sites(f->r);
	uint64_t rest = f->r->count;
	unsigned i;

	for (i = 0; i < f->r->nr_sites && i < f->top; i++) {
		const struct report_site *s = &f->r->sites[order[i]];

		table_row(&t, s->count);
		table_cell(&t, "%s", name(f, f->r->events[s->event].name));
		table_cell(&t, "%s", name(f, s->function));
		table_cell(&t, "%" PRIu64, s->count);
		put_share(&t, s->count, f->r->count);
		rest -= s->count;
	}
	put_rest(f, &t, 2, f->r->nr_sites - i, rest);
	free(order);
}

static void put_tasks(struct form *f)
{
	struct table t = { .columns = { { "TASK", .shrinks = true }, { "PID", true }, { "COUNT", true }, { "%", true } }, .nr_columns = 4 };
	uint32_t *order = order_tasks(f->r);
	uint64_t rest = f->r->count;
	unsigned i;

	for (i = 0; i < f->r->nr_tasks && i < f->top; i++) {
		const struct report_task *task = &f->r->tasks[order[i]];

		table_row(&t, task->count);
		table_cell(&t, "%s", name(f, task->comm));
		table_cell(&t, "%d", task->pid);
		table_cell(&t, "%" PRIu64, task->count);
		put_share(&t, task->count, f->r->count);
		rest -= task->count;
	}
	put_rest(f, &t, 2, f->r->nr_tasks - i, rest);
	free(order);
}

static void put_cpus(struct form *f)
{
	struct table t = { .columns = { { "CPU", true }, { "COUNT", true }, { "%", true } }, .nr_columns = 3 };
	uint64_t rest = f->r->count;
	unsigned shown = 0, more = 0;

	for (unsigned i = 0; i < f->r->nr_cpus; i++) {
		const struct report_cpu *c = &f->r->cpus[i];

		if (!c->count)
			continue;
		if (shown++ >= MAX(f->top, 16u)) {
			more++;
			continue;
		}
		table_row(&t, c->count);
		table_cell(&t, "%u", i);
		table_cell(&t, "%" PRIu64, c->count);
		put_share(&t, c->count, f->r->count);
		rest -= c->count;
	}
	put_rest(f, &t, 1, more, rest);
}

/* ---- over time ---- */

static void put_level(const struct form *f, uint64_t n, uint64_t most)
{
	static const char *const blocks[] = { " ", "\u2581", "\u2582", "\u2583", "\u2584", "\u2585", "\u2586", "\u2587", "\u2588" };
	static const char ramp[] = " .:-=+*#@";
	unsigned level = most ? (unsigned)(((unsigned __int128)n * 8 + most - 1) / most) : 0;

	if (f->view->utf8)
		buf_adds(f->out, blocks[level]);
	else
		buf_addc(f->out, ramp[level]);
}

static void put_rate(const struct form *f)
{
	const struct rate *rate = &f->r->rate;
	unsigned columns = f->width - 2, each = (rate->used + columns - 1) / columns;
	uint64_t most = 0, *counts = must(calloc(columns + 1, sizeof(*counts)));

	columns = (rate->used + each - 1) / each;
	for (unsigned i = 0; i < rate->used; i++)
		counts[i / each] += rate_count(rate, 0, i);
	for (unsigned i = 0; i < columns; i++)
		most = MAX(most, counts[i]);
	buf_adds(f->out, "RATE: events in each ");
	say_time(f->out, each * rate->width);
	buf_addf(f->out, ", at most %" PRIu64 "\n|", most);
	for (unsigned i = 0; i < columns; i++)
		put_level(f, counts[i], most);
	buf_adds(f->out, "|\n\n");
	free(counts);
}

/* ---- durations ---- */

static void put_latency_name(const struct form *f, const struct report_latency *l, struct buf *out)
{
	if (l->begin != INDEX_NONE)
		buf_addf(out, "%s%s", name(f, f->r->events[l->begin].name), f->view->utf8 ? " \u2192 " : " > ");
	buf_adds(out, name(f, f->r->events[l->event].name));
}

static void put_histogram(struct form *f, const struct report_latency *l)
{
	unsigned first = LATENCY_BUCKETS, last = 0, label = 0, digits = 1;
	uint64_t most = 0;

	put_latency_name(f, l, f->out);
	buf_addf(f->out, " (%s), nanoseconds\n", name(f, l->function));
	for (unsigned i = 0; i < LATENCY_BUCKETS; i++) {
		if (!l->latency.buckets[i])
			continue;
		first = MIN(first, i);
		last = i;
		most = MAX(most, l->latency.buckets[i]);
	}
	for (uint64_t n = most; n >= 10; n /= 10)
		digits++;
	for (unsigned i = first; i <= last; i++) {
		buf_reset(&f->text);
		bar_put_bucket(&f->text, i);
		label = MAX(label, (unsigned)f->text.len);
	}
	for (unsigned i = first; i <= last; i++) {
		buf_reset(&f->text);
		bar_put_bucket(&f->text, i);
		buf_addf(f->out, "%-*s  %*" PRIu64, (int)label, buf_str(&f->text), (int)digits, l->latency.buckets[i]);
		bar_put(f->out, l->latency.buckets[i], most, bar_width(f->width, label + 2 + digits), f->view->utf8);
		buf_addc(f->out, '\n');
	}
	buf_addc(f->out, '\n');
}

static bool put_latency(struct form *f, struct table *t, struct report_latency *l)
{
	static const unsigned percents[] = { 50, 90, 99 };
	bool exact = latency_is_exact(&l->latency);
	struct buf what = { 0 };

	put_latency_name(f, l, &what);
	table_row(t, 0);
	table_cell(t, "%s", buf_str(&what));
	table_cell(t, "%s", name(f, l->function));
	table_cell(t, "%" PRIu64, l->latency.count);
	table_cell(t, "%s", time_text(f, latency_average(&l->latency)));
	for (unsigned i = 0; i < ARRAY_SIZE(percents); i++)
		table_cell(t, "%s%s", exact ? "" : "~", time_text(f, latency_percentile(&l->latency, percents[i])));
	table_cell(t, "%s", time_text(f, l->latency.max));
	buf_fini(&what);
	return exact;
}

static void put_latencies(struct form *f)
{
	struct table t = { .columns = { { "DURATION", .shrinks = true }, { "FUNCTION", .shrinks = true }, { "COUNT", true }, { "AVG", true },
					{ "P50", true }, { "P90", true }, { "P99", true }, { "MAX", true } }, .nr_columns = 8 };
	uint32_t *order = order_latencies(f->r);
	bool exact = true;
	unsigned i;

	for (i = 0; i < f->r->nr_latencies && i < f->top; i++)
		exact &= put_latency(f, &t, &f->r->latencies[order[i]]);
	if (i)
		table_put(&t, f->width, f->view->utf8, f->out);
	if (f->r->nr_latencies > i)
		buf_addf(f->out, "%u more\n", f->r->nr_latencies - i);
	if (!exact)
		buf_addf(f->out, "~: of more than %d durations, so up to 0.8 %% too high\n", LATENCY_EXACT);
	buf_adds(f->out, i ? "\n" : "");
	for (i = 0; i < f->r->nr_latencies && i < MIN(f->top, (uint64_t)HISTOGRAMS); i++) {
		if (f->r->latencies[order[i]].latency.count)
			put_histogram(f, &f->r->latencies[order[i]]);
	}
	table_fini(&t);
	free(order);
}

/* ---- losses ---- */

static void put_gap(const struct form *f, const struct report_gap *g)
{
	if (g->from)
		say_point(f->out, g->from - MIN(g->from, f->r->first));
	else
		buf_adds(f->out, "start");
	buf_adds(f->out, f->view->utf8 ? "\u2013" : "-");
	if (g->to != REPORT_END)
		say_point(f->out, g->to - MIN(g->to, f->r->first));
	else
		buf_adds(f->out, "end");
}

/* When a CPU lost events: as many of its gaps as the line has room for. */
static void put_when(const struct form *f, uint32_t cpu, size_t from)
{
	uint64_t shown = 0;

	for (unsigned i = 0; i < f->r->nr_gaps; i++) {
		size_t before = f->out->len;

		if (f->r->gaps[i].cpu != cpu)
			continue;
		buf_adds(f->out, shown ? ", " : " ");
		put_gap(f, &f->r->gaps[i]);
		if (shown && table_width(f->out->data + from) + 10 > f->width) {
			f->out->len = before;
			f->out->data[before] = '\0';
			break;
		}
		shown++;
	}
	if (f->r->cpus[cpu].gaps > shown)
		buf_addf(f->out, "%s%" PRIu64 " more", shown ? ", " : " ", f->r->cpus[cpu].gaps - shown);
	buf_addc(f->out, '\n');
}

static void put_losses(const struct form *f)
{
	bool begun = false;

	for (unsigned i = 0; i < f->r->nr_cpus; i++) {
		const struct report_cpu *c = &f->r->cpus[i];
		size_t from;

		if (!c->gaps)
			continue;
		if (!begun)
			buf_adds(f->out, "LOST: how many events, and when (seconds from the first event)\n");
		begun = true;
		from = f->out->len;
		buf_addf(f->out, "CPU %u: %s%" PRIu64 ",", i, c->some_lost ? "more than " : "", c->lost);
		put_when(f, i, from);
	}
	buf_adds(f->out, begun ? "\n" : "");
}

void report_text(struct report *r, const struct report_view *view, struct buf *out)
{
	struct form f = { .r = r, .view = view, .width = MAX(view->width, (unsigned)NARROW), .top = view->top ? view->top : REPORT_TOP,
			  .out = out };

	say_head(r, f.width, out);
	if (r->count) {
		buf_addc(out, '\n');
		put_sites(&f);
		put_tasks(&f);
		put_cpus(&f);
		put_rate(&f);
		put_latencies(&f);
	}
	put_losses(&f);
	say_doubts(r, f.width, out);
	while (out->len > 1 && out->data[out->len - 1] == '\n' && out->data[out->len - 2] == '\n')
		out->data[--out->len] = '\0';
	buf_fini(&f.text);
}
