// SPDX-License-Identifier: GPL-2.0-only
/*
 * dat_writer.c - writes events into a trace.dat, or into several, one after the other.
 *
 * Each CPU has a block of pages in memory, one behind the other as in its file. Full pages are written when the block is full,
 * and at the end of each pass over the rings. The page that is not full is written when there is nothing else to do. What was
 * written survives a SIGKILL. A full file is completed by a thread of its own, so that the rings do not fill up while gigabytes
 * are copied.
 */
#include "stream/record.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/progress.h"
#include "base/version.h"
#include "dat/dat_page.h"
#include "dat/dat_record.h"
#include "elf/builds.h"
#include "kernel/release.h"
#include "kernel/syms/ksyms.h"
#include "print/recording.h"
#include "stream/comms.h"
#include "stream/dat_job.h"
#include "stream/stream.h"

enum { FIRST_ID = 2000 };		/* the kernel's own events have lower numbers (6.12 has some 1500 of them) */

/* 64 KiB: a page needs a sixteenth of a write(2), and the processor's cache has room for the blocks of some CPUs. */
enum { BLOCK = DAT_PAGE_MAX };

struct cpu {
	unsigned char *block;		/* NULL: none yet */
	uint64_t at;			/* offset of the block in the CPU's file */
	uint32_t done;			/* bytes of its full pages that are in the file */
	struct dat_pen pen;		/* its page is the one behind the full ones, if its ->len is not 0 */
	uint32_t begin;			/* offset of that page in the block */
	uint32_t written;		/* bytes of that page that are in the file */
	uint64_t lost, all_lost;	/* lost: to be reported by the next page; all_lost: in all pages of this file */
};

struct dat_writer {
	const struct options *opts;
	const struct stream *stream;	/* the stream that sends the events */
	struct arena arena;
	struct dat_part part;
	unsigned nr_parts;		/* number of completed files */
	struct dat_meta meta;
	struct dat_event *events;	/* room for this many: */
	unsigned room;
	struct dat_shape *known;	/* for each source; ->layout NULL: it has no event in the file yet */
	unsigned nr_known;
	struct recording recording;		/* of the file that is being written */
	bool has_symbols;		/* the head has the present symbols */
	struct comms comms;
	struct builds builds;		/* of the programs in stacks */
	struct cpu *cpus;
	uint64_t closed;		/* bytes of the full pages of this file */
	struct dat_job job;
	uint64_t nr_events;		/* in all files */
	uint64_t too_long;		/* records that fit in no page */
	bool full;			/* the file must be completed now */
	int err;
};

/* ---- the head ---- */

/* Reads a whole file into @arena. NULL: it cannot be read; errno says why. */
static char *read_text(struct arena *arena, const char *path, size_t *ret_len)
{
	struct buf text = { 0 };
	int err = ksyms_read_file(path, &text);
	char *copy = err ? NULL : arena_strndup(arena, buf_str(&text), text.len);

	*ret_len = text.len;
	buf_fini(&text);
	errno = -err;
	return copy;
}

/*
 * Reads the symbols. False: they have not changed. Symbols change only with modules, and take megabytes. Files that are
 * being completed use the earlier text, so it stays in the arena.
 */
static bool read_symbols(struct dat_writer *r, const struct ksyms *ks)
{
	const char *path = r->opts->set.machine.kallsyms ? r->opts->set.machine.kallsyms : "/proc/kallsyms", *modules = NULL;
	size_t len;

	r->has_symbols = true;
	if (!r->opts->set.machine.kallsyms)
		modules = read_text(&r->arena, "/proc/modules", &len);
	if (r->meta.kallsyms && (r->opts->set.machine.kallsyms || (modules && r->meta.modules && !strcmp(modules, r->meta.modules))))
		return false;
	r->meta.modules = modules;
	r->meta.kallsyms = NULL;
	if (!ks || ksyms_hidden(ks))
		return true;
	r->meta.kallsyms = read_text(&r->arena, path, &r->meta.kallsyms_len);
	if (!r->meta.kallsyms)
		fprintf(stderr, "bprobe: warning: cannot read %s: %s; the file is without symbols\n", path, strerror(errno));
	return true;
}

/* The part of an event's format text behind its number. */
static const char *behind_id(const char *text)
{
	const char *at = strstr(text, "\nformat:");

	return at ? at : text;
}

