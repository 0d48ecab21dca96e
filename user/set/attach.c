// SPDX-License-Identifier: GPL-2.0-only
/*
 * attach.c - attaches the probes of a set, and detaches them.
 */
#include "set/set_priv.h"

#include <errno.h>

#include "base/progress.h"
#include "lang/dialect.h"
#include "run/channel.h"
#include "set/bundle.h"

void set_close_probe(struct probe *p)
{
	attached_close(&p->attached);
	attached_close(&p->saver);
}

static int attach_as_planned(struct set *s, struct probe *p, struct diag *diag)
{
	return attach_whole(&s->attacher, p->plan, engine_saver_is_last(s->engine, p->plan), &p->attached, &p->saver, diag);
}

int set_attach_probe(struct set *s, struct probe *p, struct diag *diag)
{
	int err = attach_as_planned(s, p, diag);

	if (err && set_fall_back(s, p, diag)) {
		err = set_load_as_planned(s, p, diag);
		if (!err)
			err = attach_as_planned(s, p, diag);
	}
	if (!err) {
		p->state = PROBE_ACTIVE;
		s->nr_active++;
	}
	return err;
}

int set_attach(struct set *s, struct diag *diag)
{
	struct progress progress;
	int err = 0;

	attacher_init(&s->attacher);
	progress_start(&progress, "attaching", s->nr_probes);
	err = bundle_attach(s, diag);
	for (unsigned i = 0; !err && i < s->nr_probes; i++) {
		s->probes[i].outcomes.missed_known = true;	/* none, until it is attached */
		if (!s->probes[i].plan) {
			s->probes[i].state = PROBE_WAITS;
			s->nr_waiting++;
		} else if (s->probes[i].state == PROBE_READY) {
			err = set_attach_probe(s, &s->probes[i], diag);
		}
		progress_step(&progress, i + 1);
		if (!err && i + 1 < s->nr_probes && progress_interrupted())
			err = diag_set(diag, -EINTR, "ended by a signal while probes were attached");
	}
	progress_end(&progress);
	return set_advise_files(s, err, diag);
}

/*
 * How many hits of @p the kernel has missed. False: that is not known. Of a link of many it is not known whose hits it has missed; of
 * a user function that is nested deeper than the kernel keeps returns, not how many returns it has missed.
 */
static bool read_missed(const struct set *s, const struct probe *p, uint64_t *ret)
{
	struct bp_stat stat = { 0 };

	if (s->channel)
		channel_stat(s->channel, (unsigned)(p - s->probes), &stat);
	if (stat.deepest)
		return false;
	if (p->plan->bundled)
		return bundle_missed(s, p, ret) && !*ret;
	return attached_missed(&s->attacher, p->plan->layout.backend, &p->attached, ret);
}

bool set_missed(const struct set *s, const struct probe *p, uint64_t *ret)
{
	uint64_t missed = 0;
	bool known = p->state == PROBE_ACTIVE ? read_missed(s, p, &missed) : p->outcomes.missed_known;

	*ret = p->outcomes.missed + (known ? missed : 0);
	return known;
}

/* It counts as detached. What the kernel knows of it can be read only before it is. */
static void deactivate(struct set *s, struct probe *p)
{
	uint64_t missed;

	if (p->state != PROBE_ACTIVE)
		return;
	p->outcomes.missed_known = read_missed(s, p, &missed);
	if (p->outcomes.missed_known)
		p->outcomes.missed += missed;
	p->state = PROBE_DETACHED;
	s->nr_active--;
}

/* Like deactivate(), while others go on. */
static void stop_one(struct set *s, struct probe *p)
{
	bool leaves = p->state == PROBE_ACTIVE && p->plan->bundled;

	deactivate(s, p);
	if (leaves)
		bundle_leave(s, p);
}

void set_detach(struct set *s, struct probe *p)
{
	stop_one(s, p);
	set_close_probe(p);
}

void set_detach_all(struct set *s)
{
	for (unsigned i = 0; i < s->nr_probes; i++)
		set_detach(s, &s->probes[i]);
	bundle_close(s);
}

static unsigned detach_ms(const struct probe *p)
{
	unsigned links = (p->attached.link_fd >= 0 || p->attached.event_fd >= 0) +
			 (p->saver.link_fd >= 0 || p->saver.event_fd >= 0);

	return p->plan ? links * p->plan->layout.backend->detach_ms : 0;
}

bool set_detaches_some_slowly(const struct set *s, const bool *marks)
{
	unsigned ms = 0;

	for (unsigned i = 0; i < s->nr_probes; i++)
		ms += !marks || marks[i] ? detach_ms(&s->probes[i]) : 0;
	return ms > DETACH_SLOW_MS;
}

bool set_detaches_slowly(const struct set *s)
{
	return set_detaches_some_slowly(s, NULL);
}

void set_stop(struct set *s)
{
	if (s->channel) {
		channel_stop(s->channel);
		engine_wait_for_programs();
	}
	for (unsigned i = 0; i < s->nr_probes; i++)
		deactivate(s, &s->probes[i]);
}

static void hand_over(struct set *s, struct probe *p, struct detach *to)
{
	unsigned ms = p->plan ? p->plan->layout.backend->detach_ms : 0;
	struct buf listing = { 0 };

	/* All functions of a pattern are one definition. */
	if (!probe_follows(p)) {
		probe_print_listing(p, s->opts->faithful, &listing);
		detach_add_event(to, p->def->group, p->def->event, buf_str(&listing));
	}
	detach_add(to, &p->attached, ms);
	detach_add(to, &p->saver, ms);
	buf_fini(&listing);
}

void set_hand_over(struct set *s, struct detach *to)
{
	for (unsigned i = 0; i < s->nr_probes; i++)
		hand_over(s, &s->probes[i], to);
	bundle_close(s);
}

void set_hand_over_some(struct set *s, const bool *marks, struct detach *to)
{
	for (unsigned i = 0; s->channel && i < s->nr_probes; i++) {
		if (marks[i])
			channel_stop_one(s->channel, s->probes[i].slot.index);
	}
	for (unsigned i = 0; i < s->nr_probes; i++) {
		if (!marks[i])
			continue;
		stop_one(s, &s->probes[i]);
		hand_over(s, &s->probes[i], to);
	}
}
