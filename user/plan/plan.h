/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * plan.h - a definition with every name resolved: where to attach, what to fetch,
 * and how the record is laid out.
 *
 *	struct probe_def --plan_resolve--> struct plan --emit_hot--> instructions
 *
 * A plan lives in the session's arena, like the definition that it points to.
 */
#ifndef PLAN_PLAN_H
#define PLAN_PLAN_H

#include "base/arena.h"
#include "base/diag.h"
#include "cexpr/calc.h"
#include "lang/ast.h"
#include "plan/backend.h"
#include "plan/layout.h"
#include "plan/stage.h"

struct count;
struct debug_files;
struct features;
struct filter;
struct kbtf;
struct kevents;
struct kmem;
struct ksyms;
struct ksyscall_names;
struct ktext;
struct ktracepoints;
struct limit;
struct pair;
struct programs;
struct rename;

/* The sources of facts for resolving names. Unit tests pass a kernel of their own. */
struct facts {
	const struct ksyms *ks;		/* NULL: no symbols available, addresses stay 0 */
	struct kbtf *btf;		/* NULL: no types available */
	struct kmem *mem;		/* NULL: no memory available, so no names of system calls' parameters */
	struct ktext *text;		/* NULL: no code available, so places are not checked */
	struct kevents *events;		/* NULL: no events available */
	struct ktracepoints *tracepoints;	/* NULL: no tracepoints available */
	struct programs *programs;	/* NULL: no user probes */
	struct debug_files *debug_files;	/* NULL: no debug information */
	struct asked *asked;		/* what was asked of it; NULL: it is asked anew */
	struct ksyscall_names *calls;	/* NULL: no names of system calls available */
	struct features *features;	/* NULL: kprobes only */
	const struct backend *attach;	/* the only allowed backend; NULL: use the cheapest that can do it (patterns: the first) */
	bool single;			/* each definition gets a link of its own */
	unsigned nr_cpus;		/* number of possible CPUs; 0: not known */
	const struct limit *limit;	/* which hits of each definition are dropped; NULL: none */
	unsigned only_pid;		/* no other process is traced, in this process's pid namespace; 0: others are, or may be later */
	bool no_inline;			/* functions of the source without their inlined copies */
	const char *source;		/* the directory of the sources; NULL: they are where the compiler had them */
	bool inline_chain;		/* places in the source have a field with what is inlined there */
	bool explains;			/* nothing is attached, so hidden addresses may stay unknown */
	bool faithful;			/* ra and rp have their original meaning: the return probe's trampoline */
	bool enum_names;		/* arguments without a type whose BTF type is an enumeration get :enum */
	bool alias;			/* a renamed function may be probed by its present name */
};

enum fetch_src {
	FETCH_REG,		/* a register of the context */
	FETCH_STACKN,		/* the n-th word of the stack; 0 beyond the stack */
	FETCH_VALUE,		/* a constant: an address or an immediate */
	FETCH_TEXT,		/* an immediate string */
	FETCH_COMM,		/* the task's name; the record has it already */
	FETCH_TASK,		/* the address of the running task's struct task_struct */
	FETCH_SAVED,		/* parameter n, saved when the function was entered */
	FETCH_CALLER,		/* the return address; the record has it already */
	FETCH_ELAPSED,		/* nanoseconds from the saved time of the entry to the record's time */
	FETCH_PLACE,		/* the address of the hit; at a return the function's. The record has it already */
	FETCH_WORD,		/* word n of the context: an argument of a tracepoint */
	FETCH_FIELD,		/* a field of the event whose record is the context */
	FETCH_PERCPU,		/* how far this CPU's per-CPU variables are from their addresses: an entry of __per_cpu_offset[] */
	FETCH_CALC,		/* what is calculated of other sources: @calc */
};

/* Where the value of FETCH_FIELD is. */
enum fetch_form {
	FIELD_NUMBER,		/* there */
	FIELD_HERE,		/* its address is the value: a text or an array */
	FIELD_DATA_LOC,		/* there is a __data_loc; the value is the address to which it points */
	FIELD_REL_LOC,		/* ... a __rel_loc, which counts from its own end */
};

struct deref {
	int64_t off;		/* added before the read */
	bool user;		/* read only user memory */
};

/* The last read's address is that of a structure, whose path is the value. */
enum fetch_path {
	FETCH_NO_PATH,
	FETCH_PATH,		/* of a struct path: as the running task sees it */
	FETCH_DENTRY_PATH,	/* of a struct dentry: in its file system */
};