/* The event with this layout: one that the file already has, or a new one. */
static uint32_t event_id(struct dat_writer *r, const struct layout *l, bool *ret_new)
{
	struct dat_meta *m = &r->meta;
	uint32_t id = FIRST_ID + m->nr_events;
	struct buf text = { 0 };

	dat_format_print(l, id, release_running(), release_counts_preemption(), &text);
	for (unsigned i = 0; i < m->nr_events; i++) {
		const struct dat_event *e = &r->events[i];

		if (!strcmp(e->system, l->group) && !strcmp(behind_id(e->text), behind_id(text.data))) {
			const char *name = strchr(e->text, '\n');

			if (!strncmp(e->text, text.data, (size_t)(name - e->text) + 1)) {
				buf_fini(&text);
				return FIRST_ID + i;
			}
		}
	}
	m->events = r->events = arena_grow(&r->arena, r->events, m->nr_events, &r->room);
	r->events[m->nr_events++] = (struct dat_event){ arena_strdup(&r->arena, l->group),
							arena_strdup(&r->arena, text.data) };
	buf_fini(&text);
	*ret_new = true;
	return id;
}

/* The first event with stacks needs the formats of ftrace's events. */
static void learn_stacks(struct dat_writer *r, const struct layout *l)
{
	const char **stacks;

	if (!l->stacks || r->meta.nr_stacks)
		return;
	stacks = arena_array(&r->arena, const char *, STACK_KINDS);
	r->meta.nr_stacks = dat_stack_formats(stacks);
	builds_add_running(&r->builds);
	r->meta.stacks = stacks;
}

/* Adds the event with layout @l. -EBADMSG: what would be written of it is no format that this bprobe reads. */
static int add_event(struct dat_writer *r, const struct layout *l, uint32_t *ret_id, bool *ret_new)
{
	struct arena arena = { 0 };
	struct dat_format f;
	bool new = false;
	int err = 0;

	*ret_id = event_id(r, l, &new);
	if (*ret_id > UINT16_MAX)
		return -E2BIG;
	if (new)
		err = dat_format_parse(&arena, r->events[r->meta.nr_events - 1].text, &f);
	arena_fini(&arena);
	*ret_new = *ret_new || new;
	return err ? -EBADMSG : 0;
}

/* Gives each source its event, and writes a head with all events to the file. */
static NOINLINE int learn(struct dat_writer *r)
{
	const struct stream *s = r->stream;
	bool changed = !r->has_symbols && read_symbols(r, s->text.ks);

	if (r->nr_known < s->nr_sources) {
		r->known = arena_array(&r->arena, struct dat_shape, s->nr_sources);
		r->nr_known = s->nr_sources;
	}
	for (unsigned i = 0; i < s->nr_sources; i++) {
		const struct layout *l = s->sources[i].layout;
		struct layout file;
		uint32_t id;
		int err;

		if (!l || r->known[i].layout == l)
			continue;
		file = dat_layout(l, s->text.users);
		err = add_event(r, &file, &id, &changed);
		if (err)
			return err;
		learn_stacks(r, l);
		dat_shape_init(&r->known[i], l, s->text.users, id, &r->arena);
	}
	return changed ? dat_part_head(&r->part, &r->meta) : 0;
}

static void forget(void *to)
{
	struct dat_writer *r = to;

	r->nr_known = 0;
	r->has_symbols = false;
}

/* ---- pages ---- */

/* Writes the full pages of the block. */
static void write_full(struct dat_writer *r, unsigned cpu)
{
	struct cpu *c = &r->cpus[cpu];

	if (c->done == c->begin || r->err)
		return;
	r->err = dat_part_write(&r->part, cpu, c->at + c->done, c->block + c->done, c->begin - c->done);
	c->done = c->begin;
}

/* Writes the part of the page that is not in its file yet: first the whole page, later the additions; the head comes last. */
static void write_page(struct dat_writer *r, unsigned cpu)
{
	struct cpu *c = &r->cpus[cpu];
	struct dat_page *p = &c->pen.page;
	uint64_t at = c->at + c->begin;
	uint32_t end;

	write_full(r, cpu);
	if (!p->len || c->written == p->len || r->err)
		return;
	end = dat_page_seal(p);
	if (!c->written) {
		r->err = dat_part_write(&r->part, cpu, at, p->bytes, p->size);
	} else {
		r->err = dat_part_write(&r->part, cpu, at + c->written, p->bytes + c->written, end - c->written);
		if (!r->err)
			r->err = dat_part_write(&r->part, cpu, at, p->bytes, DAT_PAGE_HEAD);
	}
	c->written = p->len;
}

