// SPDX-License-Identifier: GPL-2.0-only
/*
 * summary.c - prints the counters of the probes to standard error at the end.
 */
#include "set/summary.h"

#include <inttypes.h>
#include <string.h>

#include "hist/triggers.h"
#include "lang/pair.h"
#include "run/channel.h"
#include "set/later.h"
#include "set/pairs.h"
#include "set/set.h"

/* The numbers of one line: of a definition's probes, or of all probes. */
struct sum {
	struct bp_stat stat;		/* as the programs counted */
	bool filters, limits, overwrites;	/* filters, limits, or rings that overwrite exist */
	uint64_t in_user;		/* hits that user space has filtered out */
	uint64_t undecided;		/* hits that were filtered out because a value could not be read */
	uint64_t overwritten;
	bool counts, together;		/* programs count hits in histograms; those of several definitions in one */
	uint64_t counted;
	uint64_t raced;			/* see struct count_missing */
};

/* How many functions of a pattern use another hook than the first ones. */
static void print_others(FILE *out, const struct probe *p)
{
	const char *hook = backend_hook(p->plan), *other = NULL;
	unsigned nr = 0;

	for (unsigned i = 1; i < p->family.nr; i++) {
		const struct plan *plan = p[i].plan;

		if (!strcmp(backend_hook(plan), hook))
			continue;
		other = other ? other : backend_hook(plan);
		nr += MAX(plan->target.nr_addrs, 1u);
	}
	if (nr)
		fprintf(out, ", and %u of %u functions by %s", nr, p->family.nr_functions, other);
}

/* @p: the first probe of the line's definition; NULL: the line is for all, or the probe waited for its module until the end. */
static void print_line(FILE *out, const char *name, const struct sum *sum, bool missed_known,
		       uint64_t missed, const struct probe *p)
{
	const struct plan *plan = p ? p->plan : NULL;
	const struct bp_stat *stat = &sum->stat;

	fprintf(out, "%s: hits: %" PRIu64, name, (uint64_t)stat->hits - sum->in_user);
	if (sum->counts)
		fprintf(out, ", counted: %" PRIu64 "%s", sum->counted, sum->together ? " (in a histogram of several definitions)" : "");
	if (sum->filters)
		fprintf(out, ", filtered: %" PRIu64, (uint64_t)stat->filtered + sum->in_user);
	if (sum->in_user)
		fprintf(out, " (in user space: %" PRIu64 ")", sum->in_user);
	if (sum->undecided)
		fprintf(out, ", undecided: %" PRIu64, sum->undecided);
	if (sum->limits)
		fprintf(out, ", limited: %" PRIu64, (uint64_t)stat->limited);
	if (sum->overwrites)
		fprintf(out, ", overwritten: %" PRIu64, sum->overwritten);
	fprintf(out, ", lost: %" PRIu64 ", faulted: %" PRIu64, (uint64_t)stat->lost, (uint64_t)stat->faults);
	if (sum->raced)
		fprintf(out, ", raced: %" PRIu64, sum->raced);
	if (stat->cold)
		fprintf(out, ", not in memory: %" PRIu32, stat->cold);
	fputs(", missed: ", out);
	if (missed_known)
		fprintf(out, "%" PRIu64, missed);
	else
		fputs("unknown", out);
	if (plan)
		fprintf(out, ", by: %s", backend_hook(plan));
	if (plan && plan->why_dearer)
		fprintf(out, " (%s)", plan->why_dearer);
	if (plan)
		print_others(out, p);
	fputc('\n', out);
}

static void add_sum(struct sum *to, const struct sum *sum)
{
	to->stat.hits += sum->stat.hits;
	to->stat.filtered += sum->stat.filtered;
	to->stat.limited += sum->stat.limited;
	to->stat.lost += sum->stat.lost;
	to->stat.faults += sum->stat.faults;
	to->stat.cold += sum->stat.cold;
	to->filters = to->filters || sum->filters;
	to->limits = to->limits || sum->limits;
	to->overwrites = to->overwrites || sum->overwrites;
	to->in_user += sum->in_user;
	to->undecided += sum->undecided;
	to->overwritten += sum->overwritten;
}

