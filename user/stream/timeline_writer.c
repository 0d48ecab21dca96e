// SPDX-License-Identifier: GPL-2.0-only
/*
 * timeline_writer.c - writes events into a file that shows them on a time axis: FILE.json and FILE.pftrace.
 *
 * The file is written from its beginning to its end. What is waiting in memory is a block of text, and calls that have not returned yet.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/own_file.h"
#include "base/version.h"
#include "base/write_all.h"
#include "stream/record.h"
#include "stream/stream.h"
#include "timeline/timeline.h"

enum { BLOCK = 64 << 10 };

struct timeline_writer {
	const struct options *opts;
	const struct encoder *encoder;
	const struct stream *stream;	/* the stream that sends the events; NULL: not started */
	struct arena arena;
	struct recording here;		/* this machine, if the stream does not say whose events come */
	struct timeline *timeline;
	struct buf out;			/* not written yet */
	int fd;
	int err;
	bool stale;			/* sources have changed */
};

/* ---- events ---- */

static void write_out(struct timeline_writer *w)
{
	if (!w->err)
		w->err = write_all(w->fd, w->out.data, w->out.len);
	buf_reset(&w->out);
}

static void learn(struct timeline_writer *w)
{
	const struct stream *s = w->stream;
	const struct layout **layouts = must(calloc(MAX(s->nr_sources, 1), sizeof(*layouts)));

	for (unsigned i = 0; i < s->nr_sources; i++)
		layouts[i] = s->sources[i].layout;
	timeline_learn(w->timeline, layouts, s->nr_sources);
	free(layouts);
	w->stale = false;
}

static void put_event(void *to, struct text *t, const struct event *ev, struct buf *out)
{
	struct timeline_writer *w = to;

	(void)out;
	if (w->stale || !timeline_knows(w->timeline, ev))
		learn(w);
	if (!timeline_knows(w->timeline, ev))
		return;
	timeline_event(w->timeline, t->machine, t, ev, &w->out);
	if (w->out.len >= BLOCK)
		write_out(w);
}

static void put_lost(void *to, const struct text *t, unsigned cpu, uint64_t count, struct buf *out)
{
	struct timeline_writer *w = to;

	(void)out;
	timeline_lost(w->timeline, t->machine, cpu, count);
}

static int flush(void *to, bool idle)
{
	struct timeline_writer *w = to;

	if (idle && w->out.len)
		write_out(w);
	return w->err;
}

static const struct sink sink_timeline = { .event = put_event, .lost = put_lost, .flush = flush };

/* ---- start and end ---- */

static void close_writer(void *to)
{
	struct timeline_writer *w = to;

	if (!w)
		return;
	timeline_free(w->timeline);
	if (w->fd >= 0)
		close(w->fd);
	buf_fini(&w->out);
	arena_fini(&w->arena);
	free(w);
}

static int open_writer(const struct options *opts, const struct encoder *encoder, void **ret, struct diag *diag)
{
	struct timeline_writer *w;
	int err;

	if (encoder->missing) {
		diag_set(diag, -EOPNOTSUPP, "cannot write %s: %s", opts->record.output, encoder->missing);
		diag_note(diag, "help: -o FILE.json has the same events, and Perfetto opens it, too");
		return -EOPNOTSUPP;
	}
	err = own_file_check("-o", opts->record.output, diag);
	if (err)
		return err;
	w = must(calloc(1, sizeof(*w)));
	*w = (struct timeline_writer){ .opts = opts, .encoder = encoder, .fd = -1 };
	*ret = w;
	return 0;
}

static int open_json(const struct options *opts, void **ret, struct diag *diag)
{
	return open_writer(opts, &encoder_json, ret, diag);
}

static int open_pftrace(const struct options *opts, void **ret, struct diag *diag)
{
	return open_writer(opts, &encoder_pftrace, ret, diag);
}

/* The file takes the place of the old one at once, so what was written so far is there however bprobe ends. */
static int create(struct timeline_writer *w, struct diag *diag)
{
	const char *path = w->opts->record.output;
	struct buf name = { 0 };
	int err = own_file_check("-o", path, diag);

	if (err)
		return err;
	w->fd = own_file_create(path, &name);
	err = MIN(w->fd, 0);
	if (!err && rename(buf_str(&name), path)) {
		err = -errno;
		unlink(buf_str(&name));
	}
	buf_fini(&name);
	return err ? diag_set(diag, err, "cannot write %s: %s", path, strerror(-err)) : 0;
}

