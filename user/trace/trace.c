// SPDX-License-Identifier: GPL-2.0-only
/*
 * trace.c - the pipeline: READ THIS FIRST.
 *
 *	parse -> resolve -> load -> attach -> (rings -> decode -> line)* -> summary
 *
 * Everything is checked before the first probe is attached. Everything that is attached
 * depends on descriptors of this process. So nothing stays, however the process ends.
 */
#include "trace/trace.h"

#include <errno.h>
#include <bpf/libbpf.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/files.h"
#include "base/progress.h"
#include "base/signals.h"
#include "keep/remove.h"
#include "keep/store.h"
#include "kernel/release.h"
#include "registry/detach_child.h"
#include "run/cgwatch.h"
#include "run/count_map.h"
#include "set/later.h"
#include "set/lint.h"
#include "set/notes.h"
#include "set/summary.h"
#include "set/trigger_run.h"
#include "stream/lines.h"
#include "stream/loop.h"
#include "stream/record.h"
#include "stream/stack_lines.h"
#include "trace/answers_show.h"
#include "trace/confined.h"
#include "trace/peers.h"
#include "trace/tracer.h"

void tracer_end(struct tracer *t, enum end why)
{
	if (t->end == END_NOT)
		t->end = why;
}

void tracer_set_source(struct tracer *t, unsigned i)
{
	struct set *s = &t->set;
	struct source *source = &t->stream.sources[i];

	source->layout = s->probes[i].plan ? &s->probes[i].plan->layout : NULL;
	source->filtered = &s->probes[i].outcomes.filtered;
	source->undecided = &s->probes[i].outcomes.undecided;
	source->filter = s->probes[i].selects ? s->probes[i].plan->filter : NULL;
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
			continue;
		}
		if (t->intake->signal && (int)info.ssi_signo == t->intake->signal) {
			t->snapshot_wanted = true;
			continue;
		}
		signals_end_echo(&info);
		if (t->command.pid && !t->command.ended && !t->forwarded) {
			/*
			 * COMMAND decides what the signal means, and bprobe ends with COMMAND. A signal from the terminal
			 * has already reached COMMAND.
			 */
			t->forwarded = true;
			if (info.ssi_code != SI_KERNEL)
				kill(t->command.pid, (int)info.ssi_signo);
		} else {
			t->end = END_SIGNAL;
		}
	}
}

static void serve_signals(void *ctx)
{
	take_signals(ctx);
}

static void serve_peers(void *ctx)
{
	struct tracer *t = ctx;

	registry_serve(t->registry);
}

static void serve_modules(void *ctx)
{
	struct tracer *t = ctx;

	modwatch_serve(t->modules, peers_module_changed, t);
}

static void serve_maps(void *ctx)
{
	struct tracer *t = ctx;

	mapwatch_take(t->maps);
}

static void serve_keys(void *ctx)
{
	struct tracer *t = ctx;

	live_show_keys(t->live);
}

static void serve_cgroups(void *ctx)
{
	struct tracer *t = ctx;

	cgwatch_serve(t->cgroups);
}

static struct loop loop_of(struct tracer *t)
{
	return (struct loop){
		.ctx = t, .signals = { t->signal_fd, serve_signals }, .deadline_ns = t->deadline_ns, .tick_ns = t->answers.next_ns,
		.others = { { t->registry ? registry_fd(t->registry) : -1, serve_peers },
			    { t->modules ? modwatch_fd(t->modules) : -1, serve_modules },
			    { t->maps ? mapwatch_fd(t->maps) : -1, serve_maps },
			    { t->cgroups ? cgwatch_fd(t->cgroups) : -1, serve_cgroups },
			    { t->asks ? ring_buffer__epoll_fd(t->asks) : -1, t->intake->serve_asks },
			    { live_show_fd(t->live), serve_keys } },
	};
}

