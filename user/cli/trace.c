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
#include <unistd.h>

#include "base/clock.h"
#include "base/diag.h"
#include "cli/files.h"
#include "cli/notes.h"
#include "cli/peers.h"
#include "cli/summary.h"
#include "cli/tracer.h"
#include "kernel/release.h"

enum {
	PENDING_MS = 1,			/* with records held back for a slower CPU, look again after this */
	FLUSH_MS = 2000,		/* when time is up, a reader gets so long for the last lines */
};

int trace_failed(const struct options *opts, const struct diag *diag, int status)
{
	struct buf text = { 0 };

	diag_format(diag, "bprobe", &text);
	fputs(buf_str(&text), stderr);
	buf_fini(&text);
	return opts->command ? EXIT_COMMAND_OWN : status;
}

int trace_resolve_status(int err)
{
	return err == -EOPNOTSUPP || err == -ENOMEM ? EXIT_KERNEL : EXIT_BAD_DEFINITION;
}

void tracer_end(struct tracer *t, enum end why)
{
	if (t->end == END_NOT)
		t->end = why;
}

/* ---- events to lines ---- */

/* Tells once of each gap, before the first event behind it. */
static void show_lost(struct tracer *t, uint32_t probe, unsigned cpu, uint32_t lost)
{
	uint32_t *shown = &t->lost_shown[(size_t)probe * t->session.channel->nr_cpus + cpu];
	uint32_t gap = lost - *shown;

	if (!gap)
		return;
	text_lost(cpu, gap, &t->out.text);
	*shown = lost;
}

static bool enough(const struct tracer *t)
{
	return t->opts->max_events && t->nr_events >= t->opts->max_events;
}

/* Writes when there is a block of text. False: leave the other records where they are. */
static bool goes_on(struct tracer *t)
{
	if (t->take_all || t->out.text.len < OUTPUT_BLOCK)
		return true;
	t->out_err = output_flush(&t->out);
	return !t->out_err;
}

bool tracer_take_record(void *ctx, const struct bp_rec *rec, uint32_t len)
{
	struct tracer *t = ctx;
	struct event ev;

	if (enough(t) || rec->probe >= t->session.nr_probes || rec->cpu >= t->session.channel->nr_cpus ||
	    !t->session.probes[rec->probe].plan ||
	    !event_decode(&t->session.probes[rec->probe].plan->layout, rec, len, &ev))
		return true;
	show_lost(t, rec->probe, rec->cpu, rec->lost);
	text_event(&t->text, &ev, &t->out.text);
	t->nr_events++;
	if (enough(t))
		tracer_end(t, END_LIMIT);
	return goes_on(t);
}

/* Losses with no event behind them are told at the end of the stream, one line for each CPU. */
static void show_last_losses(struct tracer *t)
{
	const struct channel *channel = t->session.channel;
	unsigned cpus = channel->nr_cpus;
	uint64_t *lost = arena_array(&t->session.arena, uint64_t, cpus);
	uint64_t *gaps = arena_array(&t->session.arena, uint64_t, cpus);

	for (unsigned i = 0; i < t->session.nr_probes; i++) {
		channel_lost(channel, i, lost);
		for (unsigned cpu = 0; cpu < cpus; cpu++)
			gaps[cpu] += (uint32_t)lost[cpu] - t->lost_shown[(size_t)i * cpus + cpu];
	}
	for (unsigned cpu = 0; cpu < cpus; cpu++) {
		if (gaps[cpu])
			text_lost(cpu, gaps[cpu], &t->out.text);
	}
}

/* ---- the loop ---- */

static void take_signals(struct tracer *t)
{
	struct signalfd_siginfo info;

	while (read(t->signal_fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGCHLD) {
			lint_child_ended(&t->lint);
			command_reap(&t->command);
			if (t->command.ended)
				tracer_end(t, END_COMMAND);
		} else if (t->command.pid && !t->command.ended && !t->forwarded) {
			/*
			 * COMMAND decides what the signal means, and bprobe ends with it. What
			 * the terminal sends (no sender) COMMAND has got already.
			 */
			t->forwarded = true;
			if (info.ssi_pid)
				kill(t->command.pid, (int)info.ssi_signo);
		} else {
			t->end = END_SIGNAL;
		}
	}
}

/* @ms, or less when time is up before. */
static int poll_timeout(const struct tracer *t, int ms)
{
	uint64_t now, left;

	if (!t->deadline_ns || !ms)
		return ms;
	now = now_ns();
	left = t->deadline_ns > now ? t->deadline_ns - now : 0;
	left = left / 1000000 + (left % 1000000 != 0);
	return (int)MIN(left, ms < 0 ? 1000000000u : (uint64_t)ms);
}

