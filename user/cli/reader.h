/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * reader.h - kept events that are read: --trace and --pipe.
 */
#ifndef CLI_READER_H
#define CLI_READER_H

#include "cli/selection.h"
#include "kernel/syms/ksyms.h"
#include "trace/stream.h"

struct reader {
	struct selection sel;
	struct store_use *uses;		/* of each event of the selection; .channel NULL: it is gone */
	struct ring_src *srcs;		/* the rings of all of them */
	unsigned nr_srcs;
	struct source *sources;		/* by bp_rec.probe */
	unsigned nr_sources, nr_cpus;
	struct ksyms *ks;
};

/*
 * Opens the kept events that @opts names, with @consume for this reader alone. The lock on the store is given back.
 * -ENOENT, -EBUSY, ... with @diag.
 */
int reader_open(const struct options *opts, bool consume, struct reader *ret, struct diag *diag);
void reader_close(struct reader *r);

/* What LOST lines have told, and what filters have turned away, becomes known to the next reader. */
void reader_save(struct reader *r);

/* Records of event @i that were lost since it was emptied last. */
uint64_t reader_lost(const struct reader *r, unsigned i);

#endif
