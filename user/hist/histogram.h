/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * histogram.h - one histogram: what it takes from a hit, its table, and what it does then. Variables and actions are for programs
 * (gen/table_code.h).
 */
#ifndef HIST_HISTOGRAM_H
#define HIST_HISTOGRAM_H

#include "hist/hist_table.h"
#include "hist/hist_value.h"
#include "lang/synthetic.h"

struct count;
struct count_table;
struct histogram;

/* A synthetic event of the run. */
struct synthetic {
	const struct synthetic_def *def;
	unsigned number;		/* bp_rec.probe of its records */
};

enum hist_node_kind { HIST_NODE_VALUE, HIST_NODE_REF, HIST_NODE_CONSTANT, HIST_NODE_OPERATION };

/* An expression with its names resolved. */
struct hist_node {
	enum hist_node_kind kind;
	const struct hist_expr *expr;
	struct hist_value value;	/* VALUE */
	unsigned ref;			/* REF: index in histogram.refs */
	uint64_t constant;		/* CONSTANT */
	struct hist_node *left, *right;	/* OPERATION: expr->kind; HIST_NEGATE has no @right */
	bool is_signed, is_string, is_stack;
};

/* A variable that this histogram reads. */
struct hist_ref {
	struct histogram *owner;
	unsigned slot;			/* of the owner's entries */
	const char *name;
	struct hist_type type;
	bool once;			/* reading takes the value away: it is an operand (6.12, parse_expr()) */
	bool is_signed, is_string, is_stack;
};

struct hist_key {
	struct hist_node *node;
	struct hist_type type;
	uint32_t off, size;		/* in the table's key */
};

struct hist_assignment {
	const char *name;
	struct hist_node *node;
	struct hist_type type;
	unsigned slot;
};

struct hist_do {
	const struct hist_action *action;
	unsigned tracked;		/* ONMAX, ONCHANGE: index of the reference */
	unsigned slot;			/* ... and the slot of the largest or last value */
	const struct synthetic *synthetic;	/* TRACE */
	unsigned *params;		/* TRACE: references, one for each field of the event */
	struct hist_assignment *saved;	/* SAVE */
};

enum { HISTOGRAM_MAX_KEY = HIST_MAX_KEYS * HIST_STRING_SIZE + 8 };

struct histogram {
	const struct trigger *trigger;
	const struct layout *layout;	/* of its event */
	const char *group, *event;
	uint64_t place;			/* of its probe, or its function of a return; 0: not known, or there are several */
	struct hist_key keys[HIST_MAX_KEYS];
	uint32_t faults_off;		/* hist.exact: in the table's key: bit n of the number here: key n could not be read */
	struct hist_node *values[HIST_MAX_VALUES];
	struct hist_assignment *vars;	/* typed ones, then those for parameters of actions */
	unsigned nr_vars;
	struct hist_ref *refs;
	unsigned nr_refs;
	struct hist_do dos[HIST_MAX_ACTIONS];
	bool usecs;			/* its time stamps are in microseconds */
	bool has_execname;
	bool paused;
	bool elsewhere;			/* of an event whose programs are loaded already */
	struct hist_table table;
	struct histogram *next_gone;	/* for its owner's list of removed ones */
	struct histogram *shared;	/* name=: another one with this name has the table; NULL: it is here */
	struct histogram *sharing;	/* the next one of those that share a table, from the one that has it on */
	const struct layout *const *places;	/* layouts of the event's probes that have no histogram, for the names of their places */
	unsigned nr_places;
	uint64_t raced, raced_before;	/* see struct count_missing: until the last reading, and those of them that it took away */
	uint64_t counted, taken;	/* hits that programs have counted until the last reading, and those of them that it took away */
	struct count_table *in_kernel;	/* of the one that has the table, with variables: that of programs; NULL: nobody has asked for it */
	const struct count *count;	/* of the one that has the table: programs count in count->table, too; NULL: none does */
};

/* What histograms know of the run around them. */
struct hist_env {
	void *ctx;
	/* The variable @name of the histogram of another trigger. NULL: @diag says why, or nothing if there is none. */
	struct histogram *(*find_var)(void *ctx, const struct histogram *by, const struct hist_expr *expr,
				      const struct hist_assignment **ret, struct diag *diag);
	/*
	 * The field @expr of the event @system.@event: the variable of a histogram that is made there for it. NULL as above.
	 */
	struct histogram *(*find_field)(void *ctx, const struct histogram *by, const char *system, const char *event,
					const struct hist_expr *expr, const struct hist_assignment **ret, struct diag *diag);
	const struct synthetic *(*find_synthetic)(void *ctx, const char *name);
};

/*
 * Resolves @trigger, a histogram on the event of @layout. All lives in @arena, except the table: histogram_fini(). -ENOENT, -EINVAL
 * or -EOPNOTSUPP with the caret in @diag.
 */
int histogram_open(struct arena *arena, const struct trigger *trigger, const struct layout *layout, const char *group,
		   const char *event, const struct hist_env *env, struct histogram **ret, struct diag *diag);
void histogram_fini(struct histogram *h);

/* @e, or the field that it stands for as a variable of the same trigger. */
static inline const struct hist_expr *hist_expr_meant(const struct hist_expr *e)
{
	return e->local ? e->local : e;
}
/* Do both have keys of the same types, so that a key of one can be looked up in the other? */
bool histogram_same_keys(const struct histogram *a, const struct histogram *b);

/* The variable called @name; NULL: it has none. */
const struct hist_assignment *histogram_var(const struct histogram *h, const char *name);

/* How value @i is made of the numbers of the hits: HIST_MIN, HIST_MAX, HIST_AVG (of which the sum is kept), or a sum. */
enum hist_modifier histogram_fold(const struct histogram *h, unsigned i);

/* Adds the number @n, which is that of @hits hits, to value @i of @e. */
void histogram_add(const struct histogram *h, unsigned i, struct hist_entry *e, uint64_t n, uint64_t hits);

/* What value @i of @e shows. False: no hit had the value. */
bool histogram_value(const struct histogram *h, unsigned i, const struct hist_entry *e, hist_sum *ret);

/*
 * Could key @i of @e not be read? Only of hist.exact: else it is 0 then, or an empty text. Which keys that are is in the last word of
 * the key.
 */
bool histogram_key_faulted(const struct histogram *h, unsigned i, const struct hist_entry *e);

/* Counts one hit. Not for a histogram that is a table of programs (hist_kernel_is_table()). */
void histogram_hit(struct histogram *h, const struct event *ev, const struct text *t);

/* The table that it counts in. */
struct hist_table *histogram_table(struct histogram *h);

/* Are keys, values, variables and order of both the same, so that they can share a table? */
bool histogram_matches(const struct histogram *a, const struct histogram *b);

#endif
