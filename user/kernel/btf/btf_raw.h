/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * btf_raw.h - types as they are stored in a BTF file, and search by name for a few of them.
 *
 * libbpf's reader copies the file and builds an index of all types. That costs more than a definition needs. Here the
 * file is mapped if the kernel allows it (6.16 on), otherwise read once. One pass over it finds all names that are
 * likely to be asked for. The format: Documentation/bpf/btf.rst.
 */
#ifndef KERNEL_BTF_BTF_RAW_H
#define KERNEL_BTF_BTF_RAW_H

#include <linux/btf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct btf_raw;

/*
 * Reads @path: a raw file like those in /sys/kernel/btf, or an ELF file with a section .BTF. @base: the kernel's own
 * BTF, which a module's BTF continues; it must live as long as the result. NULL: the file cannot be read, or is no BTF.
 * btf_raw_close() frees the result.
 */
struct btf_raw *btf_raw_open(const char *path, const struct btf_raw *base);
void btf_raw_close(struct btf_raw *b);		/* NULL is fine */

/* Types have the numbers 1 to count - 1, including those of the base. 0 is void. */
uint32_t btf_raw_count(const struct btf_raw *b);
uint32_t btf_raw_first(const struct btf_raw *b);		/* the first type that is not the base's */
const struct btf_type *btf_raw_type(const struct btf_raw *b, uint32_t id);	/* NULL: there is none */
const char *btf_raw_string(const struct btf_raw *b, uint32_t off);	/* "": there is none */
bool btf_raw_has_string(const struct btf_raw *b, uint32_t off);

/*
 * Type *@id without its typedefs and qualifiers; *@id becomes its number. NULL: there is no such type, or it has more
 * typedefs and qualifiers than the kernel accepts (6.12, kernel/bpf/btf.c, MAX_RESOLVE_DEPTH). That limit also ends the
 * search for a type that is defined by itself.
 */
const struct btf_type *btf_raw_bare(const struct btf_raw *b, uint32_t *id);

/* @name will be looked for later. The pass of the first btf_raw_find() then finds it too. */
void btf_raw_expect(struct btf_raw *b, const char *name);

/*
 * The first type of this name and kind (BTF_KIND_...), in @b only, not in its base. 0: none. @likely (ends with NULL,
 * used only by the first call) lists names to find in the same pass. Searching for one of these, or for a name that was
 * searched for before, costs nothing.
 */
uint32_t btf_raw_find(struct btf_raw *b, const char *name, unsigned kind, const char *const *likely);

/* The same for the functions of @nr names, in one pass: *ret[i] is the number of the first function called @names[i]; 0: none. */
void btf_raw_find_functions(struct btf_raw *b, const char *const *names, unsigned nr, uint32_t *ret);

#endif
