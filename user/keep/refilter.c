// SPDX-License-Identifier: GPL-2.0-only
/*
 * refilter.c - gives kept probes another filter.
 */
#include "keep/keep.h"

#include <errno.h>
#include <string.h>

#include "base/files.h"
#include "keep/reload.h"
#include "keep/selection.h"
#include "stream/options.h"

int refilter_run(const struct options *opts)
{
	const char *expr = strcmp(opts->words[1].text, "0") ? opts->words[1].text : NULL;
	const struct reload_how how = { .filters = true, .filter = expr };
	struct diag diag = { 0 };
	struct selection s;
	int status = 0;

	files_raise_limit();
	if (selection_open(opts, opts->words, 1, &s, &diag)) {
		status = report_error(&diag, diag.err == -ENOENT ? EXIT_BAD_DEFINITION : EXIT_KERNEL);
		diag_fini(&diag);
		return status;
	}
	for (unsigned i = 0; i < s.nr_events && !status; i++) {
		const struct stored **parts;
		unsigned nr = selection_parts(&s, i, &parts);

		if (nr)
			status = reload_parts(&s.store, parts, nr, &how);
	}
	if (!status && s.nr_troubles)
		status = EXIT_KERNEL;
	selection_close(&s);
	return status;
}
