/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ring_look.h - a ring without its reader: emptied, or looked into.
 */
#ifndef RUN_RING_LOOK_H
#define RUN_RING_LOOK_H

#include <stdint.h>

#include "base/diag.h"
#include "run/ring.h"

/*
 * Gives back what the BPF ring buffer @fd of @size bytes holds up to the first record that is stamped at @before
 * (CLOCK_MONOTONIC ns) or later, or is not finished. What lies behind that and is older the next reader passes over: struct
 * ring_src. Nobody may be reading it. -errno.
 */
int ring_clear(int fd, uint64_t size, uint64_t before);

struct look;

/*
 * Copies what rings hold, and takes nothing away; a reader may be at work meanwhile. Records that are not finished
 * are left out. -errno with @diag. look_close() frees the copy.
 */
int look_open(const struct ring_src *srcs, unsigned nr, struct look **ret, struct diag *diag);
void look_close(struct look *l);

/* How many records there were. */
unsigned look_count(const struct look *l);

/* Calls @emit with each of them, in time order, until it returns false. */
void look_emit(const struct look *l, ring_record_fn emit, void *ctx);

#endif
