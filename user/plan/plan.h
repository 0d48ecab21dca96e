/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * plan.h - a definition with every name resolved: where to attach, what to fetch,
 * and how the record is laid out.
 *
 *	struct probe_def --plan_resolve--> struct plan --emit_hot--> instructions
 *
 * A plan lives in the session's arena with the definition that it points to.
 */
#ifndef PLAN_PLAN_H
#define PLAN_PLAN_H

#include "base/arena.h"
#include "base/diag.h"
#include "lang/ast.h"
#include "plan/backend.h"
#include "plan/layout.h"

struct features;
struct filter;
struct kbtf;
struct kmem;
struct ksyms;
struct ktext;
struct rename;

/* What resolving asks; unit tests hand it a kernel of their own. */
struct facts {
	const struct ksyms *ks;		/* NULL: no symbols at hand, addresses stay 0 */
	struct kbtf *btf;		/* NULL: no types at hand */
	struct kmem *mem;		/* NULL: no memory at hand: no names of system calls' parameters */
	struct ktext *text;		/* NULL: no code at hand: places are not checked */
	const struct features *features;	/* NULL: kprobes only */
	const struct backend *attach;	/* the only one that is wanted; NULL: the cheapest that can do it */
	unsigned nr_cpus;		/* that there can be; 0: not known */
	bool explains;			/* nothing is attached: what is hidden may stay unknown */
	bool faithful;			/* ra and rp are what they were: the return probe's trampoline */
	bool alias;			/* a function that was renamed may be probed by its name of today */
};

enum fetch_src {
	FETCH_REG,		/* a register of the context */
	FETCH_STACKN,		/* the n-th word of the stack; 0 beyond the stack */
	FETCH_VALUE,		/* a constant: an address or an immediate */
	FETCH_TEXT,		/* an immediate string */
	FETCH_COMM,		/* the task's name, which the record has already */
	FETCH_SAVED,		/* parameter n, kept when the function was entered */
	FETCH_CALLER,		/* where the function returns to, which the record has already */
};

struct deref {
	int64_t off;		/* added before the read */
	bool user;		/* read user memory only */
};

/* How one argument's value is found: a source, then reads through memory. */
struct fetch {
	enum fetch_src src;
	enum reg reg;			/* FETCH_REG */
	unsigned n;			/* FETCH_STACKN, FETCH_SAVED */
	uint64_t value;			/* FETCH_VALUE */
	const char *text;		/* FETCH_TEXT */
	const struct deref *derefs;	/* first to last; the last reads the value itself */
	unsigned nr_derefs;
	int64_t add;			/* to the number that was found, at last */
};

/* Where the program attaches. */
struct target {
	bool is_return;
	const char *module;		/* as typed, or NULL */
	const char *symbol;		/* as the kernel calls it; NULL: by address */
	const char *lookup;		/* MODULE:SYMBOL or SYMBOL: what the kernel is asked for */
	uint64_t off;			/* behind @symbol */
	uint64_t addr;			/* of the place; 0: not known without privilege */
	uint64_t func;			/* of the function's first byte; 0: as above */
	const char *syscall;		/* as typed, where @symbol is the function behind it; or NULL */
	const struct rename *renamed;	/* @symbol is what the typed name became; or NULL */
	const char *doubt;		/* why the place could not be checked; or NULL */
	const uint64_t *addrs;		/* of a pattern: the functions' addresses, or NULL */
	unsigned nr_addrs;
};

struct plan {
	const struct probe_def *def;	/* with $arg* and the like spelled out */
	struct target target;
	const struct fetch *fetches;	/* one for each of layout.fields */
	const char *no_trampoline;	/* --explain --faithful: why that address is not known ("the kernel hides ...") */
	bool no_value;			/* a return value is fetched of a function that has none (void) */
	bool saves;			/* a return probe with parameters: a kretprobe needs an entry probe too */
	const char *why_dearer;		/* than the cheapest backend; or NULL */
	bool fell_back;			/* because the kernel refused that one */
	uint32_t btf_id;		/* fentry: of the function */
	unsigned nr_params;		/* fentry: of the function */
	unsigned by_helper;		/* fentry: bit n: parameter n (nr_params: the return value) is no plain load */
	struct filter *filter;		/* which hits are wanted; NULL: all */
	uint64_t seen_func;		/* the function's address as its program puts it into records */
	struct layout layout;
};

/*
 * Which of its readings @def is (lang/dialect.h): *ret is @def itself where it has one only. -EINVAL with all of
 * them in @diag: there are several, as the words are parameters of the function, too, or more than one dialect's.
 * As plan_resolve() where the place cannot be resolved.
 */
int plan_choose(struct arena *arena, struct probe_def *def, const struct facts *facts, struct probe_def **ret,
		struct diag *diag);

/* Does an entry probe keep parameters for this return probe? */
bool plan_has_saver(const struct plan *plan);

/*
 * Resolves @def's names with @facts and lays out its record. Returns -ENOENT for unknown names, -EOPNOTSUPP for what
 * this version cannot do yet, -E2BIG for a record that is too large, all with a
 * caret in @diag; *ret is untouched then. -EAGAIN: its module is not loaded yet.
 */
int plan_resolve(struct arena *arena, const struct probe_def *def, const struct facts *facts,
		 struct plan **ret, struct diag *diag);

/*
 * Resolves the filter of @plan->def into @plan->filter, where only target, backend and layout of the plan are known: for who
 * looks at records that others have made. As plan_resolve(), with @diag's text the filter's.
 */
int plan_resolve_filter(struct arena *arena, const struct facts *facts, struct plan *plan, struct diag *diag);

#endif
