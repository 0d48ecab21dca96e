/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * gate.h - the code in front of a program that rejects hits before a record is reserved.
 *
 *	gate:	tests, with the context in r6; histograms, if nothing else is wanted; r1 = context; call program; exit
 *		exits: count, return 0
 *	counter: the histograms, if their stack and the program's are too much together (APART_ALL)
 *	program: the same as without a gate, but now a function
 *
 * At the return of a user function the gate also looks how deeply calls are nested (gen/depth.h). That rejects nothing.
 *
 * So a rejected hit costs only its tests and one counter: the program's registers are not saved, and its stack is not
 * allocated. A program with a gate does not test again whether the task is marked. A hit that is not traced must not use up
 * a limit. The gate does not count bprobe's own hits against the limits; the program drops these hits. Each kind of test
 * emits its code with the functions below and knows nothing of the other kinds.
 */
#ifndef GEN_GATE_H
#define GEN_GATE_H

#include "gen/code.h"
#include "plan/act.h"
#include "plan/plan.h"

struct counter;
struct ktask;
struct tasks;

/* Which code that counts is a function of its own. A function gives its stack back when it returns, but a call takes time. */
enum count_apart {
	APART_NONE,			/* --explain: all in its place */
	APART_RARE,			/* what counts hits that found no room earlier */
	APART_ALL,
};

/* What the tests need to know. Descriptors are -1 where nothing is loaded (--explain). */
struct gate_env {
	int stats_fd;			/* the map of the counters */
	uint32_t stat_offset;		/* offset of this definition's bp_stat of the first CPU in the map's value */
	unsigned shift;			/* distance from one CPU to the next: 1 << shift bytes */
	unsigned nr_cpus;		/* number of CPUs that have counters */
	uint32_t probe;			/* bp_rec.probe of the definition; for a pattern, of its first one */
	enum count_apart apart;
	bool leaves_out;		/* ignore the processes in bp_selves */
	int selves_fd;			/* the map whose value is bp_selves */
	bool marks;			/* only marked tasks are traced */
	int marks_fd;			/* the map with the marks (bp_tasks) */
	const struct tasks *tasks;	/* NULL: every task */
	const struct ktask *task;	/* for tasks and limits */
	unsigned pid_level;		/* level of tasks->pidns: the initial pid namespace has 0 */
	int cgroups_fd;			/* a map of all cgroups of tasks, first those that are not inverted */
	bool atomics;			/* this kernel's BPF has compare and exchange (5.12) */
	uint32_t rate_offset;		/* offset of the definition's bp_rate in the counters' value */
	uint32_t id;			/* bp_rec.probe of this definition's program */
	int stacks_fd;			/* bp_stacks */
	int once_fd;			/* a map with struct limit_once_key as key */
	int bell_fd;			/* of the channel: who asks for a snapshot rings it */
	uint32_t tif_resched;		/* context_tif_resched() */
	unsigned adds_depth;		/* levels of preempt_count that the hook adds: synthetic events have those of the traced code */
	int skips_fd;			/* of the channel: bp_skips; -1: no program is missed without being seen */
	struct act_word tracing, event;	/* what triggers switch: where the two bp_switch are; .fd -1: nothing switches it */
};

/* How a rejected hit leaves. */
enum gate_exit {
	GATE_OUT,			/* the task is not traced: the hit is not counted */
	GATE_FILTERED,			/* counted in bp_stat.filtered */
	GATE_UNDECIDED,			/* ... and in bp_stat.undecided */
	GATE_LIMITED,			/* counted in bp_stat.limited */
	GATE_COUNTED,			/* counted in tables */
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
	struct counter *counter;	/* what counts the hits that pass; NULL: the program does, or nothing is counted */
	unsigned program;		/* index of the code that calls the program */
};

/* The jump @jump leaves by @how. While tests run, r6 is the context. The tests may use all other registers except r10. */
void gate_leave(struct gate *g, enum gate_exit how, unsigned jump);

/*
 * Does this definition need a gate? The tests for marks and for bprobe's own processes alone are no reason for one.
 * @saver: it is the probe that saves parameters at the entry.
 */
bool gate_is_needed(const struct plan *plan, const struct gate_env *env, bool saver);

/* Adds one to the definition's counter at @offset of its bp_stat, on this CPU. Uses r0 to r2. */
void gate_count(struct code *c, const struct gate_env *env, size_t offset);

/* r1 = the address of this definition's bp_stat of this CPU. Uses r0. Returns the jump that is taken if there is none; 0: there always is. */
unsigned gate_stat(const struct gate_env *env, struct code *code);

/*
 * Appends the gate to the empty @code; the program must follow at its end. -E2BIG with @diag: the
 * tests need more code than a jump can cross.
 */
int gate_emit(const struct plan *plan, const struct gate_env *env, bool saver, struct code *code, struct diag *diag);

#endif
