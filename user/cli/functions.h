/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * functions.h - what the lists of --functions share: one file for each kind of places. Only for these files.
 */
#ifndef CLI_FUNCTIONS_H
#define CLI_FUNCTIONS_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/diag.h"
#include "set/machine.h"

struct function_list {
	const struct options *opts;
	struct arena *arena;
	struct machine *machine;	/* open, except for programs */
	unsigned pid;			/* -p: programs are those that this process sees; 0: of no process */
	struct buf line;
};

/* ---- one kind of places each: is @word one of it? ---- */

bool functions_is_program(const struct function_list *l, const char *word);	/* PATH:GLOB, PATH:PROVIDER:GLOB */
bool functions_is_tracepoint(const struct function_list *l, const char *word);	/* t:GLOB */
bool functions_is_event(const struct function_list *l, const char *word);	/* e:GLOB, e:GROUP.GLOB */

/*
 * Prints a line for each place that @word matches to standard output, and a summary to standard error. 0, or the exit status with @diag:
 * nothing matches, or the source of the names cannot be read.
 */
int functions_list_program(struct function_list *l, const char *word, struct diag *diag);
int functions_list_tracepoints(struct function_list *l, const char *word, struct diag *diag);
int functions_list_events(struct function_list *l, const char *word, struct diag *diag);

/* ---- parts of lines ---- */

/* Appends "p:NAME": the kind's letter, and a name that an event can have. @name may be a C++ one. */
void functions_add_event(struct buf *out, char letter, const char *name);

/* Appends parameter @i (from 0) as an argument, under its name if a definition can use this name. @text: it is a string's address. */
void functions_add_param(struct buf *out, unsigned i, const char *name, bool text);

/* Prints "bprobe: 3 tracepoints can be probed" without its end to standard error. */
void functions_print_number(size_t nr, const char *what);

#endif
