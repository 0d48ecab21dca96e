// SPDX-License-Identifier: GPL-2.0-only
/*
 * recordings.c - the records of files in the order of their times, as events for a sink.
 *
 * Files are sorted by their first records, and a file is begun when it is its turn. So of the files of one --rotate only one at a time has
 * pages in memory.
 */
#include "trace/recordings.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/files.h"
#include "base/report.h"
#include "print/select.h"
#include "print/sender.h"
#include "stream/lines.h"
#include "stream/record.h"
#include "stream/stack_lines.h"
#include "trace/confined.h"
#include "trace/recordings_priv.h"
#include "trace/trace.h"

static void fail(struct recordings *r, int status)
{
	r->status = MAX(r->status, status);
}

/* ---- before the first record ---- */

static void open_one(struct recordings *r, const struct recordings_path *path)
{
	struct recordings_file *f = arena_new(&r->arena, struct recordings_file);
	struct builds *builds = r->opts->lines.lines_in_stacks ? &r->builds : NULL;
	struct diag diag = { 0 };
	int err = recorded_open(&f->rec, path->path, &r->symbols, builds, &diag);

	f->word = path->word;
	f->number = r->nr_files;
	if (err) {
		fail(r, report_error(&diag, err == -ENOENT || err == -EBADMSG ? EXIT_BAD_DEFINITION : EXIT_KERNEL));
		recorded_close(&f->rec);
	} else {
		recorded_look(&f->rec);
		r->files = arena_grow(&r->arena, r->files, r->nr_files, &r->size_files);
		r->files[r->nr_files++] = f;
	}
	diag_fini(&diag);
}

/* The events of all files become the sources of one stream. */
static void number_events(struct recordings *r)
{
	for (unsigned i = 0; i < r->nr_files; i++) {
		r->nr_sources += r->files[i]->rec.nr_events;
		r->nr_cpus = MAX(r->nr_cpus, r->files[i]->rec.nr_cpus);
	}
	r->sources = arena_array(&r->arena, struct source, r->nr_sources);
	r->nr_sources = 0;
	for (unsigned i = 0; i < r->nr_files; i++) {
		struct recorded *rec = &r->files[i]->rec;

		rec->first = r->nr_sources;
		for (unsigned k = 0; k < rec->nr_events; k++)
			r->sources[r->nr_sources++].layout = rec->events[k].wanted ? &rec->events[k].format.layout : NULL;
	}
}

static bool one_home(const struct recordings *r)
{
	for (unsigned i = 1; i < r->nr_files; i++) {
		if (r->files[i]->rec.home.ks != r->files[0]->rec.home.ks)
			return false;
	}
	return !r->several;
}

/* The lines of stacks are looked for when all events have come, in the symbols and builds of one kernel. */
static int open_stack_lines(struct recordings *r, struct stack_builds *of, struct diag *diag)
{
	*of = (struct stack_builds){ &r->builds, r->files[0]->rec.home.kernel };
	if (r->opts->lines.lines_in_stacks && !one_home(r)) {
		diag_set(diag, -EINVAL, "--lines-in-stacks is for the files of one boot in which no module was loaded between them");
		diag_note(diag, "help: read each of them alone");
		return -EINVAL;
	}
	return stack_lines_open(r->opts, of, &r->stream, diag);
}

static uint64_t moment_ns(const struct recordings *r, const struct moment *m, uint64_t otherwise)
{
	uint64_t first = m->relative ? r->files[0]->rec.begins : 0;

	if (!m->given)
		return otherwise;
	return m->ns > UINT64_MAX - first ? UINT64_MAX : first + m->ns;
}

