/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ast.h - a definition as a tree, whatever dialect it was typed in.
 *
 * Pure: text in, tree out, tree back to text. Knows nothing of any kernel;
 * names of symbols, variables and fields are kept as typed for plan/ to resolve.
 * Every node lives in the caller's arena and carries the span that it came from.
 */
#ifndef LANG_AST_H
#define LANG_AST_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/regs.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/span.h"

/*
 * Limits of the kernel's probe language, all in bytes without the NUL unless
 * said otherwise (6.12, kernel/trace/trace_probe.h and trace.h).
 */
enum {
	LANG_MAX_LINE = 4094,		/* one definition with its comment */
	LANG_MAX_ARGS = 128,		/* arguments of one definition */
	LANG_MAX_EVENT_NAME = 63,	/* an event's name, and a group's */
	LANG_MAX_ARG_NAME = 32,
	LANG_MAX_ARG_TEXT = 63,		/* an argument's expression with its type */
	LANG_MAX_ARRAY = 64,		/* elements */
	LANG_MAX_STACK = 2048,		/* entries that $stackN can name */
	LANG_MAX_OPS = 16,		/* steps of one argument's fetch program */
	LANG_MAX_MAXACTIVE = 4096,
	LANG_MAX_RECORD = 3072,		/* all arguments' fixed parts together */
};

/* The languages that a definition can be typed in (lang/dialect.h). */
enum dialect {
	DIALECT_KPROBE,		/* kprobe_events, as of Linux 6.12 */
	DIALECT_RFC_V2,		/* kprobe_probes, RFC V2 of 2009 */
	DIALECT_V13,		/* kprobe_events, 13th posting, July 2009 */
	DIALECT_FUNCTION,	/* function_events, 2018 */
	DIALECT_COUNT,
	DIALECT_DETECT = DIALECT_COUNT,	/* a wish, never a definition's: by what the text shows */
};

enum expr_kind {
	EXPR_REG,		/* %REG */
	EXPR_STACK,		/* $stack: the stack pointer */
	EXPR_STACKN,		/* $stackN: the N-th word from there */
	EXPR_RETVAL,		/* $retval */
	EXPR_COMM,		/* $comm, $COMM */
	EXPR_ARG,		/* $argN */
	EXPR_ARGS,		/* $arg*; only as a whole argument */
	EXPR_MEM,		/* @ADDR: the memory there */
	EXPR_MEMSYM,		/* @SYM[±OFFS] */
	EXPR_IMM,		/* \IMM */
	EXPR_IMMSTR,		/* \"text" */
	EXPR_DEREF,		/* ±[u]OFFS(inner) */
	EXPR_VAR,		/* NAME: an argument of the function, by BTF */
	EXPR_FIELD,		/* inner->NAME or inner.NAME */
	EXPR_SUM,		/* inner + OFFS, not read: function_events only; never an inner one */
};

struct expr {
	enum expr_kind kind;
	struct span at;			/* the whole of it, inner ones included */
	struct expr *inner;		/* DEREF, FIELD, SUM */
	const char *name;		/* MEMSYM: the symbol; VAR, FIELD; IMMSTR: the text */
	struct span name_at;		/* where @name stands */
	int64_t off;			/* DEREF, MEMSYM, SUM: offset in bytes */
	uint64_t value;			/* MEM: address; IMM: the value, two's complement */
	enum reg reg;			/* REG */
	unsigned n;			/* STACKN: from 0; ARG: from 1 */
	bool user;			/* DEREF: +uOFFS() */
	bool arrow;			/* FIELD: '->', not '.' */
};

/* [A-Za-z_][A-Za-z0-9_]*, and no length limit. */
bool name_is_ident(const char *s, size_t len);

enum type_kind {
	TYPE_NONE,		/* no type typed */
	TYPE_UNSIGNED,		/* u8 u16 u32 u64 */
	TYPE_SIGNED,		/* s8 s16 s32 s64 */
	TYPE_HEX,		/* x8 x16 x32 x64 */
	TYPE_CHAR,		/* char */
	TYPE_SYMBOL,		/* symbol */
	TYPE_SYMSTR,		/* symstr */
	TYPE_STRING,		/* string */
	TYPE_USTRING,		/* ustring */
	TYPE_BITFIELD,		/* bWIDTH@OFFSET/SIZE */
	TYPE_DENTRY,		/* %pd */
	TYPE_FILE,		/* %pD */
};