static void close_page(struct dat_writer *r, unsigned cpu)
{
	struct cpu *c = &r->cpus[cpu];

	if (!c->pen.page.len)
		return;
	if (c->written)			/* a part of it is in the file */
		write_page(r, cpu);
	else
		dat_page_seal(&c->pen.page);
	c->begin += c->pen.page.size;
	if (c->written)
		c->done = c->begin;
	c->pen.page.len = c->written = 0;
	if (c->begin == BLOCK) {
		write_full(r, cpu);
		c->at += BLOCK;
		c->begin = c->done = 0;
	}
	r->closed += c->pen.page.size;
	if (r->opts->record.rotate && r->closed + c->pen.page.size > r->opts->record.rotate)
		r->full = true;
}

static void open_page(struct dat_writer *r, unsigned cpu, uint64_t ts)
{
	struct cpu *c = &r->cpus[cpu];

	if (!c->block)
		c->block = arena_alloc(&r->arena, BLOCK + DAT_PEN_SLACK);
	c->pen.page.size = r->meta.page_size;
	c->pen.page.bytes = c->block + c->begin;
	dat_page_start(&c->pen.page, ts, c->lost);
	c->all_lost += c->lost;
	c->lost = 0;
}

/* The page is full, or must not have this record: continues with another one. */
static NOINLINE enum dat_added add_to_next(struct dat_writer *r, struct dat_shape *shape, const struct event *ev,
							    uint64_t ts, const struct text *t)
{
	enum dat_added added;

	close_page(r, ev->rec->cpu);
	open_page(r, ev->rec->cpu, ts);
	added = dat_record_add(&r->cpus[ev->rec->cpu].pen, shape, ev, ts, t);
	r->too_long += added == DAT_NO_ROOM;
	r->nr_events -= added == DAT_NO_ROOM;
	return added;
}

/* The events of its stacks come behind an event. They may come in the next page. */
static NOINLINE void add_stacks(struct dat_writer *r, const struct dat_shape *shape, const struct event *ev, uint64_t ts)
{
	struct cpu *c = &r->cpus[ev->rec->cpu];

	for (unsigned i = 0; i < STACK_KINDS; i++) {
		if (dat_stack_add(&c->pen, shape, ev, (enum stack_kind)i, ts))
			continue;
		close_page(r, ev->rec->cpu);
		open_page(r, ev->rec->cpu, ts);
		dat_stack_add(&c->pen, shape, ev, (enum stack_kind)i, ts);
	}
}

static inline void add_record(struct dat_writer *r, struct dat_shape *shape, const struct event *ev, uint64_t ts, const struct text *t)
{
	struct cpu *c = &r->cpus[ev->rec->cpu];
	enum dat_added added = DAT_NO_ROOM;

	r->nr_events++;
	if (c->pen.page.len && !c->lost)
		added = dat_record_add(&c->pen, shape, ev, ts, t);
	if (added == DAT_NO_ROOM)
		added = add_to_next(r, shape, ev, ts, t);
	if (added == DAT_ADDED_EXTRA)
		comms_set(&r->comms, ev->rec->common_pid, ev->rec->comm);
	if (ev->layout->stacks && added != DAT_NO_ROOM)
		add_stacks(r, shape, ev, ts);
}

/* ---- files ---- */

/* The file name of part @n (from 1): FILE, or with --rotate NAME.0001.dat and so on. */
static void part_path(const struct dat_writer *r, unsigned n, struct buf *path)
{
	const char *file = r->opts->record.output, *dot = strrchr(file, '.'), *slash = strrchr(file, '/');

	if (!dot || (slash && dot < slash) || dot == file || (slash && dot == slash + 1))
		dot = file + strlen(file);
	buf_add(path, file, (size_t)(dot - file));
	if (r->opts->record.rotate)
		buf_addf(path, ".%04u", n);
	buf_adds(path, dot);
}

static int open_part(struct dat_writer *r, unsigned nr_cpus, struct diag *diag)
{
	struct buf path = { 0 };
	int err;

	part_path(r, r->nr_parts + 1, &path);
	r->recording = recording_here(&r->arena, r->opts->lines.clock);
	err = dat_part_open(&r->part, r->opts->record.rotate ? buf_str(&path) : r->opts->record.output, nr_cpus, diag);
	buf_fini(&path);
	return err;
}

static void end_job(struct dat_writer *r, bool may_stop)
{
	int err = dat_job_end(&r->job, may_stop);

	if (!r->err)
		r->err = err;
}

/*
 * Where and when it was recorded, so that it can be put beside what other machines have recorded. The lines of stacks (--lines-in-stacks)
 * come from debug information of the same builds.
 */
static void describe(struct dat_writer *r, struct buf *text)
{
	struct recording now = r->recording;

	now.readings[now.nr_readings++] = clocks_read();
	if (r->meta.nr_stacks)
		builds_add_running(&r->builds);		/* again: a module that was loaded anew has two builds */
	buf_addf(text, "%s\n", r->meta.version);
	recording_print(&now, text);
	builds_print(&r->builds, text);
	text->data[--text->len] = '\0';		/* the last newline */
}

