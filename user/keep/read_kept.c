// SPDX-License-Identifier: GPL-2.0-only
/*
 * read_kept.c - prints the records of kept probes.
 *
 * --pipe removes records from the rings after they were written, a block at a time. If the reader is killed,
 * all unseen records stay there, and at most one block of records that somebody has already seen.
 */
#include "keep/keep.h"

#include <errno.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/signals.h"
#include "keep/kept_reader.h"
#include "kernel/release.h"
#include "run/cgwatch.h"
#include "run/modwatch.h"
#include "run/ring_look.h"
#include "set/summary.h"
#include "stream/lines.h"
#include "stream/loop.h"
#include "stream/privileges.h"
#include "stream/record.h"
#include "stream/snapshot.h"

enum { LAST_LOOK_MS = 2000 };		/* the longest time for reading the rest of removed events */

static struct text text_of(const struct options *opts, const struct kept_reader *r)
{
	struct text t = lines_text(opts, r->ks, STDOUT_FILENO);

	context_rules_init(&t.rules, release_running(), release_counts_preemption());
	return t;
}

static struct stream stream_of(const struct options *opts, const struct kept_reader *r)
{
	return (struct stream){ .sources = r->sources, .nr_sources = r->nr_sources, .nr_cpus = r->nr_cpus,
				.text = text_of(opts, r), .max_events = opts->run.max_events, .sink = lines_sink(opts, STDOUT_FILENO) };
}

static int failed(struct diag *diag)
{
	int status = report_error(diag, diag->err == -ENOENT || diag->err == -ESRCH ? EXIT_BAD_DEFINITION : EXIT_KERNEL);

	diag_fini(diag);
	return status;
}

/* ---- --trace and --snapshot ---- */

/* Prints or writes the records that the rings have now. */
static int look(const struct options *opts, const struct kept_reader *r, struct diag *diag)
{
	struct recorded rec = { .opts = opts, .ks = r->ks, .srcs = r->srcs, .nr_srcs = r->nr_srcs, .sources = r->sources,
				.nr_sources = r->nr_sources, .nr_cpus = r->nr_cpus };
	struct snapshot s;
	int err;

	for (unsigned i = 0; i < r->sel.nr_events; i++)
		rec.lost += kept_reader_lost(r, i);
	err = snapshot_take(&rec, &s, diag);
	if (err)
		return err;
	if (opts->record.snapshot)
		err = snapshot_write(&s, &rec, opts->record.snapshot, diag);
	else
		err = snapshot_print(&s, &rec, diag);
	snapshot_drop(&s);
	if (err && err != -EPIPE && !diag->err)
		diag_set(diag, err, "cannot write: %s", strerror(-err));
	return err == -EPIPE ? 0 : err;
}

int read_kept_look(const struct options *opts)
{
	struct diag diag = { 0 };
	struct kept_reader r;
	int status;

	if (kept_reader_open(opts, false, &r, &diag))
		return failed(&diag);
	status = look(opts, &r, &diag) ? report_error(&diag, EXIT_KERNEL) : 0;
	diag_fini(&diag);
	if (r.sel.nr_troubles && !status)
		status = EXIT_KERNEL;
	kept_reader_close(&r);
	return status;
}

int read_kept_snapshot(const struct options *opts)
{
	struct diag diag = { 0 };

	return snapshot_check(opts->record.snapshot, &diag) ? failed(&diag) : read_kept_look(opts);
}

/* ---- --pipe ---- */

struct pipe {
	const struct options *opts;
	struct kept_reader reader;
	struct stream stream;
	struct record *record;	/* NULL: events are printed */
	struct signals signals;
	int signal_fd, change_fd;	/* change_fd: reports changes of the store */
	struct cgwatch *cgroups;	/* the names of containers; NULL: nobody asks */
	struct modwatch *modules;	/* NULL: modules are not watched */
	bool module_came;
	uint64_t deadline_ns;		/* CLOCK_MONOTONIC; 0: none */
	bool *told_gone;		/* for each event: its removal was reported */
	bool ends, changed;
	bool failed;			/* standard output cannot be written: records stay in the rings */
	bool refiltered;		/* something within an event's directory has changed, not only the set of directories */
};

