/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ksyms_packed.h - the kernel's own symbols from the tables that the kernel itself keeps.
 *
 * They are what /proc/kallsyms is printed from (6.12, kernel/kallsyms.c and
 * scripts/kallsyms.c), and looking at a few of them costs a thousandth of having all
 * printed. Symbols have numbers, which count as the lines of /proc/kallsyms do.
 *
 *	names	|len|token token ...|len|token ...|	each token is a piece of text; the first
 *							letter of all is the symbol's type
 *	offsets	|s32|s32|...				addresses, see enum in the .c
 *	markers	|u32|u32|...				where symbols 0, 256, 512... are in names
 *	seqs	|u24|u24|...				the numbers of all, sorted by name (6.2 on)
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
 * Finds the tables through the note VMCOREINFO (6.0 and newer, kernel/crash_core.c). NULL: there
 * is none, or the tables do not look right. @mem must live as long.
 */
struct kpacked *kpacked_open(struct kmem *mem);
void kpacked_close(struct kpacked *kp);		/* NULL is fine */

size_t kpacked_count(const struct kpacked *kp);

/* Address of symbol @i (below the count), as /proc/kallsyms shows it. False: it cannot be read. */
bool kpacked_addr(struct kpacked *kp, size_t i, uint64_t *ret);

/*
 * Type and name of symbol @i. Returns the name's length, 0: it cannot be read. In the
 * table's order it is cheap.
 */
size_t kpacked_name(struct kpacked *kp, size_t i, char *ret_type, char name[KPACKED_NAME_MAX]);

/*
 * Calls @found with the number of each symbol called @name, in no particular order. False: not
 * all could be looked at.
 */
bool kpacked_find(struct kpacked *kp, const char *name, void (*found)(void *ctx, size_t i), void *ctx);

/* How many of the symbols do not lie above @addr: they are in ascending order. */
size_t kpacked_up_to(struct kpacked *kp, uint64_t addr);

#endif
