/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * filter.h - which hits of a definition are wanted: the kernel's filter language.
 *
 *	dfd == -100 && (name ~ "*.conf" || !COMM == "cat")
 *
 * && binds tighter than ||, ! takes one predicate or a parenthesis. Pure: whether fields exist, and
 * what can be compared with them, is plan/filter.h's.
 */
#ifndef LANG_FILTER_H
#define LANG_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/diag.h"
#include "base/span.h"

/* In bytes (6.12, kernel/trace/trace_events_filter.c; the text is one page with its NUL). */
enum {
	FILTER_MAX_TEXT = 4095,
	FILTER_MAX_NUMBER = 23,
	FILTER_MAX_STRING = 255,
};

enum filter_op { FILTER_EQ, FILTER_NE, FILTER_LT, FILTER_LE, FILTER_GT, FILTER_GE, FILTER_AND, FILTER_GLOB };

enum filter_suffix {
	FILTER_PLAIN,
	FILTER_USTRING,			/* FIELD.ustring: a string, in user memory */
	FILTER_FUNCTION,		/* FIELD.function: the function that an address is in */
};

enum filter_operand {
	FILTER_NUMBER,			/* 5, -5, 0x5 */
	FILTER_STRING,			/* "text" or 'text' */
	FILTER_WORD,			/* behind FIELD.function: a symbol */
	FILTER_CPUS,			/* CPUS{0-3,7} */
};

struct filter_range {
	uint64_t first, last;		/* both are in it */
};

struct filter_pred {
	struct span at;			/* the whole of it */
	const char *field;
	struct span field_at;
	enum filter_suffix suffix;
	struct span suffix_at;		/* ".ustring", ".function"; .len 0: none */
	enum filter_op op;
	struct span op_at;
	enum filter_operand operand;
	struct span value_at;		/* quotes and braces included */
	bool minus;			/* NUMBER: 0 - number */
	uint64_t number;
	char quote;			/* STRING: which */
	const char *text;		/* STRING, WORD */
	uint32_t len;			/* of @text */
	const struct filter_range *ranges;	/* CPUS: in the order typed */
	unsigned nr_ranges;
};

enum filter_kind { FILTER_ALL, FILTER_ANY, FILTER_NOT, FILTER_PRED };

/* ALL and ANY have several children, none of which is of the same kind; NOT has one, which is no NOT. */
struct filter_node {
	enum filter_kind kind;
	struct filter_pred *pred;	/* PRED */
	struct filter_node *child;	/* the first */
	struct filter_node *next;	/* of the same parent */
};

struct filter_expr {
	const char *text;		/* what spans point into */
	struct span at;			/* the expression in it */
	const struct filter_node *root;
};

/*
 * Parses the part @at of @text, which lives in @arena as the result does. -EINVAL, -E2BIG or -ERANGE with the
 * caret in @diag (diag->text is @text); *ret is untouched then.
 */
int filter_parse(struct arena *arena, const char *text, struct span at, const struct filter_expr **ret,
		 struct diag *diag);

/*
 * How many bytes of the filter that @text begins with are not comment: up to a '#' that is
 * outside of quotes.
 */
uint32_t filter_length(const char *text, uint32_t len);

/* In canonical form: parsing that gives an equal tree, and printing it the same text. */
void filter_print(const struct filter_expr *filter, struct buf *out);
void filter_pred_print(const struct filter_expr *filter, const struct filter_pred *pred, struct buf *out);

#endif
