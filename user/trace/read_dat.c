// SPDX-License-Identifier: GPL-2.0-only
/*
 * read_dat.c - prints what -o has recorded: the same lines that tracing would have printed. Or makes another file of it.
 *
 * Each record is converted back to the ring's form, and then printed in the same way (stream.c). Nothing of the running
 * kernel is used.
 */
#include "trace/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "dat/dat.h"
#include "dat/dat_cursor.h"
#include "dat/dat_record.h"
#include "keep/kept.h"
#include "kernel/syms/ksyms.h"
#include "stream/dat_part.h"
#include "print/recording.h"
#include "stream/lines.h"
#include "stream/record.h"
#include "stream/stack_lines.h"
#include "stream/stream.h"
#include "trace/trace.h"

struct read {
	const struct options *opts;
	const struct dat_reader *reader;	/* NULL: lines are printed */
	const char *path;
	struct arena arena;
	struct dat_file file;
	struct dat_stripe *found;	/* the files beside a file that was not completed */
	unsigned nr_found;
	uint32_t *by_id;		/* 1 + the source for each event number; 0: not an event of bprobe */
	struct source *sources;
	const struct dat_format **formats;	/* of each source */
	unsigned nr_sources;
	unsigned nr_foreign;		/* events that are not bprobe's */
	uint64_t skipped;		/* records of those events, and damaged records */
	bool *wanted;			/* for each source: it is printed */
	uint64_t *lost;			/* for each CPU: losses to report with the next printed record */
	struct dat_extras *extras;	/* for each CPU */
	unsigned nr_cpus;
	unsigned release;
	bool counts;
	bool has_stacks;		/* some of its events have stacks */
	struct builds builds;		/* what the file says of them */
	int status;			/* the exit status of an error that was reported already; 0: there was none */
	struct ksyms *ks;
};

/* Does a name on the command line mean this event? EVENT, GROUP/EVENT or GROUP/, as for kept probes. */
static bool is_wanted(const struct read *r, const struct layout *l)
{
	bool wanted = r->opts->nr_words < 2;

	for (unsigned i = 1; i < r->opts->nr_words; i++)
		wanted |= name_matches(l->group, l->event, r->opts->words[i].text);
	return wanted;
}

/* Each name must mean something. */
static int check_names(const struct read *r, struct diag *diag)
{
	for (unsigned i = 1; i < r->opts->nr_words; i++) {
		const char *name = r->opts->words[i].text;
		bool found = false;

		for (unsigned k = 0; k < r->nr_sources; k++)
			found |= name_matches(r->sources[k].layout->group, r->sources[k].layout->event, name);
		if (found)
			continue;
		diag_set(diag, -ENOENT, "%s has no event called '%s'", r->path, name);
		for (unsigned k = 0; k < r->nr_sources; k++)
			diag_note(diag, "%s %s/%s", k ? "     " : "it has", r->sources[k].layout->group,
				  r->sources[k].layout->event);
		return -ENOENT;
	}
	return 0;
}

/* Like an event's name, but '-' is allowed, too. */
static bool is_group(const char *name)
{
	for (const char *s = name; *s; s++) {
		if (*s != '-' && !name_is_ident(s, 1) && !(*s >= '0' && *s <= '9'))
			return false;
	}
	return *name;
}

