// SPDX-License-Identifier: GPL-2.0-only
/*
 * snapshot.c - the records that rings have at one moment.
 */
#include "stream/snapshot.h"

#include <errno.h>
#include <inttypes.h>
#include <unistd.h>

#include "base/own_file.h"
#include "kernel/release.h"
#include "stream/lines.h"
#include "stream/record.h"
#include "stream/stack_lines.h"

/* ---- the copy ---- */

uint64_t snapshot_overwritten(const struct snapshot *s, const struct recorded *r, unsigned source)
{
	const struct source *from = &r->sources[source];

	return from->channel && from->channel->overwrites ? tally_overwritten(&s->tally, source, from->cleared) : 0;
}

int snapshot_take(const struct recorded *r, struct snapshot *ret, struct diag *diag)
{
	struct snapshot s = { 0 };
	int err;

	tally_init(&s.tally, &s.arena, r->nr_sources, r->nr_cpus);
	for (unsigned i = 0; i < r->nr_sources; i++) {
		if (r->sources[i].channel)
			tally_counters(&s.tally, i, r->sources[i].channel, r->sources[i].index);
	}
	err = look_open(r->srcs, r->nr_srcs, &s.look, diag);
	if (err) {
		arena_fini(&s.arena);
		return err;
	}
	look_emit(s.look, tally_record, &s.tally);
	s.entries = (struct entries){ .in_buffer = look_count(s.look), .written = look_count(s.look) + r->lost,
				      .cpus = (unsigned)MAX(sysconf(_SC_NPROCESSORS_ONLN), 1) };
	for (unsigned i = 0; i < r->nr_sources; i++)
		s.entries.written += snapshot_overwritten(&s, r, i);
	*ret = s;
	return 0;
}

void snapshot_drop(struct snapshot *s)
{
	if (s->look)
		look_close(s->look);
	arena_fini(&s->arena);
	*s = (struct snapshot){ 0 };
}

/* ---- lines ---- */

static struct stream stream_of(const struct recorded *r, const struct options *opts, int fd)
{
	struct stream s = { .sources = r->sources, .nr_sources = r->nr_sources, .nr_cpus = r->nr_cpus, .take_all = true,
			    .text = lines_text(opts, r->ks, fd), .sink = lines_sink(opts, fd), .out.fd = fd };

	s.text.start = r->start;
	context_rules_init(&s.text.rules, release_running(), release_counts_preemption());
	timebase_take(&s.text.base);
	return s;
}

struct stream snapshot_stream(const struct recorded *r, int fd)
{
	return stream_of(r, r->opts, fd);
}

static bool take_and_write(void *ctx, const struct bp_rec *rec, uint32_t len)
{
	struct stream *s = ctx;

	stream_take_record(s, rec, len);
	if (s->out.text.len >= OUTPUT_BLOCK) {
		s->out_err = output_wait(&s->out);
		stream_fit(s);
	}
	return !s->out_err;
}

static int write_lines(const struct snapshot *s, const struct recorded *r, struct stream *stream)
{
	int err, more = SINK_MORE;

	stream_begin(stream, r->opts->lines.quiet, &s->entries);
	look_emit(s->look, take_and_write, stream);
	for (err = stream->out_err; !err && more;) {
		more = stream_end(stream);
		err = output_wait(&stream->out);
		err = more < 0 ? more : err;
	}
	text_fini(&stream->text);
	buf_fini(&stream->out.text);
	return err;
}

int snapshot_print(const struct snapshot *s, const struct recorded *r, struct diag *diag)
{
	struct stream stream = stream_of(r, r->opts, STDOUT_FILENO);

	lines_warn(r->opts, r->sources, r->nr_sources);
	if (stack_lines_open(r->opts, NULL, &stream, diag)) {
		text_fini(&stream.text);
		return diag->err;
	}
	return write_lines(s, r, &stream);
}

/* ---- files ---- */

int snapshot_check(const char *path, struct diag *diag)
{
	return own_file_check("--snapshot", path, diag);
}

static int write_text(const struct snapshot *s, const struct recorded *r, int fd, uint64_t *ret_nr)
{
	struct options opts = *r->opts;
	struct stream stream;
	int err;

	opts.record.output = NULL;
	stream = stream_of(r, &opts, fd);
	err = write_lines(s, r, &stream);
	*ret_nr = stream.nr_events;
	return err;
}

static int write_record(const struct snapshot *s, const struct recorded *r, const struct record_kind *kind, const char *name,
			uint64_t *ret_nr)
{
	struct options opts = *r->opts;
	struct stream stream;
	struct record *w = NULL;
	struct diag diag = { 0 };
	int err;

	opts.record.output = name;
	opts.record.rotate = 0;
	stream = stream_of(r, &opts, -1);
	stream.sink = kind->sink;
	err = record_open(kind, &opts, &w, &diag);
	if (!err)
		err = record_start(w, &stream, false, &diag);
	stream.to = record_to(w);
	if (!err) {
		look_emit(s->look, stream_take_record, &stream);
		err = record_complete(w);
	}
	*ret_nr = stream.nr_events;
	record_close(w);
	if (err)
		kind->remove(name);
	text_fini(&stream.text);
	diag_fini(&diag);
	return err;
}

static int write_as(const struct snapshot *s, const struct recorded *r, int fd, const char *name, const char *path, uint64_t *ret_nr)
{
	const struct record_kind *kind = lines_snapshot_kind(r->opts);
	int err = kind ? write_record(s, r, kind, name, ret_nr) : write_text(s, r, fd, ret_nr);

	return !err && rename(name, path) ? -errno : err;
}

int snapshot_write(const struct snapshot *s, const struct recorded *r, const char *path, struct diag *diag)
{
	struct buf name = { 0 };
	uint64_t nr = 0;
	int err = snapshot_check(path, diag), fd;

	if (err)
		return err;
	fd = own_file_create(path, &name);
	err = fd < 0 ? fd : write_as(s, r, fd, buf_str(&name), path, &nr);
	if (fd >= 0 && close(fd) && !err)
		err = -errno;
	if (fd >= 0 && err)
		unlink(buf_str(&name));
	buf_fini(&name);
	if (err)
		return diag_set(diag, err, "cannot write %s: %s", path, strerror(-err));
	fprintf(stderr, "%s: %" PRIu64 " event%s\n", path, nr, nr == 1 ? "" : "s");
	return 0;
}
