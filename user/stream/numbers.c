// SPDX-License-Identifier: GPL-2.0-only
/*
 * numbers.c - gives each event of a stream its number, and tells which numbers have no event.
 */
#include "stream/numbers.h"

#include <stdlib.h>

#include "base/memory.h"
#include "print/sender.h"
#include "stream/stream.h"

/* Numbers one after the other that were not printed. */
struct range {
	uint32_t first, last;
	bool open;			/* it is not told yet */
};

struct numbers {
	struct series *series;		/* of each source */
	struct range *skipped;		/* of each source on each CPU */
	unsigned *open;			/* the numbers of those that are open */
	unsigned nr_open;
};

void numbers_begin(struct stream *s)
{
	struct numbers *n;

	numbers_close(s->numbers);
	s->numbers = NULL;
	if (!s->text.sender || !s->sink->gap)
		return;
	n = must(calloc(1, sizeof(*n)));
	n->series = must(calloc(s->nr_sources + 1, sizeof(*n->series)));
	n->skipped = must(calloc((size_t)s->nr_sources * s->nr_cpus + 1, sizeof(*n->skipped)));
	n->open = must(calloc((size_t)s->nr_sources * s->nr_cpus + 1, sizeof(*n->open)));
	for (unsigned i = 0; i < s->nr_sources; i++) {
		if (s->sources[i].channel)
			n->series[i] = (struct series){ channel_id(s->sources[i].channel), s->sources[i].index };
	}
	s->numbers = n;
}

void numbers_close(struct numbers *n)
{
	if (!n)
		return;
	free(n->series);
	free(n->skipped);
	free(n->open);
	free(n);
}

/* The number with all its bits. The counter has reached it, and is less than 2^32 hits further. */
static uint64_t whole(const struct source *from, unsigned cpu, uint32_t seq)
{
	struct bp_stat stat;

	channel_stat_cpu(from->channel, from->index, cpu, &stat);
	return stat.hits - (uint32_t)((uint32_t)stat.hits - seq);
}

static void tell(struct stream *s, unsigned i, unsigned cpu, bool lost, uint64_t count, uint32_t first, uint32_t last)
{
	const struct source *from = &s->sources[i];
	struct gap gap = { .layout = from->layout, .series = s->numbers->series[i], .cpu = cpu, .lost = lost, .count = count,
			   .last = whole(from, cpu, last) };

	gap.first = gap.last - (uint32_t)(last - first);
	if (lost)
		s->nr_lost += count;
	s->sink->gap(s->to, &s->text, &gap, &s->out.text);
}

static void tell_skipped(struct stream *s, unsigned at)
{
	struct range *r = &s->numbers->skipped[at];

	r->open = false;
	tell(s, at / s->nr_cpus, at % s->nr_cpus, false, (uint64_t)(r->last - r->first) + 1, r->first, r->last);
}

void numbers_note(struct stream *s, const struct bp_rec *rec)
{
	const struct source *from = &s->sources[rec->probe];
	struct losses *losses = from->losses ? &from->losses[rec->cpu] : NULL;
	uint32_t last;
	uint64_t lost;

	if (!losses)
		return;
	last = losses->last;
	losses_note(losses, rec->seq);
	lost = losses->untold ? losses_tell(losses, from->channel, from->index, rec->cpu) : 0;
	if (lost)
		tell(s, rec->probe, rec->cpu, true, lost, last + 1, rec->seq - 1);
}

void numbers_skip(struct stream *s, const struct bp_rec *rec)
{
	struct numbers *n = s->numbers;
	unsigned at = rec->probe * s->nr_cpus + rec->cpu;
	struct range *r = &n->skipped[at];

	if (!s->sources[rec->probe].channel)
		return;
	if (r->open && r->last + 1 == rec->seq) {
		r->last = rec->seq;
		return;
	}
	if (r->open)
		tell_skipped(s, at);
	else
		n->open[n->nr_open++] = at;
	*r = (struct range){ rec->seq, rec->seq, true };
}

void numbers_give(struct stream *s, struct event *ev)
{
	const struct bp_rec *rec = ev->rec;
	const struct source *from = &s->sources[rec->probe];

	if (!from->channel)
		return;
	ev->series = &s->numbers->series[rec->probe];
	ev->number = whole(from, rec->cpu, rec->seq);
}

void numbers_last(struct stream *s, unsigned i, unsigned cpu)
{
	struct source *from = &s->sources[i];
	uint32_t last = from->losses[cpu].last;
	uint64_t lost = losses_tell_rest(&from->losses[cpu], from->channel, from->index, cpu);

	if (lost)
		tell(s, i, cpu, true, lost, last + 1, last + (uint32_t)lost);
}

void numbers_settle(struct stream *s)
{
	struct numbers *n = s->numbers;

	for (unsigned i = 0; n && i < n->nr_open; i++)
		tell_skipped(s, n->open[i]);
	if (n)
		n->nr_open = 0;
}
