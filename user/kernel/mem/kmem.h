/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kmem.h - reads bytes of the kernel's memory as they are now.
 *
 * Uses /proc/kcore. If there is no kcore or it may not be read, a small BPF program copies the memory out. Knows
 * nothing about symbols. For one thread of one process at a time: see kmem_reopen().
 */
#ifndef KERNEL_MEM_KMEM_H
#define KERNEL_MEM_KMEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

struct kmem;

enum kmem_source {
	KMEM_ANY,		/* kcore, or BPF if kcore cannot be used */
	KMEM_KCORE,
	KMEM_BPF,
};

/*
 * Opens the running kernel's memory. With @path, opens that ELF file instead (a core or a vmlinux: the memory of its
 * PT_LOAD segments) and ignores @source. -errno with @diag set: why neither can be used, and what to do. The caller
 * closes with kmem_close().
 */
int kmem_open(const char *path, enum kmem_source source, struct kmem **ret, struct diag *diag);
void kmem_close(struct kmem *km);	/* NULL is fine */

/*
 * Opens the same memory once more, for a process that fork() has made. Its parent goes on to use what @km had. Without this, each
 * of the two can get bytes that the other has asked for: BPF copies into a map that both have, and kcore into a page that belongs to
 * the open file (6.12, fs/proc/kcore.c, read_kcore_iter(), file->private_data). -errno: @km can only be closed.
 */
int kmem_reopen(struct kmem *km);

/* "/proc/kcore", "BPF", or the file's path: for messages. */
const char *kmem_name(const struct kmem *km);

/* Is it the running kernel's memory, and not a file's? */
bool kmem_is_running(const struct kmem *km);

/*
 * Copies @len bytes at @addr to @to. 0; -EFAULT: some of them are not mapped (the contents of *to are then undefined);
 * -EPERM: the kernel does not show them (lockdown).
 *
 * BPF is exact about unmapped bytes. /proc/kcore is not: within the areas that it knows (the kernel's image, modules,
 * vmalloc, RAM), it shows zeroes for bytes that are not mapped, and there is no -EFAULT. BPF reads everything that is
 * mapped, even a device's registers, so @addr must be known to be memory.
 */
int kmem_read(struct kmem *km, uint64_t addr, void *to, size_t len);

/*
 * Finds the ELF note called @name, in which the file describes the kernel ("VMCOREINFO": lines of text; /proc/kcore has
 * it, 6.12, fs/proc/kcore.c). Returns a copy with a NUL after it, which the caller frees. NULL: there is no such note.
 */
char *kmem_note(const struct kmem *km, const char *name);

#endif
