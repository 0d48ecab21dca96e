/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ast.h - a definition as a tree, whatever dialect it was typed in.
 *
 * Pure: text becomes a tree, and a tree becomes text. This code knows nothing of
 * any kernel. It keeps the names of symbols, variables and fields as typed; plan/
 * resolves them. Every node lives in the caller's arena and holds the span of text
 * that it came from.
 */
#ifndef LANG_AST_H
#define LANG_AST_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/regs.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/span.h"
#include "lang/shown.h"

/*
 * Limits of the kernel's probe language. Sizes are in bytes without the NUL,
 * unless a comment says otherwise (6.12, kernel/trace/trace_probe.h and trace.h; a limit that 7.3 has
 * raised is 7.3's).
 */
enum {
	LANG_MAX_LINE = 4094,		/* one definition with its comment */
	LANG_MAX_ARGS = 128,		/* arguments of one definition */
	LANG_MAX_EVENT_NAME = 63,	/* the name of an event or a group */
	LANG_MAX_ARG_NAME = 32,
	LANG_MAX_ARG_TEXT = 255,	/* an argument's expression with its type; 63 before 7.3 */
	LANG_MAX_ARRAY = 64,		/* elements */
	LANG_MAX_BYTES = 4095,		/* of bytes(LENGTH) and hex(LENGTH), as many as of a string */
	LANG_MAX_VECTOR = 63,		/* strings of string[*] that are printed; one more element tells whether there are more */
	LANG_MAX_STACK = 2048,		/* entries that $stackN can name */
	LANG_MAX_OPS = 16,		/* steps of one argument's fetch program */
	LANG_MAX_PATHS = 8,		/* arguments of the type path: bprobe's own limit. Each takes the verifier 20 thousand steps or more */
	LANG_MAX_CASTS = 3,		/* casts inside each other */
	LANG_MAX_MAXACTIVE = 4096,
	LANG_MAX_RECORD = 3072,		/* the fixed parts of all arguments together */
};

/* The languages that a definition can be typed in (lang/dialect.h). */
enum dialect {
	DIALECT_KPROBE,		/* kprobe_events, as of Linux 6.12 */
	DIALECT_RFC_V2,		/* kprobe_probes, RFC V2 of 2009 */
	DIALECT_V13,		/* kprobe_events, 13th posting, July 2009 */
	DIALECT_FUNCTION,	/* function_events, 2018 */
	DIALECT_COUNT,
	DIALECT_DETECT = DIALECT_COUNT,	/* only a request, never a definition's dialect: detect it from the text */
};

struct cexpr;

enum expr_kind {
	EXPR_REG,		/* %REG */
	EXPR_STACK,		/* $stack: the stack pointer */
	EXPR_STACKN,		/* $stackN: the N-th word from the stack pointer */
	EXPR_RETVAL,		/* $retval */
	EXPR_ELAPSED,		/* $elapsed: nanoseconds from the entry of this call, or of a pair (--pair); never inside another node */
	EXPR_COMM,		/* $comm, $COMM */
	EXPR_TASK,		/* $current: the address of the running task's struct task_struct */
	EXPR_ARG,		/* $argN */
	EXPR_ARGS,		/* $arg*; only as a whole argument */
	EXPR_MEM,		/* @ADDR: the memory at that address */
	EXPR_MEMSYM,		/* @SYM[±OFFS] */
	EXPR_IMM,		/* \IMM */
	EXPR_IMMSTR,		/* \"text" */
	EXPR_DEREF,		/* ±[u]OFFS(inner) */
	EXPR_VAR,		/* NAME: an argument of the function; BTF has the name */
	EXPR_FIELD,		/* inner->NAME or inner.NAME */
	EXPR_CAST,		/* (NAME)inner, (NAME,MEMBER)inner: always inside a FIELD */
	EXPR_SUM,		/* inner + OFFS without a read: function_events only; never inside another node */
	EXPR_FILE,		/* @+OFFS: the memory of the program where this part of its file is mapped; user probes only */
	EXPR_INDEXED,		/* %REG,%INDEX,SCALE: REG + INDEX * SCALE; only inside a DEREF */
	EXPR_C,			/* a C expression: @tree; at a place in the source debug information knows its names, else BTF */
	EXPR_PERCPU,		/* this_cpu_ptr(inner), this_cpu_read(inner): of @SYM the variable is meant, and not its value */
	EXPR_EVENT_FIELD,	/* $NAME: a field of the event on which an event probe is */
};

