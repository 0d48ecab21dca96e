/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * btf_check.h - can a BTF file be given to a reader that trusts it?
 *
 * bprobe's own reader (btf_raw.h) looks at what it is asked only, and takes every number with care. libbpf's printer
 * trusts the file, and a file that --btf names may be anybody's.
 */
#ifndef KERNEL_BTF_BTF_CHECK_H
#define KERNEL_BTF_BTF_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/btf/btf_raw.h"

/* Do all types of @b (its base has been looked at) name strings and types that there are? */
bool btf_check_file(const struct btf_raw *b);

/*
 * Can type @id, of a file that is in order, be written as C in some few words? Not if it leads back to itself, and not if
 * a structure without a name would have to be written out.
 */
bool btf_check_declaration(const struct btf_raw *b, uint32_t id);

#endif
