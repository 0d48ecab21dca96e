/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lines.h - source lines, functions and variables, from debug information (DWARF).
 *
 * A question is a place in the source and the C expressions wanted there. The answer is the addresses of that place, and what the
 * kernel's probe language must fetch there for each expression. libdw reads the debug information, in a child without privileges
 * (lines_ask()), since debug files are large and complex input.
 */
#ifndef ELF_DWARF_LINES_H
#define ELF_DWARF_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "elf/file.h"

/* Was bprobe built with libdw? Without it every question is an error. */
extern const bool lines_is_known;

/* A C expression, such as p->a.b[3], *p or &x. */
struct lines_expr {
	const char *text;
	bool as_text;			/* a string is wanted: the text that a pointer points to, or that an array of characters has */
};

struct lines_query {
	const char *file;		/* the end of a path, from a '/' on; with @function: where this is declared; or NULL */
	const char *function;		/* NULL: the place is a line of @file */
	bool has_line;
	unsigned line;			/* of the file; with @function: counted from its declaration, which is line 0 */
	uint64_t off;			/* bytes behind the entry of @function, if there is no line */
	bool is_return;
	bool no_inline;			/* not where the function is inlined */
	bool lists;			/* the variables of each place are wanted */
	/* Of a program: what of its own file is mapped (a debug file does not say). NULL: it is the kernel, whose globals are symbols. */
	const struct elf_segment *segments;
	unsigned nr_segments;
	const struct lines_expr *exprs;
	unsigned nr_exprs;
};

struct lines_variable {
	const char *name;
	bool is_parameter;
};

/* What is fetched for an expression. */
struct lines_value {
	const char *fetch;		/* such as +8(%di); NULL: it cannot be fetched here, and */
	const char *type;		/* such as u32; "": none fits, the user must say one */
	const char *trouble;		/* this is why */
};

struct lines_place {
	uint64_t addr;			/* in the file, as linked */
	const char *symbol;		/* the function of the symbol table that it is in */
	uint64_t off;			/* bytes behind its start */
	const char *chain;		/* the functions that are inlined there, outermost first, with " < " between them; "": none */
	bool is_entry;			/* the first instruction of its function */
	struct lines_variable *variables;	/* if they are wanted: those of the function that can be fetched there as they are */
	unsigned nr_variables;
	struct lines_value *values;	/* one for each expression */
};

struct lines_answer {
	struct lines_place *places;	/* by their addresses, each once */
	unsigned nr;
	unsigned nr_inlined;		/* of them where a function is inlined */
	const char *trouble;		/* why there is none; else NULL */
	const char *help;		/* for the user; or NULL */
};

/*
 * Answers @query from the debug information of the ELF file @fd, whose name for messages is @name; both stay the caller's.
 * Everything in *ret is in @arena. -EBADMSG: it has no debug information, or it is damaged; -EOPNOTSUPP: bprobe was built without
 * libdw; with @diag, but without a caret. That there is no such place is an answer.
 */
int lines_ask(struct arena *arena, int fd, const char *name, const struct lines_query *query, struct lines_answer *ret, struct diag *diag);

/* The same in this process, for tests. */
int lines_look(struct arena *arena, int fd, const char *name, const struct lines_query *query, struct lines_answer *ret, struct diag *diag);

#endif
