/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kbtf_subset.h - of the kernel's types those that a compiled BPF object names.
 */
#ifndef KERNEL_BTF_KBTF_SUBSET_H
#define KERNEL_BTF_KBTF_SUBSET_H

#include "kernel/btf/kbtf.h"

/*
 * Writes to @fd a BTF file with the kernel's structures, unions and enums that have the names of
 * those in @names (the object's own BTF; what follows a ___ is no part of a name, as for libbpf). All
 * their members are in it, but of their types only so much as CO-RE looks at: numbers, and
 * structures without members unless they are named too. 0, or -errno: there is no BTF, or it
 * cannot be written. For bpf_object_open_opts.btf_custom_path: libbpf then need not read all types.
 */
int kbtf_write_subset(struct kbtf *kb, const struct btf *names, int fd);

#endif
