// SPDX-License-Identifier: GPL-2.0-only
/*
 * trace.c - the pipeline: READ THIS FIRST.
 *
 *	parse -> resolve -> load -> attach -> (rings -> decode -> line)* -> summary
 *
 * Everything is checked before the first probe is attached; everything attached
 * hangs on descriptors of this process, so however it ends nothing stays.
 */
#include "cli/trace.h"

#include <errno.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "base/diag.h"
#include "cli/command.h"
#include "cli/notes.h"
#include "cli/output.h"
#include "cli/session.h"
#include "cli/summary.h"
#include "kernel/release.h"
#include "out/text.h"
#include "run/modwatch.h"
#include "run/registry.h"
#include "run/ring.h"

/* With records held back for a slower CPU, look again after this. */
enum { PENDING_MS = 1 };

struct tracer {
	const struct options *opts;
	struct session session;
	struct command command;
	struct rings *rings;
	struct registry *registry;
	struct modwatch *modules;	/* NULL: no definition names a module */
	struct output out;
	struct text_opts text;
	uint32_t *lost_shown;		/* of each CPU: what LOST lines have told */
	uint64_t nr_events;
	uint64_t deadline_ns;		/* CLOCK_MONOTONIC; 0: none */
	sigset_t old_mask;
	int signal_fd;
	bool stop;
	bool interrupted;		/* COMMAND was sent a signal: the next one ends bprobe */
};

