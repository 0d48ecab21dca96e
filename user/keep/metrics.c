// SPDX-License-Identifier: GPL-2.0-only
/*
 * metrics.c - --metrics: counts and histograms of kept events in the text format of Prometheus.
 */
#include "keep/keep.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/own_file.h"
#include "base/version.h"
#include "hist/hist_metrics.h"
#include "keep/kept_counts.h"
#include "keep/kept_switches.h"
#include "keep/kept_triggers.h"
#include "kernel/syms/ksyms.h"
#include "stream/lines.h"
#include "stream/options.h"

enum { MOST_SETS = 1000 };		/* label sets of a histogram, without --top */

struct metrics {
	const struct options *opts;
	struct selection sel;
	struct attacher at;
	struct prom prom;
	struct ksyms *ks;
	struct text text;
	const struct stored *ev;	/* whose histograms are added */
};

/* ---- counts ---- */

static void add(struct metrics *m, const char *name, const char *type, const char *help, const char *labels, uint64_t n)
{
	buf_addf(prom_family(&m->prom, name, type, help), "%s{%s} %" PRIu64 "\n", name, labels, n);
}

static void add_event_labels(const struct stored *ev, struct buf *labels)
{
	prom_label(labels, "group", ev->kept.group);
	prom_label(labels, "event", ev->kept.event);
}

/* All definitions of all parts together: an event is what a reader asks for. */
static int sum_counts(struct metrics *m, const struct stored *const *parts, unsigned nr, struct kept_counts *ret, struct diag *diag)
{
	*ret = (struct kept_counts){ .missed_known = true };
	for (unsigned i = 0; i < nr; i++) {
		struct arena arena = { 0 };
		struct kept_counts *lines;
		int err = kept_counts(&arena, &m->at, parts[i], &lines, diag);

		for (unsigned line = 0; !err && line < parts[i]->kept.nr_lines; line++) {
			const struct kept_counts *c = &lines[line];

			ret->seen += c->seen;
			ret->stat.hits += c->stat.hits;
			ret->stat.filtered += c->stat.filtered;
			ret->stat.limited += c->stat.limited;
			ret->stat.undecided += c->stat.undecided;
			ret->stat.lost += c->stat.lost;
			ret->stat.faults += c->stat.faults;
			ret->stat.cold += c->stat.cold;
			ret->rejected += c->rejected;
			ret->overwritten += c->overwritten;
			ret->missed += c->missed;
			ret->missed_known = ret->missed_known && c->missed_known;
		}
		arena_fini(&arena);
		if (err)
			return err;
	}
	return 0;
}

static void add_counts(struct metrics *m, const char *labels, const struct kept_counts *c)
{
	/* What only grows: a reader's filter would take hits away that were counted before. */
	add(m, "bprobe_seen_total", "counter", "Hits that the program recorded, lost, filtered or limited.", labels, c->seen);
	add(m, "bprobe_hits_total", "counter", "Hits that the program recorded or lost.", labels, c->stat.hits + c->rejected);
	add(m, "bprobe_filtered_total", "counter", "Hits that the program's filter rejected.", labels, c->stat.filtered - c->rejected);
	add(m, "bprobe_rejected_total", "counter", "Recorded hits that the filter rejected when they were read.", labels, c->rejected);
	add(m, "bprobe_undecided_total", "counter", "Filtered hits of which a value could not be read.", labels, c->stat.undecided);
	add(m, "bprobe_limited_total", "counter", "Hits beyond the rate, or after the first one of a task.", labels, c->stat.limited);
	add(m, "bprobe_lost_total", "counter", "Hits that were lost, because the buffer was full.", labels, c->stat.lost);
	add(m, "bprobe_overwritten_total", "counter", "Records that newer ones took the place of.", labels, c->overwritten);
	add(m, "bprobe_faulted_total", "counter", "Hits with a value that could not be read.", labels, c->stat.faults);
	add(m, "bprobe_cold_total", "counter", "Values that could not be read because they were not in memory.", labels, c->stat.cold);
	/* What the kernel does not count is not 0. */
	if (c->missed_known)
		add(m, "bprobe_missed_total", "counter", "Hits for which the kernel did not run the program.", labels, c->missed);
	add(m, "bprobe_missed_known", "gauge", "1 if this kernel counts missed hits.", labels, c->missed_known);
}

