/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * expand.h - what the patterns of programs, tracepoints and events stand for. Those of the kernel's functions: plan/match.h.
 */
#ifndef PLAN_EXPAND_H
#define PLAN_EXPAND_H

#include "elf/dwarf/lines.h"
#include "plan/plan.h"

/* What a definition stands for. */
struct expanded {
	struct probe_def *const *defs;	/* of one place each: they differ in their places, and may in their names and arguments */
	unsigned nr;
	unsigned left_out;		/* places that cannot be probed */
	const char *why_left_out;	/* one of the reasons; NULL: there are none, or they are not known */
	/* Of places in the source: */
	unsigned nr_repeated;		/* places whose copy of the function has another one: a call may hit more than one of them */
	const char *const *files;	/* if the name of a file means several: those that have the places */
	unsigned nr_files;
};

/* Finds what @def's pattern, marker or place in the source stands for. *ret is in @arena. -ENOENT with a caret in @diag: there is none. */
typedef int expand_function(struct arena *arena, const struct probe_def *def, const struct facts *facts, struct expanded *ret,
			    struct diag *diag);

expand_function user_expand;		/* functions and markers of a program */

/* Is @def at a name that several functions of a program have? Then user_expand() is for it, too. */
bool user_names_several(struct arena *arena, const struct probe_def *def, const struct facts *facts);
expand_function lines_expand;		/* lines and functions of the source */

/* Asks all that lines_expand() will ask for these definitions, so that each file is read once or twice, and not for each of them. */
void lines_prepare(struct arena *arena, struct probe_def *const *defs, unsigned nr, const struct facts *facts);

/*
 * @def, which has failed, as a definition of the source: if no symbol has its function's name, since the function may be inlined
 * wherever it is called; or if it names parameters, which BTF may not know (a module need not have BTF). NULL: @def is not of this
 * kind. It is in @arena.
 */
struct probe_def *lines_of_function(struct arena *arena, const struct probe_def *def, const struct facts *facts);

/* What debug information of this machine says of a definition whose function is inlined somewhere. */
struct inlined {
	struct probe_def *def;		/* it stands for the inlined copies, too: as a definition of the source; else NULL */
	const char *why_not;		/* ... and why it cannot; NULL: the function is not inlined */
};

/* An array in @arena, one for each definition. Nothing is read if no definition has a function of the kernel. */
struct inlined *lines_of_inlined(struct arena *arena, struct probe_def *const *defs, unsigned nr, const struct facts *facts);

/*
 * What debug information says of the place of @def, which is one of the source: its lines that have code, or its places with their
 * variables. *ret is in @arena. An error with a caret in @diag.
 */
int lines_of_place(struct arena *arena, const struct probe_def *def, const struct facts *facts, enum lines_want want,
		   struct lines_answer *ret, struct diag *diag);

/* Copies what the text of a definition does not say. */
void lines_copy_options(const struct probe_def *from, struct probe_def *to);

expand_function event_expand;		/* tracepoints, and events */

#endif
