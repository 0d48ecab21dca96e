/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * xref.h - who refers to a function: the branches in the kernel's text and the
 * pointers in its data, modules included, as they are in memory now.
 *
 * Each byte is read once, for all functions that are asked for together.
 */
#ifndef KERNEL_XREF_H
#define KERNEL_XREF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

struct kmem;
struct ksyms;

/* A function, and what was found: references from its own body do not count. */
struct xref {
	uint64_t addr, end;	/* [first byte, behind the last) */
	uint32_t branches;	/* call, jmp and jcc rel32 to it */
	uint32_t pointers;	/* its address, absolute (64 or 32 bits) or relative (32 bits) */
};

/*
 * Scans for all @nr functions of @refs (in any order; no address twice) and adds up
 * in each what refers to it. -errno with @diag where memory or the layout of the
 * kernel cannot be read: nothing can be said then.
 */
int xref_scan(struct kmem *km, const struct ksyms *ks, struct xref *refs, size_t nr,
	      struct diag *diag);

/*
 * The same over one piece of memory, @len bytes that stand at @base: what xref_scan()
 * is made of. Text is looked at byte by byte, data word by word (4 and 8 bytes, aligned).
 */
struct xref_set;
struct xref_set *xref_set_new(struct xref *refs, size_t nr);
void xref_set_free(struct xref_set *set);
void xref_scan_text(struct xref_set *set, const uint8_t *bytes, size_t len, uint64_t base);
void xref_scan_data(struct xref_set *set, const uint8_t *bytes, size_t len, uint64_t base);

#endif
