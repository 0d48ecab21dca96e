/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lines_question.h - what is asked of debug information for a definition of the source, and what it says.
 */
#ifndef PLAN_LINES_QUESTION_H
#define PLAN_LINES_QUESTION_H

#include "elf/dwarf/lines.h"
#include "plan/expand.h"

struct expansion {
	struct arena *arena;
	const struct probe_def *def;
	const struct facts *facts;
	struct program *program;	/* NULL: the kernel's code */
	int fd;				/* of the debug information */
	const char *name;
	struct elf_file *file;		/* the same, if it was opened here */
	struct lines_answer answer;
	const struct arg *failed;	/* the first argument that cannot be fetched at a place */
	const struct lines_place *failed_at;
	const char *trouble;
	const char *near;		/* ... a line where it can be fetched, or NULL; */
	const char *similar;		/* ... the name that may be meant, or NULL */
	struct diag *diag;
};

/* Opens the file with the debug information: x->program, fd and name. An error with @x->diag. */
int lines_find_file(struct expansion *x);

/* Asks for the places and what is wanted there: x->answer. Names of variables stand for $vars and $params in x->def then. */
int lines_ask_places(struct expansion *x);

/* What debug information is asked for @arg of x->def; NULL: nothing. */
const char *lines_asked_for(struct expansion *x, const struct arg *arg);

#endif
