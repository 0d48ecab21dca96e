// SPDX-License-Identifier: GPL-2.0-only
/*
 * enable.c - attaches and detaches kept probes.
 *
 * The pinned programs are attached as they are. If this is not possible, they are loaded again: a module that
 * was loaded again has other addresses, and programs contain addresses. A function that can no longer have a trampoline
 * may still have a kprobe.
 */
#include "keep/keep.h"

#include <errno.h>

#include "keep/enable.h"
#include "keep/kept_switches.h"
#include "keep/reload.h"
#include "keep/selection.h"
#include "stream/options.h"

/* The state of the modules of an event's definitions. */
struct modules {
	const char *again, *gone;	/* a module that was loaded again, or is not loaded; or NULL */
	bool maybe;			/* for some module it is not known whether it was loaded again */
	bool all_gone;
};

static struct modules modules_of(const struct kept *k)
{
	struct modules m = { .all_gone = true };

	for (unsigned line = 0; line < k->nr_lines; line++) {
		const char *name;
		enum kept_module which = k->dropped[line] ? KEPT_MODULE_NONE : kept_module(k, line, &name);

		if (k->dropped[line])
			continue;
		m.all_gone &= which == KEPT_MODULE_GONE;
		m.maybe |= which == KEPT_MODULE_MAYBE;
		if (which == KEPT_MODULE_GONE)
			m.gone = name;
		if (which == KEPT_MODULE_AGAIN)
			m.again = name;
	}
	return m;
}

static int attach_anew(const struct selection *s, const struct stored *ev, const struct modules *m)
{
	static const struct reload_how how = { .attaches = true };
	int status = reload_parts(&s->store, &ev, 1, &how);

	if (!status && m->again)
		fprintf(stderr, "bprobe: %s: module %s was loaded again: the probe is attached\n", ev->kept.event, m->again);
	return status;
}

static int refuse_gone(const struct stored *ev, const char *module)
{
	fprintf(stderr, "bprobe: %s: module %s is not loaded; when it is loaded: bprobe --enable %s\n", ev->kept.event, module,
		ev->kept.event);
	return EXIT_KERNEL;
}

static bool may_be_refused(const struct kept *k)
{
	for (unsigned i = 0; i < k->nr_probes; i++) {
		if (!k->dropped[k->probes[i].line] && k->probes[i].plan.layout.backend->may_be_refused)
			return true;
	}
	return false;
}

/* Attaches the existing programs. If a function cannot have a trampoline, it gets a kprobe instead, as with --keep. */
static int attach_as_it_is(const struct selection *s, const struct stored *ev,
			   const struct attacher *at, const struct modules *m)
{
	struct diag diag = { 0 };
	int status = 0;

	if (store_enable(ev, at, &diag))
		status = may_be_refused(&ev->kept) ? attach_anew(s, ev, m) : report_error(&diag, EXIT_KERNEL);
	diag_fini(&diag);
	return status;
}

/*
 * Enables all definitions except those in modules that are not loaded. Returns 0 or an exit status; then the reason has been
 * printed to standard error.
 */
static int enable_part(const struct selection *s, const struct stored *ev, const struct attacher *at,
		       const struct modules *m)
{
	struct diag diag = { 0 };
	int status = store_check_version(ev, &diag) ? report_error(&diag, EXIT_KERNEL) : 0;

	diag_fini(&diag);
	if (status || m->all_gone)
		return status;
	if (m->again || m->maybe || (!ev->enabled && m->gone))
		return attach_anew(s, ev, m);
	return ev->enabled ? 0 : attach_as_it_is(s, ev, at, m);
}

void enable_event_undo(const struct stored **parts, unsigned nr)
{
	struct diag diag = { 0 };

	for (unsigned i = 0; i < nr; i++) {
		if (!parts[i]->enabled && store_disable(parts[i], &diag))
			report_error(&diag, 0);
		diag_fini(&diag);
	}
}

/*
 * Enables all probes of an event or none. Probes that joined the event are separate events in the store. A module that is
 * not loaded prevents only its own probes from being enabled.
 */
static int enable_parts(const struct selection *s, const struct stored **parts, unsigned nr,
			const struct attacher *at)
{
	int status = 0;

	for (unsigned i = 0; i < nr; i++) {
		const struct modules m = modules_of(&parts[i]->kept);
		int one = enable_part(s, parts[i], at, &m);

		if (one) {
			enable_event_undo(parts, i);
			return one;
		}
		if (m.gone)
			status = refuse_gone(parts[i], m.gone);
	}
	return status;
}

/* ---- events that triggers enable ---- */

