/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ring_look.h - empties a ring, or reads it without consuming anything.
 */
#ifndef RUN_RING_LOOK_H
#define RUN_RING_LOOK_H

#include <stdint.h>

#include "base/diag.h"
#include "run/ring.h"

/*
 * Discards the records of the BPF ring buffer @fd of @size bytes, up to the first record that is stamped at @before
 * (CLOCK_MONOTONIC ns) or later, or that is not finished. Older records behind that one are skipped by the next reader:
 * struct ring_src. Nobody may read the ring meanwhile. -errno.
 */
int ring_clear(int fd, uint64_t size, uint64_t before);

struct look;

/*
 * Copies the content of rings, and removes nothing. A reader may work at the same time. Unfinished records are left out.
 * -errno with @diag. look_close() frees the copy.
 */
int look_open(const struct ring_src *srcs, unsigned nr, struct look **ret, struct diag *diag);
void look_close(struct look *l);

/* The number of copied records. */
unsigned look_count(const struct look *l);

/* Calls @emit with each of the records, in time order, until it returns false. */
void look_emit(const struct look *l, ring_record_fn emit, void *ctx);

#endif