/* How one argument's value is found: a source, then reads through memory. */
struct fetch {
	enum fetch_src src;
	enum reg reg;			/* FETCH_REG */
	unsigned n;			/* FETCH_STACKN, FETCH_SAVED, FETCH_WORD */
	uint64_t value;			/* FETCH_VALUE; FETCH_PERCPU: the address of __per_cpu_offset[] */
	const char *text;		/* FETCH_TEXT */
	const struct deref *derefs;	/* in order; the last one reads the value itself */
	unsigned nr_derefs;
	uint8_t shift;			/* FETCH_REG, FETCH_SAVED: bits by which the word is moved down first: a member of a structure in it */
	enum fetch_path path;
	const struct deref *last_part;	/* ... the reads of the name of its last part, which all kernels have: for listings */
	unsigned nr_last_part;		/* 0: BTF does not tell them */
	uint8_t read;			/* bytes of the last read; 0: as many as the type has */
	int64_t add;			/* added to the number after all reads */
	bool has_index;			/* FETCH_REG: plus a second register times a scale; @no_base: without the first one */
	bool no_base;
	enum reg index;
	uint8_t scale;
	enum fetch_form form;		/* FETCH_FIELD */
	uint16_t off;			/* ... bytes from the start of the context */
	uint8_t size;			/* ... bytes of a number */
	bool is_signed;
	const struct calc *calc;	/* FETCH_CALC: its leaves are sources, struct fetch without derefs */
};

/* The words of the stack that a calculation has: up to 16 operands need no more, and most expressions with more operands. */
enum { FETCH_CALC_WORDS = 4 };

/* Where the program attaches. */
struct target {
	bool is_return;
	const char *module;		/* as typed, or NULL */
	const char *symbol;		/* the kernel's name; NULL: by address */
	const char *lookup;		/* MODULE:SYMBOL or SYMBOL: the name to pass to the kernel */
	uint64_t off;			/* bytes behind @symbol */
	uint64_t addr;			/* address of the place; 0: not known without privilege */
	uint64_t func;			/* address of the function's first byte; 0: as above */
	const char *syscall;		/* the typed system call, if @symbol is the function behind it; or NULL */
	const struct rename *renamed;	/* the typed name is an old name of @symbol; or NULL */
	const char *doubt;		/* why the place could not be checked; or NULL */
	bool is_go;			/* user probes: a program of Go's compiler */
	bool throws;			/* ... one that throws exceptions */
	bool behind_nop;		/* ... at the instruction behind the typed one, which is a nop that must not be probed */
	bool replaced;			/* ... a file that a process still has, whose path names another one now */
	const char *path;		/* user probes: the file, as the kernel is to look it up; else NULL */
	uint64_t file_off;		/* ... the place in it */
	uint64_t ref_ctr;		/* ... offset in it of the counter to raise while the probe is attached; 0: none */
	const char *site_name, *site_func;	/* user and event probes: layout.site_name, layout.func */
	uint64_t site_off;		/* ... and layout.site_off */
	uint64_t stub;			/* tracepoints: the address that is printed as the place; 0: hidden */
	uint32_t event_id;		/* event probes: the number of the event's type */
	bool is_syscall_event;		/* ... it is the event of a system call's entry or return */
	const uint64_t *addrs;		/* pattern: the functions' addresses, or those of probes at their entries; or NULL */
	const uint32_t *ids;		/* ... and their BTF ids, if the backend needs them; or NULL */
	unsigned nr_addrs;
};

/* How a bundled plan would be attached with a link of its own. */
struct plan_alone {
	const struct backend *backend;
	const void *own;
	uint64_t seen_func;
	const char *why_dearer;
};

/* What a return probe needs of the entry: a kretprobe has a second program there, the saver. */
struct plan_saved {
	bool any;
	bool params;
	bool time;
	bool stack;			/* the kernel stack, with the parameters: this kernel cannot unwind it at the return */
};

/* The pairs (lang/pair.h) that its hits begin or end. */
struct plan_pair {
	const struct pair *pair;	/* NULL: none */
	bool ends;
	unsigned field;			/* index of the field that is the key, if pair->field names one */
};