/* Watches an event's directory, and those of the parts that joined it. */
static void watch_event(struct pipe *p, const char *dir, struct arena *arena)
{
	const char **names;
	unsigned nr = store_names(dir, arena, &names);

	inotify_add_watch(p->change_fd, dir, IN_MOVED_TO);
	for (unsigned i = 0; i < nr; i++) {
		if (store_is_join(names[i]))
			inotify_add_watch(p->change_fd, arena_printf(arena, "%s/%s", dir, names[i]), IN_MOVED_TO | IN_ONLYDIR);
	}
}

/*
 * A new event appears by a rename into its group's directory. An event is gone when a directory is removed there or in the
 * store's directory. A rename into an event's directory is a new filter or a joining probe. The watch starts before the
 * store is read, so no change is missed.
 */
static void watch_store(struct pipe *p)
{
	const char *dir = p->opts->keep.store ? p->opts->keep.store : STORE_DEFAULT, **groups;
	struct arena arena = { 0 };
	unsigned nr;

	inotify_add_watch(p->change_fd, dir, IN_CREATE | IN_MOVED_TO | IN_DELETE);
	nr = store_names(dir, &arena, &groups);
	for (unsigned i = 0; i < nr; i++) {
		const char *group = arena_printf(&arena, "%s/%s", dir, groups[i]), **events;
		unsigned nr_events = store_names(group, &arena, &events);

		inotify_add_watch(p->change_fd, group, IN_MOVED_TO | IN_DELETE);
		for (unsigned e = 0; e < nr_events; e++)
			watch_event(p, arena_printf(&arena, "%s/%s", group, events[e]), &arena);
	}
	arena_fini(&arena);
}

static int pipe_open(struct pipe *p, struct diag *diag)
{
	bool again = p->record;
	int err;

	watch_store(p);
	err = kept_reader_open(p->opts, true, &p->reader, diag);
	if (err)
		return err;
	p->stream = stream_of(p->opts, &p->reader);
	p->stream.text.cgroups = p->cgroups ? cgwatch_cgroups(p->cgroups) : NULL;
	p->stream.blocks = true;
	if (p->opts->record.output && !again)
		err = record_open(record_kind_of(p->opts->record.output), p->opts, &p->record, diag);
	if (err)
		return err;
	p->stream.to = record_to(p->record);
	err = stream_open(&p->stream, p->reader.srcs, p->reader.nr_srcs, diag);
	if (err || !p->record)
		return err;
	if (!again)			/* only now the old content of FILE is lost */
		return record_start(p->record, &p->stream, !p->opts->nr_words, diag);
	record_forget(p->record);	/* continues in the same file */
	return 0;
}

/* Also fine if the opening has failed. */
static void pipe_close(struct pipe *p)
{
	if (p->stream.rings)
		rings_leave(p->stream.rings);
	stream_close(&p->stream);
	kept_reader_close(&p->reader);
}

/* Opens what the store has now. What the lines of before have decided stays: columns, colours, the start of times. */
static int pipe_reopen(struct pipe *p, struct diag *diag)
{
	uint64_t nr_events = p->stream.nr_events, nr_lost = p->stream.nr_lost;
	struct text text = p->stream.text;
	int err;

	p->stream.text = (struct text){ 0 };	/* so pipe_close() does not free it */
	pipe_close(p);
	err = pipe_open(p, diag);
	if (err) {
		text_fini(&text);
		return err;
	}
	text_renew(&text, p->reader.ks);
	p->stream.text = text;
	p->stream.nr_events = nr_events;
	p->stream.nr_lost = nr_lost;
	return 0;
}

static void take_signals(struct pipe *p)
{
	struct signalfd_siginfo info;

	while (read(p->signal_fd, &info, sizeof(info)) == sizeof(info)) {
		signals_end_echo(&info);
		p->ends |= info.ssi_signo != SIGCHLD;
	}
}

static void take_changes(struct pipe *p)
{
	char events[4096] __attribute__((aligned(8)));
	ssize_t len;

	while ((len = read(p->change_fd, events, sizeof(events))) > 0) {
		p->changed = true;
		for (ssize_t at = 0; at < len;) {
			const struct inotify_event *ev = (const void *)(events + at);

			p->refiltered |= !(ev->mask & IN_ISDIR) || (ev->len && store_is_join(ev->name));
			at += (ssize_t)(sizeof(*ev) + ev->len);
		}
	}
}

/* Writes lines. Then the room of the written records belongs to the kernel again. */
static void step(struct pipe *p)
{
	int err = stream_step(&p->stream);

	if (!err) {
		kept_reader_save(&p->reader);
		rings_commit(p->stream.rings);
	}
	if (err == -EPIPE || stream_enough(&p->stream))
		p->ends = true;
	if (err && err != -EAGAIN && err != -EPIPE) {
		if (!p->record)
			fprintf(stderr, "bprobe: cannot write: %s\n", strerror(-err));
		p->ends = p->failed = true;
	}
}

