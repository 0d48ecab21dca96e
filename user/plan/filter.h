/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * filter.h - a definition's filter with every name resolved: what is compared, and where that can be done.
 *
 * Negations are at the leaves: a test of a value that could not be read is false, so its negation is true.
 */
#ifndef PLAN_FILTER_H
#define PLAN_FILTER_H

#include "lang/filter.h"
#include "lang/glob.h"

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
};

enum filter_test {
	FILTER_COMPARE,			/* a number, by an operator */
	FILTER_IN,			/* is a number in one of some ranges? */
	FILTER_SAME,			/* is it this text? */
	FILTER_LIKE,			/* does the text match a pattern? */
};

/* Where a leaf is decided, from cheap to dear. */
enum filter_class {
	FILTER_EARLY,			/* by the context, before anything is reserved */
	FILTER_LATE,			/* by the filled record */
	FILTER_USER,			/* in user space */
};

struct filter_leaf {
	const struct filter_pred *pred;	/* as typed */
	bool negated;			/* the test is to be false */
	bool in_user;			/* the kernel refused a program with this test */
	enum filter_source source;
	const struct layout_field *field;	/* FIELD */
	unsigned index;			/* FIELD: of it in the layout */
	unsigned size;			/* of a number, in bytes */
	bool is_signed;
	enum filter_test test;
	enum filter_op op;		/* COMPARE: never FILTER_NE or FILTER_GLOB */
	uint64_t value;			/* COMPARE: cut to the size, without sign */
	const struct filter_range *ranges;	/* IN */
	unsigned nr_ranges;
	const struct glob *glob;	/* SAME (one segment of literals), LIKE */
};

enum filter_joint { FILTER_LEAF, FILTER_BOTH, FILTER_EITHER };

struct filter_cond {
	enum filter_joint joint;
	struct filter_leaf *leaf;	/* LEAF */
	struct filter_cond *child;	/* BOTH, EITHER: the first of two or more */
	struct filter_cond *next;	/* of the same parent */
};

struct filter {
	const struct filter_expr *expr;
	struct filter_cond *root;
	struct filter_leaf **leaves;	/* in the order typed */
	unsigned nr_leaves;
};

/*
 * Resolves the filter of @plan->def, whose layout and fetches are there, into plan->filter. -ENOENT for unknown
 * fields and symbols, -EINVAL for what cannot be compared; with the caret in @diag, whose text is the filter's.
 */
int filter_resolve(const struct resolver *r, struct plan *plan);

/* Where @leaf is decided, as @plan is attached now. */
enum filter_class filter_class(const struct plan *plan, const struct filter_leaf *leaf);

/*
 * The parts of @plan's filter that are decided before the reservation, and behind it by the record: what must be
 * true whatever the other leaves are, without what was decided before. NULL: nothing. They live in @arena.
 */
const struct filter_cond *filter_early_part(const struct plan *plan, struct arena *arena);
const struct filter_cond *filter_late_part(const struct plan *plan, bool is_long, struct arena *arena);

/* Must user space look at each record, too? */
bool filter_needs_user(const struct plan *plan);

/*
 * The kernel did not take a program with @plan's filter: leaves the tests of strings to user space. False: there
 * are none left.
 */
bool filter_leave_to_user(struct plan *plan);
void filter_take_back(struct plan *plan);	/* ... which was not the reason */

/* Is the test of @leaf true of the number @n (extended by its sign), or of a text? Not negated. */
bool filter_number_passes(const struct filter_leaf *leaf, uint64_t n);
bool filter_text_passes(const struct filter_leaf *leaf, const char *text, uint32_t len);

#endif