static bool is_enabled_by(const struct stored *ev, const struct trigger *const *firsts, unsigned nr)
{
	for (unsigned i = 0; i < nr; i++) {
		for (const struct trigger *t = firsts[i]; t; t = t->next) {
			if (t->kind == TRIGGER_ENABLE_EVENT && !t->remove &&
			    name_same_event(t->system, t->event, ev->kept.group, ev->kept.event))
				return true;
		}
	}
	return false;
}

/* All its parts are enabled, or all are disabled. */
static bool is_enabled(const struct stored *const *parts, unsigned nr)
{
	bool enabled = false;

	for (unsigned i = 0; i < nr; i++)
		enabled |= parts[i]->enabled;
	return enabled;
}

int enable_arm(const struct store *store, struct stored *list, unsigned nr,
	       const struct trigger *const *firsts, unsigned nr_firsts, struct armed *ret)
{
	struct selection *s = &ret->sel;
	struct attacher at;
	int status = 0;

	*ret = (struct armed){ .sel = { .store = *store, .all = list, .nr_all = nr } };
	s->events = arena_array(&s->arena, struct stored *, nr);
	ret->parts = arena_array(&s->arena, const struct stored *, nr);
	for (unsigned i = 0; i < nr; i++) {
		if (!list[i].trouble && is_enabled_by(&list[i], firsts, nr_firsts))
			s->events[s->nr_events++] = &list[i];
	}
	attacher_init(&at);
	for (unsigned i = 0; i < s->nr_events && !status; i++) {
		const struct stored **parts;
		unsigned nr_parts = selection_parts(s, i, &parts);

		if (!nr_parts || is_enabled(parts, nr_parts))
			continue;
		for (unsigned n = 0; n < nr_parts; n++)
			ret->parts[ret->nr++] = parts[n];
		kept_switches_set(parts[0], true);
		status = enable_parts(s, parts, nr_parts, &at);
	}
	if (status)
		enable_disarm(ret);
	return status;
}

void enable_disarm(const struct armed *armed)
{
	enable_event_undo(armed->parts, armed->nr);
	for (unsigned i = 0; i < armed->nr; i++)
		kept_switches_set(armed->parts[i], false);
}

void enable_arm_close(struct armed *armed)
{
	arena_fini(&armed->sel.arena);
}

static int disable_event(const struct stored *ev)
{
	struct diag diag = { 0 };
	int status = store_disable(ev, &diag) ? report_error(&diag, EXIT_KERNEL) : 0;

	diag_fini(&diag);
	return status;
}

int enable_event(const struct selection *s, const struct stored **parts, unsigned nr)
{
	struct attacher at;

	attacher_init(&at);
	return enable_parts(s, parts, nr, &at);
}

int enable_run(const struct options *opts)
{
	struct attacher at;
	struct selection s;
	int status;

	if (!opts->nr_words)
		return enable_again(opts);
	attacher_init(&at);
	status = selection_start(opts, &s);
	/* Every event is tried, so that an error with one does not affect the others. */
	for (unsigned i = 0; i < s.nr_events; i++) {
		const struct stored **parts;
		unsigned nr = selection_parts(&s, i, &parts);
		int one = enable_parts(&s, parts, nr, &at);

		if (nr && !one)
			kept_switches_set(parts[0], false);
		status = one ? one : status;
	}
	selection_close(&s);
	return status;
}

static int set_tracing(const struct options *opts, bool off)
{
	struct diag diag = { 0 };
	struct selection s;
	int status = selection_start(opts, &s);
	unsigned nr_old;
	int err;

	err = kept_switches_set_all(s.all, s.nr_all, off, &diag);
	nr_old = kept_switches_report_old(s.all, s.nr_all);
	if (nr_old)
		status = EXIT_KERNEL;
	if (err && !(err == -ENOENT && nr_old))
		status = report_error(&diag, err == -ENOENT ? EXIT_BAD_DEFINITION : EXIT_KERNEL);
	diag_fini(&diag);
	selection_close(&s);
	return status;
}

int tracing_on_run(const struct options *opts)
{
	return set_tracing(opts, false);
}

int tracing_off_run(const struct options *opts)
{
	return set_tracing(opts, true);
}

int disable_run(const struct options *opts)
{
	struct selection s;
	int status;

	status = selection_start(opts, &s);
	for (unsigned i = 0; i < s.nr_events; i++) {
		int one = disable_event(s.events[i]);

		status = one ? one : status;
	}
	selection_close(&s);
	return status;
}

int enable_again(const struct options *opts)
{
	struct selection s;
	int status = selection_start(opts, &s);

	for (unsigned i = 0; i < s.nr_events; i++) {
		const struct modules m = modules_of(&s.events[i]->kept);
		int one = s.events[i]->enabled && m.again ? attach_anew(&s, s.events[i], &m) : 0;

		status = one ? one : status;
	}
	selection_close(&s);
	return status;
}
