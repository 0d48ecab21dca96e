/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * xref_priv.h - what the files behind xref.h share, for them only.
 */
#ifndef KERNEL_XREF_XREF_PRIV_H
#define KERNEL_XREF_XREF_PRIV_H

#include "base/buf.h"
#include "kernel/xref/xref.h"

/* The next piece repeats this many bytes of a piece, so that operands across the border are seen. */
enum { XREF_CARRY = 16 };

/*
 * xref_scan_text() for operands that start at @from or later. The bytes before @from have been counted already, and
 * only show which instruction an operand belongs to.
 */
void xref_text_from(struct xref_set *set, const uint8_t *bytes, size_t from, size_t len,
		    uint64_t base);

/*
 * Also counts branches to the address @distance bytes (1 to 255) before the function at @addr, because the code there
 * continues into the function. Call it before the first scan.
 */
void xref_set_thunk(struct xref_set *set, uint64_t addr, unsigned distance);

/* [start, end) */
struct xref_range {
	uint64_t start, end;
};

/*
 * In these @nr ranges (sorted by address; borrowed until xref_set_free()) the address of a function is a constant, and no reference.
 * Branches count there as everywhere.
 */
void xref_set_constants(struct xref_set *set, const struct xref_range *range, size_t nr);

/*
 * xref_bpf.c: appends a struct xref_range for the pages of each BPF program that the running kernel has now, sorted by address. None
 * without CAP_SYS_ADMIN. The caller frees @out.
 */
void xref_bpf_programs(struct buf *out);

struct kmem;
struct ksym;
struct ksyms;

/* Adds short jumps to @ref: see xref_near.c. */
void xref_near(struct kmem *km, const struct ksyms *ks, struct xref *ref);

#endif
