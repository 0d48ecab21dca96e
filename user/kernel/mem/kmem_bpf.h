/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kmem_bpf.h - reads the kernel's memory with BPF; only for kmem.c.
 *
 * Uses one small program that is never attached to anything.
 */
#ifndef KERNEL_MEM_KMEM_BPF_H
#define KERNEL_MEM_KMEM_BPF_H

#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

struct kmem_bpf;

/*
 * -EPERM (privilege or lockdown), or another -errno of the kernel for a part of BPF that is missing. The reason is in
 * @diag, without help. The caller closes with kmem_bpf_close().
 */
int kmem_bpf_open(struct kmem_bpf **ret, struct diag *diag);
void kmem_bpf_close(struct kmem_bpf *kb);	/* NULL is fine */

/* As kmem_read(). */
int kmem_bpf_read(struct kmem_bpf *kb, uint64_t addr, void *to, size_t len);

#endif