static int learn_events(struct read *r, struct diag *diag)
{
	for (unsigned i = 0; i < r->file.nr_stripes; i++)
		r->nr_cpus = MAX(r->nr_cpus, r->file.stripes[i].cpu + 1);
	r->lost = arena_array(&r->arena, uint64_t, r->nr_cpus);
	r->extras = arena_array(&r->arena, struct dat_extras, r->nr_cpus);
	r->by_id = arena_array(&r->arena, uint32_t, UINT16_MAX + 1);
	r->sources = arena_array(&r->arena, struct source, r->file.nr_events);
	r->formats = arena_array(&r->arena, const struct dat_format *, r->file.nr_events);
	r->wanted = arena_array(&r->arena, bool, r->file.nr_events);
	for (unsigned i = 0; i < r->file.nr_events; i++) {
		struct dat_format *f = arena_new(&r->arena, struct dat_format);
		int err = dat_format_parse(&r->arena, r->file.events[i].text, f);

		if (err == -ENOENT) {
			r->nr_foreign++;
			continue;
		}
		if (err)
			return diag_set(diag, err, "the events in %s are damaged, or another version of bprobe recorded them",
					r->path);
		if (!is_group(r->file.events[i].system))
			return diag_set(diag, -EBADMSG, "%s is damaged: a group of its events has no name", r->path);
		f->layout.group = r->file.events[i].system;
		r->release = f->release;
		r->counts = f->counts;
		r->has_stacks |= f->layout.stacks != 0;
		r->formats[r->nr_sources] = f;
		r->wanted[r->nr_sources] = is_wanted(r, &f->layout);
		r->sources[r->nr_sources++] = (struct source){ .layout = &f->layout,
							       .losses = arena_array(&r->arena, struct losses, r->nr_cpus) };
		r->by_id[f->id] = r->nr_sources;
	}
	if (!r->nr_sources && r->nr_foreign)
		return diag_set(diag, -EBADMSG, "%s has no events that bprobe recorded: 'trace-cmd report %s' reads it",
				r->path, r->path);
	return check_names(r, diag);
}

/* Symbols are read from files, so the text becomes a file in memory. */
static int memory_file(const char *name, const char *text, size_t len)
{
	int fd = memfd_create(name, MFD_CLOEXEC);

	for (size_t done = 0; fd >= 0 && done < len;) {
		ssize_t n = write(fd, text + done, len - done);

		if (n <= 0) {
			close(fd);
			return -1;
		}
		done += (size_t)n;
	}
	return fd;
}

static int load_symbols(struct read *r, struct diag *diag)
{
	auto_fd symbols = -1;
	auto_fd modules = -1;
	struct buf path = { 0 }, modules_path = { 0 };
	int err;

	if (!r->file.kallsyms) {
		fprintf(stderr, "bprobe: %s has no symbols, because the kernel hid its addresses: places are printed as numbers\n",
			r->path);
		return 0;
	}
	symbols = memory_file("kallsyms", r->file.kallsyms, r->file.kallsyms_len);
	if (r->file.modules)
		modules = memory_file("modules", r->file.modules, strlen(r->file.modules));
	if (symbols < 0)
		return diag_set(diag, -errno, "no memory for the symbols: %s", strerror(errno));
	buf_addf(&path, "/proc/self/fd/%d", symbols);
	buf_addf(&modules_path, "/proc/self/fd/%d", modules);
	err = ksyms_load_with(buf_str(&path), modules < 0 ? NULL : buf_str(&modules_path), &r->ks, diag);
	if (!err)
		ksyms_lookup(r->ks, 0, NULL);	/* reads the modules now */
	buf_fini(&path);
	buf_fini(&modules_path);
	return err;
}

/*
 * Adds the pages of the files beside the file to those in it. If there are pages of a CPU in both, somebody was killed while he
 * copied them from the file, so those in the file are the whole ones.
 */
static void add_found(struct read *r)
{
	struct dat_stripe *all = arena_array(&r->arena, struct dat_stripe, r->file.nr_stripes + r->nr_found);
	unsigned nr = r->file.nr_stripes;

	if (nr)
		all[0] = r->file.stripes[0];
	for (unsigned i = 0; i < r->nr_found; i++) {
		if (!r->file.nr_stripes || r->found[i].cpu != all[0].cpu)
			all[nr++] = r->found[i];
	}
	r->file.stripes = all;
	r->file.nr_stripes = nr;
}

static int open_file(struct read *r, struct diag *diag)
{
	int fd = open(r->path, O_RDONLY | O_CLOEXEC), err;

	if (fd < 0)
		return diag_set(diag, -errno, "cannot open %s: %s", r->path, strerror(errno));
	r->file.fd = fd;
	err = dat_open(&r->arena, fd, &r->file, diag);
	r->file.fd = fd;
	if (!err && r->file.writer && r->opts->lines.lines_in_stacks)
		builds_parse(&r->builds, r->file.writer);
	if (err) {
		const char *why = arena_strdup(&r->arena, buf_str(&diag->msg));

		return diag_set(diag, err, "%s: %s", r->path, why);
	}
	if (r->file.complete)
		return 0;
	err = dat_part_find(&r->arena, r->path, &r->found, &r->nr_found, diag);
	if (err)
		return err;
	fprintf(stderr, "bprobe: %s was not completed: %s\n", r->path,
		r->nr_found ? "its events are read from it and from the files beside it" :
		r->file.nr_stripes ? "its events are read as far as they are there" : "there are no events in it or beside it");
	add_found(r);
	return 0;
}