/* With --host, and if there are several hosts, each object says of which one it is. */
static void make_senders(struct recordings *r)
{
	const struct lines_opts *o = &r->opts->lines;

	for (unsigned i = 0; (o->names_host || r->several) && i < r->nr_files; i++) {
		struct home *home = &r->files[i]->rec.home;
		struct sender *sender = arena_new(&r->arena, struct sender);

		*sender = sender_make(&r->arena, o->host ? o->host : home->host, home->boot, home->kernel);
		home->sender = sender;
	}
}

/* Numbers the machines, each boot as one of its own, and says where they were and what their clocks showed. */
static void number_machines(struct recordings *r)
{
	r->made = arena_array(&r->arena, struct recording, r->nr_files);
	for (unsigned i = 0; i < r->nr_files; i++) {
		struct recorded *rec = &r->files[i]->rec;
		unsigned before = 0;

		while (before < i && !home_is_same(&r->files[before]->rec.home, &rec->home))
			before++;
		rec->home.machine = before < i ? r->files[before]->rec.home.machine : r->nr_made;
		if (before < i)
			continue;
		r->made[r->nr_made] = rec->made;
		/* recordings_align() has moved the times of all files to that clock. */
		r->made[r->nr_made++].clock = r->files[0]->rec.shift ? TIMEBASE_REAL : rec->made.clock;
	}
}

/* Does the reader take several machines? */
static int check_reader(const struct recordings *r, struct diag *diag)
{
	if (!r->reader || !r->several)
		return 0;
	diag_set(diag, -EINVAL, "--report is about one boot of one machine, and these files are of several");
	diag_note(diag, "help: report each alone; --read puts their events in one order");
	return -EINVAL;
}

static int prepare(struct recordings *r, struct diag *diag)
{
	unsigned nr;
	struct recordings_path *paths = recordings_paths(r->opts, &r->arena, &nr);
	int err;

	files_raise_limit();
	confined_reading(r->opts);
	for (unsigned i = 0; i < nr; i++)
		open_one(r, &paths[i]);
	if (!r->nr_files)
		return 0;
	err = recordings_choose(r, diag);
	if (err)
		return err;
	err = recordings_align(r, diag);
	if (!err)
		err = check_reader(r, diag);
	number_machines(r);
	make_senders(r);
	number_events(r);
	r->since = moment_ns(r, &r->opts->run.since, 0);
	r->until = moment_ns(r, &r->opts->run.until, UINT64_MAX);
	return err;
}

/* ---- records ---- */

/* The stream gets something of @rec next. */
static void move_to(struct recordings *r, struct recorded *rec)
{
	struct stream *s = &r->stream;

	if (r->home != &rec->home)
		text_move(&s->text, &rec->home);
	r->home = &rec->home;
}

/* Something of the present home is printed next. */
static void name_home(struct recordings *r)
{
	struct stream *s = &r->stream;
	const struct home *last = r->said;

	if (r->home == last || stream_enough(s))
		return;
	r->said = r->home;
	if (r->several && s->sink->home && !(last && home_is_same(last, r->home)))
		s->sink->home(s->to, &s->text, r->home, &s->out.text);
}

/* The losses belong to no particular event: it is not known which events were lost. */
static void give_lost(struct recordings *r, struct recorded *rec, unsigned cpu)
{
	if (!rec->lost[cpu] || stream_enough(&r->stream))
		return;
	move_to(r, rec);
	name_home(r);
	stream_lost(&r->stream, cpu, rec->lost[cpu]);
	rec->lost[cpu] = 0;
}

static void add_lost(uint64_t *to, uint64_t lost)
{
	*to = lost > UINT64_MAX - *to ? UINT64_MAX : *to + lost;
}

static bool is_wanted(struct recordings *r, struct recorded *rec, const struct recorded_event *e, const struct bp_rec *record, uint32_t len)
{
	struct event ev;

	if (!e->wanted || !event_decode(&e->format.layout, record, len, &ev) || !recordings_takes_task(r, record))
		return false;
	move_to(r, rec);
	return !e->filter || select_event(e->filter, &r->stream.text, &ev);
}

