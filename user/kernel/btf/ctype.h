/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ctype.h - a type as C writes it ("const char *", "struct stat *", "size_t"), as BTF
 * would describe it. The metadata of system calls has types as such text.
 */
#ifndef KERNEL_BTF_CTYPE_H
#define KERNEL_BTF_CTYPE_H

#include "kernel/btf/kbtf.h"

/*
 * Names are looked up in the BTF of the kernel; what is not found there is KBTF_OTHER,
 * a pointer to it KBTF_PTR with a void target. Without BTF (@kb NULL or none) C's own
 * integers are still known.
 */
void ctype_describe(struct kbtf *kb, const char *text, struct kbtf_type *ret);

#endif
