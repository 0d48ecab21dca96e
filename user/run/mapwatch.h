/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * mapwatch.h - what programs map, as the kernel's perf events report it: mmap, exec, fork and exit of all processes.
 */
#ifndef RUN_MAPWATCH_H
#define RUN_MAPWATCH_H

#include <stdbool.h>

#include "base/diag.h"

struct mapwatch;
struct users;

/*
 * Starts to watch. @running: processes that are running now will be asked about, so what they have mapped is read. -EPERM, -EOPNOTSUPP
 * (in a pid namespace the numbers would be of other processes), -errno with @diag; the caller can go on without.
 */
int mapwatch_open(bool running, struct mapwatch **ret, struct diag *diag);
void mapwatch_close(struct mapwatch *w);	/* NULL is fine */

/* What is known of programs, up to the time that users_find() is asked for. */
struct users *mapwatch_users(struct mapwatch *w);

/* Readable when something was mapped: then mapwatch_take(), before its process ends. */
int mapwatch_fd(const struct mapwatch *w);
void mapwatch_take(struct mapwatch *w);

#endif