/* Waits for one of: a signal, another bprobe, records (or room on a full output), their time. */
static void wait_and_serve(struct tracer *t)
{
	bool full = t->out_err == -EAGAIN, wakes = !full && t->wait_ms == PACE_WAIT && rings_arm(t->rings);
	struct pollfd fds[] = {
		{ .fd = t->signal_fd, .events = POLLIN },
		{ .fd = t->registry ? registry_fd(t->registry) : -1, .events = POLLIN },
		{ .fd = t->modules ? modwatch_fd(t->modules) : -1, .events = POLLIN },
		{ .fd = wakes ? rings_fd(t->rings) : -1, .events = POLLIN },
		/* Without events asked for it tells of a reader that left. */
		{ .fd = t->out.fd, .events = full ? POLLOUT : 0 },
	};
	int ms = full || wakes ? -1 : MAX(t->wait_ms, 0);

	if (poll(fds, ARRAY_SIZE(fds), poll_timeout(t, ms)) < 0)
		return;
	if (fds[0].revents)
		take_signals(t);
	if (fds[1].revents)
		registry_serve(t->registry);
	if (fds[2].revents)
		modwatch_serve(t->modules, peers_module_changed, t);
	if (t->modules_changed)
		peers_attach_waiting(t);
	if (fds[4].revents & (POLLERR | POLLHUP | POLLNVAL))
		tracer_end(t, END_CLOSED);
	if (t->deadline_ns && now_ns() >= t->deadline_ns)
		tracer_end(t, END_LIMIT);
}

/* Prints what the rings have, and says when to look again. */
static void take_records(struct tracer *t)
{
	uint64_t start = now_ns();
	bool pending;
	unsigned nr = rings_pass(t->rings, tracer_take_record, t, &pending);

	t->wait_ms = pace_next(&t->pace, start, now_ns(), nr, rings_fill(t->rings));
	if (pending && t->wait_ms == PACE_WAIT)
		t->wait_ms = PENDING_MS;
}

/* Returns what output_flush() did last. */
static int loop(struct tracer *t)
{
	t->out_err = output_flush(&t->out);
	t->wait_ms = PACE_WAIT;
	while (t->end == END_NOT) {
		wait_and_serve(t);
		/* Behind a full output records stay in their rings, where losses are counted. */
		if (t->out_err == -EAGAIN)
			t->wait_ms = 0;
		else
			take_records(t);
		t->out_err = output_flush(&t->out);
		if (t->out_err && t->out_err != -EAGAIN)
			tracer_end(t, t->out_err == -EPIPE ? END_CLOSED : END_OUTPUT);
	}
	return t->out_err;
}

/*
 * Writes the last lines for as long as somebody takes them. A signal ends that; when
 * bprobe was to end by a time or a signal, so does a short delay.
 */
static int flush_rest(struct tracer *t)
{
	bool hurry = t->end == END_SIGNAL || (t->end == END_LIMIT && t->deadline_ns);
	uint64_t until = now_ns() + FLUSH_MS * 1000000ull;
	int err = output_flush(&t->out);

	t->end = END_NOT;
	t->forwarded = true;
	while (err == -EAGAIN && t->end != END_SIGNAL && (!hurry || now_ns() < until)) {
		struct pollfd fds[] = {
			{ .fd = t->out.fd, .events = POLLOUT },
			{ .fd = t->signal_fd, .events = POLLIN },
		};

		if (poll(fds, ARRAY_SIZE(fds), hurry ? FLUSH_MS : -1) > 0 && fds[1].revents)
			take_signals(t);
		err = output_flush(&t->out);
	}
	if (err == -EAGAIN)
		fprintf(stderr, "bprobe: %zu bytes of events were not taken by who reads them\n",
			t->out.text.len - t->out.done);
	return err == -EAGAIN ? 0 : err;
}

/* The tracing is over, but COMMAND goes on: signals are for it, the second one ends it. */
static void wait_for_command(struct tracer *t)
{
	t->end = END_NOT;
	t->forwarded = false;
	while (!t->command.ended && t->end != END_SIGNAL) {
		struct pollfd fd = { .fd = t->signal_fd, .events = POLLIN };

		if (poll(&fd, 1, -1) > 0)
			take_signals(t);
	}
}

/* The warnings of a short run are worth waiting for; who ends it by a signal does not want to wait. */
static void wait_for_lint(struct tracer *t)
{
	t->end = END_NOT;
	t->forwarded = true;
	while (t->end != END_SIGNAL && !lint_child_ended(&t->lint)) {
		struct pollfd fd = { .fd = t->signal_fd, .events = POLLIN };

		if (poll(&fd, 1, -1) > 0)
			take_signals(t);
	}
}

/* ---- start and end ---- */

static int open_signals(struct tracer *t, struct diag *diag)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, usual = { .sa_handler = SIG_DFL };
	sigset_t mask;

	/* An ignored SIGCHLD is inherited, and COMMAND's end would go unseen. */
	sigaction(SIGPIPE, &ignore, &t->signals.pipe);
	sigaction(SIGCHLD, &usual, &t->signals.child);
	sigemptyset(&mask);
	sigaddset(&mask, SIGINT);
	sigaddset(&mask, SIGTERM);
	sigaddset(&mask, SIGHUP);
	sigaddset(&mask, SIGCHLD);
	sigprocmask(SIG_BLOCK, &mask, &t->signals.mask);
	t->signal_fd = signalfd(-1, &mask, SFD_NONBLOCK | SFD_CLOEXEC);
	return t->signal_fd < 0 ? diag_set(diag, -errno, "cannot wait for signals: %s", strerror(errno)) : 0;
}

