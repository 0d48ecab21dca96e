/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * who.h - which tasks are traced, as BPF that asks at each hit.
 *
 * Conditions of different kinds must all hold; a condition holds when one of its values is the task's,
 * or with @inverted when none is. What is not known of a task (it is exiting and has no namespace any more) is
 * like none of the values.
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

/* In the order in which they are asked: the cheapest first. */
enum who_kind { WHO_PID, WHO_TID, WHO_COMM, WHO_UID, WHO_MNTNS, WHO_PIDNS, WHO_CGROUP, WHO_KINDS };

enum { WHO_COMM_SIZE = 16 };		/* a task's name with its NUL (TASK_COMM_LEN) */

struct who_condition {
	uint32_t *numbers;		/* PID, TID, UID; MNTNS, PIDNS: inodes; CGROUP: descriptors of directories. Ascending */
	const char **names;		/* COMM; and of CGROUP as they were given */
	unsigned nr;			/* values; 0: not a condition */
};

/* Starts as all zeroes: every task. What it points to is in the arena of its makers. */
struct who {
	struct who_condition conditions[WHO_KINDS][2];	/* [1]: inverted */
	uint32_t pidns;			/* the inode of the pid namespace that PID and TID are numbers of; 0: the initial one */
};

/* Adds one value: @number, or the text @name (borrowed), or both for CGROUP. */
void who_add(struct arena *arena, struct who *who, enum who_kind kind, bool inverted, uint32_t number, const char *name);

bool who_is_all(const struct who *who);

/* Does it name, and not exclude, tasks by their numbers? Then only those can be traced. */
bool who_lists_pids(const struct who *who);

/* Does it compare numbers of a pid namespace that is not the initial one? */
bool who_is_nested(const struct who *who);

/* -EOPNOTSUPP with @diag: this kernel does not tell what a condition asks. */
int who_check(const struct who *who, const struct ktask *task, struct diag *diag);

/* Appends the tests; what is not traced leaves by GATE_OUT. Uses the lower WHO_STACK bytes of the stack. */
enum { WHO_STACK = 32 };
void who_emit(struct gate *g);

/* One line without its end: "pid 7, 8; not comm sh". */
void who_print(const struct who *who, struct buf *out);

/* How many cgroups there are, and the index of the first of those of [@inverted] in the map of all. */
unsigned who_nr_cgroups(const struct who *who);

#endif