static void module_changed(void *ctx, const char *module, bool gone)
{
	struct pipe *p = ctx;

	(void)module;
	p->module_came |= !gone || !module;
}

static bool names_module(const struct pipe *p)
{
	const char *name;

	for (unsigned i = 0; i < p->reader.sel.nr_events; i++) {
		const struct kept *k = &p->reader.sel.events[i]->kept;

		for (unsigned line = 0; line < k->nr_lines; line++) {
			if (!k->dropped[line] && kept_module(k, line, &name) != KEPT_MODULE_NONE)
				return true;
		}
	}
	return false;
}

/* Attaches probes again whose module was loaded again. The change of the store then tells this reader, too. */
static void attach_again(struct pipe *p)
{
	p->module_came = false;
	if (!names_module(p))
		return;
	step(p);			/* records that have come so far get the symbols of their time */
	enable_again(p->opts);
}

static void serve_signals(void *ctx)
{
	take_signals(ctx);
}

static void serve_changes(void *ctx)
{
	take_changes(ctx);
}

static void serve_modules(void *ctx)
{
	struct pipe *p = ctx;

	modwatch_serve(p->modules, module_changed, p);
}

static void serve_cgroups(void *ctx)
{
	struct pipe *p = ctx;

	cgwatch_serve(p->cgroups);
}

static struct loop loop_of(struct pipe *p)
{
	return (struct loop){
		.ctx = p, .signals = { p->signal_fd, serve_signals }, .deadline_ns = p->deadline_ns,
		.others = { { p->change_fd, serve_changes }, { p->modules ? modwatch_fd(p->modules) : -1, serve_modules },
			    { p->cgroups ? cgwatch_fd(p->cgroups) : -1, serve_cgroups } },
	};
}

/* Does another part of the same event still exist? */
static bool has_rest(const struct pipe *p, unsigned gone)
{
	const struct kept *k = &p->reader.sel.events[gone]->kept;

	for (unsigned i = 0; i < p->reader.sel.nr_events; i++) {
		const struct kept *other = &p->reader.sel.events[i]->kept;

		if (i != gone && name_same_event(k->group, k->event, other->group, other->event) &&
		    store_use_lives(&p->reader.uses[i]))
			return true;
	}
	return false;
}

/* Reports once each event that was removed. Returns the number of remaining events. */
static unsigned tell_gone(struct pipe *p)
{
	unsigned left = 0;

	for (unsigned i = 0; i < p->reader.sel.nr_events; i++) {
		bool lives = store_use_lives(&p->reader.uses[i]);

		left += lives;
		if (!lives && !p->told_gone[i])
			fprintf(stderr, "bprobe: %s%s was removed by another bprobe\n", has_rest(p, i) ? "a probe of " : "",
				p->reader.sel.events[i]->kept.event);
		p->told_gone[i] |= !lives;
	}
	return left;
}

static void prepare_gone(struct pipe *p)
{
	p->told_gone = arena_array(&p->reader.sel.arena, bool, p->reader.sel.nr_events);
}

/* The text to print if none of the events exists any more. */
static void names_of(const struct pipe *p, struct buf *out)
{
	for (unsigned i = 0; i < p->reader.sel.nr_events; i++) {
		if (!p->told_gone[i])
			buf_addf(out, "bprobe: %s was removed by another bprobe\n", p->reader.sel.events[i]->kept.event);
	}
}

/*
 * The store has changed. Reads removed events to their end. From now on new events, and those with another filter, are read
 * as well.
 */
static int take_change(struct pipe *p, struct diag *diag)
{
	uint64_t before, until = now_ns() + LAST_LOOK_MS * 1000000ull;
	struct buf gone = { 0 };
	unsigned left;
	int err;

	do {				/* reads removed events to their end, unless other events do not let it */
		before = p->stream.nr_events;
		step(p);
	} while (p->stream.nr_events != before && !p->stream.out_err && !p->ends && now_ns() < until);
	left = tell_gone(p);
	if (!left)
		p->ends = true;
	if (p->ends || p->stream.out_err)
		return 0;		/* if the output is full: later */
	p->changed = false;
	/* Named events are opened again only for another filter. If a name no longer means any event, opening would fail. */
	if (p->opts->nr_words && (!p->refiltered || left < p->reader.sel.nr_events))
		return 0;
	p->refiltered = false;
	names_of(p, &gone);
	err = pipe_reopen(p, diag);
	if (err == -ENOENT) {		/* the last event was removed just now */
		fputs(buf_str(&gone), stderr);
		diag_fini(diag);
		p->ends = true;
		err = 0;
	}
	buf_fini(&gone);
	if (err || p->ends)
		return err;
	prepare_gone(p);
	stream_begin(&p->stream, true, NULL);
	return 0;
}