/* The registry serves others: without it tracing works all the same. */
static void open_registry(struct tracer *t)
{
	struct registry_ops ops = { .list = peers_list, .remove = peers_remove, .ctx = t };
	struct diag diag = { 0 };

	if (registry_open(NULL, &ops, &t->registry, &diag))
		fprintf(stderr, "bprobe: %s; 'bprobe -l' and '-r' will not find these probes\n",
			buf_str(&diag.msg));
	diag_fini(&diag);
}

static int open_rings(struct tracer *t, struct diag *diag)
{
	const struct channel *c = t->session.channel;

	t->lost_shown = arena_array(&t->session.arena, uint32_t, (size_t)t->session.nr_probes * c->nr_cpus);
	pace_init(&t->pace, c->ring_size);
	return rings_open(c->rings, c->nr_rings, c->ring_size, &t->rings, diag);
}

/* Listens before the symbols are read, so that no module comes in between unseen. */
static int open_modules(struct tracer *t, struct diag *diag)
{
	return session_names_module(&t->session, NULL) ? modwatch_open(&t->modules, diag) : 0;
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
	int err;

	if (session_parse(&t->session, t->opts, diag))
		return EXIT_BAD_DEFINITION;
	if (open_modules(t, diag))
		return EXIT_KERNEL;
	if (session_open_kernel(&t->session, diag))
		return EXIT_KERNEL;
	err = session_resolve(&t->session, diag);
	if (err)
		return trace_resolve_status(err);
	lint_child_prepare(&t->lint, &t->session);
	files_raise_limit();
	if (session_load(&t->session, !follow, diag) || session_leave_out(&t->session, t->lint.pid, diag) ||
	    open_rings(t, diag) || open_signals(t, diag))
		return EXIT_KERNEL;
	warn_hidden(t);
	if (follow && engine_follow(t->session.engine, diag))
		return EXIT_KERNEL;
	if (t->opts->command &&
	    command_prepare(&t->command, t->opts->command, follow ? t->session.engine : NULL,
			    &t->signals, diag))
		return EXIT_KERNEL;
	err = session_attach(&t->session, diag);
	if (err)	/* off an instruction's first byte: as when bprobe sees it itself */
		return err == -EILSEQ ? EXIT_BAD_DEFINITION : EXIT_KERNEL;
	lint_child_go(&t->lint);
	t->text = (struct text){ .ks = t->session.ks, .raw_strings = t->opts->raw_strings };
	context_rules_init(&t->text.rules, release_running(), release_counts_preemption());
	return 0;
}

static int start_command(struct tracer *t)
{
	bool own;
	int err = command_start(&t->command, &own);

	if (!err)
		return 0;
	fprintf(stderr, "bprobe: cannot %s %s: %s\n", own ? "trace" : "execute", t->command.argv[0],
		strerror(-err));
	if (own)
		return EXIT_COMMAND_OWN;
	return err == -ENOENT ? EXIT_COMMAND_MISSING : EXIT_COMMAND_REFUSED;
}

/* What is left when the loop has ended: the last lines and COMMAND. Returns the exit status. */
static int finish(struct tracer *t, int err)
{
	enum end why = t->end;

	session_detach_all(&t->session);
	registry_close(t->registry);		/* nobody should wait for an answer now */
	t->registry = NULL;
	if (why != END_CLOSED && why != END_OUTPUT) {
		t->take_all = true;
		rings_drain(t->rings, tracer_take_record, t);
		show_last_losses(t);
		err = flush_rest(t);
	}
	if (err && err != -EPIPE) {
		fprintf(stderr, "bprobe: cannot write: %s\n", strerror(-err));
		return t->opts->command ? EXIT_COMMAND_OWN : EXIT_KERNEL;
	}
	if (!t->command.pid) {
		if (why != END_SIGNAL && why != END_CLOSED)
			wait_for_lint(t);
		return 0;
	}
	/* Who removes the probes or stops to read does not want COMMAND to end; a limit ends both. */
	if (why == END_CLOSED || why == END_REMOVED)
		wait_for_command(t);
	command_stop(&t->command);
	if (why != END_SIGNAL && why != END_CLOSED)
		wait_for_lint(t);
	return t->command.status;
}

/* From attached probes to the last line. Returns the exit status. */
static int run(struct tracer *t)
{
	int status = 0;

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
		status = finish(t, loop(t));
	session_detach_all(&t->session);
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
	lint_child_kill(&t.lint);
	command_close(&t.command);
	rings_close(t.rings);
	text_fini(&t.text);
	output_close(&t.out);
	if (t.signal_fd >= 0)
		close(t.signal_fd);
	session_close(&t.session);
	diag_fini(&diag);
	return status;
}