static void close_read(struct read *r)
{
	for (unsigned i = 0; i < r->nr_found; i++)
		close(r->found[i].fd);
	if (r->file.fd >= 0)
		close(r->file.fd);
	for (unsigned i = 0; r->extras && i < r->nr_cpus; i++)
		dat_extras_fini(&r->extras[i]);
	if (r->ks)
		ksyms_close(r->ks);
	builds_fini(&r->builds);
	arena_fini(&r->arena);
}

/* The losses belong to no particular event: it is not known which events were lost. */
static void print_lost(struct read *r, struct stream *s, unsigned cpu)
{
	if (r->lost[cpu])
		stream_lost(s, cpu, r->lost[cpu]);
	r->lost[cpu] = 0;
}

static void add_lost(uint64_t *to, uint64_t lost)
{
	*to = lost > UINT64_MAX - *to ? UINT64_MAX : *to + lost;
}

/* Sends one record through the stream, after the losses before it. */
static void print_hit(struct read *r, struct stream *s, const struct dat_hit *hit, struct buf *room)
{
	uint16_t id = 0;
	unsigned which;
	struct bp_rec *rec;

	add_lost(&r->lost[hit->cpu], hit->lost);
	if (!hit->record) {
		print_lost(r, s, hit->cpu);
		return;
	}
	if (hit->len >= sizeof(id))
		memcpy(&id, hit->record, sizeof(id));
	which = r->by_id[id];
	if (!which && r->has_stacks && dat_stack_is(id))
		return;			/* the record before it has these frames */
	if (!which || dat_record_unpack(r->formats[which - 1], &r->extras[hit->cpu], hit->record, hit->len, room)) {
		r->skipped++;
		return;
	}
	if (!r->wanted[which - 1])
		return;
	print_lost(r, s, hit->cpu);
	rec = (void *)room->data;
	rec->ts = hit->ts;
	rec->probe = which - 1;
	rec->cpu = (uint16_t)hit->cpu;
	rec->seq = r->sources[which - 1].losses[hit->cpu].last + 1;	/* print_lost() has reported the losses */
	stream_take_record(s, rec, (uint32_t)room->len);
}

/* The sources without the layouts of events that are not printed. */
static struct source *shown_sources(struct read *r)
{
	struct source *shown = arena_array(&r->arena, struct source, r->nr_sources);

	for (unsigned i = 0; i < r->nr_sources; i++) {
		shown[i] = r->sources[i];
		if (!r->wanted[i])
			shown[i].layout = NULL;
	}
	return shown;
}

/* The file that -o names, if it is given. 0, or -errno: it has been reported. */
static int open_record(struct read *r, struct stream *s, struct record **ret)
{
	const char *output = r->opts->record.output;
	struct diag diag = { 0 };
	int err;

	if (!output)
		return 0;
	err = record_open(record_kind_of(output), r->opts, ret, &diag);
	if (!err)
		err = record_start(*ret, s, false, &diag);
	s->to = record_to(*ret);
	if (err)
		r->status = report_error(&diag, err == -ESRCH ? EXIT_BAD_DEFINITION : EXIT_KERNEL);
	diag_fini(&diag);
	return err;
}

/* After the last event. 0 or -errno. */
static int finish_record(struct read *r, struct record *record)
{
	int err = record_finish(record);

	if (err)
		r->status = EXIT_KERNEL;
	return err;
}

