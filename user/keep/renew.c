// SPDX-License-Identifier: GPL-2.0-only
/*
 * renew.c - keeps anew what an older bprobe kept, whose records this one cannot read.
 *
 * The definitions are loaded again, with the options that they were kept with, for rings of today's form. What was recorded is lost.
 */
#include "keep/keep.h"

#include <errno.h>

#include "keep/reload.h"
#include "keep/selection.h"
#include "stream/options.h"

/* If bprobe was killed in the middle, some parts of an event are of today already: they and their records stay. */
static unsigned keep_old(const struct stored **parts, unsigned nr)
{
	unsigned nr_old = 0;

	for (unsigned i = 0; i < nr; i++) {
		if (!kept_is_current(&parts[i]->kept))
			parts[nr_old++] = parts[i];
	}
	return nr_old;
}

static unsigned count_old(const struct selection *s)
{
	unsigned nr = 0;

	for (unsigned i = 0; i < s->nr_events; i++)
		nr += !kept_is_current(&s->events[i]->kept);
	return nr;
}

/* Every event is tried, so that an error with one does not affect the others. */
int renew_run(const struct options *opts)
{
	struct selection s;
	int status = selection_start(opts, &s);
	const struct reload_how how = { .renews = true, .nr_channels = count_old(&s) };

	for (unsigned i = 0; i < s.nr_events; i++) {
		const struct stored **parts;
		unsigned nr = selection_parts(&s, i, &parts);
		int one;

		nr = keep_old(parts, nr);
		one = nr ? reload_parts(&s.store, parts, nr, &how) : 0;
		status = one ? one : status;
	}
	selection_close(&s);
	return status;
}
