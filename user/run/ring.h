/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ring.h - the records of all rings, in time order. include/bprobe_abi.h has the protocol.
 */
#ifndef RUN_RING_H
#define RUN_RING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "bprobe_abi.h"

struct rings;

/*
 * Called with each record in time order. @len: its bytes in the ring, a multiple of 8. The record is in shared memory that nobody
 * changes during the call; it is not valid afterwards. False: the callee takes no more records; the other records stay in the
 * rings.
 */
typedef bool (*ring_record_fn)(void *ctx, const struct bp_rec *rec, uint32_t len);

/* The rings of a channel. */
struct ring_src {
	int fd;				/* the map of the rings; the caller's; must stay open longer than the rings */
	int bell_fd;			/* the BPF ring buffer that wakes; the caller's, in the same way */
	unsigned long bell_bytes;	/* of its data */
	unsigned nr;			/* number of rings */
	uint64_t bytes;			/* of data of each ring: bp_ring.bytes */
	uint64_t stride;		/* bytes of an entry of the map */
	uint64_t since;			/* records with an earlier stamp are skipped; CLOCK_MONOTONIC ns */
};

/*
 * Maps rings that discard, and starts where the previous reader stopped. With @holds, delivered records stay in their rings until
 * rings_commit(), so no record is lost if the reader is killed before that. -errno with @diag.
 */
int rings_open(const struct ring_src *srcs, unsigned nr, bool holds, struct rings **ret, struct diag *diag);
void rings_close(struct rings *r);

/* A descriptor (an epoll) that becomes readable when the bell of a ring was rung: see rings_arm(). */
int rings_fd(const struct rings *r);

/*
 * Takes the new records. Delivers, in the order of their stamps, the records that no later record can precede. Returns the
 * number of delivered records. *ret_pending: some records are held back, so call again within a millisecond or so.
 * Afterwards new records do not make rings_fd() readable.
 */
unsigned rings_pass(struct rings *r, ring_record_fn emit, void *ctx, bool *ret_pending);

/* Bytes that the fullest ring held when the last pass began. */
uint64_t rings_fill(const struct rings *r);

/* Lets the next record make rings_fd() readable. False: there is a record already, so call rings_pass() instead of waiting. */
bool rings_arm(struct rings *r);

/*
 * For the end, when nothing writes any more: delivers all remaining records, if @emit takes them. A record that is not finished within
 * a tenth of a second is stepped over.
 */
unsigned rings_drain(struct rings *r, ring_record_fn emit, void *ctx);

/* How many records of ring @ring (the CPU's number, if there is one source) rings_drain() has stepped over: they are lost. */
unsigned rings_unfinished(const struct rings *r, unsigned ring);

/* The records delivered so far need not be kept. */
void rings_commit(struct rings *r);

/* To be called last by a reader that leaves: the next reader starts where this one stopped. */
void rings_leave(struct rings *r);

#endif
