/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ksyms_packed.h - reads the kernel's own symbols from the tables that the kernel itself keeps.
 *
 * The kernel prints /proc/kallsyms from these tables (6.12, kernel/kallsyms.c and scripts/kallsyms.c). Reading a few
 * symbols from them costs a thousandth of having all of them printed. Symbols have numbers, in the order of the lines
 * of /proc/kallsyms.
 *
 *	names	|len|token token ...|len|token ...|	each token is a piece of text; the first
 *							letter of the whole text is the symbol's type
 *	offsets	|s32|s32|...				addresses, see the enum in the .c file
 *	markers	|u32|u32|...				where symbols 0, 256, 512... are in names
 *	seqs	|u24|u24|...				the numbers of all symbols, sorted by name (6.2 on)
 */
#ifndef KERNEL_SYMS_KSYMS_PACKED_H
#define KERNEL_SYMS_KSYMS_PACKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kmem;
struct kpacked;

enum { KPACKED_NAME_MAX = 512 };	/* KSYM_NAME_LEN (6.1 on), with the NUL */

/*
 * Finds the tables with the help of the note VMCOREINFO (6.0 and newer, kernel/crash_core.c). NULL: there is no such
 * note, or the tables do not look right. @mem must live as long as the result.
 */
struct kpacked *kpacked_open(struct kmem *mem);
void kpacked_close(struct kpacked *kp);		/* NULL is fine */

size_t kpacked_count(const struct kpacked *kp);

/* The address of symbol @i (below the count), as /proc/kallsyms shows it. False: it cannot be read. */
bool kpacked_addr(struct kpacked *kp, size_t i, uint64_t *ret);

/*
 * The type and name of symbol @i. Returns the length of the name; 0: it cannot be read. Calls in the table's order are
 * cheap.
 */
size_t kpacked_name(struct kpacked *kp, size_t i, char *ret_type, char name[KPACKED_NAME_MAX]);

/* False: symbol @i is data, or a marker (ksym_is_marker()). This costs a tenth of kpacked_name(). */
bool kpacked_may_be_function(struct kpacked *kp, size_t i);

/* What a pass over all symbols tells of a function. */
struct kpacked_function {
	size_t i;
	uint64_t addr;
	uint64_t next;		/* the next higher address of a symbol; 0: there is none */
	bool first;		/* of the symbols at this address */
	char type;
	const char *name;	/* only if it has a dot in it, until the next call; else NULL */
};

/*
 * Calls @take with each symbol for which kpacked_may_be_function() is true, in the table's order. False: the tables cannot be
 * read to their end; then it may have been called for some.
 */
bool kpacked_pass(struct kpacked *kp, void (*take)(void *ctx, const struct kpacked_function *f), void *ctx);

/*
 * Calls @found with the number of each symbol called @name, in no particular order. False: some symbols could not be
 * looked at.
 */
bool kpacked_find(struct kpacked *kp, const char *name, void (*found)(void *ctx, size_t i), void *ctx);

/*
 * Calls @found with the number of each symbol whose name begins with @prefix, in the order of names. False: this kernel has
 * no list sorted by name (before 6.2), @prefix is empty, or the list cannot be read; then @found may have been called for some.
 */
bool kpacked_find_prefix(struct kpacked *kp, const char *prefix, void (*found)(void *ctx, size_t i), void *ctx);

/* How many symbols have an address of @addr or below. The symbols are in ascending order. 0: also if they cannot be read. */
size_t kpacked_up_to(struct kpacked *kp, uint64_t addr);

#endif
