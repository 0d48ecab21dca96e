/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ksyms.h - names of the kernel and its modules, and their addresses.
 *
 * Contains what /proc/kallsyms tells, read once. Knows nothing about probes. For one thread only: the first call that
 * needs an index builds it.
 */
#ifndef KERNEL_SYMS_KSYMS_H
#define KERNEL_SYMS_KSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

struct buf;
struct kbtf;
struct ksyms;

struct ksym {
	uint64_t addr;
	const char *name;
	const char *module;	/* NULL: the kernel itself; equal pointers: the same module */
	/* As kallsyms prints it ('t', 'T', 'd', ...), but never 't' for data. For a module's symbol the case means nothing. */
	char type;
};

/*
 * Reads @path (NULL: /proc/kallsyms). -errno with @diag set: the file cannot be read, or does not look like kallsyms.
 * The caller closes with ksyms_close().
 */
int ksyms_load(const char *path, struct ksyms **ret, struct diag *diag);

/*
 * The same, with the file @modules that lists the modules; NULL: none. It is read when an address of a module is first
 * looked up. (ksyms_load(NULL) reads /proc/modules, ksyms_load(PATH) none.)
 */
int ksyms_load_with(const char *path, const char *modules, struct ksyms **ret,
		    struct diag *diag);
void ksyms_close(struct ksyms *ks);	/* NULL is fine */

/* For a process that fork() has made: what kmem_reopen() does, for the memory that these symbols are read from. -errno: @ks can only be closed. */
int ksyms_reopen(const struct ksyms *ks);

/*
 * Symbols of modules are read by the types of @btf from now on; they are the running kernel's. @btf must live as long as @ks. Without this
 * call BTF is opened when it is needed.
 */
void ksyms_use_types(struct ksyms *ks, struct kbtf *btf);

/* All addresses read as 0: because of kptr_restrict, or for lack of privilege. */
bool ksyms_hidden(const struct ksyms *ks);

/* Does a module called @name have symbols here, which means that it is loaded? */
bool ksyms_has_module(const struct ksyms *ks, const char *name);

/*
 * The lowest and the highest address of the symbols of modules, BPF programs, and pages of ftrace and kprobes. False:
 * there are none.
 */
bool ksyms_module_span(const struct ksyms *ks, uint64_t *ret_low, uint64_t *ret_high);

/* Is it a function? Its type tells: t, T, w or W. */
bool ksym_is_function(const struct ksym *sym);

/* Does it only mark bytes before a function: __pfx_ (6.2 on), __cfi_ (clang)? */
bool ksym_is_marker(const struct ksym *sym);

/* All symbols, in the table's own order. @i must be below the count. */
size_t ksyms_count(const struct ksyms *ks);
const struct ksym *ksyms_at(const struct ksyms *ks, size_t i);

/* False: symbol @i of these is data, or a marker. Where names are packed this is much cheaper than ksyms_at(). */
bool ksyms_may_be_function(const struct ksyms *ks, size_t i);

/* The address of symbol @i alone, which costs less. */
uint64_t ksyms_address_at(const struct ksyms *ks, size_t i);

/* A function in a pass over all of them. */
struct ksyms_function {
	size_t number;		/* for ksyms_at() */
	uint64_t addr;
	uint64_t end;		/* the next higher address of a symbol of the kernel; 0: there is none */
	bool first;		/* of the symbols at this address */
	const char *name;	/* only if it has a dot in it, and until @take returns; else NULL */
};

/*
 * Calls @take with each function of the kernel's own, but for markers, in the table's order. This costs much less than
 * ksyms_at() for each. False: the symbols do not come from the kernel's memory, or it cannot be read; then @take may have been called.
 */
bool ksyms_pass(const struct ksyms *ks, void (*take)(void *ctx, const struct ksyms_function *f), void *ctx);

/*
 * Calls @take with the name of each of the kernel's own symbols in [@start, @end), aliases too. False: as for ksyms_pass(). A name
 * lives until @take returns.
 */
bool ksyms_names_between(const struct ksyms *ks, uint64_t start, uint64_t end, void (*take)(void *ctx, const char *name), void *ctx);

/* The first so many symbols include all of the kernel's own: a search for those can stop there. */
size_t ksyms_own_count(const struct ksyms *ks);

/*
 * The text that the kernel prints in brackets after this symbol: the module. A BPF program has none, though kallsyms
 * lists it under "[bpf]" (6.12, kernel/bpf/core.c and include/linux/filter.h, bpf_address_lookup()). NULL: no brackets.
 */
const char *ksym_brackets(const struct ksym *sym);

/*
 * Every symbol called @name, in the table's own order; with @module, only the symbols of that module ("vmlinux" for the
 * kernel's own). Returns how many there are. *ret_first points to an array of pointers to them, which lives as long as
 * @ks.
 */
size_t ksyms_find(const struct ksyms *ks, const char *name, const char *module,
		  const struct ksym *const **ret_first);

/*
 * Appends to @ret the numbers (size_t, for ksyms_at()) of the kernel's own symbols whose names begin with one of @prefixes, in
 * ascending order, each once. Costs little for few symbols. False: this kernel has no sorted list of names, or a prefix is
 * empty; then @ret has no meaning. The caller frees @ret in any case.
 */
bool ksyms_find_begins(const struct ksyms *ks, const char *const *prefixes, size_t nr_prefixes, struct buf *ret);

/* The address of the kernel's own (first) symbol @name; 0: there is none, or its address is hidden. */
uint64_t ksyms_address(const struct ksyms *ks, const char *name);

/*
 * The symbol that covers @addr, as the kernel's own lookup (%pS) names it: among aliases at one address, the first in
 * the table (6.12, kernel/kallsyms.c, get_symbol_pos()). *ret_size (may be NULL) is the distance to the next higher
 * symbol of the kernel or the same module, or to the end of a module's page; 0 if neither is known (the last BPF
 * program). Returns NULL, and size 0, if no symbol covers @addr: user addresses, gaps, addresses after _end, ftrace's
 * trampolines (they are listed, but the kernel does not name them). O(log n), no allocation after the first call.
 */
const struct ksym *ksyms_lookup(const struct ksyms *ks, uint64_t addr, uint64_t *ret_size);

/*
 * Up to @max names of functions that are similar to @name, best first: variants of it with a suffix (.isra.0,
 * .constprop.0, .part.0, .cold), then others by edit distance. No name appears twice. Returns how many were found.
 */
size_t ksyms_similar(const struct ksyms *ks, const char *name, const struct ksym **ret, size_t max);

/* Appends all of a file that does not tell its size, such as those in /proc. 0 or -errno. */
int ksyms_read_file(const char *path, struct buf *out);

#endif