/* Each record is unpacked, also one that is not wanted: it may have the name of the task that others have, too. */
static void give(struct recordings *r, struct recorded *rec, struct buf *room)
{
	const struct dat_hit *hit = &rec->hit;
	const struct recorded_event *e = NULL;
	const struct bp_rec *record = hit->record ? recorded_unpack(rec, room, &e) : NULL;

	if (hit->ts < r->since || hit->ts > r->until)
		return;
	add_lost(&rec->lost[hit->cpu], hit->lost);
	if (!hit->record)
		give_lost(r, rec, hit->cpu);
	if (!record || !is_wanted(r, rec, e, record, (uint32_t)room->len))
		return;
	give_lost(r, rec, hit->cpu);
	name_home(r);
	stream_take_record(&r->stream, record, (uint32_t)room->len);
}

/* ---- the order ---- */

enum { BACK_NS = 1000000000 };		/* more than times go back: an interrupted program reads the clock before the one that interrupts it */

/* The files that have begun and have not ended, and the next one. */
struct merge {
	struct recorded **open;
	unsigned nr, next;
};

static void end_one(struct recordings *r, struct recorded *rec)
{
	for (unsigned cpu = 0; cpu < rec->nr_cpus; cpu++)
		give_lost(r, rec, cpu);
	recorded_end(rec);
}

static void drop_ended(struct recordings *r, struct merge *m)
{
	unsigned nr = 0;

	for (unsigned i = 0; i < m->nr; i++) {
		if (m->open[i]->has_hit)
			m->open[nr++] = m->open[i];
		else
			end_one(r, m->open[i]);
	}
	m->nr = nr;
}

/* The file with the next record; NULL: there is none. */
static struct recorded *next_of(struct recordings *r, struct merge *m)
{
	struct recorded *first = NULL;

	for (unsigned i = 0; i < m->nr; i++) {
		if (!first || m->open[i]->hit.ts < first->hit.ts)
			first = m->open[i];
	}
	while (m->next < r->nr_files && (!first || r->files[m->next]->rec.begins < first->hit.ts)) {
		struct recorded *rec = &r->files[m->next++]->rec;

		recorded_begin(rec);
		if (!rec->has_hit) {
			end_one(r, rec);
			continue;
		}
		m->open[m->nr++] = rec;
		if (!first || rec->hit.ts < first->hit.ts)
			first = rec;
	}
	return first;
}

/* Sends the records. Returns the last result of writing. */
static int merge(struct recordings *r)
{
	struct merge m = { .open = arena_array(&r->arena, struct recorded *, r->nr_files) };
	struct stream *s = &r->stream;
	struct recorded *rec;
	struct buf room = { 0 };
	int err = 0;

	/* The times of a CPU can go back a little, so a record behind one that is too late may be wanted. */
	while (!err && !stream_enough(s) && (rec = next_of(r, &m)) && (rec->hit.ts <= r->until || rec->hit.ts - r->until < BACK_NS)) {
		give(r, rec, &room);
		recorded_next(rec);
		if (!rec->has_hit)
			drop_ended(r, &m);
		if (s->to && s->sink->flush)
			err = s->sink->flush(s->to, false);
		if (s->out.text.len < OUTPUT_BLOCK)
			continue;
		err = output_wait(&s->out);
		stream_fit(s);
	}
	for (unsigned i = 0; i < m.nr; i++)
		end_one(r, m.open[i]);
	buf_fini(&room);
	return err;
}

/* ---- all ---- */

/* Prints what comes at the end. */
static int end_stream(struct stream *s)
{
	int err = 0, more = SINK_MORE;

	while (!err && more) {
		more = stream_end(s);
		err = s->sink->prints ? output_wait(&s->out) : 0;
		err = more < 0 ? more : err;
	}
	return err || !s->sink->flush ? err : s->sink->flush(s->to, true);
}

