// SPDX-License-Identifier: GPL-2.0-only
/*
 * clear.c - drops the records of kept probes.
 *
 * All events are cleared at one time: the clock is read once, while nobody else reads any of them, and all records with an
 * earlier stamp are dropped. So an entry and its return, which are two events, are separated only if that moment is between them.
 */
#include "keep/keep.h"

#include <errno.h>

#include "base/clock.h"
#include "keep/selection.h"
#include "run/ring_look.h"

/* Losses and overwritten records so far belong to the time before: neither LOST lines nor the header report them any more. */
static void forget_losses(const struct stored *ev, const struct store_use *u)
{
	unsigned cpus = u->channel->nr_cpus;

	*u->lost_before = 0;
	for (unsigned i = 0; i < ev->kept.nr_probes; i++) {
		struct bp_stat stat;

		channel_stat(u->channel, i, &stat);
		u->cleared[i] = stat.hits - stat.lost;
		for (unsigned cpu = 0; cpu < cpus; cpu++)
			*u->lost_before += losses_forget(&u->losses[(size_t)i * cpus + cpu], u->channel, i, cpu);
	}
}

/* The rings discard as much as they can; readers skip the rest by its time. */
static int clear_event(const struct stored *ev, const struct store_use *u, uint64_t before, struct diag *diag)
{
	const struct ring_src src = channel_src(u->channel);
	int err;

	channel_head(u->channel)->cleared = before;
	err = ring_clear(&src, before);
	forget_losses(ev, u);
	return err ? diag_set(diag, err, "cannot empty the buffers of %s: %s", ev->kept.event, strerror(-err)) : 0;
}

/* An event that another process reads stays as it is. */
int clear_run(const struct options *opts)
{
	struct diag diag = { 0 };
	struct store_use *uses;
	struct selection s;
	int status = selection_start(opts, &s);
	uint64_t now;

	uses = arena_array(&s.arena, struct store_use, s.nr_events);
	for (unsigned i = 0; i < s.nr_events; i++) {
		uses[i] = (struct store_use){ .dir_fd = -1 };
		if (store_use(s.events[i], true, &uses[i], &diag))
			status = report_error(&diag, EXIT_KERNEL);
		diag_fini(&diag);
	}
	now = now_ns();
	for (unsigned i = 0; i < s.nr_events; i++) {
		if (uses[i].channel && clear_event(s.events[i], &uses[i], now, &diag))
			status = report_error(&diag, EXIT_KERNEL);
		diag_fini(&diag);
		store_unuse(&uses[i]);
	}
	selection_close(&s);
	return status;
}
