/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * gate.h - the code in front of a program that turns hits away before anything is reserved.
 *
 *	gate:	tests, with the context in r6; r1 = context; call program; exit
 *		exits: count, return 0
 *	program: as it is without a gate, now a function
 *
 * So that what is turned away costs its tests and one counter: the program's registers are not saved, its
 * stack is not there. A program with a gate does not ask again whether the task is marked. What is not traced must not use up
 * a limit. The gate does not count bprobe's own hits against the limits. The program drops them. Each kind of test emits its
 * code with the functions below and knows nothing of the others.
 */
#ifndef GEN_GATE_H
#define GEN_GATE_H

#include "gen/code.h"
#include "plan/plan.h"

struct ktask;
struct limit;
struct who;

/* What the tests need to know. Descriptors are -1 where nothing is loaded (--explain). */
struct gate_env {
	int stats_fd;			/* of the counters */
	uint32_t stat_offset;		/* of this definition's bp_stat on the first CPU, in their value */
	unsigned shift;			/* from one CPU to the next: 1 << shift bytes */
	unsigned nr_cpus;		/* that have counters */
	uint32_t probe;			/* bp_rec.probe of the definition, of a pattern's first one */
	bool leaves_out;		/* the processes in bp_selves, */
	int selves_fd;			/* which is this map's value */
	bool marks;			/* only marked tasks are traced */
	int tasks_fd;			/* ... by this map (bp_tasks) */
	const struct who *who;		/* NULL: every task */
	const struct ktask *task;	/* for who and limit */
	unsigned pid_level;		/* of who->pidns: the initial pid namespace has 0 */
	int cgroups_fd;			/* a map of all cgroups of who, first those that are not inverted */
	const struct limit *limit;	/* NULL: none */
	bool atomics;			/* this kernel's BPF has compare and exchange (5.12) */
	uint32_t rate_offset;		/* of the definition's bp_rate in the counters' value */
	int once_fd;			/* a map from struct limit_once_key */
};

/* How a hit leaves that does not go on. */
enum gate_exit {
	GATE_OUT,			/* not a hit of this tracing: counted nowhere */
	GATE_FILTERED,			/* bp_stat.filtered */
	GATE_LIMITED,			/* bp_stat.limited */
	GATE_EXITS
};

struct gate_jump {
	struct gate_jump *next;
	unsigned jump;
};

struct gate {
	struct code *code;
	const struct plan *plan;
	const struct gate_env *env;
	struct gate_jump *jumps[GATE_EXITS];
};

/* The jump @jump leaves by @how. While tests run r6 is the context; all others but r10 are theirs. */
void gate_leave(struct gate *g, enum gate_exit how, unsigned jump);

/*
 * Does this definition need a gate at all (marks, and being bprobe itself, are no reason)? @saver: it is the probe
 * that keeps parameters at the entry.
 */
bool gate_is_needed(const struct plan *plan, const struct gate_env *env, bool saver);

/*
 * Appends the gate to the empty @code; the program follows at its end. -E2BIG with @diag: more
 * tests than a jump can cross.
 */
int gate_emit(const struct plan *plan, const struct gate_env *env, bool saver, struct code *code, struct diag *diag);

#endif