/* Sends all records that are wanted. Returns 0 or what writing returned. */
static int send_all(struct read *r, struct stream *s, struct dat_cursors *cursors)
{
	struct buf room = { 0 };
	struct dat_hit hit;
	int err = 0;

	while (!err && !stream_enough(s) && dat_cursors_next(cursors, &hit)) {
		print_hit(r, s, &hit, &room);
		if (s->to)
			err = s->sink->flush(s->to, false);
		if (s->out.text.len < OUTPUT_BLOCK)
			continue;
		err = output_wait(&s->out);
		stream_fit(s);
	}
	for (unsigned i = 0; i < r->nr_cpus && !stream_enough(s); i++)
		print_lost(r, s, i);
	buf_fini(&room);
	return err;
}

/* Returns 0 or what writing returned. */
static int print_all(struct read *r, struct dat_cursors *cursors)
{
	const struct recording recording = recording_parse(&r->arena, r->file.writer, r->file.uname, r->file.clock);
	const struct stack_builds of = { &r->builds, *recording.release ? recording.release : NULL };
	struct stream s = { .sources = shown_sources(r), .nr_sources = r->nr_sources, .nr_cpus = r->nr_cpus,
			    .text = lines_text(r->opts, r->ks, STDOUT_FILENO), .out.fd = STDOUT_FILENO,
			    .max_events = r->opts->run.max_events, .sink = lines_sink(r->opts, STDOUT_FILENO),
			    .take_all = true, .recording = &recording };
	struct record *record = NULL;
	struct diag diag = { 0 };
	int err = stack_lines_open(r->opts, &of, &s, &diag), more = SINK_MORE;

	if (r->reader) {
		s.sink = r->reader->sink;
		s.to = r->reader->to;
		r->reader->opened(s.to, r->path, &r->file);
	}
	if (err)
		r->status = report_error(&diag, EXIT_KERNEL);
	diag_fini(&diag);
	context_rules_init(&s.text.rules, r->release, r->counts);
	lines_warn(r->opts, s.sources, s.nr_sources);
	if (!err)
		err = open_record(r, &s, &record);
	stream_begin(&s, r->opts->lines.quiet, NULL);
	if (!err)
		err = send_all(r, &s, cursors);
	while (!err && more) {
		more = stream_end(&s);
		err = output_wait(&s.out);
		err = more < 0 ? more : err;
	}
	if (record && !r->status)
		err = finish_record(r, record);
	record_close(record);
	text_fini(&s.text);
	buf_fini(&s.out.text);
	return err;
}

static int report(const struct read *r, const struct dat_cursors *cursors, int err)
{
	uint64_t bad = dat_cursors_bad(cursors);

	if (r->reader)
		r->reader->damaged(r->reader->to, bad, r->skipped);
	if (r->status)
		return r->status;
	if (err && err != -EPIPE) {
		fprintf(stderr, "bprobe: cannot write: %s\n", strerror(-err));
		return EXIT_KERNEL;
	}
	if (bad || (r->skipped && !r->nr_foreign))
		fprintf(stderr, "bprobe: %s is damaged: %" PRIu64 " pages and %" PRIu64 " events could not be read\n", r->path,
			bad, r->skipped);
	else if (r->skipped)
		fprintf(stderr, "bprobe: %" PRIu64 " events in %s were not recorded by bprobe: 'trace-cmd report' reads them\n",
			r->skipped, r->path);
	return bad || r->skipped ? EXIT_KERNEL : 0;
}

int read_dat_run(const struct options *opts)
{
	return read_dat_for(opts, NULL);
}

int read_dat_for(const struct options *opts, const struct dat_reader *reader)
{
	struct read r = { .opts = opts, .reader = reader, .path = opts->words[0].text, .file.fd = -1 };
	struct dat_cursors *cursors = NULL;
	struct diag diag = { 0 };
	int status, err = open_file(&r, &diag);

	if (!err)
		err = learn_events(&r, &diag);
	if (!err)
		err = load_symbols(&r, &diag);
	if (!err)
		cursors = dat_cursors_open(&r.arena, r.file.stripes, r.file.nr_stripes, r.file.page_size);
	if (err)
		status = report_error(&diag, err == -ENOENT || err == -EBADMSG ? EXIT_BAD_DEFINITION : EXIT_KERNEL);
	else
		status = report(&r, cursors, print_all(&r, cursors));
	dat_cursors_close(cursors);
	close_read(&r);
	diag_fini(&diag);
	return status;
}
