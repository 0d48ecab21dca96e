// SPDX-License-Identifier: GPL-2.0-only
/*
 * removals.c - '-:' lines: they remove earlier definitions of a set.
 */
#include "set/definitions_priv.h"

#include <errno.h>
#include <string.h>

#include "lang/listing.h"

static bool listing_matches(const struct probe_def *removal, const struct probe_def *def)
{
	struct buf listing = { 0 };
	bool same = true;

	if (removal->nr_matches) {
		def_print(def, &listing);
		same = listing_begins(buf_str(&listing), removal->matches, removal->nr_matches);
	}
	buf_fini(&listing);
	return same;
}

static bool removes(const struct probe_def *removal, const struct probe_def *def)
{
	return (!removal->group || !strcmp(removal->group, def->group)) &&
	       (!removal->event || !strcmp(removal->event, def->event)) &&
	       listing_matches(removal, def);
}

static void add_removal(struct set *s, const struct probe_def *def)
{
	s->removals = arena_grow(&s->arena, s->removals, s->nr_removals, &s->size_removals);
	s->removals[s->nr_removals++] = def;
}

bool definitions_remove(struct set *s, const struct probe_def *removal)
{
	unsigned nr = s->nr_probes, kept = 0;

	for (unsigned i = 0; i < nr; i++) {
		if (!removes(removal, s->probes[i].def))
			s->probes[kept++] = s->probes[i];
	}
	s->nr_probes = kept;
	return kept < nr;
}

/* The kernel does not compare the fields (6.12, kernel/trace/trace_events_synth.c, synth_event_match()). */
static bool removes_synthetic(const struct probe_def *removal, const struct synthetic_def *def)
{
	return (!removal->group || !strcmp(removal->group, SYNTHETIC_GROUP)) && (!removal->event || !strcmp(removal->event, def->name));
}

static bool remove_synthetics(struct set *s, const struct probe_def *removal)
{
	unsigned nr = s->nr_synthetics, kept = 0;

	for (unsigned i = 0; i < nr; i++) {
		if (!removes_synthetic(removal, s->synthetics[i]))
			s->synthetics[kept++] = s->synthetics[i];
	}
	s->nr_synthetics = kept;
	return kept < nr;
}

int definitions_take_removal(struct set *s, const struct probe_def *def, struct diag *diag)
{
	bool removed = definitions_remove(s, def);
	int err;

	removed |= remove_synthetics(s, def);
	if (removed)
		return 0;
	if (!s->host->explains) {
		add_removal(s, def);		/* means probes of others; whether they exist is checked later */
		return 0;
	}
	err = diag_at(diag, -ENOENT, def->event_at.len ? def->event_at : def->head_at,
		      "no earlier definition of this run matches this");
	diag_note(diag, "help: 'bprobe -r NAME' removes kept probes and probes of another bprobe");
	return err;
}