struct expr {
	enum expr_kind kind;
	struct span at;			/* the whole expression, inner ones included */
	struct expr *inner;		/* DEREF, FIELD, CAST, SUM, PERCPU */
	const char *name;		/* MEMSYM: the symbol; VAR, FIELD, EVENT_FIELD, C; CAST: the structure; IMMSTR: the text */
	struct span name_at;		/* the span of @name */
	const char *member;		/* CAST: MEMBER[.MEMBER]... that @inner points to; NULL: it points to the structure */
	struct span member_at;
	int64_t off;			/* DEREF, MEMSYM, SUM, FILE: offset in bytes */
	uint64_t value;			/* MEM: address; IMM: the value, two's complement */
	enum reg reg;			/* REG; INDEXED: REG_COUNT: none */
	enum reg index;			/* INDEXED */
	unsigned n;			/* STACKN: from 0; ARG: from 1; INDEXED: the scale */
	bool user;			/* DEREF: +uOFFS() */
	bool arrow;			/* FIELD: '->', not '.' */
	const struct cexpr *tree;	/* C: each NAME and WORD of it has its own struct expr (cexpr.word). NULL: $vars, $params */
	bool reads;			/* PERCPU: this_cpu_read() */
	bool like_c;			/* CAST: not typed as the kernel's grammar has it, but as C has it */
};

/* Is @s [A-Za-z_][A-Za-z0-9_]*? There is no length limit. */
bool name_is_ident(const char *s, size_t len);

enum type_kind {
	TYPE_NONE,		/* no type was typed */
	TYPE_UNSIGNED,		/* u8 u16 u32 u64 */
	TYPE_SIGNED,		/* s8 s16 s32 s64 */
	TYPE_HEX,		/* x8 x16 x32 x64 */
	TYPE_CHAR,		/* char */
	TYPE_SYMBOL,		/* symbol */
	TYPE_SYMSTR,		/* symstr */
	TYPE_STRING,		/* string */
	TYPE_USTRING,		/* ustring */
	TYPE_BITFIELD,		/* bWIDTH@OFFSET/SIZE, sbWIDTH@OFFSET/SIZE */
	TYPE_DENTRY,		/* %pd */
	TYPE_FILE,		/* %pD */
	TYPE_PATH,		/* path: the whole path of a struct path, file or dentry */
	TYPE_BYTES,		/* .size bytes that are no number: ip6 mac */
	TYPE_BLOCK,		/* as many bytes as can be read, up to a limit; stored like a string: sockaddr */
	TYPE_BUFFER,		/* as many bytes as a number says; stored like a string, with NULs and without one behind them: bytes hex */
};

/*
 * How a value is shown, if its kind does not say it. The kind says how it is stored, and what filters compare: lang/shown.h has a
 * row for each.
 */
enum type_show {
	SHOW_PLAIN,		/* as its kind */
#define ROW(id, ...)	SHOW_##id,
	SHOWN_TYPES(ROW)
#undef ROW
	SHOW_COUNT,
};

struct arg;

struct type {
	enum type_kind kind;
	uint8_t size;			/* bytes of one number; BITFIELD: bytes of the container; else 0 */
	uint8_t bit_width, bit_off;	/* BITFIELD */
	bool bit_signed;		/* ... sb: its highest bit is the sign */
	uint8_t count;			/* [N]; 0: not an array */
	bool until_null;		/* [*]: the array ends at a NULL; @count is LANG_MAX_VECTOR + 1 */
	bool is_stack;			/* SYMBOL: the frames of a kernel stack, up to @count; an element that is 0 ends them. Only of synthetic events */
	enum type_show show;
	const char *enum_name;		/* enum(NAME); NULL: none was typed */
	uint16_t bytes;			/* BUFFER: its length, if that is a number; else 0, and */
	const struct arg *length;	/* ... the value that says it; its name_at.len is 0 unless it is another argument. NULL in a kept layout */
	struct span at;			/* the type's text with its [N]; .len 0 if none was typed */
	struct span count_at;		/* the span of N; BUFFER: of the length */
};

/* Is the type stored as a __data_loc: string, ustring, symstr, %pd, %pD, sockaddr, bytes or hex? */
bool type_is_dynamic(const struct type *type);

/* Is it read from memory, so that no register holds it? Strings may be a parameter's, so they are checked elsewhere. */
bool type_in_memory(const struct type *type);

