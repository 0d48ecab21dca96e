/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * btf_raw.h - types as they stand in a BTF file, and the few that are looked for by name.
 *
 * libbpf's reader copies the file and builds an index of all types, which costs more than
 * what a definition asks. Here the file is mapped where the kernel allows it (6.16 on), else
 * read once, and a pass over it looks for all names that are likely to be asked.
 * The format: Documentation/bpf/btf.rst.
 */
#ifndef KERNEL_BTF_BTF_RAW_H
#define KERNEL_BTF_BTF_RAW_H

#include <linux/btf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct btf_raw;

/*
 * Reads @path, a raw file as those in /sys/kernel/btf or an ELF file with a section .BTF; @base: the
 * kernel's own, which a module's continues, and which must live as long. NULL: it cannot be
 * read, or is none. btf_raw_close() frees.
 */
struct btf_raw *btf_raw_open(const char *path, const struct btf_raw *base);
void btf_raw_close(struct btf_raw *b);		/* NULL is fine */

/* Types have the numbers 1 to count - 1, the base's among them; 0 is void. */
uint32_t btf_raw_count(const struct btf_raw *b);
uint32_t btf_raw_first(const struct btf_raw *b);		/* the first that is not the base's */
const struct btf_type *btf_raw_type(const struct btf_raw *b, uint32_t id);	/* NULL: there is none */
const char *btf_raw_string(const struct btf_raw *b, uint32_t off);	/* "": there is none */
bool btf_raw_has_string(const struct btf_raw *b, uint32_t off);

/*
 * Type *@id without its typedefs and qualifiers, whose number *@id becomes. NULL: there is none, or it has more of them
 * than the kernel takes (6.12, kernel/bpf/btf.c, MAX_RESOLVE_DEPTH), which is how a type that is made from itself ends.
 */
const struct btf_type *btf_raw_bare(const struct btf_raw *b, uint32_t *id);

/* @name will be looked for: the first btf_raw_find() finds it too. */
void btf_raw_expect(struct btf_raw *b, const char *name);

/*
 * The first type of this name and kind (BTF_KIND_...); of @b alone, not of its base. 0: none. Names that
 * were looked for before, or are in @likely (up to a NULL, given with the first), cost nothing.
 */
uint32_t btf_raw_find(struct btf_raw *b, const char *name, unsigned kind, const char *const *likely);

#endif