/* The data for completing the file. What changes later is copied to the arena. */
static struct dat_meta meta_now(struct dat_writer *r, struct buf *comms, struct buf *builds)
{
	struct dat_meta m = r->meta;
	uint64_t *lost = arena_array(&r->arena, uint64_t, m.nr_cpus);

	for (unsigned i = 0; i < m.nr_cpus; i++)
		lost[i] = r->cpus[i].all_lost;
	comms_print(&r->comms, comms);
	m.comms = buf_str(comms);
	m.lost = lost;
	describe(r, builds);
	m.version = buf_str(builds);
	return m;
}

static void start_job(struct dat_writer *r)
{
	struct buf comms = { 0 }, version_text = { 0 };
	struct dat_meta m = meta_now(r, &comms, &version_text);

	dat_job_start(&r->job, &r->part, &m, &comms, &version_text, r->opts->record.packing);
}

/* The file is full: continues with another one. */
static NOINLINE void rotate(struct dat_writer *r)
{
	struct diag diag = { 0 };
	int err;

	for (unsigned i = 0; i < r->meta.nr_cpus; i++) {
		close_page(r, i);
		write_full(r, i);
	}
	r->full = false;
	end_job(r, false);
	start_job(r);
	r->nr_parts++;
	r->part = (struct dat_part){ .fd = -1 };
	err = open_part(r, r->meta.nr_cpus, &diag);
	if (err) {
		fprintf(stderr, "bprobe: %s\n", buf_str(&diag.msg));
		r->err = r->err ? r->err : err;
	}
	diag_fini(&diag);
	for (unsigned i = 0; i < r->meta.nr_cpus; i++) {
		struct cpu *c = &r->cpus[i];

		c->at = c->all_lost = c->begin = c->done = 0;
	}
	r->closed = 0;
	if (!r->err)
		r->err = dat_part_head(&r->part, &r->meta);
}

/* ---- events ---- */

static void put_event(void *to, struct text *t, const struct event *ev, struct buf *out)
{
	const struct bp_rec *rec = ev->rec;
	struct dat_writer *r = to;

	(void)out;
	if (r->err)
		return;
	t->builds = &r->builds;
	if (r->full)
		rotate(r);
	if (r->err)			/* there is no next file */
		return;
	if (rec->probe >= r->nr_known || r->known[rec->probe].layout != ev->layout)
		r->err = learn(r);
	if (!r->err)
		add_record(r, &r->known[rec->probe], ev, timebase_of(&t->base, rec->ts), t);
}

static void put_lost(void *to, const struct text *t, unsigned cpu, uint64_t count, struct buf *out)
{
	struct dat_writer *r = to;

	(void)t;
	(void)out;
	r->cpus[cpu].lost += count;
}

static int flush(void *to, bool idle)
{
	struct dat_writer *r = to;

	for (unsigned i = 0; i < r->meta.nr_cpus; i++) {
		if (idle)
			write_page(r, i);
		else
			write_full(r, i);
	}
	return r->err;
}

static const struct sink sink_dat = { .event = put_event, .lost = put_lost, .flush = flush };

/* ---- start and end ---- */

static const char *describe_system(struct arena *arena)
{
	struct utsname u;

	return uname(&u) ? NULL : arena_printf(arena, "%s %s %s %s", u.sysname, u.nodename, u.release, u.machine);
}

/* A page size for the longest record that may come. */
static uint32_t page_size(const struct stream *s, bool more)
{
	uint32_t longest = 0;

	for (unsigned i = 0; i < s->nr_sources; i++) {
		const struct layout *l = s->sources[i].layout;

		if (l)
			longest = MAX(longest, dat_record_max(l));
		more = more || !l;
	}
	return more ? (uint32_t)DAT_PAGE_MAX : dat_page_size(longest);
}

static void close_writer(void *to);

static int open_writer(const struct options *opts, void **ret, struct diag *diag)
{
	struct dat_writer *r = must(calloc(1, sizeof(*r)));
	struct buf path = { 0 };
	int err;

	r->opts = opts;
	r->part.fd = -1;
	part_path(r, 1, &path);
	err = dat_part_check(buf_str(&path), diag);
	buf_fini(&path);
	if (err)
		close_writer(r);
	else
		*ret = r;
	return err;
}