struct type {
	enum type_kind kind;
	uint8_t size;			/* bytes of one number; BITFIELD: of the container; else 0 */
	uint8_t bit_width, bit_off;	/* BITFIELD */
	uint8_t count;			/* [N]; 0: not an array */
	struct span at;			/* the type's text with its [N]; .len 0 if none typed */
	struct span count_at;		/* N */
};

/* Is it one of the kinds stored as a __data_loc: string, ustring, symstr, %pd, %pD? */
bool type_is_dynamic(const struct type *type);

/* Bytes of one element in the record's fixed part; TYPE_NONE counts as x64. */
unsigned type_slot_size(const struct type *type);

struct arg {
	const char *name;		/* never NULL: "arg3" when none was typed */
	struct span name_at;		/* .len 0 when generated */
	/*
	 * @name is only what it would be without BTF: a bare $argN takes the
	 * parameter's name, and what follows $arg* counts the parameters. plan/
	 * gives the final name, and looks for duplicates again.
	 */
	bool name_provisional;
	const char *label;		/* what the dialect's own lines call it; NULL: @name */
	struct expr *expr;
	struct type type;
	struct span at;			/* the whole token */
	struct span body_at;		/* without NAME= : expression and type */
};

enum def_kind {
	DEF_ENTRY,		/* p */
	DEF_RETURN,		/* r, or p with %return */
	DEF_REMOVE,		/* - */
};

/* A word of a '-' line that narrows which probes of the event are meant. */
struct match {
	const char *text;
	struct span at;
};

struct place {
	const char *module;		/* MOD:SYM; NULL if none was typed; may be "" as in ":SYM" */
	const char *symbol;		/* NULL: an address */
	bool pattern;			/* @symbol is one or several, with * ? and [], separated by ',' */
	bool calls;			/* and all that it names are system calls: only known in cli/expand.c */
	uint64_t addr;			/* without @symbol */
	uint64_t off;			/* bytes behind @symbol, or */
	bool before;			/* so many in front of it: only in what was typed, see plan/ */
	struct span at;			/* the whole token, without %return */
	struct span module_at, symbol_at, off_at;
};

struct filter_expr;

struct probe_def {
	const char *text;		/* as typed, in the arena; spans point into it */
	enum def_kind kind;
	const char *group;		/* "kprobes" when none was typed; REMOVE: NULL then */
	const char *event;		/* generated when none was typed; REMOVE: NULL for GRP/ */
	const char *unnumbered;		/* what was generated, where that was taken and event has a number; or NULL */
	struct span group_at, event_at;	/* .len 0 when not typed */
	unsigned maxactive;		/* 0: none typed */
	struct span maxactive_at;
	bool suffix_return;		/* %return was typed */
	struct place place;		/* REMOVE: unused */
	struct arg *args;
	unsigned nr_args;
	struct match *matches;		/* REMOVE: the place and arguments behind the name */
	unsigned nr_matches;
	struct span head_at;		/* the first token */
	const struct filter_expr *filter;	/* which hits are wanted; NULL: all */
	bool from_tree;			/* @text is another dialect's: def_print() prints the tree */
	enum dialect dialect;
	bool detected;			/* nobody said that it is @dialect */
	bool has_parent;		/* the first argument is the caller: lang/funcev.h */
	/*
	 * Nobody said which dialect it is, and its words may be names of parameters: what it is in each of
	 * them, by enum dialect, itself among them; NULL: nothing there. plan_choose() tells, as BTF
	 * knows the names. NULL: there is one reading.
	 */
	struct probe_def *const *readings;
};

/*
 * Can $argN and names of parameters be had there, as far as the text tells?
 * At a function's entry (+4 may be the one, behind ENDBR) or its return, both
 * given by symbol.
 */
bool def_reaches_args(const struct probe_def *def);

/*
 * Prints @def in canonical form, as kprobe_events lists it: group and names
 * explicit, expressions as typed, offset decimal. Parsing the result gives an
 * equal definition, and printing that gives the same text. Its filter is left out.
 */
void def_print(const struct probe_def *def, struct buf *out);

/* What belongs behind that: " if EXPRESSION", or nothing. */
void def_print_filter(const struct probe_def *def, struct buf *out);

/* The text that was typed, in @arena, without its filter. */
const char *def_source(struct arena *arena, const struct probe_def *def);

/* As def_print(), from the tree alone: what --explain shows for one expression. */
void expr_print(const struct expr *expr, struct buf *out);
void type_print(const struct type *type, struct buf *out);

#endif
