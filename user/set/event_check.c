// SPDX-License-Identifier: GPL-2.0-only
/*
 * event_check.c - do the definitions of one event fit together?
 */
#include "set/definitions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "plan/join.h"

/* A probe and the part of its listing behind the head: the place and the arguments. */
struct entry {
	const struct probe *p;
	const char *text;
};

static int compare_events(const struct entry *x, const struct entry *y)
{
	int diff = strcmp(x->p->def->event, y->p->def->event);

	return diff ? diff : strcmp(x->p->def->group, y->p->def->group);
}

static int compare_entries(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int diff = compare_events(x, y);

	if (!diff)
		diff = strcmp(x->text, y->text);
	return diff ? diff : x->p < y->p ? -1 : x->p > y->p;
}

/* The head holds MAXACTIVE, which the kernel does not compare either. */
static struct entry *sorted_entries(const struct set *s, struct arena *arena)
{
	struct entry *entries = arena_array(arena, struct entry, s->nr_probes);
	struct buf listing = { 0 };

	for (unsigned i = 0; i < s->nr_probes; i++) {
		const char *place;

		buf_reset(&listing);
		def_print(s->probes[i].def, &listing);
		place = strchr(buf_str(&listing), ' ');
		entries[i] = (struct entry){ &s->probes[i], arena_strdup(arena, place ? place : "") };
	}
	buf_fini(&listing);
	qsort(entries, s->nr_probes, sizeof(*entries), compare_entries);
	return entries;
}

/*
 * Checks @e against the previous entry of its event; if any entry has the same text, it is this one. Also checks @e against
 * the event's first resolved probe: waiting probes have no types.
 */
static int check_entry(const struct entry *before, const struct probe *resolved,
		       const struct entry *e, struct diag *diag)
{
	const struct probe *first = resolved && resolved < e->p ? resolved : e->p;
	const struct probe *later = first == e->p && resolved ? resolved : e->p;
	int err = 0;

	diag->text = later->def->text;
	diag->file = later->from.file;
	diag->line = later->from.line;
	if (resolved && e->p->plan)
		err = join_check(&first->plan->layout, later->plan, diag);
	/* Two probes of one pattern have the same text. */
	if (!err && !probe_follows(e->p) && !strcmp(before->text, e->text))
		err = diag_at(diag, -EEXIST, e->p->def->head_at, "the same probe is defined already");
	if (err)
		diag_note(diag, "help: give this probe another event name: %s:NAME ...",
			  later->def->kind == DEF_RETURN ? "r" : "p");
	else
		diag->text = diag->file = NULL;
	return err;
}

int definitions_check_events(const struct set *s, struct diag *diag)
{
	struct arena arena = { 0 };
	struct entry *entries = sorted_entries(s, &arena);
	const struct probe *resolved = NULL;
	int err = 0;

	for (unsigned i = 0; !err && i < s->nr_probes; i++) {
		if (!i || compare_events(&entries[i - 1], &entries[i]))
			resolved = NULL;
		else
			err = check_entry(&entries[i - 1], resolved, &entries[i], diag);
		if (!resolved && entries[i].p->plan)
			resolved = entries[i].p;
	}
	arena_fini(&arena);
	return err;
}
