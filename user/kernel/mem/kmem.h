/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kmem.h - bytes of the kernel's memory, as they are now.
 *
 * /proc/kcore, or a small BPF program that copies memory out where there is no
 * kcore or it may not be read. Knows nothing of symbols. One thread at a time.
 */
#ifndef KERNEL_MEM_KMEM_H
#define KERNEL_MEM_KMEM_H

#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

struct kmem;

enum kmem_source {
	KMEM_ANY,		/* kcore, or BPF where that cannot be had */
	KMEM_KCORE,
	KMEM_BPF,
};

/*
 * Opens the running kernel's memory, or with @path the ELF file there (a core or a
 * vmlinux: what its PT_LOAD segments map), which @source does not concern. -errno with
 * @diag set: why neither can be had, and what to do. The caller closes with kmem_close().
 */
int kmem_open(const char *path, enum kmem_source source, struct kmem **ret, struct diag *diag);
void kmem_close(struct kmem *km);	/* NULL is fine */

/* "/proc/kcore", "BPF", or the file's path: for messages. */
const char *kmem_name(const struct kmem *km);

/*
 * Copies @len bytes at @addr to @to. 0, or -EFAULT: not all of them are mapped (what
 * *to holds then is not defined); -EPERM: the kernel does not show them (lockdown).
 *
 * BPF is exact about that. /proc/kcore shows zeroes where nothing is mapped within the
 * areas that it knows (the kernel's image, modules, vmalloc, RAM): no -EFAULT there. BPF
 * reads whatever is mapped, a device's registers too: ask for what is known to be memory.
 */
int kmem_read(struct kmem *km, uint64_t addr, void *to, size_t len);

/*
 * Bytes that the file tells about the kernel, in the ELF note called @name ("VMCOREINFO": lines
 * of text; /proc/kcore has it, 6.12, fs/proc/kcore.c). Returns a copy with a NUL behind it that
 * the caller frees, or NULL: there is no such note.
 */
char *kmem_note(const struct kmem *km, const char *name);

#endif
