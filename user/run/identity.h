/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * identity.h - what programs see of this process: its number in the initial pid namespace.
 */
#ifndef RUN_IDENTITY_H
#define RUN_IDENTITY_H

#include <stdint.h>
#include <sys/types.h>

#include "base/diag.h"

struct channel;
struct ktask;

struct identity {
	unsigned level;			/* how deep its pid namespace is; 0: the initial one */
	uint32_t tgid;			/* of this process, in the initial namespace */
};

/*
 * The inode of the pid namespace this process is in; 0: the initial one, where its numbers are those that programs
 * see, or not known (no /proc).
 */
uint32_t identity_pidns(void);

/*
 * It runs a small program on itself (BPF_PROG_TEST_RUN), unless it knows that its namespace is the initial one.
 * -EOPNOTSUPP, -EPERM, ... with @diag.
 */
int identity_find(const struct ktask *task, struct identity *ret, struct diag *diag);

/* The same for who does not have the kernel's types: they are read only within a pid namespace, where they are needed. */
int identity_find_self(struct identity *ret, struct diag *diag);

/* The same for @child, the process that was forked last. */
int identity_of_child(const struct ktask *task, const struct identity *self, pid_t child, uint32_t *ret,
		      struct diag *diag);

/* The probes of @c, also those that run already, leave out the hits of these processes; BP_SELF_NONE: of nobody. */
void identity_leave_out(const struct channel *c, uint32_t tgid, uint32_t other);

#endif
