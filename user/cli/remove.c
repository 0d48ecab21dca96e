// SPDX-License-Identifier: GPL-2.0-only
/*
 * remove.c - probes are removed, wherever they live.
 */
#include "cli/remove.h"

#include <errno.h>

#include "cli/kept_verbs.h"
#include "cli/session.h"
#include "cli/trace.h"
#include "run/registry.h"

/* Both are tried, so that trouble here does not keep alive what is there. */
static int remove_both(const struct options *opts, const char *name, struct diag *diag)
{
	struct diag second = { 0 };
	int kept = kept_remove(opts, name, diag);
	int running = registry_remove(NULL, name, kept < 0 ? &second : diag);

	if (kept < 0 && running < 0)
		diag_note(diag, "%s", buf_str(&second.msg));
	diag_fini(&second);
	return kept < 0 ? kept : running < 0 ? running : kept + running;
}

int remove_name(const struct options *opts, const char *name, struct diag *diag)
{
	int n = remove_both(opts, name, diag);

	return n ? n : diag_set(diag, -ENOENT, "no probe is called '%s', neither kept nor of a running bprobe; "
				"'bprobe -l' lists those that there are", name);
}

/* Every name is tried, so that one wrong name does not keep the others alive. */
int remove_run(const struct options *opts)
{
	struct diag diag = { 0 };
	int status = 0;

	if (opts->all_tasks && remove_both(opts, "*", &diag) < 0)
		status = trace_failed(opts, &diag, EXIT_KERNEL);
	diag_fini(&diag);
	for (unsigned i = 0; i < opts->nr_words; i++) {
		const char *name = opts->words[i].text;

		if (!strncmp(name, "-:", 2))
			name += 2;
		if (remove_name(opts, name, &diag) < 0)
			status = trace_failed(opts, &diag, diag.err == -ENOENT ? EXIT_BAD_DEFINITION : EXIT_KERNEL);
		diag_fini(&diag);
	}
	return status;
}

int remove_definitions(const struct session *s, struct diag *diag)
{
	int err = 0;

	for (unsigned i = 0; err >= 0 && i < s->nr_removals; i++) {
		const struct probe_def *def = s->removals[i];
		struct buf name = { 0 };

		if (def->group)
			buf_addf(&name, "%s/", def->group);
		buf_adds(&name, def->event ? def->event : "");
		err = remove_name(s->opts, buf_str(&name), diag);
		if (err == -ENOENT) {
			diag->text = def->text;
			diag_at(diag, err, def->event_at.len ? def->event_at : def->head_at,
				"no probe is called '%s', neither of this run nor kept nor of a running bprobe", buf_str(&name));
			diag_note(diag, "help: 'bprobe -l' lists those that there are");
		}
		buf_fini(&name);
	}
	return err < 0 ? err : 0;
}