/* Returns the last result of output_flush(). */
static int loop(struct tracer *t)
{
	struct loop loop = loop_of(t);
	int err = output_flush(&t->stream.out);

	t->stream.out_err = err;
	while (t->end == END_NOT) {
		unsigned news = loop_wait(&loop, &t->stream);

		if (t->modules_changed)
			peers_attach_waiting(t);
		if (news & LOOP_READER_LEFT)
			tracer_end(t, END_CLOSED);
		if (news & LOOP_TIME_IS_UP)
			tracer_end(t, END_LIMIT);
		if (news & LOOP_TICK) {
			answers_print(t, false);
			loop.tick_ns = t->answers.next_ns;
		}
		err = t->intake->step(t);
		if (stream_enough(&t->stream))
			tracer_end(t, END_LIMIT);
		if (err && err != -EAGAIN)
			tracer_end(t, err == -EPIPE ? END_CLOSED : END_OUTPUT);
	}
	return err;
}

static bool was_signalled(void *ctx)
{
	const struct tracer *t = ctx;

	return t->end == END_SIGNAL;
}

int tracer_flush(struct tracer *t, bool hurry)
{
	struct loop loop = loop_of(t);
	int err;

	t->end = END_NOT;
	t->forwarded = true;
	err = loop_flush(&loop, &t->stream.out, hurry, was_signalled);
	if (err == -EAGAIN)
		fprintf(stderr, "bprobe: %zu bytes of events were not written, because the reader did not take them\n",
			t->stream.out.text.len - t->stream.out.done);
	return err == -EAGAIN ? 0 : err;
}

int tracer_end_stream(struct tracer *t)
{
	int more;

	while ((more = stream_end(&t->stream)) == SINK_MORE) {
		int err = tracer_flush(t, false);

		if (progress_interrupted())
			t->end = END_SIGNAL;
		if (t->end == END_SIGNAL)
			fputs("bprobe: a signal ended the output: it does not have all events\n", stderr);
		if (err || t->end == END_SIGNAL)
			return err;
		stream_fit(&t->stream);
	}
	return more;
}

/* The tracing is over, but COMMAND continues. The first signal goes to COMMAND; the second one ends it. */
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

/* The search would take longer than most commands. */
static void tell_unfinished(struct tracer *t)
{
	fprintf(stderr, "bprobe: the search for callers of functions without hits was not finished, because COMMAND has ended; see --explain\n");
	lint_child_kill(&t->lint);
}

/*
 * Waits for the warnings about probes that never fire, unless all have fired. A user who ends the run by a signal does not want to
 * wait. After a COMMAND there is no wait for a search in all of the kernel's memory: see lint_print().
 */
static void wait_for_lint(struct tracer *t, enum end why)
{
	bool short_only = why == END_COMMAND;

	t->end = END_NOT;
	t->forwarded = true;
	while (t->end != END_SIGNAL && !lint_child_ended(&t->lint) && !lint_is_settled(&t->set)) {
		struct pollfd fds[] = { { .fd = t->signal_fd, .events = POLLIN },
					{ .fd = short_only ? t->lint.far_fd : -1, .events = POLLIN } };

		if (poll(fds, ARRAY_SIZE(fds), -1) <= 0)
			continue;
		if (fds[0].revents)
			take_signals(t);
		else if (fds[1].revents & POLLIN)
			tell_unfinished(t);
		else
			short_only = false;	/* it ends, and SIGCHLD comes */
	}
}

/* ---- detaching ---- */

/* From now on there are no new hits. If the kernel needs long to detach all probes, a child does it. */
static void detach(struct tracer *t)
{
	struct detach later = { 0 };

	if (!set_detaches_slowly(&t->set)) {
		set_detach_all(&t->set);
		return;
	}
	set_stop(&t->set);
	set_hand_over(&t->set, &later);
	detach_child_start(&later, &t->detach_fd);		/* if there can be no child, they are detached now */
}

/* With --wait: until the child that detaches has ended, or a signal comes. */
static void wait_for_detach(struct tracer *t)
{
	struct pollfd fds[] = { { .fd = t->detach_fd, .events = POLLIN }, { .fd = t->signal_fd, .events = POLLIN } };

	if (t->detach_fd < 0)
		return;
	t->end = END_NOT;
	t->forwarded = true;
	while (t->opts->run.wait && t->end != END_SIGNAL && !fds[0].revents) {
		if (poll(fds, ARRAY_SIZE(fds), -1) > 0 && fds[1].revents)
			take_signals(t);
	}
	close(t->detach_fd);
}