int trace_failed(const struct options *opts, const struct diag *diag, int status)
{
	struct buf text = { 0 };

	diag_format(diag, "bprobe", &text);
	fputs(buf_str(&text), stderr);
	buf_fini(&text);
	return opts->command ? EXIT_COMMAND_OWN : status;
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* ---- events to lines ---- */

/* Tells once of each gap, before the first event behind it. */
static void show_lost(struct tracer *t, unsigned cpu, uint32_t lost)
{
	uint32_t gap = lost - t->lost_shown[cpu];

	if (!gap)
		return;
	text_lost(cpu, gap, &t->out.text);
	t->lost_shown[cpu] = lost;
}

static bool enough(const struct tracer *t)
{
	return t->opts->max_events && t->nr_events >= t->opts->max_events;
}

static void take_record(void *ctx, struct bp_rec *rec, uint32_t len)
{
	struct tracer *t = ctx;
	struct event ev;

	if (enough(t) || rec->probe >= t->session.nr_probes || rec->cpu >= engine_cpus(t->session.engine) ||
	    !t->session.probes[rec->probe].plan ||
	    !event_decode(&t->session.probes[rec->probe].plan->layout, rec, len, &ev))
		return;
	show_lost(t, rec->cpu, rec->lost);
	text_event(&t->text, &ev, &t->out.text);
	t->nr_events++;
	if (enough(t))
		t->stop = true;
}

/* Losses with no event behind them are told at the end of the stream. */
static void show_last_losses(struct tracer *t)
{
	unsigned cpus = engine_cpus(t->session.engine);
	uint64_t *lost = arena_array(&t->session.arena, uint64_t, cpus);

	engine_lost(t->session.engine, lost, cpus);
	for (unsigned i = 0; i < cpus; i++)
		show_lost(t, i, (uint32_t)lost[i]);
}

/* ---- what other bprobes ask ---- */

static void list_probes(void *ctx, struct buf *out)
{
	struct tracer *t = ctx;

	for (unsigned i = 0; i < t->session.nr_probes; i++) {
		const struct probe *p = &t->session.probes[i];

		if (p->removed)
			continue;
		def_print(p->plan ? p->plan->def : p->def, out);
		if (p->active)
			buf_addf(out, " # enabled, bprobe %d\n", (int)getpid());
		else
			buf_addf(out, " # waits for module %s, bprobe %d\n", p->def->place.module,
				 (int)getpid());
	}
}

static int remove_probes(void *ctx, const char *name, struct buf *why)
{
	struct tracer *t = ctx;
	int removed = 0;

	(void)why;
	for (unsigned i = 0; i < t->session.nr_probes; i++) {
		struct probe *p = &t->session.probes[i];

		if (p->removed || !session_name_matches(p->def, name))
			continue;
		if (session_waits(p))
			t->session.nr_waiting--;
		session_detach(&t->session, p);
		p->removed = true;
		fprintf(stderr, "bprobe: %s was removed by another bprobe\n", p->def->event);
		removed++;
	}
	if (removed && !t->session.nr_active && !t->session.nr_waiting)
		t->stop = true;
	return removed;
}

/* ---- modules that come and go ---- */

static void module_changed(void *ctx, const char *module, bool loaded)
{
	struct tracer *t = ctx;
	struct diag diag = { 0 };
	unsigned n = loaded ? session_module_loaded(&t->session, module, &diag)
			    : session_module_gone(&t->session, module);

	t->text.ks = t->session.ks;
	if (n && loaded)
		fprintf(stderr, "bprobe: module %s was loaded: %u probes attached (its init functions ran before)\n",
			module, n);
	else if (n)
		fprintf(stderr, "bprobe: module %s was unloaded: %u probes wait for it\n", module, n);
	if (diag.err)
		trace_failed(t->opts, &diag, 0);
	diag_fini(&diag);
}

/* Listens before the symbols are read, so that no module comes in between unseen. */
static int open_modules(struct tracer *t, struct diag *diag)
{
	for (unsigned i = 0; i < t->session.nr_probes; i++) {
		if (t->session.probes[i].def->place.module)
			return modwatch_open(&t->modules, diag);
	}
	return 0;
}

/* ---- the loop ---- */

static void take_signals(struct tracer *t)
{
	struct signalfd_siginfo info;

	while (read(t->signal_fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGCHLD) {
			command_reap(&t->command, false);
			if (t->command.ended)
				t->stop = true;
		} else if (t->command.pid && !t->interrupted) {
			/* COMMAND decides what the signal means; bprobe ends with it. */
			t->interrupted = true;
			if (info.ssi_pid || info.ssi_code == SI_USER)
				kill(t->command.pid, (int)info.ssi_signo);
		} else {
			t->stop = true;
		}
	}
}

static int poll_timeout(const struct tracer *t, bool pending)
{
	uint64_t now, left;

	if (pending)
		return PENDING_MS;
	if (!t->deadline_ns)
		return -1;
	now = now_ns();
	left = t->deadline_ns > now ? t->deadline_ns - now : 0;
	return (int)MIN(left / 1000000 + (left % 1000000 != 0), 1000000000u);
}

/* Waits for one of: a signal, another bprobe, records (or room on a full output). */
static void wait_and_serve(struct tracer *t, bool pending, bool output_full)
{
	struct pollfd fds[] = {
		{ .fd = t->signal_fd, .events = POLLIN },
		{ .fd = t->registry ? registry_fd(t->registry) : -1, .events = POLLIN },
		{ .fd = t->modules ? modwatch_fd(t->modules) : -1, .events = POLLIN },
		{ .fd = output_full ? t->out.fd : rings_fd(t->rings),
		  .events = output_full ? POLLOUT : POLLIN },
	};

	if (poll(fds, ARRAY_SIZE(fds), poll_timeout(t, pending && !output_full)) < 0)
		return;
	if (fds[0].revents)
		take_signals(t);
	if (fds[1].revents)
		registry_serve(t->registry);
	if (fds[2].revents)
		modwatch_serve(t->modules, module_changed, t);
	if (t->deadline_ns && now_ns() >= t->deadline_ns)
		t->stop = true;
}

/* Returns 0, or -errno of standard output. */
static int loop(struct tracer *t)
{
	int err = output_flush(&t->out);
	bool pending = false;

	while (!t->stop && (!err || err == -EAGAIN)) {
		wait_and_serve(t, pending, err == -EAGAIN);
		/* Behind a full output records stay in their rings, where losses are counted. */
		if (err != -EAGAIN)
			rings_pass(t->rings, take_record, t, &pending);
		err = output_flush(&t->out);
	}
	return err == -EAGAIN ? 0 : err;
}

/* Writes the last lines, for as long as somebody takes them and no signal comes. */
static int flush_rest(struct tracer *t)
{
	int err = output_flush(&t->out);

	t->stop = false;
	while (err == -EAGAIN && !t->stop) {
		struct pollfd fds[] = {
			{ .fd = t->out.fd, .events = POLLOUT },
			{ .fd = t->signal_fd, .events = POLLIN },
		};

		if (poll(fds, ARRAY_SIZE(fds), -1) > 0 && fds[1].revents) {
			t->interrupted = true;
			take_signals(t);
		}
		err = output_flush(&t->out);
	}
	return err == -EAGAIN ? 0 : err;
}

/* ---- start and end ---- */

static int open_signals(struct tracer *t, struct diag *diag)
{
	sigset_t mask;

	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&mask);
	sigaddset(&mask, SIGINT);
	sigaddset(&mask, SIGTERM);
	sigaddset(&mask, SIGHUP);
	sigaddset(&mask, SIGCHLD);
	sigprocmask(SIG_BLOCK, &mask, &t->old_mask);
	t->signal_fd = signalfd(-1, &mask, SFD_NONBLOCK | SFD_CLOEXEC);
	return t->signal_fd < 0 ? diag_set(diag, -errno, "cannot wait for signals: %s", strerror(errno)) : 0;
}

