/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hist_metrics.h - histograms as metrics of Prometheus.
 */
#ifndef HIST_HIST_METRICS_H
#define HIST_HIST_METRICS_H

#include "hist/histogram.h"
#include "print/prom.h"

struct hist_metrics {
	struct prom *to;
	const char *labels;		/* group, event and the like: without braces */
	const struct text *text;	/* for names of keys */
	size_t most;			/* label sets of one histogram at most; those with the most hits are taken. 0: all */
};

/*
 * Adds the entries of @h. With a key in buckets (.log2, .buckets) it becomes histograms with cumulative buckets: bprobe_NAME_hist_bucket, one
 * for each set of the other keys. Otherwise each entry is a counter: bprobe_entry_hits_total. Values are bprobe_entry_sum_total (sums of
 * unsigned values) and bprobe_entry_value. What is left out because of ->most is counted: bprobe_left_out_sets and
 * bprobe_left_out_hits.
 */
void hist_metrics_add(const struct hist_metrics *m, const struct histogram *h, const struct hist_table *table);

#endif
