/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * xref.h - who refers to a function: the branches in the kernel's text and the
 * pointers in its data, modules included, as they are in memory now.
 *
 * Each byte is read once, for all functions that are asked for together.
 */
#ifndef KERNEL_XREF_XREF_H
#define KERNEL_XREF_XREF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

struct kmem;
struct ksyms;

/* What the first bytes of a function say; the numbers are printed by tests. */
enum xref_entry {
	XREF_UNSEEN,		/* they were not among the bytes that were scanned */
	XREF_PLAIN,		/* no ENDBR */
	XREF_ENDBR,		/* ENDBR: may be called through a pointer */
	XREF_SEALED,		/* one that the kernel overwrote: nobody takes its address */
};

/* Looks at the 4 bytes there. A kprobe's int3 over the first does not matter. */
enum xref_entry xref_entry(const uint8_t *bytes);

/* A function, and what was found: references from its own body do not count. */
struct xref {
	uint64_t addr, end;	/* [first byte, behind the last) */
	uint32_t branches;	/* call, jmp and jcc rel32 to it, or behind its ENDBR */
	uint32_t pointers;	/* its address, absolute (64 or 32 bits) or relative (32 bits) */
	enum xref_entry entry;
};

/*
 * Scans for all @nr functions of @refs (in any order; no address twice) and adds up
 * in each what refers to it. -errno with @diag where memory or the layout of the
 * kernel cannot be read: nothing can be said then.
 *
 * Scanned are the kernel's text, its data but for what was freed after boot and for
 * tables that list places in code and not who is called (ORC, kallsyms, BTF, ...), the
 * first CPU's variables, and all that modules, BPF programs and trampolines occupy. What
 * only the heap points to is not seen. The kernel's memory is read once, 256 KiB at a time.
 */
int xref_scan(struct kmem *km, const struct ksyms *ks, struct xref *refs, size_t nr,
	      struct diag *diag);

/*
 * The same, but it ends as soon as each function has a reference: which have none is all
 * that can be told from the result. Most have one in the first megabytes.
 */
int xref_find(struct kmem *km, const struct ksyms *ks, struct xref *refs, size_t nr,
	      struct diag *diag);

/*
 * The same over one piece of memory, @len bytes that stand at @base: what xref_scan()
 * is made of. Text is looked at byte by byte, data by aligned words of 4 and 8 bytes. All
 * functions lie in the top 2 GiB of the address space. NULL: no memory; the caller frees.
 * @refs is borrowed, and nothing has to be done at the end.
 */
struct xref_set;
struct xref_set *xref_set_new(struct xref *refs, size_t nr);
void xref_set_free(struct xref_set *set);	/* NULL is fine */
void xref_scan_text(struct xref_set *set, const uint8_t *bytes, size_t len, uint64_t base);
void xref_scan_data(struct xref_set *set, const uint8_t *bytes, size_t len, uint64_t base);

#endif
