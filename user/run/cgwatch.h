/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cgwatch.h - the names of cgroups while bprobe runs: those that exist, and each that is made.
 */
#ifndef RUN_CGWATCH_H
#define RUN_CGWATCH_H

#include "base/diag.h"

struct cgroups;
struct cgwatch;

/*
 * Begins to watch, and then learns those that exist, so none is missed in between. -errno with @diag: cgroup2 is not mounted, or the kernel
 * does not let this user watch. cgwatch_cgroups() is valid until cgwatch_close().
 */
int cgwatch_open(struct cgwatch **ret, struct diag *diag);
void cgwatch_close(struct cgwatch *w);		/* NULL is fine */
struct cgroups *cgwatch_cgroups(const struct cgwatch *w);

/* To be polled for reading; then cgwatch_serve(). */
int cgwatch_fd(const struct cgwatch *w);
void cgwatch_serve(struct cgwatch *w);

#endif
