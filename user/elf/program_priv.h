/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * program_priv.h - what the files of program.h share.
 */
#ifndef ELF_PROGRAM_PRIV_H
#define ELF_PROGRAM_PRIV_H

#include "elf/program.h"
#include "elf/symbols.h"

/* All functions of a program. */
struct program_symbols {
	struct elf_file *debug;		/* its separate debug file; NULL: none, or not needed */
	int debug_fd;
	struct arena arena;		/* names whose version was cut off */
	struct program_function *all;	/* by address, name and version; malloc */
	size_t nr;
	unsigned room;
	struct elf_symbols *by_addr;	/* as stacks have them; NULL until it is asked for */
};

/* Reads them once. A file that cannot be read has none. */
struct program_symbols *program_symbols(struct program *p);

void program_symbols_free(struct program_symbols *s);	/* NULL is fine */

/* The segment of code that has the place @off of the file; NULL: it is no code. */
const struct elf_segment *program_code(const struct program *p, uint64_t off);

#endif
