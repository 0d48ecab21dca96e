/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ksyms.h - names of the kernel and its modules, and the addresses they stand for.
 *
 * What /proc/kallsyms tells, read once. Knows nothing of probes. One thread:
 * the indexes are built by the first question that needs them.
 */
#ifndef KERNEL_SYMS_KSYMS_H
#define KERNEL_SYMS_KSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

struct ksyms;

struct ksym {
	uint64_t addr;
	const char *name;
	const char *module;	/* NULL: the kernel itself; equal pointers: the same module */
	char type;		/* as kallsyms prints it ('t', 'T', 'd', ...), but never 't' for data */
};

/*
 * Reads @path (NULL: /proc/kallsyms). -errno with @diag set if it cannot be read
 * or does not look like one. The caller closes with ksyms_close().
 */
int ksyms_load(const char *path, struct ksyms **ret, struct diag *diag);

/*
 * The same with the list of modules to go with it, which is read when the first
 * address of a module is looked up; NULL: none. (ksyms_load(NULL) reads
 * /proc/modules, ksyms_load(PATH) none.)
 */
int ksyms_load_with(const char *path, const char *modules, struct ksyms **ret,
		    struct diag *diag);
void ksyms_close(struct ksyms *ks);	/* NULL is fine */

/* All addresses read as 0: kptr_restrict, or not enough privilege. */
bool ksyms_hidden(const struct ksyms *ks);

/* Has a module called @name symbols here, so is it loaded? */
bool ksyms_has_module(const struct ksyms *ks, const char *name);

/*
 * The lowest and the highest address that modules, BPF programs, and pages of ftrace
 * and kprobes have symbols at. False if there are none.
 */
bool ksyms_module_span(const struct ksyms *ks, uint64_t *ret_low, uint64_t *ret_high);

/* A function, to judge by its type: t, T, w or W. */
bool ksym_is_function(const struct ksym *sym);

/* Does it only mark what stands in front of a function: __pfx_ (6.2 on), __cfi_ (clang)? */
bool ksym_is_marker(const struct ksym *sym);

/* All symbols, in the table's own order; @i below the count. */
size_t ksyms_count(const struct ksyms *ks);
const struct ksym *ksyms_at(const struct ksyms *ks, size_t i);

/* So many of them, from the first on, hold all of the kernel's own: what is behind need not be read. */
size_t ksyms_own_count(const struct ksyms *ks);

/*
 * What the kernel prints in brackets behind this symbol: the module, but nothing
 * for a BPF program, though kallsyms lists it under "[bpf]" (6.12, kernel/bpf/core.c
 * and include/linux/filter.h, bpf_address_lookup()). NULL: no brackets.
 */
const char *ksym_brackets(const struct ksym *sym);

/*
 * Every symbol called @name, in the table's own order; with @module only that
 * module's ("vmlinux" for the kernel's own). Returns how many there are and
 * points *ret_first at an array of pointers to them that lives as long as @ks.
 */
size_t ksyms_find(const struct ksyms *ks, const char *name, const char *module,
		  const struct ksym *const **ret_first);

/* The address of the kernel's own (first) symbol @name; 0: it has none, or hides it. */
uint64_t ksyms_address(const struct ksyms *ks, const char *name);

/*
 * The symbol that covers @addr, as the kernel's own lookup (%pS) names it: among
 * aliases at one address the first in the table (6.12, kernel/kallsyms.c,
 * get_symbol_pos()). *ret_size (may be NULL) is the distance to the next higher
 * symbol of the kernel or the same module, or to the end of a module's page; 0
 * where neither is known (the last BPF program). NULL and 0 when none covers it:
 * user addresses, gaps, what lies beyond _end, ftrace's trampolines (listed, but
 * the kernel does not name them). O(log n), no allocation after the first call.
 */
const struct ksym *ksyms_lookup(const struct ksyms *ks, uint64_t addr, uint64_t *ret_size);

/*
 * Up to @max names of functions that resemble @name, best first: suffixed
 * variants of it (.isra.0, .constprop.0, .part.0, .cold), then by edit distance.
 * No name comes twice. Returns how many were found.
 */
size_t ksyms_similar(const struct ksyms *ks, const char *name, const struct ksym **ret, size_t max);

/* Appends the whole of a file that does not tell its size, as those in /proc. 0 or -errno. */
int ksyms_read_file(const char *path, struct buf *out);

#endif
