/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * btf_check.h - can a BTF file be given to a reader that trusts it?
 *
 * bprobe's own reader (btf_raw.h) looks only at the parts it is asked about, and checks every number. libbpf's printer
 * trusts the file, but a file named with --btf may come from anybody.
 */
#ifndef KERNEL_BTF_BTF_CHECK_H
#define KERNEL_BTF_BTF_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/btf/btf_raw.h"

/* Do all types of @b refer only to strings and types that exist? The base of @b must have been checked before. */
bool btf_check_file(const struct btf_raw *b);

/*
 * Can type @id, of a file that passed the check, be written as C in a few words? Not if the type refers to itself, and
 * not if a structure without a name would have to be written out.
 */
bool btf_check_declaration(const struct btf_raw *b, uint32_t id);

#endif
