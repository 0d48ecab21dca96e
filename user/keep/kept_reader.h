/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kept_reader.h - kept events during reading: --trace and --pipe.
 */
#ifndef KEEP_KEPT_READER_H
#define KEEP_KEPT_READER_H

#include "keep/selection.h"
#include "kernel/syms/ksyms.h"
#include "stream/stream.h"

struct kept_reader {
	struct selection sel;
	struct store_use *uses;		/* one for each event of the selection; .channel NULL: the event is gone */
	struct ring_src *srcs;		/* the rings of each of these events */
	unsigned nr_srcs;
	struct source *sources;		/* indexed by bp_rec.probe */
	unsigned nr_sources, nr_cpus;
	struct ksyms *ks;
};

/*
 * Opens the kept events that @opts names. With @consume this reader is the only one. The lock on the store is released.
 * -ENOENT, -EBUSY, ... with @diag.
 */
int kept_reader_open(const struct options *opts, bool consume, struct kept_reader *ret, struct diag *diag);
void kept_reader_close(struct kept_reader *r);

/*
 * Saves for the next reader which records were read, which losses LOST lines have reported, and how many records filters have
 * rejected. To be called when the lines were written, and before the records are given back.
 */
void kept_reader_save(struct kept_reader *r);

/* Number of records of event @i that were lost since the event was last emptied. */
uint64_t kept_reader_lost(const struct kept_reader *r, unsigned i);

#endif
