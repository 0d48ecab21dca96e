/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * file.h - an ELF file: its segments, symbols, notes and sections.
 *
 * Nothing in the file is trusted. It is read and never mapped: if a mapped file is shortened, a signal ends the process that reads it.
 */
#ifndef ELF_FILE_H
#define ELF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ELF_BUILD_ID = 20 };		/* bytes; longer ones are not used by any linker */

struct elf_file;

/* A part of the file that is mapped (PT_LOAD). */
struct elf_segment {
	uint64_t off, addr, size;	/* size: bytes in the file */
	bool exec;
};

/* What the file says it is. */
struct elf_kind {
	uint16_t type, machine;		/* ET_DYN, user_machine, ... */
	bool is_64, is_little;		/* 64 bits, little endian */
	bool no_code;			/* its code is left out: a separate debug file */
};

/* A function, or a label in code. The texts live as long as the file is open. */
struct elf_entry {
	uint64_t addr, size;
	const char *name;		/* never empty; it may end with @VERSION */
	const char *version;		/* from .gnu.version; NULL: it does not say */
	bool version_hidden;		/* another version is the one that is linked to by default */
	bool weak, global;
	bool label;			/* it has no type: a label of an assembler */
	bool ifunc;			/* it returns the address of the function proper, and is called once */
};

/*
 * Opens the file @fd, which stays the caller's and must stay open as long as the elf_file. -EBADMSG: it is not
 * ELF; -ENOMEM.
 */
int elf_file_open(int fd, struct elf_file **ret);

/* The same for an image in memory (the vDSO), which must stay there. */
int elf_file_image(const void *image, size_t len, struct elf_file **ret);

void elf_file_close(struct elf_file *f);	/* NULL is fine */

void elf_file_kind(const struct elf_file *f, struct elf_kind *ret);

const struct elf_segment *elf_file_segments(const struct elf_file *f, unsigned *ret_nr);

/* The address of the byte at @off of the file, and where the byte of an address is in the file. False: nowhere. */
bool elf_file_addr(const struct elf_file *f, uint64_t off, uint64_t *ret);
bool elf_file_off(const struct elf_file *f, uint64_t addr, uint64_t *ret);

/* Has it a .symtab? Without one only the names that a library exports are known. */
bool elf_file_whole(const struct elf_file *f);

/* Its build id, as bytes; NULL: it has none. */
const unsigned char *elf_file_build_id(const struct elf_file *f, size_t *ret_len);

/* Calls @each for each function and label of .symtab and .dynsym, until it returns an error (-errno). Most names come twice. */
int elf_file_symbols(struct elf_file *f, int (*each)(void *ctx, const struct elf_entry *e), void *ctx);

/*
 * The address of a variable or function, by its exact name; the first one if there are several. *ret_several: their addresses differ. False:
 * there is none.
 */
bool elf_file_symbol(struct elf_file *f, const char *name, uint64_t *ret, bool *ret_several);

/*
 * Calls @each for each word into which the dynamic linker writes what an IFUNC chooses, until it returns false. The IFUNC is the file's own one at
 * @addr; with @name it is the one of that name in another file. @slot: the word's address. @sure: it is written when the program starts; else it may
 * be written only at the first call.
 */
void elf_file_choices(struct elf_file *f, uint64_t addr, const char *name, bool (*each)(void *ctx, uint64_t slot, bool sure), void *ctx);

/* The bytes of a section, which live as long as the file is open. NULL: it has none of that name, or it is empty. */
const void *elf_file_section(struct elf_file *f, const char *name, size_t *ret_len, uint64_t *ret_addr);

/* Has it a section of this name, with bytes of its own? */
bool elf_file_has(struct elf_file *f, const char *name);

/* Is @a the better one of two names of one address? perf's order (6.12, tools/perf/util/symbol.c, choose_best_symbol()). */
bool elf_entry_is_better(const struct elf_entry *a, const struct elf_entry *b);

#endif
