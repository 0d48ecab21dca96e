/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kept_counts.h - what became of the hits of a kept event.
 */
#ifndef KEEP_KEPT_COUNTS_H
#define KEEP_KEPT_COUNTS_H

#include "attach/attach.h"
#include "keep/store.h"

struct kept_counts {
	uint64_t seen;
	struct bp_stat stat;		/* hits: recorded or lost, without those that user space has filtered out */
	uint64_t rejected;		/* hits of the program that user space has filtered out: they are in stat.filtered, not in stat.hits */
	uint64_t overwritten;
	uint64_t missed;
	bool missed_known;
};

/* The counts of each definition of @ev, also of dropped ones, from @arena. -errno with @diag. */
int kept_counts(struct arena *arena, const struct attacher *at, const struct stored *ev, struct kept_counts **ret, struct diag *diag);

#endif
