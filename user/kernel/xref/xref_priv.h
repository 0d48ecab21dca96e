/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * xref_priv.h - what xref.c and xref_regions.c share, for these two only.
 */
#ifndef KERNEL_XREF_XREF_PRIV_H
#define KERNEL_XREF_XREF_PRIV_H

#include "kernel/xref/xref.h"

/* Bytes of a piece that the next one repeats, to see what lies across the border. */
enum { XREF_CARRY = 16 };

/*
 * xref_scan_text() for operands that start at @from or later: what is before it
 * has been counted, and only tells what instruction an operand belongs to.
 */
void xref_text_from(struct xref_set *set, const uint8_t *bytes, size_t from, size_t len,
		    uint64_t base);

/*
 * Lets branches to the address @distance bytes (1 to 255) before the function at @addr
 * count too: code there runs on into it. Before the first scan.
 */
void xref_set_thunk(struct xref_set *set, uint64_t addr, unsigned distance);

struct kmem;
struct ksym;
struct ksyms;

/* Adds the short jumps to @ref: see xref_near.c. */
void xref_near(struct kmem *km, const struct ksyms *ks, struct xref *ref);

#endif