/* The file that -o names, if it is given. 0, or -errno: it has been reported. */
static int open_record(struct recordings *r)
{
	const char *output = r->opts->record.output;
	struct diag diag = { 0 };
	int err;

	if (!output)
		return 0;
	err = record_open(record_kind_of(output), r->opts, &r->record, &diag);
	if (!err)
		err = record_start(r->record, &r->stream, false, &diag);
	r->stream.to = record_to(r->record);
	if (err)
		fail(r, report_error(&diag, err == -ESRCH ? EXIT_BAD_DEFINITION : EXIT_KERNEL));
	diag_fini(&diag);
	return err;
}

static void send_all(struct recordings *r)
{
	struct stream *s = &r->stream;
	int err;

	lines_warn(r->opts, s->sources, s->nr_sources);
	if (open_record(r))
		return;
	stream_begin(s, r->opts->lines.quiet, NULL);
	err = merge(r);
	if (!err)
		err = end_stream(s);
	if (r->record && record_finish(r->record)) {
		fail(r, EXIT_KERNEL);
	} else if (err && err != -EPIPE) {
		fprintf(stderr, "bprobe: cannot write: %s\n", strerror(-err));
		fail(r, EXIT_KERNEL);
	}
}

static void report_damage(struct recordings *r, const struct recorded *rec)
{
	if (r->reader)
		r->reader->damaged(r->reader->to, rec->bad, rec->skipped);
	if (rec->bad || (rec->skipped && !rec->nr_foreign))
		fprintf(stderr, "bprobe: %s is damaged: %" PRIu64 " pages and %" PRIu64 " events could not be read\n", rec->path, rec->bad,
			rec->skipped);
	else if (rec->skipped)
		fprintf(stderr, "bprobe: %" PRIu64 " events in %s were not recorded by bprobe: 'trace-cmd report' reads them\n",
			rec->skipped, rec->path);
	if (rec->bad || rec->skipped)
		fail(r, EXIT_KERNEL);
}

static void run(struct recordings *r, const struct sink *sink, void *to, int fd, struct diag *diag)
{
	struct stack_builds of;
	int err;

	r->stream = (struct stream){
		.recordings = r->made, .nr_recordings = r->nr_made,
		.sources = r->sources, .nr_sources = r->nr_sources, .nr_cpus = r->nr_cpus, .out.fd = fd, .sink = sink, .to = to,
		.text = lines_text(r->opts, r->files[0]->rec.home.ks, fd), .max_events = r->opts->run.max_events, .take_all = true,
	};
	r->stream.text.sender = NULL;		/* that is this machine; text_move() knows whose events they are */
	for (unsigned i = 0; r->reader && i < r->nr_files; i++)
		r->reader->opened(r->reader->to, r->files[i]->rec.path, &r->files[i]->rec.head);
	err = open_stack_lines(r, &of, diag);
	if (err) {
		fail(r, report_error(diag, EXIT_KERNEL));
		return;
	}
	send_all(r);
	for (unsigned i = 0; i < r->nr_files; i++)
		report_damage(r, &r->files[i]->rec);
}

int recordings_run(const struct options *o, const struct sink *sink, void *to, int fd, const struct dat_reader *reader)
{
	struct recordings r = { .opts = o, .reader = reader, .until = UINT64_MAX };
	struct diag diag = { 0 };

	if (prepare(&r, &diag))
		fail(&r, report_error(&diag, EXIT_BAD_DEFINITION));
	else if (r.nr_files)
		run(&r, sink, to, fd, &diag);
	record_close(r.record);
	text_fini(&r.stream.text);
	buf_fini(&r.stream.out.text);
	for (unsigned i = 0; i < r.nr_files; i++)
		recorded_close(&r.files[i]->rec);
	recorded_symbols_fini(&r.symbols);
	builds_fini(&r.builds);
	arena_fini(&r.arena);
	diag_fini(&diag);
	return r.status;
}
