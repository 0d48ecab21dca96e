/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ring_look.h - empties rings, or reads them without consuming anything.
 */
#ifndef RUN_RING_LOOK_H
#define RUN_RING_LOOK_H

#include <stdint.h>

#include "base/diag.h"
#include "run/ring.h"

/*
 * Discards the records of @src, in each ring up to the first record that is stamped at @before (CLOCK_MONOTONIC ns) or later, or that is
 * not finished. Older records behind that one are skipped by the next reader: ring_src.since. In rings that overwrite, nothing is
 * discarded, and readers skip everything. Nobody may read the rings meanwhile. -errno.
 */
int ring_clear(const struct ring_src *src, uint64_t before);

struct look;

/*
 * Copies the content of rings, of either kind, and removes nothing. Programs may write and a reader may work at the same time. If a record
 * is not finished, it and the records behind it are left out. In a ring that overwrites, only those of the same part are. -errno with
 * @diag. look_close() frees the copy.
 */
int look_open(const struct ring_src *srcs, unsigned nr, struct look **ret, struct diag *diag);
void look_close(struct look *l);

/* The number of copied records. */
unsigned look_count(const struct look *l);

/* Calls @emit with each of the records, in time order, until it returns false. */
void look_emit(const struct look *l, ring_record_fn emit, void *ctx);

#endif