/* ---- histograms ---- */

static void add_hist(void *ctx, unsigned number, struct histogram *h, const struct hist_table *table)
{
	struct metrics *m = ctx;
	struct buf labels = { 0 }, text = { 0 };
	const char *name = h->trigger->hist->name;

	add_event_labels(m->ev, &labels);
	buf_addf(&text, "%u", number);
	prom_label(&labels, "hist", name ? name : buf_str(&text));
	add(m, "bprobe_counted_total", "counter", "Hits that a histogram counted.", buf_str(&labels), table->hits);
	add(m, "bprobe_counted_dropped_total", "counter", "Hits that found no room in a histogram's table.", buf_str(&labels), table->dropped);
	hist_metrics_add(&(struct hist_metrics){ .to = &m->prom, .labels = buf_str(&labels), .text = &m->text,
						 .most = m->opts->run.top ? m->opts->run.top : MOST_SETS }, h, table);
	buf_fini(&labels);
	buf_fini(&text);
}

static void open_symbols(struct metrics *m)
{
	struct diag ignored = { 0 };

	if (m->ks)
		return;
	if (ksyms_load(NULL, &m->ks, &ignored))
		m->ks = NULL;		/* addresses have no names then */
	diag_fini(&ignored);
	m->text = lines_text(m->opts, m->ks, -1);
}

static int add_event(struct metrics *m, const struct stored *const *parts, unsigned nr, struct diag *diag)
{
	const struct stored *ev = parts[0];
	struct kept_counts counts;
	struct buf labels = { 0 };
	int err = sum_counts(m, parts, nr, &counts, diag);

	if (!err) {
		add_event_labels(ev, &labels);
		add(m, "bprobe_enabled", "gauge", "1 if the event is attached, and no trigger has switched it off.", buf_str(&labels),
		    ev->enabled && !kept_switches_is_off(ev));
		add_counts(m, buf_str(&labels), &counts);
		m->ev = ev;
		if (ev->kept.nr_triggers)
			open_symbols(m);
		err = kept_triggers_each(&m->sel, ev, m->ks, add_hist, m, diag);
	}
	buf_fini(&labels);
	return err;
}

/* ---- the output ---- */

static int print(struct metrics *m, struct diag *diag)
{
	struct buf out = { 0 };
	const char *path = m->opts->record.output;
	int err = path ? own_file_check("-o", path, diag) : 0;

	prom_print(&m->prom, &out);
	if (!path)
		fputs(buf_str(&out), stdout);
	else if (!err)		/* for others, such as a collector */
		err = own_file_replace(path, &out, true, diag);
	buf_fini(&out);
	return err;
}

static void add_errors(struct metrics *m, unsigned nr)
{
	buf_addf(prom_family(&m->prom, "bprobe_event_errors", "gauge", "Events that could not be read just now, or not completely."),
		 "bprobe_event_errors %u\n", nr);
}

int metrics_run(const struct options *opts)
{
	struct metrics m = { .opts = opts };
	struct buf labels = { 0 };
	struct diag diag = { 0 };
	int status = selection_start(opts, &m.sel);
	bool started = !status;		/* else a good file stays as it is */
	unsigned nr_errors = 0;

	attacher_init(&m.at);
	prom_label(&labels, "version", version);
	add(&m, "bprobe_build_info", "gauge", "The version of bprobe that printed this.", buf_str(&labels), 1);
	selection_skip_old(&m.sel);
	for (unsigned i = 0; i < m.sel.nr_events; i++) {
		const struct stored **parts;
		unsigned nr = selection_parts(&m.sel, i, &parts);

		if (nr && add_event(&m, parts, nr, &diag)) {
			status = report_error(&diag, EXIT_KERNEL);
			nr_errors++;
		}
		diag_fini(&diag);
	}
	if (!status && m.sel.nr_troubles)
		status = EXIT_KERNEL;
	add_errors(&m, nr_errors + m.sel.nr_troubles);
	if (started && print(&m, &diag))
		status = report_error(&diag, EXIT_KERNEL);
	diag_fini(&diag);
	buf_fini(&labels);
	prom_fini(&m.prom);
	ksyms_close(m.ks);
	selection_close(&m.sel);
	return status;
}