static int start(void *to, const struct stream *s, bool more, struct diag *diag)
{
	struct dat_writer *r = to;
	int err;

	r->meta = (struct dat_meta){ .page_size = page_size(s, more), .clock = timebase_name(s->text.base.clock),
				     .nr_cpus = s->nr_cpus,
				     .uname = describe_system(&r->arena),
				     .version = arena_printf(&r->arena, "bprobe %s", version) };
	r->cpus = arena_array(&r->arena, struct cpu, s->nr_cpus);
	err = open_part(r, s->nr_cpus, diag);
	if (err)
		return err;
	r->stream = s;
	err = learn(r);
	if (err)
		diag_set(diag, err, "cannot write %s: %s", r->part.path, strerror(-err));
	if (err == -EBADMSG)
		diag_note(diag, "help: bprobe could not read its own description of an event: this is a defect, please report it");
	return err;
}

/* Writes losses that no event follows: as a page without events. */
static void add_last_losses(struct dat_writer *r)
{
	for (unsigned i = 0; i < r->meta.nr_cpus; i++) {
		struct cpu *c = &r->cpus[i];

		close_page(r, i);
		if (c->lost) {
			open_page(r, i, c->pen.page.ts);
			close_page(r, i);
		}
		write_full(r, i);
	}
}

static bool show_progress(void *ctx, uint64_t done)
{
	progress_step(ctx, (unsigned)(done >> 20));
	return !progress_interrupted();
}

/* Prints where the events are now, and how to read them. */
static void print_result(const struct dat_writer *r)
{
	struct buf first = { 0 }, last = { 0 };
	uint64_t bytes = 0;
	struct stat st;

	part_path(r, 1, &first);
	for (unsigned n = 1; n <= r->nr_parts + 1; n++) {
		buf_reset(&last);
		part_path(r, n, &last);
		bytes += stat(buf_str(&last), &st) ? 0 : (uint64_t)st.st_size;
	}
	fputs(buf_str(&first), stderr);
	if (r->nr_parts)
		fprintf(stderr, " to %s", buf_str(&last));
	fprintf(stderr, ": %llu event%s, %.1f %s; bprobe --read %s\n", (unsigned long long)r->nr_events,
		r->nr_events == 1 ? "" : "s", (double)bytes / (bytes < 1000000 ? 1e3 : 1e6), bytes < 1000000 ? "KB" : "MB",
		buf_str(&first));
	buf_fini(&first);
	buf_fini(&last);
}

static int complete(struct dat_writer *r, const struct dat_progress *steps)
{
	struct buf comms = { 0 }, version_text = { 0 };
	struct dat_meta m = meta_now(r, &comms, &version_text);
	int err = r->err ? r->err : dat_part_join(&r->part, &m, r->opts->record.packing, steps);

	buf_fini(&comms);
	buf_fini(&version_text);
	if (r->too_long)
		fprintf(stderr, "bprobe: %llu events were too long for a trace.dat\n", (unsigned long long)r->too_long);
	return err;
}

static int finish(void *to)
{
	struct dat_writer *r = to;
	struct progress progress;
	struct dat_progress steps = { show_progress, &progress };
	int err;

	if (!r->cpus)			/* not started */
		return 0;
	add_last_losses(r);
	end_job(r, true);
	progress_start(&progress, "completing", (unsigned)(dat_part_size(&r->part) >> 20));
	progress.unit = "MB";
	err = complete(r, &steps);
	progress_end(&progress);
	if (r->part.path)
		dat_part_report(&r->part, err);
	if (!err)
		print_result(r);
	return err;
}

static bool always(void *ctx, uint64_t done)
{
	(void)ctx;
	(void)done;
	return true;
}

/* After a flush with nothing more to record, all events are in the files beside FILE. */
static int complete_silently(void *to)
{
	struct dat_writer *r = to;
	const struct dat_progress steps = { always, NULL };

	add_last_losses(r);
	return complete(r, &steps);
}

static void close_writer(void *to)
{
	struct dat_writer *r = to;

	if (!r)
		return;
	end_job(r, true);
	dat_part_close(&r->part);
	comms_fini(&r->comms);
	builds_fini(&r->builds);
	for (unsigned i = 0; r->cpus && i < r->meta.nr_cpus; i++)
		dat_pen_fini(&r->cpus[i].pen);
	arena_fini(&r->arena);
	free(r);
}

const struct record_kind record_dat = {
	.snapshot_ending = ".dat", .name = "a trace.dat", .takes = RECORD_PACKING | RECORD_ROTATION | RECORD_IS_READ, .sink = &sink_dat, .open = open_writer,
	.start = start, .forget = forget, .finish = finish, .complete = complete_silently, .close = close_writer, .remove = dat_part_remove,
};
