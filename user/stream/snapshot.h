/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * snapshot.h - the records that rings have at one moment. Reading removes nothing, and programs may go on writing.
 *
 * For rings of both kinds: those of a flight recorder (--overwrite), and those of kept probes.
 */
#ifndef STREAM_SNAPSHOT_H
#define STREAM_SNAPSHOT_H

#include "print/columns.h"
#include "run/ring_look.h"
#include "run/tally.h"
#include "stream/options.h"
#include "stream/stream.h"

struct ksyms;

/* What is recorded, and how it is printed. All of it is the caller's. */
struct recorded {
	const struct options *opts;
	const struct ksyms *ks;
	const struct ring_src *srcs;
	unsigned nr_srcs;
	struct source *sources;		/* indexed by bp_rec.probe */
	unsigned nr_sources, nr_cpus;
	uint64_t start;			/* text.start */
	uint64_t lost;			/* hits that were lost, for the header */
};

struct snapshot {
	struct arena arena;
	struct tally tally;
	struct look *look;
	struct entries entries;		/* for the header */
};

/* Copies the records. -errno with @diag. snapshot_drop() frees the copy. */
int snapshot_take(const struct recorded *r, struct snapshot *ret, struct diag *diag);
void snapshot_drop(struct snapshot *s);

/* How many records of a source were overwritten; 0 if its rings do not overwrite. */
uint64_t snapshot_overwritten(const struct snapshot *s, const struct recorded *r, unsigned source);

/* A stream for lines that go to @fd. It has no rings, and opens nothing; text_fini() and buf_fini() free what it has. */
struct stream snapshot_stream(const struct recorded *r, int fd);

/* Prints the records to standard output, however long it takes. 0 or -errno; @diag is set unless writing failed. */
int snapshot_print(const struct snapshot *s, const struct recorded *r, struct diag *diag);

/* Can snapshot_write() write @path? Nothing is created or changed. -errno with @diag. */
int snapshot_check(const char *path, struct diag *diag);

/*
 * Writes the records to @path: a trace.dat if the name of opts->record.snapshot says so, else lines. The file appears when it is complete,
 * and takes the place of an old one. Prints to standard error how many events it has. -errno with @diag; then @path is unchanged.
 */
int snapshot_write(const struct snapshot *s, const struct recorded *r, const char *path, struct diag *diag);

#endif
