/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * programs.h - the programs and libraries of a run: each is opened once.
 */
#ifndef ELF_PROGRAMS_H
#define ELF_PROGRAMS_H

#include "base/diag.h"
#include "elf/program.h"

struct programs;

/*
 * Reads nothing yet. @pid: names are those that this process has (program_open()); 0: of no process.
 * programs_close() frees everything.
 */
struct programs *programs_new(unsigned pid);
void programs_close(struct programs *all);	/* NULL is fine */

/* Like program_open(). The program lives until programs_close(). */
int programs_open(struct programs *all, const char *name, struct program **ret, struct diag *diag);

#endif
