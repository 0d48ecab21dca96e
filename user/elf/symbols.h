/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * symbols.h - the functions of a program or a library: an ELF file's symbols, by address.
 */
#ifndef ELF_SYMBOLS_H
#define ELF_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/file.h"

struct elf_symbols;

struct elf_symbol {
	uint64_t addr, size;		/* as the file numbers its addresses */
	const char *name;		/* of C++ and Rust: as demangle() has it */
};

/*
 * Reads .symtab and .dynsym of the file @fd, which stays the caller's and need not stay open. Nothing in the file is trusted. A file
 * without symbols is one of bprobe's answers, too. -EBADMSG: it is not ELF; -EFBIG, -errno. The caller frees with elf_symbols_free().
 */
int elf_symbols_read(int fd, struct elf_symbols **ret);

/* The same for an image in memory (the vDSO), which must stay there. */
int elf_symbols_image(const void *image, size_t len, struct elf_symbols **ret);

/* The same for a file that is open. The symbols do not need it any more. */
int elf_symbols_of(struct elf_file *f, struct elf_symbols **ret);

void elf_symbols_free(struct elf_symbols *s);	/* NULL is fine */

/* Adds the symbols of another file with the same addresses: its separate debug file. */
int elf_symbols_add(struct elf_symbols *s, int fd);
int elf_symbols_add_file(struct elf_symbols *s, struct elf_file *f);

/* Has it a .symtab? Without one only the names that a library exports are known. */
bool elf_symbols_whole(const struct elf_symbols *s);

/* The address that the byte at @off of the file has. False: none. */
bool elf_symbols_addr(const struct elf_symbols *s, uint64_t off, uint64_t *ret);

/* The function that has @addr; NULL: none. It lives as long as @s. Of several names perf's choice: tests/guest/suites/stacks.guest compares. */
const struct elf_symbol *elf_symbols_find(struct elf_symbols *s, uint64_t addr);

/* The same, but labels in a function, which have no size, do not count. */
const struct elf_symbol *elf_symbols_around(struct elf_symbols *s, uint64_t addr);

/*
 * Where the one function with this name (as demangle() has it) and this size starts. False: there is none, or there are several.
 */
bool elf_symbols_named(struct elf_symbols *s, const char *name, uint64_t size, uint64_t *ret);

/* Its build id, as bytes; NULL: it has none. */
const unsigned char *elf_symbols_build_id(const struct elf_symbols *s, size_t *ret_len);

#endif