/* What its hits set off in its program. */
struct plan_triggers {
	struct count *counts;		/* histograms; NULL: none */
	const struct count_made *mades;	/* the synthetic events that programs of the run make; NULL: none */
	uint32_t key_room;		/* bytes behind each record for these: it has them only while it is made */
	struct act *acts;		/* all others; NULL: none */
	bool acts_conditional;		/* one of its event's triggers has a filter or needs the record: see gen/act_code.h */
};

struct plan {
	struct arena *arena;		/* it lives there, with all that belongs to it */
	const struct probe_def *def;	/* with $arg* and similar words replaced */
	struct target target;
	const struct fetch *fetches;	/* one for each of layout.fields */
	const char *no_trampoline;	/* --explain --faithful: why the trampoline's address is unknown ("the kernel hides") */
	bool no_value;			/* the return value is fetched, but the function returns none (void) */
	struct plan_saved saved;
	struct plan_pair paired;
	const char *why_dearer;		/* why the backend is not the cheapest one; or NULL */
	bool bundled;			/* its program is one of many behind one link: plan/bundle.h */
	struct plan_alone alone;
	bool fell_back;			/* because the kernel refused the cheaper backend */
	bool faults_in;			/* its program may sleep: what is not in memory yet is fetched again (gen/fault_in.h) */
	bool counts_cold;		/* its program counts what is not in memory, if it may not sleep */
	struct filter *filter;		/* which hits are wanted; NULL: all */
	const struct limit *limit;	/* which of these are dropped; NULL, or not set: none */
	enum stage limit_stage;		/* ... and where */
	uint32_t path_room;		/* bytes behind each record in which paths are made: as key_room of struct plan_triggers */
	struct plan_triggers sets_off;
	uint64_t seen_func;		/* the function's address that its program writes to records */
	const void *own;		/* the backend's private part: only the files of its row know what it is. NULL: it has none */
	struct layout layout;
};

/*
 * Selects one of @def's readings (lang/dialect.h). If there is only one reading, *ret is @def itself. -EINVAL with
 * all readings in @diag: several are possible, because the words are also parameters of the function, or belong to
 * more than one dialect. If the place cannot be resolved, the errors are those of plan_resolve().
 */
int plan_choose(struct arena *arena, struct probe_def *def, const struct facts *facts, struct probe_def **ret,
		struct diag *diag);

/* Does an entry probe save parameters for this return probe? */
bool plan_has_saver(const struct plan *plan);

/*
 * The bytes that each record has behind it while it is made: for paths, and later for keys. A program that has some gives back what
 * its record does not need.
 */
static inline uint32_t plan_room(const struct plan *plan)
{
	return plan->path_room > plan->sets_off.key_room ? plan->path_room : plan->sets_off.key_room;
}

/*
 * Is its record made in memory of its own (struct bp_scratch), and copied into the ring only if somebody wants it? Then a full ring does not
 * stop what only counts or switches.
 */
static inline bool plan_uses_scratch(const struct plan *plan)
{
	return plan->sets_off.counts || stage_of_acts(plan) == STAGE_RECORD;
}

/*
 * Resolves @def's names with @facts and lays out its record. Returns -ENOENT for unknown names, -EOPNOTSUPP for what
 * this version cannot do yet, -E2BIG for a record that is too large, all with a caret in @diag; *ret is unchanged then.
 * -EAGAIN: its module is not loaded yet.
 */
int plan_resolve(struct arena *arena, const struct probe_def *def, const struct facts *facts,
		 struct plan **ret, struct diag *diag);

/*
 * If there are more programs on a function than their backend has room for, gives all of them another backend. The arguments and
 * errors are those of plan_settle_locks().
 */
int plan_settle_crowds(struct arena *arena, struct plan *const *plans, unsigned nr, const struct facts *facts, struct diag *diag);

/*
 * Some of these programs could stop the machine together: gives those another backend (backend_fall_back()). @plans: of one run,
 * NULL where a definition waits. -EOPNOTSUPP with the caret at a definition: @facts->attach does not allow it.
 */
int plan_settle_locks(struct arena *arena, struct plan *const *plans, unsigned nr, const struct facts *facts, struct diag *diag);

/*
 * Resolves the filter of @plan->def into @plan->filter if only target, backend and layout of the plan are known. It is used to
 * look at records that others have made. The errors are those of plan_resolve(), but @diag's text is the filter's.
 */
int plan_resolve_filter(struct arena *arena, const struct facts *facts, struct plan *plan, struct diag *diag);

#endif
