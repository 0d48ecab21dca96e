/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ksyms.h - names of the kernel and its modules, and the addresses they stand for.
 *
 * What /proc/kallsyms tells, read once. Knows nothing of probes.
 */
#ifndef KERNEL_KSYMS_H
#define KERNEL_KSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

struct ksyms;

struct ksym {
	uint64_t addr;
	const char *name;
	const char *module;	/* NULL: the kernel itself */
	char type;		/* as nm(1) and kallsyms print it: 't', 'T', 'd', ... */
};

/*
 * Reads @path (NULL: /proc/kallsyms). -errno with @diag set if it cannot be read
 * or does not look like one. The caller closes with ksyms_close().
 */
int ksyms_load(const char *path, struct ksyms **ret, struct diag *diag);
void ksyms_close(struct ksyms *ks);	/* NULL is fine */

/* All addresses read as 0: kptr_restrict, or not enough privilege. */
bool ksyms_hidden(const struct ksyms *ks);

/*
 * Every symbol called @name, in the table's own order; with @module only that
 * module's ("vmlinux" for the kernel's own). Returns how many there are and
 * points *ret_first at an array of pointers to them that lives as long as @ks.
 */
size_t ksyms_find(const struct ksyms *ks, const char *name, const char *module,
		  const struct ksym *const **ret_first);

/*
 * The symbol that covers @addr, as the kernel's own lookup names it: among
 * aliases at one address the first in the table (6.12, kernel/kallsyms.c,
 * get_symbol_pos()). *ret_size is the distance to the next higher symbol, 0 where
 * there is none. NULL when no symbol does. O(log n), no allocation.
 */
const struct ksym *ksyms_lookup(const struct ksyms *ks, uint64_t addr, uint64_t *ret_size);

/*
 * Up to @max names of functions that resemble @name, best first: suffixed
 * variants of it (.isra.0, .constprop.0, .part.0, .cold), then by edit distance.
 * Returns how many were found.
 */
size_t ksyms_similar(const struct ksyms *ks, const char *name, const struct ksym **ret, size_t max);

#endif