/* ---- records go to the output as they come ---- */

static int intake_open(struct tracer *t, struct diag *diag)
{
	const struct ring_src src = channel_src(t->set.channel);

	return stream_open(&t->stream, &src, 1, diag);
}

static void intake_begin(struct tracer *t)
{
	stream_begin(&t->stream, t->opts->lines.quiet || (t->triggers && !triggers_leave_lines(t->triggers)), NULL);
}

static int intake_step(struct tracer *t)
{
	return stream_step(&t->stream);
}

/* A short delay ends it if the tracing was ended by time or by a signal; but not what waits for its lines (tracer_end_stream()). */
static int intake_rest(struct tracer *t, enum end why)
{
	int err, flushed;

	if (why == END_CLOSED || (why == END_OUTPUT && !stream_missing(&t->stream)))
		return 0;
	t->stream.take_all = true;
	timebase_take(&t->stream.text.base);
	rings_drain(t->stream.rings, stream_take_record, &t->stream);
	stream_last_losses(&t->stream, &t->set.arena);
	err = tracer_end_stream(t);
	if (!err)
		answers_print(t, true);
	flushed = tracer_flush(t, why == END_SIGNAL || (why == END_LIMIT && t->deadline_ns));
	return err ? err : flushed;
}

static const struct intake intake_stream = { .open = intake_open, .begin = intake_begin, .step = intake_step, .rest = intake_rest };

/* ---- start and end ---- */

/* The registry only serves other bprobes: tracing works without it. */
static void open_registry(struct tracer *t)
{
	struct registry_ops ops = { .list = peers_list, .remove = peers_remove, .ctx = t };
	struct diag diag = { 0 };

	if (registry_open(NULL, &ops, &t->registry, &diag))
		fprintf(stderr, "bprobe: %s; 'bprobe -l' and '-r' will not find these probes\n",
			buf_str(&diag.msg));
	diag_fini(&diag);
}

/* What programs make is counted in the channel, too. */
static void open_synthetic(struct tracer *t, unsigned i)
{
	struct source *source = &t->stream.sources[t->set.nr_probes + i];
	const struct channel *c = t->set.channel;

	source->layout = &t->set.synthetic_plans[i]->layout;
	if (!t->set.mades)
		return;
	source->channel = c;
	source->index = t->set.nr_probes + i;
	if (!c->overwrites)
		source->losses = arena_array(&t->set.arena, struct losses, c->nr_cpus);
}

static int open_stream(struct tracer *t, struct diag *diag)
{
	const struct channel *c = t->set.channel;
	struct arena *arena = &t->set.arena;
	struct stream *s = &t->stream;

	s->nr_cpus = c->nr_cpus;
	s->nr_sources = t->set.nr_probes + t->set.nr_synthetics;
	s->sources = arena_array(arena, struct source, s->nr_sources);
	for (unsigned i = 0; i < t->set.nr_synthetics; i++)
		open_synthetic(t, i);
	s->max_events = t->opts->run.max_events;
	s->sink = lines_sink(t->opts, STDOUT_FILENO);
	for (unsigned i = 0; i < t->set.nr_probes; i++) {
		s->sources[i] = (struct source){ .channel = c, .index = i };
		if (!c->overwrites)
			s->sources[i].losses = arena_array(arena, struct losses, c->nr_cpus);
		tracer_set_source(t, i);
	}
	if (t->opts->record.output) {
		int err = record_open(record_kind_of(t->opts->record.output), t->opts, &t->record, diag);

		if (err)
			return err;
		s->to = record_to(t->record);
	}
	return t->intake->open(t, diag);
}

/* Listens before the symbols are read, so that no module is loaded unseen in between. */
static int open_modules(struct tracer *t, struct diag *diag)
{
	return set_names_module(&t->set, NULL) ? modwatch_open(&t->modules, diag) : 0;
}

