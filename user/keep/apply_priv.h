/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * apply_priv.h - what the files of --apply share.
 *
 *	files -> struct wanted (apply_read.c) -> what differs from the store (apply_diff.c) -> done, or said (apply.c)
 */
#ifndef KEEP_APPLY_PRIV_H
#define KEEP_APPLY_PRIV_H

#include "keep/apply_text.h"
#include "keep/keep_priv.h"
#include "keep/selection.h"
#include "lang/synthetic.h"
#include "lang/trigger.h"
#include "set/set.h"

/* How a wanted event differs from the one that is kept: bits. */
enum apply_change {
	CHANGE_NEW = 1 << 0,		/* it is not kept */
	CHANGE_DEFINITIONS = 1 << 1,	/* other definitions: it is kept anew, and its records are lost */
	CHANGE_OPTIONS = 1 << 2,	/* ... other options */
	CHANGE_FILTER = 1 << 3,
	CHANGE_TRIGGERS = 1 << 4,
	CHANGE_STATE = 1 << 5,		/* enabled or disabled */
	CHANGE_ANEW = CHANGE_NEW | CHANGE_DEFINITIONS | CHANGE_OPTIONS,
};

/* An event that a file describes. */
struct wanted {
	const char *group, *event;
	struct origin from;		/* its first definition */
	struct word *words;		/* its definitions, as --keep takes them */
	unsigned nr_words;
	struct probe_def **defs;	/* the same, parsed, with their filters and stacks */
	const struct trigger *triggers;	/* in their order; NULL: none */
	const struct synthetic_def *synthetic;	/* it is a synthetic event, and has no probes; or NULL */
	const char **options;		/* set/option.h, in the order of the file */
	unsigned nr_options;
	struct set_opts opts;		/* the same */
	bool disabled;
	bool was_enabled;		/* before its state was changed */
	const char *left_out;		/* NULL: it is for this machine; otherwise the reason why not */

	/* Set by apply_compare(). */
	const struct stored **parts;	/* that are kept of it */
	unsigned nr_parts;
	unsigned changes;		/* bits of enum apply_change; 0: it is as it should be */
};

struct apply_file {
	const char *path;
	struct wanted *events;
	unsigned nr_events, size_events;
	int err;			/* it could not be read, or is not right: it has been said */
};

struct apply {
	const struct options *opts;
	struct selection sel;		/* the store, locked, and what it has */
	struct apply_file *files;
	unsigned nr_files, size_files;
	struct ksyms *ks;		/* read when a condition needs it */
	bool again;			/* --watch: it is not the first time */
	struct set **sets;		/* of the parsed definitions */
	unsigned nr_sets, size_sets;
};

/* Reads the file, or the files *.bprobe of a directory in the order of their names. Errors are printed; returns 0 or an exit status. */
int apply_read(struct apply *a, const char *path);

/* An event that an earlier file or block describes; NULL: none does. */
const struct wanted *apply_find(const struct apply *a, const char *group, const char *event);

/* Finds what is kept of @w, and what differs. */
void apply_compare(struct apply *a, struct wanted *w);

/* ---- apply_group.c ---- */

/* Events of a file with the same options: one set. */
struct apply_group {
	struct wanted *first;
	struct options opts;
	struct keeper keeper;
};

/* Is it to be kept, or kept anew? Does it only get another filter or other triggers? Both: of what is meant for this machine. */
bool apply_is_new(const struct wanted *w);
bool apply_changes_programs(const struct wanted *w);

/* The groups of the events of @f that are to be kept; @changed: also of those that only get another filter or other triggers. */
struct apply_group *apply_group_events(struct apply *a, struct apply_file *f, bool changed, unsigned *ret_nr);

/*
 * Prepares all groups (keep_begin()). *ret_begun of them need keep_end(), also after an error. Returns 0 or an exit status when the reason has
 * been printed to standard error; so do the next two.
 */
int apply_begin_groups(struct apply *a, struct apply_group *groups, unsigned nr, unsigned *ret_begun);
int apply_commit_groups(struct apply_group *groups, unsigned nr, struct arena *arena);

/* Could the events of the group be made here? Nothing is loaded. */
int apply_check_group(struct apply *a, struct apply_group *g);

/*
 * --watch: calls @apply, and again whenever the files may have changed, until SIGINT or SIGTERM. SIGHUP is a change, too. Returns the exit
 * status. @again: it is not the first time.
 */
int apply_watch(const struct options *opts, int (*apply)(const struct options *opts, bool again));

/* Appends the words for w->changes, such as "filter, triggers". */
void apply_print_changes(const struct wanted *w, struct buf *out);

#endif
