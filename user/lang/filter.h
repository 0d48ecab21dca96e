/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * filter.h - which hits of a definition are wanted: the kernel's filter language.
 *
 *	dfd == -100 && (name ~ "*.conf" || !COMM == "cat")
 *
 * && binds tighter than ||. ! applies to one predicate or a parenthesis. Pure: plan/filter_plan.h checks
 * whether fields exist, and what can be compared with them.
 */
#ifndef LANG_FILTER_H
#define LANG_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/diag.h"
#include "base/span.h"

/* Limits in bytes (6.12, kernel/trace/trace_events_filter.c; the text is one page with its NUL). */
enum {
	FILTER_MAX_TEXT = 4095,
	FILTER_MAX_NUMBER = 23,
	FILTER_MAX_STRING = 255,
};

enum filter_op { FILTER_EQ, FILTER_NE, FILTER_LT, FILTER_LE, FILTER_GT, FILTER_GE, FILTER_AND, FILTER_GLOB };

enum filter_suffix {
	FILTER_PLAIN,
	FILTER_USTRING,			/* FIELD.ustring: a string in user memory */
	FILTER_FUNCTION,		/* FIELD.function: the function that contains an address */
};

enum filter_operand {
	FILTER_NUMBER,			/* 5, -5, 0x5 */
	FILTER_STRING,			/* "text" or 'text' */
	FILTER_WORD,			/* behind FIELD.function: a symbol */
	FILTER_CPUS,			/* CPUS{0-3,7} */
};

struct filter_range {
	uint64_t first, last;		/* both belong to the range */
};

struct filter_pred {
	struct span at;			/* the whole predicate */
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
	char quote;			/* STRING: the quote character */
	const char *text;		/* STRING, WORD */
	uint32_t len;			/* length of @text */
	const struct filter_range *ranges;	/* CPUS: in the order typed */
	unsigned nr_ranges;
};

enum filter_kind { FILTER_ALL, FILTER_ANY, FILTER_NOT, FILTER_PRED };

/* ALL and ANY have several children; no child has the same kind as its parent. NOT has one child, which is not a NOT. */
struct filter_node {
	enum filter_kind kind;
	struct filter_pred *pred;	/* PRED */
	struct filter_node *child;	/* the first child */
	struct filter_node *next;	/* the next child of the same parent */
};

struct filter_expr {
	const char *text;		/* the text that spans point into */
	struct span at;			/* the expression in @text */
	const struct filter_node *root;
};

/*
 * Parses the part @at of @text. @text and the result live in @arena. On an error returns -EINVAL, -E2BIG or -ERANGE
 * with the caret in @diag (diag->text is @text), and *ret is unchanged.
 */
int filter_parse(struct arena *arena, const char *text, struct span at, const struct filter_expr **ret,
		 struct diag *diag);

/*
 * The length of the filter at the start of @text, without a comment. A comment begins at a '#'
 * outside of quotes.
 */
uint32_t filter_length(const char *text, uint32_t len);

/* Prints the canonical form: parsing it gives an equal tree, and printing that tree gives the same text. */
void filter_print(const struct filter_expr *filter, struct buf *out);
void filter_pred_print(const struct filter_expr *filter, const struct filter_pred *pred, struct buf *out);

#endif