static void warn_hidden(const struct tracer *t)
{
	if (ksyms_hidden(t->set.machine.ks))
		fputs("bprobe: the kernel hides its addresses (kernel.kptr_restrict), so places are "
		      "printed as numbers and some flags as '?'; "
		      "'sysctl kernel.kptr_restrict=1' shows them to root\n", stderr);
}

static int remove_status(int err)
{
	return !err ? 0 : err == -ENOENT ? EXIT_BAD_DEFINITION : EXIT_KERNEL;
}

/*
 * For stacks of programs. COMMAND and its descendants execute their programs later; all others are running now. Without it the
 * addresses are still there.
 */
static void watch_maps(struct tracer *t, bool running)
{
	struct diag diag = { 0 };
	bool wanted = false;

	for (unsigned i = 0; i < t->set.nr_probes; i++)
		wanted |= t->set.probes[i].def->stacks >> STACK_USER & 1;
	if (wanted && mapwatch_open(running, &t->maps, &diag))
		fprintf(stderr, "bprobe: warning: stacks of programs are printed as numbers: %s\n", buf_str(&diag.msg));
	diag_fini(&diag);
}

static const char *find_synthetic(void *ctx, struct arena *arena, const char *name, const struct trigger **ret_first)
{
	const struct tracer *t = ctx;

	(void)ret_first;		/* those are for kept events */
	return store_find_synthetic(t->opts->keep.store, arena, name);
}

static const struct set_host host = { .attaches = true, .find_synthetic = find_synthetic };

