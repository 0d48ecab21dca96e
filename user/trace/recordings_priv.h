/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * recordings_priv.h - what the files of recordings.h share.
 */
#ifndef TRACE_RECORDINGS_PRIV_H
#define TRACE_RECORDINGS_PRIV_H

#include "elf/builds.h"
#include "stream/stream.h"
#include "trace/recorded_symbols.h"
#include "trace/recorded.h"

struct options;
struct record;
struct word;

/* A file that was opened. */
struct recordings_file {
	struct recorded rec;
	const struct word *word;	/* that names it */
	unsigned number;		/* in the order of the command line */
};

struct recordings {
	const struct options *opts;
	struct arena arena;
	struct recorded_symbols symbols;
	struct builds builds;
	struct recordings_file **files;	/* from some point on, in the order of their first records */
	unsigned nr_files;
	unsigned size_files;
	struct source *sources;		/* the events of all files */
	unsigned nr_sources, nr_cpus;
	struct stream stream;
	struct recording *made;		/* of each machine, with the clock of the output */
	unsigned nr_made;
	struct record *record;		/* -o; or NULL */
	const struct home *home;	/* of what the stream gets next; NULL: not known yet */
	const struct home *said;	/* of what it got last; NULL: nothing yet */
	bool several;			/* they are of several machines, or of several boots of one */
	uint64_t since, until;		/* on the clock of the output */
	int status;			/* the exit status so far */
	const struct dat_reader *reader;	/* NULL: nobody asks about files */
};

/* A path on the command line. */
struct recordings_path {
	const char *path;
	const struct word *word;
};

/* recordings_words.c: is the word a file? Otherwise it is the name of events. Words are not looked at: names of events have no dots. */
bool recordings_is_file(const struct options *o, const struct word *word);

/* ... the files, with those of --rotate, in @arena. */
struct recordings_path *recordings_paths(const struct options *o, struct arena *arena, unsigned *ret_nr);

/* recordings_choose.c: decides which events are wanted, and resolves their filters. -ENOENT, -EINVAL with @diag: a name or a filter fits nothing. */
int recordings_choose(struct recordings *r, struct diag *diag);

/* ... may the record of a task be shown? */
bool recordings_takes_task(const struct recordings *r, const struct bp_rec *rec);

/* recordings_order.c: puts all files on one clock, and sorts them. -EINVAL with @diag: their times cannot be compared. */
int recordings_align(struct recordings *r, struct diag *diag);

#endif
