/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * synthetic.h - the definition of a synthetic event: an event without a place, which triggers make.
 *
 *	s:wakeup_latency u64 lat; pid_t pid; char comm[16] if lat > 100
 *
 * The language is that of Linux 6.12 (kernel/trace/trace_events_synth.c, __create_synth_event()), and a condition as other definitions
 * have it. Pure.
 */
#ifndef LANG_SYNTHETIC_H
#define LANG_SYNTHETIC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/diag.h"
#include "lang/ast.h"

#define SYNTHETIC_GROUP	"synthetic"

enum {
	SYNTHETIC_MAX_FIELDS = 64,
	SYNTHETIC_MAX_STRING = 256,	/* bytes of a string with its NUL: char[256] */
};

struct filter_expr;

struct synthetic_field {
	const char *name;
	const char *type;		/* as listed: "u32", "unsigned int", "char[16]", "char[]" */
	struct span at;			/* type and name */
	enum type_kind kind;		/* SIGNED, UNSIGNED, HEX (gfp_t), STRING; or SYMBOL: a stack */
	uint8_t size;			/* of a number or a frame, in bytes; else 0 */
	uint16_t room;			/* of a string with its NUL; 0: any length */
	bool is_stack;			/* long[]: a kernel stack. @room is of no use */
};

struct synthetic_def {
	const char *text;		/* as typed, in the arena; spans point into it */
	const char *name;
	struct span name_at;
	struct synthetic_field *fields;
	unsigned nr_fields;
	const struct filter_expr *filter;	/* which of its events are made; NULL: all */
	const struct trigger *triggers;	/* what its events set off, in the order typed; NULL: nothing */
};

/* Does @text begin with "s:"? Then it is meant as such a definition. */
bool synthetic_is(const char *text);

/* Parses @text. It and the result live in @arena. -EINVAL or -E2BIG with the caret in @diag; *ret is unchanged then. */
int synthetic_parse(struct arena *arena, const char *text, struct synthetic_def **ret, struct diag *diag);

/* Prints @def as the kernel lists it in dynamic_events, with a blank behind the name; and its condition. */
void synthetic_print(const struct synthetic_def *def, struct buf *out);

#endif