/* "4M", or "256K" if it is no whole number of MiB. */
static void print_size(uint64_t bytes, FILE *out)
{
	uint64_t kib = bytes >> 10;

	fprintf(out, "%" PRIu64 "%c", kib % 1024 ? kib : kib >> 10, kib % 1024 ? 'K' : 'M');
}

uint64_t summary_bytes(const struct layout *l, uint64_t records)
{
	return records * l->short_size;
}

void summary_advise_buffer(uint64_t ring_size, uint64_t lost_bytes, const char *kept, FILE *out)
{
	uint64_t size = MAX(ring_size, 4096u), largest = channel_largest();

	/* A ring that has room for what it had when it was full, and for all that was lost, never fills up. */
	while (size < ring_size + lost_bytes && size <= largest)
		size *= 2;
	if (size > largest) {
		fputs("help: no --buffer has room for what was lost: record fewer hits, by a filter or --rate; it is ", out);
		print_size(ring_size, out);
		fputs(" a CPU now, and ", out);
		print_size(largest, out);
		fputs(" at most\n", out);
		return;
	}
	if (kept)
		fprintf(out, "help: keep %s again with --buffer ", kept);
	else
		fputs("help: --buffer ", out);
	print_size(size, out);
	fputs(kept ? ", which has room for what was lost; it is " : " has room for what was lost; it is ", out);
	print_size(ring_size, out);
	fputs(" a CPU now\n", out);
}

/* Bytes of the records that one ring had no room for: the largest number. If CPUs share a ring, those of all rings. */
static uint64_t lost_bytes(const struct set *s)
{
	uint64_t most = 0, all = 0;

	for (unsigned cpu = 0; cpu < s->channel->nr_cpus; cpu++) {
		uint64_t bytes = 0;

		for (unsigned i = 0; i < s->nr_probes; i++) {
			struct bp_stat stat;

			channel_stat_cpu(s->channel, i, cpu, &stat);
			if (stat.lost && s->probes[i].plan)
				bytes += summary_bytes(&s->probes[i].plan->layout, stat.lost);
		}
		for (const struct count_made *made = s->mades; made; made = made->next) {
			struct bp_stat stat;

			channel_stat_cpu(s->channel, s->nr_probes + made->nr, cpu, &stat);
			bytes += summary_bytes(&made->plan->layout, stat.lost);
		}
		most = MAX(most, bytes);
		all += bytes;
	}
	return s->channel->nr_rings < s->channel->nr_cpus ? all : most;
}

/* How many hits of its first event the kernel has missed; false: that is not known of all. */
static bool missed_begins(const struct set *s, const struct pair *pair, uint64_t *ret)
{
	bool known = true;

	*ret = 0;
	for (unsigned i = 0; i < s->nr_probes; i++) {
		if (s->probes[i].def->pair != pair || s->probes[i].def->ends_pair)
			continue;
		*ret += s->probes[i].outcomes.missed;
		known = known && s->probes[i].outcomes.missed_known;
	}
	return known;
}

static void print_pairs(FILE *out, const struct set *s)
{
	for (unsigned i = 0; i < s->nr_pairs; i++) {
		const struct pair *pair = &s->pairs[i];
		uint64_t full = pairs_count(s, pair, false), missed;

		fprintf(out, "%s: hits of %s without one of %s: %" PRIu64, pair->text, pair->end.event, pair->begin.event,
			pairs_count(s, pair, true));
		if (full)
			fprintf(out, ", hits of %s without room (%u at a time): %" PRIu64, pair->begin.event,
				s->channel->pair_room, full);
		if (missed_begins(s, pair, &missed) && missed)
			fprintf(out, ", hits of %s missed: %" PRIu64 " (at most so many durations begin at the hit before)",
				pair->begin.event, missed);
		fputc('\n', out);
	}
}

/* The first probe of the definition behind that of probe @i. */
static unsigned next_definition(const struct set *s, unsigned i)
{
	return i + MAX(s->probes[i].family.nr, 1u);
}

/* The number of definitions from probe @first up to probe @end whose hits are counted in @table. */
static unsigned nr_counting(const struct set *s, const struct triggers *triggers, unsigned first, unsigned end, const void *table)
{
	unsigned nr = 0;

	for (unsigned i = first; i < end; i = next_definition(s, i))
		nr += triggers_counted(triggers, i).table == table;
	return nr;
}

