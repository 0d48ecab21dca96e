/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ctype.h - describes a type that is written as C ("const char *", "struct stat *", "size_t") in the way BTF would. The
 * metadata of system calls gives types as such text.
 */
#ifndef KERNEL_BTF_CTYPE_H
#define KERNEL_BTF_CTYPE_H

#include "kernel/btf/kbtf.h"

/*
 * Looks up names in the kernel's BTF. A name that is not there is KBTF_OTHER; a pointer to it is KBTF_PTR with a void
 * target. Without BTF (@kb is NULL or has none), C's own integers are still known.
 */
void ctype_describe(struct kbtf *kb, const char *text, struct kbtf_type *ret);

#endif
