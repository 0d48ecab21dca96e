/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * trigger.h - what happens at the hits of an event: the kernel's trigger and histogram language.
 *
 *	hist:keys=fd,off.log2:vals=len:sort=len.descending if fd > 2
 *	stacktrace:5 if len == 0
 *	!traceoff
 *
 * The language is that of Linux 6.12 (kernel/trace/trace_events_trigger.c and trace_events_hist.c). Pure: plan/ checks whether fields,
 * events and variables exist.
 */
#ifndef LANG_TRIGGER_H
#define LANG_TRIGGER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/diag.h"
#include "base/span.h"

struct filter_expr;

/* Limits (6.12, kernel/trace/tracing_map.h, trace_events_hist.c, trace_synth.h). */
enum {
	HIST_MAX_KEYS = 3,
	HIST_MAX_VALUES = 2,		/* without hitcount */
	HIST_MAX_SORTS = 2,
	HIST_MAX_VARS = 16,
	HIST_MAX_ACTIONS = 8,
	HIST_MAX_PARAMS = 64,
	HIST_MAX_OPERATORS = 3,		/* in one expression */
	HIST_MIN_BITS = 7, HIST_MAX_BITS = 17, HIST_DEFAULT_BITS = 11,	/* size= is 2 to the power of this */
	HIST_MAX_NAME = 255,		/* of a field, a variable or a histogram: bytes */
};

enum trigger_kind {
	TRIGGER_HIST,
	TRIGGER_STACKTRACE,
	TRIGGER_SNAPSHOT,
	TRIGGER_TRACEON,
	TRIGGER_TRACEOFF,
	TRIGGER_ENABLE_EVENT,
	TRIGGER_DISABLE_EVENT,
	TRIGGER_ENABLE_HIST,
	TRIGGER_DISABLE_HIST,
	TRIGGER_COUNT,
};

/* How a field's value is used and shown. */
enum hist_modifier {
	HIST_PLAIN,
	HIST_HEX,			/* .hex */
	HIST_SYM,			/* .sym */
	HIST_SYM_OFFSET,		/* .sym-offset */
	HIST_EXECNAME,			/* common_pid.execname */
	HIST_SYSCALL,			/* .syscall */
	HIST_STACKTRACE,		/* .stacktrace */
	HIST_LOG2,			/* .log2 */
	HIST_BUCKETS,			/* .buckets=N */
	HIST_USECS,			/* common_timestamp.usecs */
	HIST_PERCENT,			/* .percent */
	HIST_GRAPH,			/* .graph */
	HIST_AVG,			/* .avg: these three are bprobe's own. Instead of the sum a value is the average, */
	HIST_MIN,			/* .min: the smallest, */
	HIST_MAX,			/* .max: or the largest number */
};

enum hist_expr_kind {
	HIST_FIELD,			/* NAME[.MODIFIER] */
	HIST_VAR,			/* $NAME or SYSTEM.EVENT.$NAME */
	HIST_NUMBER,			/* 5, 0x5 */
	HIST_NEGATE,			/* -(left) */
	HIST_ADD, HIST_SUB, HIST_MUL, HIST_DIV,
};

/* What time stamps are read from. ftrace's other clocks that count nanoseconds are CLOCK_MONOTONIC here. */
enum hist_clock { HIST_CLOCK_MONO, HIST_CLOCK_BOOT, HIST_CLOCK_TAI };

/* Before the name of a field: the variable that a field becomes if it is a parameter (6.12, create_field_var_hist()). */
#define HIST_FIELD_VAR	"synthetic_"

struct hist_expr {
	enum hist_expr_kind kind;
	struct span at;
	const char *name;		/* FIELD, VAR: without '$' */
	struct span name_at;
	enum hist_modifier modifier;	/* FIELD */
	struct span modifier_at;	/* behind the '.'; .len 0: none */
	uint64_t buckets;		/* BUCKETS: the width; not 0 */
	const char *system, *event;	/* VAR: NULL: any event; FIELD, as a parameter: NULL: this event, or that of onmatch() */
	/* VAR: the field that a variable of the same trigger stands for. It is used instead. NULL: not such a variable. */
	const struct hist_expr *local;
	uint64_t number;		/* NUMBER */
	struct hist_expr *left, *right;	/* NEGATE: only @left */
};

