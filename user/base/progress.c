// SPDX-License-Identifier: GPL-2.0-only
/*
 * progress.c - shows a user at a terminal the progress of something slow.
 */
#include "base/progress.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"

#define SECOND	1000000000ull

void progress_start(struct progress *p, const char *doing, unsigned total)
{
	*p = (struct progress){
		.doing = doing, .unit = "probes", .total = total, .start_ns = now_ns(), .terminal = isatty(STDERR_FILENO),
	};
}

void progress_step(struct progress *p, unsigned done)
{
	uint64_t now;

	if (!p->terminal)
		return;
	now = now_ns();
	if (now - p->start_ns < SECOND || (p->shown_ns && now - p->shown_ns < SECOND / 10))
		return;
	p->shown_ns = now;
	/* Does not use stdio, which would escape it (standard.h). */
	dprintf(STDERR_FILENO, "\r%s: %u of %u %s\033[K", p->doing, done, p->total, p->unit);
}

void progress_end(struct progress *p)
{
	if (p->shown_ns)
		dprintf(STDERR_FILENO, "\r\033[K");
	p->shown_ns = 0;
}

bool progress_interrupted(void)
{
	static const int ends[] = { SIGINT, SIGTERM, SIGHUP };
	sigset_t pending;

	if (sigpending(&pending))
		return false;
	for (unsigned i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		if (sigismember(&pending, ends[i]) > 0)
			return true;
	}
	return false;
}
