// SPDX-License-Identifier: GPL-2.0-only
/*
 * summary.c - what the probes counted, for standard error at the end.
 */
#include "cli/summary.h"

#include <inttypes.h>

#include "cli/session.h"

static void print_line(FILE *out, const char *name, const struct bp_stat *stat, bool missed_known,
		       uint64_t missed)
{
	fprintf(out, "%s: hits: %" PRIu64 ", lost: %" PRIu64 ", faulted: %" PRIu64 ", missed: ",
		name, (uint64_t)stat->hits, (uint64_t)stat->lost, (uint64_t)stat->faults);
	if (missed_known)
		fprintf(out, "%" PRIu64 "\n", missed);
	else
		fputs("unknown\n", out);
}

void summary_print(const struct session *s, FILE *out)
{
	struct bp_stat sum = { 0 };
	bool all_known = true;
	uint64_t missed = 0;

	for (unsigned i = 0; i < s->nr_probes; i++) {
		const struct probe *p = &s->probes[i];
		struct bp_stat stat;

		engine_stat(s->engine, i, &stat);
		print_line(out, p->def->event, &stat, p->missed_known, p->missed);
		sum.hits += stat.hits;
		sum.lost += stat.lost;
		sum.faults += stat.faults;
		missed += p->missed;
		all_known = all_known && p->missed_known;
	}
	if (s->nr_probes > 1)
		print_line(out, "total", &sum, all_known, missed);
}
