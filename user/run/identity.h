/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * identity.h - how programs see this process: its number in the initial pid namespace.
 */
#ifndef RUN_IDENTITY_H
#define RUN_IDENTITY_H

#include <stdint.h>
#include <sys/types.h>

#include "base/diag.h"

struct ktask;

struct identity {
	unsigned level;			/* how deep its pid namespace is; 0: the initial one */
	uint32_t tgid;			/* of this process, in the initial namespace */
};

/*
 * The inode of this process's pid namespace. 0: this is the initial namespace, where programs see the same numbers as this process; or the
 * inode is not known (no /proc).
 */
uint32_t identity_pidns(void);

/*
 * Runs a small program on itself (BPF_PROG_TEST_RUN), unless this process is known to be in the initial namespace.
 * -EOPNOTSUPP, -EPERM, ... with @diag.
 */
int identity_find(const struct ktask *task, struct identity *ret, struct diag *diag);

/*
 * The same for a caller that does not have the kernel's types. They are read only within a pid namespace, where they are
 * needed.
 */
int identity_find_self(struct identity *ret, struct diag *diag);

/* The same for @child, the last forked process. */
int identity_of_child(const struct ktask *task, const struct identity *self, pid_t child, uint32_t *ret,
		      struct diag *diag);

#endif
