// SPDX-License-Identifier: GPL-2.0-only
/*
 * flight.c - the flight recorder: rings keep the newest records, and nobody reads them while it records.
 *
 *	SIGUSR2, or the trigger snapshot: rings -> copy -> FILE		the end: rings -> copy -> output
 */
#include "trace/tracer.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <unistd.h>

#include "base/clock.h"
#include "hist/triggers.h"
#include "plan/act.h"
#include "stream/snapshot.h"
#include "trace/trace.h"

/* ---- the trigger snapshot ---- */

static bool has_snapshot_trigger(const struct set *s)
{
	for (unsigned i = 0; i < s->nr_probes; i++) {
		const struct act *a = s->probes[i].plan ? s->probes[i].plan->sets_off.acts : NULL;

		while (a && a->trigger->kind != TRIGGER_SNAPSHOT)
			a = a->next;
		if (a)
			return true;
	}
	return false;
}

static int take_ask(void *ctx, void *data, size_t size)
{
	struct tracer *t = ctx;

	(void)data;
	(void)size;
	t->snapshot_wanted = true;
	return 0;
}

/* Several requests until now give one snapshot: it has the records of all. */
static void serve_asks(void *ctx)
{
	struct tracer *t = ctx;

	ring_buffer__consume(t->asks);
}

static int flight_open(struct tracer *t, struct diag *diag)
{
	int err = t->opts->record.snapshot ? snapshot_check(t->opts->record.snapshot, diag) : 0;

	if (!err && has_snapshot_trigger(&t->set)) {
		t->asks = ring_buffer__new(t->set.channel->bell_fd, take_ask, t, NULL);
		if (!t->asks)
			err = diag_set(diag, -errno, "cannot wait for the trigger snapshot: %s", strerror(errno));
	}
	return err ? err : stream_open(&t->stream, NULL, 0, diag);
}

/* The header has the numbers of the end. */
static void flight_begin(struct tracer *t)
{
	(void)t;
}

static struct recorded recorded_of(const struct tracer *t, const struct ring_src *src)
{
	struct recorded r = { .opts = t->opts, .ks = t->set.machine.ks, .srcs = src, .nr_srcs = 1, .sources = t->stream.sources,
			      .nr_sources = t->set.nr_probes, .nr_cpus = t->stream.nr_cpus, .start = t->stream.text.start };

	for (unsigned i = 0; i < r.nr_sources; i++) {
		struct bp_stat stat;

		channel_stat(t->set.channel, i, &stat);
		r.lost += stat.lost;
	}
	return r;
}

/* ---- SIGUSR2 ---- */

/* The records stay in the rings, so what user space filters out is counted at the end only. */
static int write_snapshot(struct tracer *t, const char *path, struct diag *diag)
{
	const struct ring_src src = channel_src(t->set.channel);
	struct recorded r = recorded_of(t, &src);
	struct arena arena = { 0 };
	struct snapshot s;
	uint64_t filtered = 0;
	int err = snapshot_take(&r, &s, diag);

	if (err)
		return err;
	r.sources = arena_array(&arena, struct source, r.nr_sources);
	memcpy(r.sources, t->stream.sources, r.nr_sources * sizeof(*r.sources));
	for (unsigned i = 0; i < r.nr_sources; i++)
		r.sources[i].filtered = &filtered;
	err = snapshot_write(&s, &r, path, diag);
	snapshot_drop(&s);
	arena_fini(&arena);
	return err;
}

/* FILE, FILE.1, FILE.2, ... A file that could not be written does not count. */
static void take_snapshot(struct tracer *t)
{
	struct diag diag = { 0 };
	struct buf path = { 0 };

	if (!t->opts->record.snapshot) {
		fputs("bprobe: SIGUSR2 writes a snapshot only with --snapshot FILE\n", stderr);
		return;
	}
	buf_adds(&path, t->opts->record.snapshot);
	if (t->nr_snapshots)
		buf_addf(&path, ".%u", t->nr_snapshots);
	if (!write_snapshot(t, buf_str(&path), &diag)) {
		t->nr_snapshots++;
	} else {
		report_error(&diag, 0);
		fputs("bprobe: there is no snapshot; the recording goes on\n", stderr);
	}
	diag_fini(&diag);
	buf_fini(&path);
}

static int flight_step(struct tracer *t)
{
	if (t->snapshot_wanted)
		take_snapshot(t);
	t->snapshot_wanted = false;
	return 0;
}

/* ---- the end ---- */

/* Writes a block of lines as soon as there is one: all lines together may be larger than the rings. */
static bool take_record(void *ctx, const struct bp_rec *rec, uint32_t len)
{
	struct tracer *t = ctx;

	stream_take_record(&t->stream, rec, len);
	if (t->stream.out.text.len < OUTPUT_BLOCK)
		return true;
	t->stream.out_err = tracer_flush(t, false);
	stream_fit(&t->stream);
	return !t->stream.out_err && t->end != END_SIGNAL;
}

static int write_all(struct tracer *t, const struct snapshot *s)
{
	int err;

	t->end = END_NOT;
	t->stream.take_all = true;
	timebase_take(&t->stream.text.base);
	stream_begin(&t->stream, t->opts->lines.quiet || (t->triggers && !triggers_leave_lines(t->triggers)), &s->entries);
	look_emit(s->look, take_record, t);
	if (t->end == END_SIGNAL) {
		fputs("bprobe: a signal ended the output: it does not have all events\n", stderr);
		return 0;
	}
	if (!t->stream.out_err)
		t->stream.out_err = tracer_end_stream(t);
	answers_print(t, true);
	err = tracer_flush(t, false);
	return t->stream.out_err ? t->stream.out_err : err;
}

/* The last ones may have been asked for just before the end. */
static void end_asks(struct tracer *t)
{
	if (!t->asks)
		return;
	serve_asks(t);
	flight_step(t);
	ring_buffer__free(t->asks);
	t->asks = NULL;
}

static int flight_rest(struct tracer *t, enum end why)
{
	const struct ring_src src = channel_src(t->set.channel);
	const struct recorded r = recorded_of(t, &src);
	struct diag diag = { 0 };
	struct snapshot s;
	int err;

	end_asks(t);
	err = snapshot_take(&r, &s, &diag);
	if (err) {
		report_error(&diag, 0);
		diag_fini(&diag);
		return err;
	}
	for (unsigned i = 0; i < r.nr_sources; i++)
		t->set.probes[i].outcomes.overwritten = snapshot_overwritten(&s, &r, i);
	if (why != END_CLOSED && why != END_OUTPUT)
		err = write_all(t, &s);
	snapshot_drop(&s);
	return err;
}

const struct intake intake_flight = {
	.signal = SIGUSR2, .serve_asks = serve_asks, .open = flight_open, .begin = flight_begin, .step = flight_step, .rest = flight_rest,
};
