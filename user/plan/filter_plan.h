/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * filter_plan.h - a definition's filter with every name resolved: what is compared, and where that is done.
 *
 * Negations are at the leaves only. The test of a value that could not be read is false, so its negation is true.
 */
#ifndef PLAN_FILTER_PLAN_H
#define PLAN_FILTER_PLAN_H

#include "lang/filter.h"
#include "lang/glob.h"
#include "lang/trigger.h"
#include "plan/stage.h"

struct arena;
struct layout_field;
struct plan;
struct resolver;

/* What is compared. */
enum filter_source {
	FILTER_FIELD,			/* an argument of the definition */
	FILTER_PID,			/* common_pid */
	FILTER_CPU,			/* CPU, cpu, common_cpu */
	FILTER_COMM,			/* COMM, comm */
	FILTER_PLACE,			/* __probe_ip, __probe_func */
	FILTER_CALLER,			/* __probe_ret_ip */
	FILTER_TYPE,			/* common_type */
	FILTER_FLAGS,			/* common_flags */
	FILTER_COUNT,			/* common_preempt_count */
	FILTER_TIME,			/* common_timestamp: only in histograms */
	FILTER_CONSTANT,		/* .value, the same for all hits of the definition: only in histograms */
};

enum filter_test {
	FILTER_COMPARE,			/* compare a number by an operator */
	FILTER_IN,			/* is a number in one of some ranges? */
	FILTER_SAME,			/* is the text equal to another? */
	FILTER_LIKE,			/* does the text match a pattern? */
};

struct filter_leaf {
	const struct filter_pred *pred;	/* as typed */
	bool negated;			/* the test must be false */
	bool by_text;			/* the text that a line has for the field is compared, and not its number */
	bool in_user;			/* the kernel refused a program with this test */
	enum stage stage;		/* of a definition's filter: where it is decided; else the first one at which that is possible */
	enum filter_source source;
	const struct layout_field *field;	/* FIELD */
	unsigned index;			/* FIELD: its index in the layout */
	enum hist_clock clock;		/* TIME */
	unsigned size;			/* size of a number, in bytes */
	bool is_signed;
	enum filter_test test;
	enum filter_op op;		/* COMPARE: never FILTER_NE or FILTER_GLOB */
	uint64_t value;			/* COMPARE: cut to @size, not sign-extended */
	const struct filter_range *ranges;	/* IN */
	unsigned nr_ranges;
	const struct glob *glob;	/* SAME (one segment of literals), LIKE */
};

enum filter_joint { FILTER_LEAF, FILTER_BOTH, FILTER_EITHER };

struct filter_cond {
	enum filter_joint joint;
	struct filter_leaf *leaf;	/* LEAF */
	struct filter_cond *child;	/* BOTH, EITHER: the first child of two or more */
	struct filter_cond *next;	/* the next child of the same parent */
};

struct filter {
	const struct filter_expr *expr;
	struct filter_cond *root;
	struct filter_leaf **leaves;	/* in the order typed */
	unsigned nr_leaves;
	enum stage stage;		/* the first one at which all of it is decided */
	/*
	 * A definition's filter is decided in parts. A part is what must be true no matter what the other leaves are; what the gate decides
	 * is not in a later part. NULL: the part is empty.
	 */
	const struct filter_cond *in_gate;	/* STAGE_GATE */
	const struct filter_cond *by_record[2];	/* STAGE_RECORD: in a short record, and in one for long strings */
};

/*
 * Resolves the filter of @plan->def into plan->filter. The plan's layout and fetches must be set. Returns -ENOENT for
 * unknown fields and symbols, -EINVAL for what cannot be compared, with the caret in @diag. The text of @diag is then
 * the filter's text.
 */
int filter_resolve(const struct resolver *r, struct plan *plan);

/* Is the leaf decided in BPF only if the string fits its short space? */
bool filter_is_short_only(const struct filter_leaf *leaf);

/* Sets the parts of @filter, whose leaves have their stages. They live in @arena. For plan/stage.c. */
void filter_split(struct filter *filter, struct arena *arena);

/* Must user space test each record of @plan, too? */
bool filter_needs_user(const struct plan *plan);

/* Is the test of @leaf, without its negation, true for the number @n (sign-extended), or for a text? */
bool filter_number_passes(const struct filter_leaf *leaf, uint64_t n);
bool filter_text_passes(const struct filter_leaf *leaf, const char *text, uint32_t len);

#endif
