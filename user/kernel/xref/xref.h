/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * xref.h - what refers to a function: branches in the kernel's text and pointers in its data, including modules, as
 * they are in memory now.
 *
 * Each byte is read once, for all functions of one call together.
 */
#ifndef KERNEL_XREF_XREF_H
#define KERNEL_XREF_XREF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/text.h"
#include "base/diag.h"

struct kmem;
struct ksyms;

/* A function and what was found. References from its own body do not count. */
struct xref {
	uint64_t addr, end;	/* [first byte, after the last) */
	uint32_t branches;	/* calls of it and jumps to it, or to the place behind its landing pad */
	uint32_t pointers;	/* its address, absolute (64 or 32 bits) or relative (32 bits) */
	enum entry entry;
};

/*
 * Scans for all @nr functions of @refs (in any order; no address twice) and adds to each the number of its references.
 * -errno with @diag: the kernel's memory or its layout cannot be read, so nothing is known.
 *
 * It scans the kernel's text; its data; the first CPU's variables; and all memory of modules, BPF programs and
 * trampolines. It leaves out data that was freed after boot, and tables that list places in code but do not call them
 * (ORC, kallsyms, BTF, ...). Pointers in the heap are not seen. The kernel's memory is read once, 256 KiB at a time.
 */
int xref_scan(struct kmem *km, const struct ksyms *ks, struct xref *refs, size_t nr,
	      struct diag *diag);

/*
 * Like xref_scan(), but ends as soon as each function has a reference. So the result only tells which functions have
 * none. Most have one in the first megabytes.
 */
int xref_find(struct kmem *km, const struct ksyms *ks, struct xref *refs, size_t nr,
	      struct diag *diag);

/*
 * Looks only at the text around each function, which is fast. Many callers are there, in the same source file. Sorts @refs by
 * address, and adds to each what it finds. Returns how many have a reference.
 */
size_t xref_find_near(struct kmem *km, const struct ksyms *ks, struct xref *refs, size_t nr);

/*
 * The same for one piece of memory: @len bytes from address @base. xref_scan() consists of such scans. Text is searched
 * byte by byte, data by aligned words of 4 and 8 bytes. All functions are in the top 2 GiB of the address space.
 * xref_set_new() borrows @refs and returns NULL if there is no memory; the caller frees. No call is needed at the end
 * to complete the counts.
 */
struct xref_set;
struct xref_set *xref_set_new(struct xref *refs, size_t nr);
void xref_set_free(struct xref_set *set);	/* NULL is fine */
void xref_scan_text(struct xref_set *set, const uint8_t *bytes, size_t len, uint64_t base);
void xref_scan_data(struct xref_set *set, const uint8_t *bytes, size_t len, uint64_t base);

#endif
