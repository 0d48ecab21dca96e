/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tasks.h - which tasks are traced, as BPF that tests the task at each hit.
 *
 * Conditions of different kinds must all hold. A condition holds if one of its values is the task's value. With
 * @inverted it holds if none of them is. A value that is unknown (the task is exiting and has no namespace any
 * more) is equal to none of the values.
 */
#ifndef GEN_TASKS_H
#define GEN_TASKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/diag.h"

struct gate;
struct ktask;

/* In the order in which they are tested: the cheapest first. */
enum tasks_kind { TASKS_PID, TASKS_TID, TASKS_COMM, TASKS_UID, TASKS_MNTNS, TASKS_PIDNS, TASKS_CGROUP, TASKS_KINDS };

enum { TASKS_COMM_SIZE = 16 };		/* a task's name with its NUL (TASK_COMM_LEN) */

struct tasks_condition {
	uint32_t *numbers;		/* PID, TID, UID; MNTNS, PIDNS: inodes; CGROUP: descriptors of directories. Ascending */
	const char **names;		/* COMM; and those of CGROUP as they were typed */
	unsigned nr;			/* number of values; 0: there is no condition */
	unsigned size_numbers, size_names;
};

/* Starts as all zeroes, which means every task. What it points to is in the arena of the code that fills it. */
struct tasks {
	struct tasks_condition conditions[TASKS_KINDS][2];	/* [1]: inverted */
	uint32_t pidns;			/* inode of the pid namespace of the PID and TID numbers; 0: the initial one */
};

/* Adds one value: @number, or the text @name (borrowed), or both for CGROUP. */
void tasks_add(struct arena *arena, struct tasks *tasks, enum tasks_kind kind, bool inverted, uint32_t number, const char *name);

bool tasks_is_all(const struct tasks *tasks);

/* Does it select (not exclude) tasks by their numbers? Then only those tasks can be traced. */
bool tasks_lists_pids(const struct tasks *tasks);

/* Does it compare numbers of a pid namespace that is not the initial one? */
bool tasks_is_nested(const struct tasks *tasks);

/* -EOPNOTSUPP with @diag: this kernel does not provide what a condition needs. */
int tasks_check(const struct tasks *tasks, const struct ktask *task, struct diag *diag);

/* Appends the tests. Hits of tasks that are not traced leave by GATE_OUT. Uses the TASKS_STACK bytes of the stack below r10. */
enum { TASKS_STACK = 32 };
void tasks_emit(struct gate *g);

/*
 * Would a task be traced that has these numbers and this name? For records: of the conditions only PID, TID and COMM are asked, and numbers
 * are those of the initial pid namespace.
 */
bool tasks_take(const struct tasks *tasks, uint32_t tgid, uint32_t tid, const char comm[TASKS_COMM_SIZE]);

/* Prints one line without its newline: "pid 7, 8; not comm sh". */
void tasks_print(const struct tasks *tasks, struct buf *out);

/* The number of cgroups in both cgroup conditions. */
unsigned tasks_nr_cgroups(const struct tasks *tasks);

#endif