/* Is it a number: neither dynamic nor bytes? */
bool type_is_number(const struct type *type);

/* Bytes of one element in the record's fixed part; TYPE_NONE counts as x64. */
unsigned type_slot_size(const struct type *type);

struct arg {
	const char *name;		/* never NULL: "arg3" when none was typed */
	struct span name_at;		/* .len 0 when the name was generated */
	/*
	 * @name is the name without BTF. With BTF it can change: a $argN without
	 * a name takes the parameter's name, and a number behind $arg* depends on
	 * the number of parameters. plan/ sets the final name, and then looks for
	 * duplicates again.
	 */
	bool name_provisional;
	const char *label;		/* its name in the dialect's own output lines; NULL: @name */
	struct expr *expr;
	struct type type;
	struct span at;			/* the whole token */
	struct span body_at;		/* expression and type, without NAME= */
	/* A marker's argument: only these bits of the fetched value are its own, and with @own_signed the highest is the sign. own_bits 0: all */
	uint8_t own_bits, own_off;
	bool own_signed;
};

enum def_kind {
	DEF_ENTRY,		/* p; f, t and e without a return */
	DEF_RETURN,		/* r, or p and f with %return */
	DEF_REMOVE,		/* - */
};

/* What a definition probes: the kinds of ftrace's dynamic events. lang/kind.h has a row for each. */
enum probe_kind {
	PROBE_KPROBE,		/* p r: code of the kernel */
	PROBE_UPROBE,		/* p r: code of a program */
	PROBE_FPROBE,		/* f: a function of the kernel */
	PROBE_TRACEPOINT,	/* t: a tracepoint, with the arguments of the code that calls it */
	PROBE_EVENT,		/* e: an event of the kernel, with its fields */
	PROBE_KINDS
};

/* A word of a '-' line. Such words select some of the event's probes. */
struct match {
	const char *text;
	struct span at;
};

struct place {
	const char *module;		/* MOD:SYM; NULL if none was typed; may be "" as in ":SYM" */
	bool is_vmlinux;		/* vmlinux:SYM: the kernel's own one, and none of a module; @module is NULL */
	const char *path;		/* UPROBE: the program or library as typed; else NULL */
	const char *provider;		/* UPROBE: of the marker @symbol (USDT), or at one of its places; NULL: it is no marker */
	const char *system;		/* EVENT: the group of the event @symbol; else NULL */
	const char *symbol;		/* NULL: an address. TRACEPOINT, EVENT: its name */
	bool quoted;			/* UPROBE: PATH:"SYM" */
	bool pattern;			/* @symbol is one or several patterns with * ? and [], separated by ',' */
	bool calls;			/* a pattern: all functions that it names are system calls; set/expand.c sets this */
	/* If @symbol is NULL; UPROBE: an offset in the file. SYM@ADDR: the function called @symbol that begins there; 0: any. */
	uint64_t addr;
	uint64_t ref_ctr;		/* UPROBE: offset in the file of the counter of probes (a marker's semaphore); 0: none */
	/*
	 * Debug information has the place: line @line of @file, or of the function @symbol (counted from its declaration, which is line 0), or
	 * @symbol in @file. It stands for all places that the compiler has made of it, as a pattern does.
	 */
	bool in_source;
	bool guessed;			/* ... perhaps: nothing else has the function's name */
	bool is_symbol;			/* ... only of the one function that has the symbol @symbol, and not of others with its name */
	const char *file;		/* the end of its path; NULL: none was typed */
	bool has_line;
	unsigned line;
	const char *lines_like;		/* its lines whose text matches this: a pattern with * ? and [], blanks do not count; or NULL */
	struct span like_at;
	uint64_t off;			/* bytes behind @symbol, or with @before: bytes in front of it */
	bool before;			/* only in a definition as typed: plan/ replaces such places */
	struct span at;			/* the whole token, without %return */
	struct span module_at, symbol_at, off_at;
	struct span owner_at;		/* of @path or @system */
};

struct filter_expr;
struct pair;
struct trigger;

/* The stacks that a hit can be recorded with. A definition has one bit for each: 1 << STACK_..., and at most one of the program's. */
enum stack_kind {
	STACK_KERNEL,
	STACK_USER,		/* of the program: addresses */
	STACK_USER_IDS,		/* ... build ids and offsets, for a reader that does not know what was mapped */
	STACK_USER_TEXT,	/* ... lines of text. Only files have them */
	STACK_KINDS
};