/* What .log2 makes of a number from 2^63 + 1 on, and so of negative ones; it is the largest result. */
enum { HIST_LOG2_NEGATIVE = 64 };

struct hist_sort {
	const char *name;		/* of a key or a value, or "hitcount" */
	struct span at;
	bool descending;
};

struct hist_var {
	const char *name;
	struct span name_at;
	struct hist_expr *expr;
};

enum hist_handler { HIST_ONMATCH, HIST_ONMAX, HIST_ONCHANGE };
enum hist_action_kind { HIST_TRACE, HIST_SAVE, HIST_SNAPSHOT };

struct hist_action {
	struct span at;
	enum hist_handler handler;
	const char *system, *event;	/* ONMATCH */
	struct span event_at;		/* both, with the '.' */
	struct hist_expr *var;		/* ONMAX, ONCHANGE: a VAR */
	enum hist_action_kind kind;
	bool by_name;			/* TRACE: .EVENT(...), not .trace(EVENT,...) */
	const char *synthetic;		/* TRACE: the event that it makes */
	struct span synthetic_at;
	struct hist_expr **params;	/* TRACE: values; SAVE: fields */
	unsigned nr_params;
};

struct hist {
	struct hist_expr *keys[HIST_MAX_KEYS];
	struct hist_expr *values[HIST_MAX_VALUES];	/* the first hitcount is not among them */
	struct hist_sort sorts[HIST_MAX_SORTS];
	struct hist_var vars[HIST_MAX_VARS];
	struct hist_action actions[HIST_MAX_ACTIONS];
	unsigned nr_keys, nr_values, nr_sorts, nr_vars, nr_actions;
	unsigned bits;			/* size= is 2 to the power of this */
	const char *name;		/* NULL: none */
	const char *clock;		/* NULL: none was typed */
	struct span clock_at;
	enum hist_clock time;		/* the clock of its time stamps */
	bool nohitcount, pause, resume, clear;
	bool exact;			/* a short form (--count, --avg): a value that could not be read is none, and not 0; sums do not wrap */
	struct span keys_at;		/* behind keys= */
	struct span commands_at;	/* the last of pause, continue and clear */
};

struct trigger {
	const struct trigger *next;	/* the next one of the same definition */
	unsigned order;			/* its place among the triggers of the run; set by who reads the definitions */
	const char *text;		/* the text that spans point into */
	struct span at;			/* without white space around it */
	enum trigger_kind kind;
	struct span kind_at;
	bool remove;			/* ! */
	bool counted;			/* :N was typed */
	uint64_t count;
	const char *system, *event;	/* ENABLE_EVENT to DISABLE_HIST */
	struct span event_at;		/* both, with the ':' */
	struct hist *hist;		/* HIST; NULL: none */
	const struct filter_expr *filter;	/* NULL: each hit */
};

/*
 * Parses @text, one trigger as it is written to an event's trigger file. @text and the result live in @arena. On an error returns
 * -EINVAL, -E2BIG or -ERANGE with the caret in @diag, and *ret is unchanged.
 */
int trigger_parse(struct arena *arena, const char *text, struct trigger **ret, struct diag *diag);

/* The name of a kind: "hist", "enable_event". */
const char *trigger_kind_name(enum trigger_kind kind);

/*
 * Prints @t as the kernel's trigger file lists it, without the state at the end of a histogram's line ("[active]") and without the
 * count of the others. To keep a trigger, keep its text: the kernel lists a field to sort by with its modifier, and refuses to read
 * that.
 */
void trigger_print(const struct trigger *t, struct buf *out);

/* Is @t only there to set the variable of field @field (HIST_FIELD_VAR)? */
bool trigger_is_for_field(const struct trigger *t, const char *field);

/* Prints an expression of a histogram as trigger_print() does. */
void hist_expr_print(const struct hist_expr *expr, struct buf *out);

/* Has it variables, actions, calculated values or another clock? Then only a program works it out, at the hit (gen/table_code.h). */
bool hist_is_for_programs(const struct hist *hist);

/* Does @t use the field @name: as key, value, variable or parameter, or in its filter? */
bool trigger_uses_field(const struct trigger *t, const char *name);

/* Does @expr, or a part of it, show a time stamp? Then the trigger's clock is part of its text. */
bool hist_uses_clock(const struct hist *hist);

#endif
