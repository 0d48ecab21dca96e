// SPDX-License-Identifier: GPL-2.0-only
/*
 * stream.c - takes records from rings to a sink as they come.
 */
#include "stream/stream.h"

#include <errno.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/terminal.h"
#include "hist/triggers.h"
#include "print/select.h"
#include "stream/numbers.h"

enum { PENDING_MS = 1 };		/* if records are held back for a slower CPU, look again after this time */

int stream_open(struct stream *s, const struct ring_src *srcs, unsigned nr, struct diag *diag)
{
	uint64_t size = UINT64_MAX;
	int err;

	for (unsigned i = 0; i < nr; i++)
		size = MIN(size, srcs[i].bytes);
	pace_init(&s->pace, size);
	s->wait_ms = PACE_WAIT;
	err = nr ? rings_open(srcs, nr, s->blocks, &s->rings, diag) : 0;
	if (!err && !s->sink->prints)
		s->out = (struct output){ .fd = -1 };
	else if (!err)
		output_open(&s->out);
	return err;
}

void stream_close(struct stream *s)
{
	rings_close(s->rings);
	numbers_close(s->numbers);
	s->numbers = NULL;
	text_fini(&s->text);
	output_close(&s->out);
	s->rings = NULL;
}

/* The style of all definitions' lines; today's style if they differ. */
static enum style stream_style(const struct stream *s)
{
	enum style style = STYLE_OWN;

	for (unsigned i = 0; i < s->nr_sources; i++) {
		const struct layout *l = s->sources[i].layout;
		enum style own = l ? style_of(s->text.style, l->dialect) : style;

		if (style != STYLE_OWN && style != own)
			return STYLE_KPROBE;
		style = own;
	}
	return style == STYLE_OWN ? style_of(s->text.style, DIALECT_KPROBE) : style;
}

/* The width of a terminal can change at any time. To ask before each pass costs little, and needs no signal. */
void stream_fit(struct stream *s)
{
	if (s->sink->fits)
		s->text.width = terminal_width(s->out.fd);
}

void stream_begin(struct stream *s, bool quiet, const struct entries *entries)
{
	for (unsigned i = 0; s->sink->learn && i < s->nr_sources; i++) {
		if (s->sources[i].layout)
			s->sink->learn(&s->text, s->sources[i].layout);
	}
	stream_fit(s);
	numbers_begin(s);
	if (!quiet && s->sink->header)
		s->sink->header(&s->text, stream_style(s), entries, &s->out.text);
}

void stream_settle(struct stream *s)
{
	if (s->sink->settle)
		s->sink->settle(&s->text, &s->out.text);
}

const char *stream_missing(const struct stream *s)
{
	return s->sink->missing ? s->sink->missing(s->to) : NULL;
}

int stream_end(struct stream *s)
{
	numbers_settle(s);
	return s->sink->end ? s->sink->end(&s->text, &s->out.text) : 0;
}

bool stream_enough(const struct stream *s)
{
	return s->max_events && s->nr_events >= s->max_events;
}

void stream_lost(struct stream *s, unsigned cpu, uint64_t count)
{
	s->nr_lost += count;
	s->sink->lost(s->to, &s->text, cpu, count, &s->out.text);
}

/* Reports each gap once, before the first event behind it. */
static NOINLINE void show_lost(struct stream *s, const struct source *from, unsigned cpu)
{
	uint64_t lost = losses_tell(&from->losses[cpu], from->channel, from->index, cpu);

	if (lost)
		stream_lost(s, cpu, lost);
}

/* Tests the part of the filter that BPF did not decide. Rejected records are counted. */
static NOINLINE bool is_selected(struct stream *s, const struct source *from, const struct event *ev)
{
	if (select_event(from->filter, &s->text, ev))
		return true;
	(*from->filtered)++;
	if (from->undecided && select_undecided(from->filter, &s->text, ev))
		(*from->undecided)++;
	return false;
}

/* Writes a block of text. False: the other records stay in the rings. */
static NOINLINE bool write_block(struct stream *s)
{
	if (s->take_all)
		return true;
	s->out_err = output_flush(&s->out);
	return !s->out_err && !s->blocks;
}

static __attribute__((noinline)) void hide_stack(const struct stream *s, const struct source *from, struct event *ev)
{
	if (!select_event(from->shows_stack, &s->text, ev))
		ev->hidden_stacks = 1u << STACK_KERNEL;
}

/* The record is not printed; the stream goes on. */
static NOINLINE bool pass_over(struct stream *s, const struct bp_rec *rec)
{
	if (s->numbers)
		numbers_skip(s, rec);
	return true;
}