/* Writes the last lines, as long as somebody reads them. A file is completed in any case, even if no event is left to read. */
static void flush_rest(struct pipe *p)
{
	struct loop loop = loop_of(p);
	int err;

	stream_end(&p->stream);
	err = p->record ? record_finish(p->record) : loop_flush(&loop, &p->stream.out, true, NULL);

	p->failed |= p->record && err;
	if (err || !p->stream.rings)
		return;
	kept_reader_save(&p->reader);
	rings_commit(p->stream.rings);
}

/* Tells a reader who has seen losses which events are concerned, and what helps. */
static void advise_buffers(const struct pipe *p)
{
	for (unsigned i = 0; p->stream.nr_lost && i < p->reader.sel.nr_events; i++) {
		const struct kept *k = &p->reader.sel.events[i]->kept;
		uint64_t lost = kept_reader_lost(&p->reader, i);

		/* All probes of an event have the same fields. */
		if (lost)
			summary_advise_buffer(p->reader.uses[i].channel->ring_size, summary_bytes(&k->probes[0].plan.layout, lost),
					      k->event, stderr);
	}
}

/* Events may be kept, removed and attached again while it reads. */
static void keep_rights(const struct options *o)
{
	const struct rights r = {
		.wanted = RIGHT_MAPS | RIGHT_MEMORY | RIGHT_ATTACH | RIGHT_FILES | RIGHT_CHILDREN,
	};

	privileges_keep(o, &r);
}

static int run_pipe(struct pipe *p, struct diag *diag)
{
	bool reads;
	int err = 0;

	lines_warn(p->opts, p->reader.sources, p->reader.nr_sources);
	stream_begin(&p->stream, p->opts->lines.quiet, NULL);
	if (p->opts->run.duration_ns)
		p->deadline_ns = now_ns() + p->opts->run.duration_ns;
	keep_rights(p->opts);
	p->stream.out_err = output_flush(&p->stream.out);
	while (!p->ends && !err) {
		struct loop loop = loop_of(p);

		p->ends |= loop_wait(&loop, &p->stream) != 0;
		step(p);
		if (p->module_came && !p->ends)
			attach_again(p);
		if (p->changed && !p->ends)
			err = take_change(p, diag);
	}
	reads = !err && p->stream.rings && p->stream.out_err != -EPIPE;
	/* If records are left, the next reader reports the losses behind them. */
	if (reads && rings_arm(p->stream.rings))
		stream_last_losses(&p->stream, &p->reader.sel.arena);
	if (reads || p->record)
		flush_rest(p);
	advise_buffers(p);
	return err;
}

int read_kept_pipe(const struct options *opts)
{
	struct pipe p = { .opts = opts, .reader.sel.store.fd = -1, .signal_fd = -1,
			  .change_fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC) };
	struct diag diag = { 0 };
	int status = 0, err = signals_open(&p.signals, 0, &p.signal_fd, &diag);

	/* Starts before anything is read, so that no module is loaded unseen in between. */
	if (!err && modwatch_open(&p.modules, &diag)) {
		fprintf(stderr, "bprobe: %s\n", buf_str(&diag.msg));
		diag_fini(&diag);
	}
	p.module_came = true;
	if (!err && opts->set.containers)
		err = cgwatch_open(&p.cgroups, &diag);
	if (!err)
		err = pipe_open(&p, &diag);
	if (!err) {
		prepare_gone(&p);
		err = run_pipe(&p, &diag);
	}
	if (err)
		status = failed(&diag);
	if ((p.reader.sel.nr_troubles || p.failed) && !status)
		status = EXIT_KERNEL;
	pipe_close(&p);
	modwatch_close(p.modules);
	cgwatch_close(p.cgroups);
	record_close(p.record);
	if (p.signal_fd >= 0)
		close(p.signal_fd);
	if (p.change_fd >= 0)
		close(p.change_fd);
	return status;
}
