/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ring.h - the records of all rings, in time order.
 */
#ifndef RUN_RING_H
#define RUN_RING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "bprobe_abi.h"

struct rings;

/*
 * Called with each record in time order, which lies in shared memory that nobody changes
 * during the call; it is not valid afterwards. False: it takes no more; the others stay
 * where they are.
 */
typedef bool (*ring_record_fn)(void *ctx, const struct bp_rec *rec, uint32_t len);

struct ring_src {
	int fd;				/* of a BPF ring buffer; stays the caller's and must outlive the rings */
	uint64_t size;			/* bytes */
	uint64_t since;			/* records that are stamped before are passed over; CLOCK_MONOTONIC ns */
};

/*
 * Maps BPF ring buffers, and begins where the reader before this one stopped. With @holds, records that are handed on
 * stay in their rings until rings_commit(): who is killed before has lost none. -errno with @diag.
 */
int rings_open(const struct ring_src *srcs, unsigned nr, bool holds, struct rings **ret, struct diag *diag);
void rings_close(struct rings *r);

/* A descriptor (an epoll) that becomes readable when a ring has something: see rings_arm(). */
int rings_fd(const struct rings *r);

/*
 * Takes what has come and hands on, in the order of their stamps, the records that
 * none still to come can precede. Returns how many it handed on; *ret_pending says
 * whether it holds some back, so that it should be called again within a
 * millisecond or so. Afterwards records do not make rings_fd() readable.
 */
unsigned rings_pass(struct rings *r, ring_record_fn emit, void *ctx, bool *ret_pending);

/* Bytes that the fullest ring held when the last pass began. */
uint64_t rings_fill(const struct rings *r);

/*
 * Lets the next record make rings_fd() readable. False: there is one already, so
 * call rings_pass() instead of waiting.
 */
bool rings_arm(struct rings *r);

/* For the end, when nothing writes any more: hands on all that there is, if @emit takes it. */
unsigned rings_drain(struct rings *r, ring_record_fn emit, void *ctx);

/* What was handed on so far need not be kept. */
void rings_commit(struct rings *r);

/* The last word of a reader that leaves: the next one begins where this one stopped. */
void rings_leave(struct rings *r);

#endif
