/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * object_types.h - the kernel's types that a compiled BPF object names, as a file.
 */
#ifndef RUN_OBJECT_TYPES_H
#define RUN_OBJECT_TYPES_H

#include <stddef.h>

struct kbtf;

/*
 * @object: the bytes of an ELF file with its own BTF. Returns the descriptor of a BTF file in memory (kbtf_write_subset()), which the caller
 * closes. -1: there is no BTF, or no memory.
 */
int object_types(struct kbtf *btf, const void *object, size_t len);

#endif
