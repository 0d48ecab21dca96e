// SPDX-License-Identifier: GPL-2.0-only
/*
 * summary.c - what the probes counted, for standard error at the end.
 */
#include "cli/summary.h"

#include <inttypes.h>

#include "cli/session.h"

/* @plan: what the line is of; NULL: of all, or of what has waited for its module to the end. */
static void print_line(FILE *out, const char *name, const struct bp_stat *stat, bool limits, bool missed_known,
		       uint64_t missed, const struct plan *plan)
{
	fprintf(out, "%s: hits: %" PRIu64, name, (uint64_t)stat->hits);
	if (limits)
		fprintf(out, ", limited: %" PRIu64, (uint64_t)stat->limited);
	fprintf(out, ", lost: %" PRIu64 ", faulted: %" PRIu64 ", missed: ",
		(uint64_t)stat->lost, (uint64_t)stat->faults);
	if (missed_known)
		fprintf(out, "%" PRIu64, missed);
	else
		fputs("unknown", out);
	if (plan)
		fprintf(out, ", by: %s", backend_name(plan));
	if (plan && plan->why_dearer)
		fprintf(out, " (%s)", plan->why_dearer);
	fputc('\n', out);
}

static void add_stat(struct bp_stat *to, const struct bp_stat *stat)
{
	to->hits += stat->hits;
	to->limited += stat->limited;
	to->lost += stat->lost;
	to->faults += stat->faults;
}

/* One line for each definition, be it of one function or of many. */
void summary_print(const struct session *s, FILE *out)
{
	bool limits = limit_is_set(&s->opts->limit);
	struct bp_stat sum = { 0 };
	bool all_known = true;
	uint64_t missed = 0;
	unsigned lines = 0;

	for (unsigned i = 0, nr; i < s->nr_probes; i += nr, lines++) {
		const struct probe *p = &s->probes[i];
		struct bp_stat family = { 0 };
		uint64_t family_missed = 0;
		bool known = true;

		nr = MAX(p->nr_family, 1u);
		for (unsigned k = i; k < i + nr; k++) {
			struct bp_stat stat;

			channel_stat(s->channel, k, &stat);
			add_stat(&family, &stat);
			family_missed += s->probes[k].missed;
			known = known && s->probes[k].missed_known;
		}
		print_line(out, p->def->event, &family, limits, known, family_missed, p->plan);
		add_stat(&sum, &family);
		missed += family_missed;
		all_known = all_known && known;
	}
	if (lines > 1)
		print_line(out, "total", &sum, limits, all_known, missed, NULL);
}