/* For each record. What is rare is done by functions that are not inlined, so that little is saved and restored here. */
bool stream_take_record(void *ctx, const struct bp_rec *rec, uint32_t len)
{
	struct stream *s = ctx;
	struct source *from;
	struct losses *losses;
	struct event ev;

	if (stream_enough(s))
		return true;
	if (rec->probe >= s->nr_sources || rec->cpu >= s->nr_cpus)
		return true;
	from = &s->sources[rec->probe];
	if (!from->layout)
		return true;
	losses = from->losses ? &from->losses[rec->cpu] : NULL;
	if (s->numbers)
		numbers_note(s, rec);
	else if (losses)
		losses_note(losses, rec->seq);
	from->read = true;
	if (!event_decode(from->layout, rec, len, &ev) || (from->filter && !is_selected(s, from, &ev)))
		return pass_over(s, rec);
	if (losses && losses->untold)
		show_lost(s, from, rec->cpu);
	if (from->shows_stack)
		hide_stack(s, from, &ev);
	if (s->triggers && !triggers_hit(s->triggers, rec->probe, &ev, &s->text))
		return pass_over(s, rec);
	if (s->numbers)
		numbers_give(s, &ev);
	s->sink->event(s->to, &s->text, &ev, &s->out.text);
	s->nr_events++;
	if (s->out.text.len >= OUTPUT_BLOCK && !write_block(s))
		return false;
	/* Records that are not printed stay for the next reader. */
	return !(s->blocks && stream_enough(s));
}

int stream_poll(struct stream *s, struct pollfd fds[2])
{
	bool full = s->out_err == -EAGAIN, wakes = !full && s->wait_ms == PACE_WAIT && (!s->rings || rings_arm(s->rings));

	fds[0] = (struct pollfd){ .fd = wakes && s->rings ? rings_fd(s->rings) : -1, .events = POLLIN };
	/* Even without requested events poll(2) reports that the reader has gone. */
	fds[1] = (struct pollfd){ .fd = s->out.fd, .events = full ? POLLOUT : 0 };
	return full || wakes ? -1 : MAX(s->wait_ms, 0);
}

bool stream_reader_left(const struct pollfd fds[2])
{
	return fds[1].revents & (POLLERR | POLLHUP | POLLNVAL);
}

/* Prints the records of the rings, and decides when to look again. */
static void take_records(struct stream *s)
{
	uint64_t start = now_ns();
	bool pending;
	unsigned nr;

	timebase_take(&s->text.base);
	stream_fit(s);
	nr = rings_pass(s->rings, stream_take_record, s, &pending);
	numbers_settle(s);

	/*
	 * Discarded records wake the reader like other records. After a pass that found only such records, the next one
	 * shall not wake it.
	 */
	if (!nr && !pending && rings_fill(s->rings))
		nr = 1;
	s->wait_ms = pace_next(&s->pace, start, now_ns(), nr, rings_fill(s->rings));
	if (pending && s->wait_ms == PACE_WAIT)
		s->wait_ms = PENDING_MS;
}

int stream_step(struct stream *s)
{
	/* While the output is full, records stay in their rings, where losses are counted. */
	if (s->out_err == -EAGAIN)
		s->wait_ms = 0;
	else
		take_records(s);
	s->out_err = s->sink->prints ? output_flush(&s->out) : 0;
	if (!s->out_err && s->sink->flush)
		s->out_err = s->sink->flush(s->to, s->blocks || s->wait_ms == PACE_WAIT);
	return s->out_err;
}

void stream_catch_up(struct stream *s)
{
	bool pending;

	if (!s->rings)
		return;
	s->take_all = true;
	rings_pass(s->rings, stream_take_record, s, &pending);
	s->take_all = false;
}

void stream_last_losses(struct stream *s, struct arena *scratch)
{
	uint64_t *lost = arena_array(scratch, uint64_t, s->nr_cpus);

	for (unsigned i = 0; i < s->nr_sources; i++) {
		struct source *from = &s->sources[i];

		for (unsigned cpu = 0; from->channel && from->losses && cpu < s->nr_cpus; cpu++) {
			/* With -n records are left, and it is not known which hits behind them were lost. */
			if (s->numbers && !stream_enough(s))
				numbers_last(s, i, cpu);
			else
				lost[cpu] += losses_tell_rest(&from->losses[cpu], from->channel, from->index, cpu);
		}
		from->read = true;
	}
	for (unsigned cpu = 0; cpu < s->nr_cpus; cpu++) {
		lost[cpu] += s->rings ? rings_unfinished(s->rings, cpu) : 0;
		if (lost[cpu])
			stream_lost(s, cpu, lost[cpu]);
	}
}