#define STACKS_USER (1u << STACK_USER | 1u << STACK_USER_IDS | 1u << STACK_USER_TEXT)

struct probe_def {
	const char *text;		/* as typed, in the arena; spans point into it */
	enum def_kind kind;
	enum probe_kind probe;		/* REMOVE: unused */
	const char *group;		/* its kind's (lang/kind.h) when none was typed; REMOVE: NULL then */
	const char *event;		/* generated when none was typed; REMOVE: NULL for GRP/ */
	const char *unnumbered;		/* the generated name, if it was taken and @event is that name with a number; else NULL */
	struct span group_at, event_at;	/* .len 0 when not typed */
	unsigned maxactive;		/* 0: none was typed */
	struct span maxactive_at;
	bool suffix_return;		/* %return was typed, or for a function (f) $retval */
	struct place place;		/* REMOVE: unused */
	struct arg *args;
	unsigned nr_args;
	struct match *matches;		/* REMOVE: the place and arguments behind the name */
	unsigned nr_matches;
	struct span head_at;		/* the first token */
	const struct filter_expr *filter;	/* which hits are wanted; NULL: all */
	unsigned stacks;		/* bits of enum stack_kind; the text has no word for them */
	unsigned trigger_stacks;	/* those of @stacks that only triggers want: a hit shows them if the trigger stacktrace acts */
	const struct trigger *triggers;	/* what its hits set off, in the order typed; NULL: nothing */
	bool wants_context;		/* a trigger uses common_flags or common_preempt_count: both must be known at each hit */
	bool bare;			/* an event without arguments has none of its own fields: those of a pattern differ */
	bool from_tree;			/* @text is in another dialect: def_print() prints the tree */
	enum dialect dialect;
	bool detected;			/* the user did not name @dialect: it was detected */
	bool has_parent;		/* the first argument is the caller: lang/funcev.h */
	const struct pair *pair;	/* --pair: its hits begin or end these pairs (lang/pair.h); NULL: none */
	bool silent;			/* nobody wants lines of its hits: they only begin pairs (--pair with --count and the like) */
	bool ends_pair;
	bool is_linked;			/* its triggers have variables for other events, or read theirs */
	/*
	 * Set if the user did not name the dialect and the words can also be names of parameters: one
	 * definition for each way to read the text, indexed by enum dialect, with this definition among
	 * them. A NULL element: the text means nothing in that dialect. plan_choose() selects one of them,
	 * because BTF knows the names. NULL: there is only one reading.
	 */
	struct probe_def *const *readings;
};

/*
 * Can @def use $argN and names of parameters, as far as the text shows? They are
 * available at a function's entry (what is behind a landing pad may be the entry, too) and at
 * its return. In both cases a symbol must name the function. Tracepoints have
 * them, too; functions and markers of programs only at the entry, and only $argN.
 */
bool def_reaches_args(const struct probe_def *def);

/* What is fetched, in this order: the arguments, then the lengths of their types that are no other argument. NULL: there is no number @n. */
const struct arg *def_value(const struct probe_def *def, unsigned n);

/*
 * Prints @def in canonical form, as kprobe_events lists it: with the group and
 * all names, expressions as typed, offset decimal. Parsing the result gives an
 * equal definition, and printing that gives the same text. The filter is not
 * printed.
 */
void def_print(const struct probe_def *def, struct buf *out);

/* Prints the text that belongs behind def_print()'s: " if EXPRESSION", or nothing. */
void def_print_filter(const struct probe_def *def, struct buf *out);

/* The text that was typed, in @arena, without its filter. */
const char *def_source(struct arena *arena, const struct probe_def *def);

/* What the expression begins with: a register, a name, an address. */
static inline const struct expr *expr_innermost(const struct expr *e)
{
	while (e->inner)
		e = e->inner;
	return e;
}

/*
 * Calls @each for @expr and all nodes inside it, also those of a C expression. Stops at the first true, and returns it.
 */
bool expr_any(const struct expr *expr, bool (*each)(void *ctx, const struct expr *e), void *ctx);

/* Is one of them of this kind? */
bool expr_has(const struct expr *expr, enum expr_kind kind);

/* Like def_print(), but always prints the tree. --explain shows this for one expression. */
void expr_print(const struct expr *expr, struct buf *out);
void type_print(const struct type *type, struct buf *out);

#endif
