/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * who.h - which tasks are traced, as BPF that tests the task at each hit.
 *
 * Conditions of different kinds must all hold. A condition holds if one of its values is the task's value. With
 * @inverted it holds if none of them is. A value that is unknown (the task is exiting and has no namespace any
 * more) is equal to none of the values.
 */
#ifndef GEN_WHO_H
#define GEN_WHO_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/diag.h"

struct gate;
struct ktask;

/* In the order in which they are tested: the cheapest first. */
enum who_kind { WHO_PID, WHO_TID, WHO_COMM, WHO_UID, WHO_MNTNS, WHO_PIDNS, WHO_CGROUP, WHO_KINDS };

enum { WHO_COMM_SIZE = 16 };		/* a task's name with its NUL (TASK_COMM_LEN) */

struct who_condition {
	uint32_t *numbers;		/* PID, TID, UID; MNTNS, PIDNS: inodes; CGROUP: descriptors of directories. Ascending */
	const char **names;		/* COMM; and those of CGROUP as they were typed */
	unsigned nr;			/* number of values; 0: there is no condition */
};

/* Starts as all zeroes, which means every task. What it points to is in the arena of the code that fills it. */
struct who {
	struct who_condition conditions[WHO_KINDS][2];	/* [1]: inverted */
	uint32_t pidns;			/* inode of the pid namespace of the PID and TID numbers; 0: the initial one */
};

/* Adds one value: @number, or the text @name (borrowed), or both for CGROUP. */
void who_add(struct arena *arena, struct who *who, enum who_kind kind, bool inverted, uint32_t number, const char *name);

bool who_is_all(const struct who *who);

/* Does it select (not exclude) tasks by their numbers? Then only those tasks can be traced. */
bool who_lists_pids(const struct who *who);

/* Does it compare numbers of a pid namespace that is not the initial one? */
bool who_is_nested(const struct who *who);

/* -EOPNOTSUPP with @diag: this kernel does not provide what a condition needs. */
int who_check(const struct who *who, const struct ktask *task, struct diag *diag);

/* Appends the tests. Hits of tasks that are not traced leave by GATE_OUT. Uses the WHO_STACK bytes of the stack below r10. */
enum { WHO_STACK = 32 };
void who_emit(struct gate *g);

/* Prints one line without its newline: "pid 7, 8; not comm sh". */
void who_print(const struct who *who, struct buf *out);

/* The number of cgroups in both cgroup conditions. */
unsigned who_nr_cgroups(const struct who *who);

#endif