/* Does everything up to attaching the probes. Returns 0 or an exit status. */
static int start(struct tracer *t, struct diag *diag)
{
	bool follow = t->opts->command && !t->opts->all_tasks;
	/* With -n each hit must come as an event: it is one of these. Variables are for programs all the same. */
	struct trigger_run_opts run = {
		.in_kernel = !t->opts->run.max_events, .takes = t->opts->run.reset || t->opts->set.answers.live,
		.reach = { .snapshots = t->opts->record.snapshot },
	};
	uint64_t begun;
	int err;

	set_init(&t->set, &host, t, &t->opts->set);
	if (set_parse(&t->set, t->opts->words, t->opts->nr_words, diag))
		return EXIT_BAD_DEFINITION;
	if (!t->set.nr_probes)	/* only '-:' lines */
		return remove_status(remove_definitions(t->opts, &t->set, diag));
	if (open_modules(t, diag))
		return EXIT_KERNEL;
	if (set_open_kernel(&t->set, diag))
		return EXIT_KERNEL;
	err = set_resolve(&t->set, diag);
	if (err)
		return report_resolve_status(err);
	err = trigger_run_open(&t->set, &run, &t->triggers, diag);
	if (err)
		return report_resolve_status(err);
	t->stream.triggers = t->triggers;
	lint_child_prepare(&t->lint, &t->set, t->opts->keep.store);
	files_raise_limit();
	if (set_load(&t->set, !follow, diag) || set_leave_out(&t->set, t->lint.pid, diag) ||
	    open_stream(t, diag) || signals_open(&t->signals, t->intake->signal, &t->signal_fd, diag))
		return EXIT_KERNEL;
	warn_hidden(t);
	if (follow && engine_follow(t->set.engine, diag))
		return EXIT_KERNEL;
	if (t->opts->command &&
	    command_prepare(&t->command, t->opts->command, follow ? t->set.engine : NULL,
			    &t->signals, diag))
		return EXIT_KERNEL;
	err = remove_definitions(t->opts, &t->set, diag);
	if (err)
		return remove_status(err);
	watch_maps(t, !follow);
	if (t->opts->set.containers && t->stream.sink->objects && cgwatch_open(&t->cgroups, diag))
		return EXIT_KERNEL;
	begun = now_ns();
	err = set_attach(&t->set, diag);
	if (err)	/* -EILSEQ: not the first byte of an instruction; the same status as when bprobe finds this itself */
		return err == -EILSEQ ? EXIT_BAD_DEFINITION : EXIT_KERNEL;
	lint_child_go(&t->lint);
	t->stream.text = lines_text(t->opts, t->set.machine.ks, STDOUT_FILENO);
	t->stream.text.start = begun;
	t->stream.text.cgroups = t->cgroups ? cgwatch_cgroups(t->cgroups) : NULL;
	t->stream.text.users = t->maps ? mapwatch_users(t->maps) : NULL;
	context_rules_init(&t->stream.text.rules, release_running(), release_counts_preemption());
	timebase_take(&t->stream.text.base);
	if (stack_lines_open(t->opts, NULL, &t->stream, diag))
		return EXIT_KERNEL;
	/* Only now the old content of FILE is lost; events wait in the rings. */
	err = t->record ? record_start(t->record, &t->stream, t->set.nr_waiting, diag) : 0;
	return !err ? 0 : err == -ESRCH ? EXIT_BAD_DEFINITION : EXIT_KERNEL;
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

/* Does the rest when the loop has ended: the last lines and COMMAND. Returns the exit status. */
static int finish(struct tracer *t, int err)
{
	enum end why = t->end;
	int rest;

	live_show_leave(t->live);
	detach(t);
	registry_close(t->registry);		/* from now on nobody shall wait for an answer */
	t->registry = NULL;
	rest = t->intake->rest(t, why);
	if (why != END_CLOSED && why != END_OUTPUT)
		err = rest;
	if (t->record)
		err = record_finish(t->record);
	if (err && err != -EPIPE) {
		const char *missing = stream_missing(&t->stream);

		if (!t->record)
			fprintf(stderr, "bprobe: %s: %s\n", missing ? missing : "cannot write", strerror(-err));
		return t->opts->command ? EXIT_COMMAND_OWN : EXIT_KERNEL;
	}
	if (!t->command.pid) {
		if (why != END_SIGNAL && why != END_CLOSED)
			wait_for_lint(t, why);
		return 0;
	}
	/* If another bprobe removes the probes, or the reader goes away, COMMAND shall not end. A limit ends both. */
	if (why == END_CLOSED || why == END_REMOVED)
		wait_for_command(t);
	command_stop(&t->command);
	if (why != END_SIGNAL && why != END_CLOSED)
		wait_for_lint(t, why);
	return t->command.status;
}

/* From attached probes to the last line. Returns the exit status. */
static int run(struct tracer *t)
{
	int status = 0;

	t->intake->begin(t);
	open_registry(t);
	notes_print(&t->set, stderr);
	lines_warn(t->opts, t->stream.sources, t->stream.nr_sources);
	fprintf(stderr, "tracing %u probe%s; Ctrl-C ends\n", t->set.nr_active, t->set.nr_active == 1 ? "" : "s");
	answers_begin(t);
	if (t->opts->run.duration_ns)
		t->deadline_ns = now_ns() + t->opts->run.duration_ns;
	later_prepare(&t->set);
	confined_run(t);
	if (t->command.pid)
		status = start_command(t);
	if (!status)
		status = finish(t, loop(t));
	else if (t->record)	/* the file has no events, but is complete */
		record_finish(t->record);
	detach(t);
	summary_print(&t->set, t->triggers, stderr);
	if (t->opts->set.verbose) {
		triggers_read_states(t->triggers, count_map_state);
		trigger_run_print(t->triggers, &t->set, stderr);
	}
	return status;
}

int trace_run(const struct options *opts)
{
	struct tracer t = { .opts = opts, .intake = opts->set.overwrites ? &intake_flight : &intake_stream, .signal_fd = -1,
			    .detach_fd = -1 };
	struct diag diag = { 0 };
	int status = start(&t, &diag);

	if (status)
		status = report_error(&diag, opts->command ? EXIT_COMMAND_OWN : status);
	else if (t.set.nr_probes)
		status = run(&t);
	registry_close(t.registry);
	modwatch_close(t.modules);
	detach(&t);
	wait_for_detach(&t);
	lint_child_kill(&t.lint);
	command_close(&t.command);
	live_show_close(t.live);
	stream_close(&t.stream);
	mapwatch_close(t.maps);
	cgwatch_close(t.cgroups);
	trigger_run_close(t.triggers);
	record_close(t.record);
	if (t.signal_fd >= 0)
		close(t.signal_fd);
	set_close(&t.set);
	diag_fini(&diag);
	return status;
}
