/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kbtf_subset.h - the part of the kernel's types that a compiled BPF object names.
 */
#ifndef KERNEL_BTF_KBTF_SUBSET_H
#define KERNEL_BTF_KBTF_SUBSET_H

#include "kernel/btf/kbtf.h"

/*
 * Writes to @fd a BTF file with the kernel's structures, unions and enums that have the same names as those in @names
 * (the object's own BTF; a name ends before ___, as for libbpf). They keep all their members. The members' types keep
 * only what CO-RE looks at: numbers, and structures without members unless they are named too. 0, or -errno: there is
 * no BTF, or the file cannot be written. For bpf_object_open_opts.btf_custom_path: libbpf then need not read all types.
 */
int kbtf_write_subset(struct kbtf *kb, const struct btf *names, int fd);

#endif
