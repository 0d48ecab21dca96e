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

enum lines_want {
	LINES_PLACES,			/* the addresses, and what is fetched there */
	LINES_WITH_CODE,		/* the lines that have code: of @function, or of @file */
	LINES_INLINED,			/* which of @functions may be inlined somewhere */
	LINES_OF_ADDRESSES,		/* the lines of @addresses */
};

/* An address of code, such as a frame of a stack has. */
struct lines_address {
	const char *base;		/* it is @distance bytes behind the one symbol of this name; NULL: behind address 0 of the file */
	uint64_t distance;
	const char *symbol;		/* the file must have this symbol @off bytes in front of it, else it is another build; NULL: any */
	uint64_t off;
	bool is_return;			/* the call in front of it is meant: its line is that of the byte before */
};

/* A function that has an address, and its line there. */
struct lines_frame {
	const char *function;		/* its symbol, if it is known, which demangle() takes; else its name in the source */
	const char *file;		/* as the compiler had it, without the directory that it ran in */
	unsigned line;			/* 0: it is not known */
};

/* The innermost first: all but the last are inlined. nr 0: there is no line. */
struct lines_frames {
	struct lines_frame *all;
	unsigned nr;
};

struct lines_query {
	enum lines_want want;
	const char *dir;		/* of the debug information's file, for files that it names; NULL: lines_ask() finds it out */
	const char *file;		/* the end of a path, from a '/' on; with @function: where this is declared; or NULL */
	const char *function;		/* NULL: the place is a line of @file */
	bool has_line;
	unsigned line;			/* of the file; with @function: counted from its declaration, which is line 0 */
	const unsigned *numbers;	/* with any: the places are these lines of the file, of @function or of @file */
	unsigned nr_numbers;
	uint64_t off;			/* bytes behind the entry of @function, if there is no line */
	bool is_return;
	bool no_inline;			/* not where the function is inlined */
	bool is_symbol;			/* the one function that has the symbol @function, and its copies: no other one of its name */
	bool lists;			/* the variables of each place are wanted */
	bool describes;			/* ... with their types, and also those that cannot be fetched there */
	const char *const *functions;	/* INLINED */
	unsigned nr_functions;
	const struct lines_address *addresses;	/* OF_ADDRESSES */
	unsigned nr_addresses;
	/* Of a program: what of its own file is mapped (a debug file does not say). NULL: it is the kernel, whose globals are symbols. */
	const struct elf_segment *segments;
	unsigned nr_segments;
	int program_fd;			/* with @segments: the program's own file, which stays the caller's. A debug file has no frames */
	const struct lines_expr *exprs;	/* $argN is parameter N */
	unsigned nr_exprs;
};

struct lines_variable {
	const char *name;
	bool is_parameter;
	const char *type;		/* if they are described: in C, such as struct file * */
	const char *trouble;		/* ... why it cannot be fetched as it is; NULL: it can */
};

/* What is fetched for an expression. */
struct lines_value {
	const char *fetch;		/* such as +8(%REG); NULL: it cannot be fetched here, and */
	const char *type;		/* such as u32; "": none fits, the user must say one */
	const char *trouble;		/* this is why */
	bool is_unknown;		/* ... no variable has the name */
	const char *similar;		/* a variable or member that is there, if the one that was asked for is not; NULL: none is like it */
	const char *near;		/* FILE:LINE of the nearest line of the function where it can be fetched; NULL: none, or not looked for */
};

struct lines_place {
	uint64_t addr;			/* in the file, as linked */
	const char *symbol;		/* the function of the symbol table that it is in */
	uint64_t off;			/* bytes behind its start */
	const char *chain;		/* the functions that are inlined there, outermost first, with " < " between them; "": none */
	bool is_entry;			/* the first instruction of its function */
	uint64_t copy;			/* the function, or the inlined copy of it, that the place is in: a number of the file; 0: not known */
	struct lines_variable *variables;	/* if they are wanted: those of the function there. Parameters come first */
	unsigned nr_variables, size_variables;
	struct lines_value *values;	/* one for each expression */
};

struct lines_answer {
	struct lines_place *places;	/* by their addresses, each once */
	unsigned nr;
	const char **files;		/* PLACES of a line of a file: the files that have them, if they are several */
	unsigned nr_files;
	const char *path;		/* WITH_CODE: of the source, as the compiler had it */
	unsigned base;			/* ... the line of the function's declaration; of a file 0 */
	unsigned *lines;		/* ... those that have code, in the file, in their order */
	unsigned nr_lines;
	bool *inlined;			/* INLINED: one for each function */
	struct lines_frames *frames;	/* OF_ADDRESSES: one for each address */
	const char *trouble;		/* why there is none; else NULL */
	bool is_known;			/* ... but the function, or the file, is known */
	const char *help;		/* for the user; or NULL */
};

/*
 * Answers @nr questions, one or more, from the debug information of the ELF file @fd, whose name for messages is @name; both stay the
 * caller's. The file is read once: a thousand questions together cost little more than one. All have the same ->segments and ->program_fd.
 * @ret has an answer for each, and everything in it is in @arena. -EBADMSG: the file has no debug information, or it is damaged;
 * -EOPNOTSUPP: bprobe was built without libdw; with @diag, but without a caret. That there is no such place is an answer.
 */
int lines_ask(struct arena *arena, int fd, const char *name, const struct lines_query *queries, unsigned nr, struct lines_answer *ret,
	      struct diag *diag);

/* The same in this process, for tests. @each gets each answer, which lives until it returns. */
int lines_look(struct arena *arena, int fd, const char *name, const struct lines_query *queries, unsigned nr,
	       void (*each)(void *ctx, const struct lines_query *q, const struct lines_answer *a), void *ctx, struct diag *diag);

#endif