/* The registry serves others: without it tracing works all the same. */
static void open_registry(struct tracer *t)
{
	struct registry_ops ops = { .list = list_probes, .remove = remove_probes, .ctx = t };
	struct diag diag = { 0 };

	if (registry_open(NULL, &ops, &t->registry, &diag))
		fprintf(stderr, "bprobe: %s; 'bprobe -l' and '-r' will not find these probes\n",
			buf_str(&diag.msg));
	diag_fini(&diag);
}

static int open_rings(struct tracer *t, struct diag *diag)
{
	const int *fds;
	uint64_t size;
	unsigned nr = engine_rings(t->session.engine, &fds, &size);

	t->lost_shown = arena_array(&t->session.arena, uint32_t, engine_cpus(t->session.engine));
	return rings_open(fds, nr, size, &t->rings, diag);
}

static void warn_hidden(const struct tracer *t)
{
	if (ksyms_hidden(t->session.ks))
		fputs("bprobe: the kernel hides its addresses (kernel.kptr_restrict), so places are "
		      "printed as numbers and some flags as '?'; "
		      "'sysctl kernel.kptr_restrict=1' shows them to root\n", stderr);
}

/* Everything up to attached probes. Returns 0 or an exit status. */
static int start(struct tracer *t, struct diag *diag)
{
	bool follow = t->opts->command && !t->opts->all_tasks;

	if (session_parse(&t->session, t->opts, diag))
		return EXIT_BAD_DEFINITION;
	if (open_modules(t, diag))
		return EXIT_KERNEL;
	if (session_resolve(&t->session, diag))
		return EXIT_BAD_DEFINITION;
	if (session_load(&t->session, !follow, diag) || open_rings(t, diag) || open_signals(t, diag))
		return EXIT_KERNEL;
	warn_hidden(t);
	if (follow && engine_follow(t->session.engine, diag))
		return EXIT_KERNEL;
	if (t->opts->command &&
	    command_prepare(&t->command, t->opts->command, follow ? t->session.engine : NULL,
			    &t->old_mask, diag))
		return EXIT_KERNEL;
	if (session_attach(&t->session, diag))
		return EXIT_KERNEL;
	t->text = (struct text_opts){ .ks = t->session.ks, .raw_strings = t->opts->raw_strings };
	context_rules_init(&t->text.rules, release_running(), release_counts_preemption());
	return 0;
}

static int start_command(struct tracer *t)
{
	int err = command_start(&t->command);

	if (!err)
		return 0;
	fprintf(stderr, "bprobe: cannot execute %s: %s\n", t->command.argv[0], strerror(-err));
	return err == -ENOENT ? EXIT_COMMAND_MISSING : EXIT_COMMAND_REFUSED;
}

/* From attached probes to the last line. Returns the exit status. */
static int run(struct tracer *t)
{
	int err = 0, status = 0;

	output_open(&t->out);
	if (!t->opts->quiet)
		text_header(&t->out.text);
	open_registry(t);
	notes_print(&t->session, stderr);
	fprintf(stderr, "tracing %u probes\n", t->session.nr_active);
	if (t->opts->duration_ns)
		t->deadline_ns = now_ns() + t->opts->duration_ns;
	if (t->command.pid)
		status = start_command(t);
	if (!status)
		err = loop(t);
	session_detach_all(&t->session);
	if (!err) {
		rings_drain(t->rings, take_record, t);
		show_last_losses(t);
		err = flush_rest(t);
	}
	if (err && err != -EPIPE) {
		fprintf(stderr, "bprobe: cannot write: %s\n", strerror(-err));
		status = t->opts->command ? EXIT_COMMAND_OWN : EXIT_KERNEL;
	}
	if (t->command.pid && !status) {
		/* A reader that left ends the tracing, not COMMAND; a limit ends both. */
		if (!t->command.ended && err == -EPIPE)
			command_reap(&t->command, true);
		status = t->command.ended ? t->command.status : 0;
	}
	summary_print(&t->session, stderr);
	return status;
}

int trace_run(const struct options *opts)
{
	struct tracer t = { .opts = opts, .signal_fd = -1 };
	struct diag diag = { 0 };
	int status = start(&t, &diag);

	status = status ? trace_failed(opts, &diag, status) : run(&t);
	registry_close(t.registry);
	modwatch_close(t.modules);
	session_detach_all(&t.session);
	command_close(&t.command);
	rings_close(t.rings);
	output_close(&t.out);
	if (t.signal_fd >= 0)
		close(t.signal_fd);
	session_close(&t.session);
	diag_fini(&diag);
	return status;
}