/* What programs have counted for the definition of probe @first. */
static void set_counted(const struct set *s, const struct triggers *triggers, unsigned first, struct sum *sum)
{
	const struct triggers_counted c = triggers_counted(triggers, first);

	sum->counts = c.table;
	sum->counted = c.hits;
	sum->raced = c.raced;
	sum->together = c.table && nr_counting(s, triggers, 0, s->nr_probes, c.table) > 1;
}

/*
 * The same for all definitions. Where one has several tables, and one is shared with others, the sum could have a hit twice: then it is
 * left out.
 */
static void set_all_counted(const struct set *s, const struct triggers *triggers, struct sum *sum)
{
	bool several = false, together = false;

	for (unsigned i = 0; i < s->nr_probes; i = next_definition(s, i)) {
		const struct triggers_counted c = triggers_counted(triggers, i);
		bool again = c.table && nr_counting(s, triggers, 0, i, c.table);

		several |= c.several;
		together |= again;
		sum->counts |= c.table != NULL;
		sum->counted += again ? 0 : c.hits;
		sum->raced += again ? 0 : c.raced;
	}
	sum->counts &= !(several && together);
}

/* Synthetic events whose records somebody wants, or that have a filter. Returns how many were lost. */
static uint64_t print_mades(FILE *out, const struct set *s)
{
	uint64_t lost = 0;

	for (const struct count_made *made = s->mades; made; made = made->next) {
		struct bp_stat stat;

		if (!made->is_line && !made->plan->filter)
			continue;
		channel_stat(s->channel, s->nr_probes + made->nr, &stat);
		fprintf(out, "%s: ", made->plan->layout.event);
		if (made->is_line)		/* else nothing counts those that are made but the histogram */
			fprintf(out, "made: %" PRIu64 "%s", (uint64_t)stat.hits, made->plan->filter ? ", " : "");
		if (made->plan->filter)
			fprintf(out, "filtered: %" PRIu64, (uint64_t)stat.filtered);
		if (made->is_line)
			fprintf(out, ", lost: %" PRIu64, (uint64_t)stat.lost);
		fputc('\n', out);
		lost += stat.lost;
	}
	return lost;
}

/* One line for each definition, whether it has one function or many. */
void summary_print(struct set *s, const struct triggers *triggers, FILE *out)
{
	struct sum sum = { 0 };
	bool all_known = true;
	uint64_t missed = 0;
	unsigned lines = 0;

	for (unsigned i = 0, nr; i < s->nr_probes; i += nr, lines++) {
		const struct probe *p = &s->probes[i];
		struct sum family = { 0 };
		uint64_t family_missed = 0;
		bool known = true;

		nr = MAX(p->family.nr, 1u);
		for (unsigned k = i; k < i + nr; k++) {
			struct sum one = { .filters = s->probes[k].def->filter, .in_user = s->probes[k].outcomes.filtered,
					   .limits = limit_is_set(&s->opts->limit), .overwrites = s->opts->overwrites,
					   .overwritten = s->probes[k].outcomes.overwritten };

			channel_stat(s->channel, k, &one.stat);
			one.undecided = one.stat.undecided + s->probes[k].outcomes.undecided;
			add_sum(&family, &one);
			family_missed += s->probes[k].outcomes.missed;
			known = known && s->probes[k].outcomes.missed_known;
		}
		set_counted(s, triggers, i, &family);
		print_line(out, p->def->event, &family, known, family_missed, p);
		if (family.undecided || family.stat.cold)
			later_advise(s, p->def, family.undecided, out);
		add_sum(&sum, &family);
		missed += family_missed;
		all_known = all_known && known;
	}
	set_all_counted(s, triggers, &sum);
	if (lines > 1)
		print_line(out, "total", &sum, all_known, missed, NULL);
	print_pairs(out, s);
	sum.stat.lost += print_mades(out, s);
	/* Rings that overwrite lose a record only while an older program still writes: no size is enough for that. */
	if (sum.stat.lost && s->channel && !sum.overwrites)
		summary_advise_buffer(s->channel->ring_size, lost_bytes(s), NULL, out);
}