static int start(void *to, const struct stream *s, bool more, struct diag *diag)
{
	struct timeline_writer *w = to;
	const char *name = arena_printf(&w->arena, "bprobe %s", version), *unused;
	int err;

	if (!s->recordings)
		w->here = recording_here(&w->arena, w->opts->lines.clock);
	w->stream = s;
	w->timeline = timeline_new(&(struct timeline_opts){ .encoder = w->encoder, .version = name, .machines = s->recordings ? s->recordings : &w->here,
				   .nr_machines = s->recordings ? s->nr_recordings : 1,
				   .counters = w->opts->record.counters, .nr_counters = w->opts->record.nr_counters }, &w->out);
	learn(w);
	unused = more ? NULL : timeline_unused_counter(w->timeline);
	if (unused) {
		diag_set(diag, -ESRCH, "--counter %s: no event has such a field that is one number", unused);
		diag_note(diag, "help: --counter wants FIELD or EVENT.FIELD, with * ? [] as in file names");
		return -ESRCH;
	}
	err = create(w, diag);
	if (err)
		return err;
	write_out(w);
	return w->err ? diag_set(diag, w->err, "cannot write %s: %s", w->opts->record.output, strerror(-w->err)) : 0;
}

static void forget(void *to)
{
	struct timeline_writer *w = to;

	w->stale = true;
}

static int complete(void *to)
{
	struct timeline_writer *w = to;
	const struct recording *of = w->stream->recordings;
	struct clock_reading now = clocks_read();

	timeline_end(w->timeline, !of ? &now : of->nr_readings > 1 ? &of->readings[1] : NULL, &w->out);
	write_out(w);
	if (!w->err && close(w->fd))
		w->err = -errno;
	w->fd = -1;
	return w->err;
}

static void print_count(uint64_t n, const char *one, const char *many, struct buf *out)
{
	if (!n)
		return;
	buf_adds(out, out->len ? ", " : "");
	buf_dec(out, n);
	buf_addf(out, " %s", n == 1 ? one : many);
}

/* What is not as a reader of the file may expect. */
static void print_doubts(const struct timeline_counts *c)
{
	struct buf text = { 0 };

	print_count(c->unfinished, "call had not returned at the end", "calls had not returned at the end", &text);
	print_count(c->no_return, "entry had no return", "entries had no return", &text);
	print_count(c->no_entry, "return had no entry", "returns had no entry", &text);
	print_count(c->lost, "call was cut off by lost events", "calls were cut off by lost events", &text);
	print_count(c->forgotten, "call was too long ago to be remembered", "calls were too long ago to be remembered", &text);
	print_count(c->crossing, "duration did not fit", "durations did not fit", &text);
	if (text.len)
		fprintf(stderr, "bprobe: %s: each says so in its arguments\n", buf_str(&text));
	buf_fini(&text);
}

static int finish(void *to)
{
	struct timeline_writer *w = to;
	struct timeline_counts c;
	struct stat st = { 0 };
	int err;

	if (w->fd < 0)			/* not started */
		return 0;
	err = complete(w);
	if (err) {
		fprintf(stderr, "bprobe: cannot write %s: %s\n", w->opts->record.output, strerror(-err));
		return err;
	}
	c = timeline_counts(w->timeline);
	print_doubts(&c);
	stat(w->opts->record.output, &st);
	fprintf(stderr, "%s: %llu slice%s, %llu instant%s, %.1f %s; open it in Perfetto, Chrome or Speedscope\n", w->opts->record.output,
		(unsigned long long)c.slices, c.slices == 1 ? "" : "s", (unsigned long long)c.instants, c.instants == 1 ? "" : "s",
		(double)st.st_size / (st.st_size < 1000000 ? 1e3 : 1e6), st.st_size < 1000000 ? "KB" : "MB");
	return 0;
}

static void remove_file(const char *path)
{
	unlink(path);
}

const struct record_kind record_json = {
	.ending = ".json", .name = "a file of trace events", .takes = RECORD_CONVERSION | RECORD_COUNTERS | RECORD_ANY_CLOCK,
	.sink = &sink_timeline, .open = open_json, .start = start, .forget = forget, .finish = finish, .complete = complete, .close = close_writer, .remove = remove_file,
};

const struct record_kind record_pftrace = {
	.ending = ".pftrace", .snapshot_ending = ".pftrace", .name = "a trace of Perfetto", .takes = RECORD_CONVERSION | RECORD_COUNTERS | RECORD_ANY_CLOCK,
	.sink = &sink_timeline, .open = open_pftrace, .start = start, .forget = forget, .finish = finish, .complete = complete,
	.close = close_writer, .remove = remove_file,
};
